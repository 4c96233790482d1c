"""Settings of the documentation site: `make docs` builds it into `site/`, `make site` opens it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # the extension of this site
sys.path.insert(0, str(HERE.parent / "src"))

import signorini  # noqa: E402 (found by the path above)

project = "Signorini"
author = "The Signorini developers"
copyright = "The Signorini developers, MIT licence"
version = release = signorini.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "site_extension"]
exclude_patterns = ["tutorial.ipynb", "**/.ipynb_checkpoints"]
napoleon_numpy_docstring = False

myst_heading_anchors = 4
myst_enable_extensions: list[str] = []

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "inherited-members": True}
autodoc_type_aliases = {name: name for name in ("ArrayLike", "NDArray", "Floats", "Vector", "PlaceLike")}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
highlight_language = "none"  # a block without a language is a command or output, not Python
default_role = "code"  # docstrings have single backticks
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "Signorini"
html_logo = "images/logo.svg"
html_favicon = "images/logo.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would fetch pages, which a browser refuses for files on disk
html_theme_options = {
    "logo": {"text": "Signorini"},
    "show_prev_next": True,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "search_bar_text": "Search",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
