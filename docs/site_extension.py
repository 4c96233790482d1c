"""Extension of Sphinx for this site: the API from `signorini.__all__`, files of the project as pages, plain docstrings.

The Markdown pages are written for GitHub and read here unchanged: a link to a file outside of `docs/` becomes a page with its
text, and the pages `contributing` and `changes` have the text of the files in the root of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from headlines import headlines
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"contributing": "CONTRIBUTING.md", "changes": "CHANGELOG.md"}
"""Pages of the site and the files of the root whose text they have."""
TEXTS = {".py", ".md", ".toml", ".bib", ".csv", ".json", ".txt", ".cff"}
"""Endings of files that get a page; others can be downloaded."""
API = Path(__file__).parent / "api"
"""Folder of the generated pages; not under version control."""


def api_groups(source: str) -> list[tuple[str, list[str]]]:
    """The public names by purpose, as they stand in `__all__` of the package: (heading, names)."""
    (listed,) = re.findall(r"^__all__ = \[.*?\n(.*?)^\]", source, flags=re.DOTALL | re.MULTILINE)
    groups: list[tuple[str, list[str]]] = []
    for line in listed.splitlines():
        if heading := re.fullmatch(r"\s*# (.*)", line):
            groups.append((heading[1], []))
        else:
            groups[-1][1].extend(re.findall(r'"(\w+)"', line))
    return groups


def write_api(app: Sphinx) -> None:
    """Write one page for each group of public names, and the list of the groups."""
    import signorini

    API.mkdir(exist_ok=True)
    pages = {}
    for heading, names in api_groups((ROOT / "src/signorini/__init__.py").read_text(encoding="utf-8")):
        page = re.sub(r"[^a-z]+", "-", heading.lower()).strip("-")
        parts = [heading, "=" * len(heading), ""]
        for name in names:
            thing, public = getattr(signorini, name), f"signorini.{name}"
            if isinstance(thing, ModuleType):
                parts += [
                    public,
                    "-" * len(public),
                    "",
                    f".. py:module:: {public}",
                    "",
                    *_plain_lines(thing.__doc__ or ""),
                ]
                parts += ["", *_members_of(thing)]
            else:
                parts += [f".. auto{'class' if isinstance(thing, type) else 'function'}:: {public}", ""]
        pages[page] = "\n".join(parts)
    listed = [f"   {page}" for page in pages]
    head = [
        "Python API",
        "==========",
        "",
        "Every name that ``import signorini as sg`` offers, from the docstrings of the code.",
        "",
    ]
    pages["index"] = "\n".join([*head, ".. toctree::", "   :maxdepth: 2", "", *listed, ""])
    for page, text in pages.items():
        file = API / f"{page}.rst"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for stale in {file.stem for file in API.glob("*.rst")} - set(pages):
        (API / f"{stale}.rst").unlink()


def _members_of(module: ModuleType) -> list[str]:
    """Directives for the public functions and classes that a module defines."""
    found = {
        name: thing for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__
    }
    kinds = {
        name: "class" if isinstance(thing, type) else "function" for name, thing in found.items() if name[0] != "_"
    }
    return [line for name, kind in kinds.items() for line in (f".. auto{kind}:: {module.__name__}.{name}", "")]


def read_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Take the text of files in the root, let links to these files lead to the pages of this site; numbers of the start page."""
    if docname in ROOT_PAGES:
        text = (ROOT / ROOT_PAGES[docname]).read_text(encoding="utf-8")
        app.env.note_dependency(str(ROOT / ROOT_PAGES[docname]))
        text = re.sub(r"\]\((?!https?:|#|docs/)([^)]+)\)", r"](../\1)", text)
        source[0] = text.replace("](docs/", "](")
    for page, file in ROOT_PAGES.items():
        up = "../" * docname.count("/")
        source[0] = re.sub(rf"\]\((\.\./)+{re.escape(file)}", f"]({up}{page}.md", source[0])
    source[0] = re.sub(r"\]\(((?:\.\./)+problems/\w+\.md)\)", r"](path:\1)", source[0])
    if docname == "index":
        for page, numbers in headlines().items():
            app.env.note_dependency(str(Path(app.srcdir) / f"{page}.md"))
            source[0] = source[0].replace(f"|{page}|", numbers)
    if docname.startswith("sections/"):  # pages that may be absent
        lines = source[0].splitlines(keepends=True)
        source[0] = "".join(
            k for k in lines if "*" not in k or any((Path(app.srcdir) / "sections").glob(f"{k.strip()}.md"))
        )


def plain_text(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings here are plain text with `code` between backticks: make them reStructuredText."""
    if lines and what in ("class", "exception") and lines[0].startswith(f"{name.rpartition('.')[2]}("):
        lines.clear()  # what dataclass writes if there is no docstring
    lines[:] = _plain_lines("\n".join(lines))


def _plain_lines(text: str) -> list[str]:
    """The lines of a plain text with the signs escaped that reStructuredText would interpret, outside of backticks."""
    parts = re.split(r"(`+[^`]*`+)", text)
    signs = re.compile(r"([*|\\]|(?<=\w)_(?=\W|$))")
    return "".join(part if part.startswith("`") else signs.sub(r"\\\1", part) for part in parts).splitlines()


def short_types(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returned: str | None
):
    """What NumPy makes of `ArrayLike`, and of arrays of numbers, as it is written in the code."""
    if signature is None:
        return None
    buffers = r"~?(?:\w+\.)*_Buffer \| ~?(?:\w+\.)*_SupportsArray\[.*?_NestedSequence\[[^\[\]]*complex[^\[\]]*\]"
    short = [re.sub(buffers, "ArrayLike", text) if text else text for text in (signature, returned)]
    arrays = r"~?(?:\w+\.)*ndarray\[~?tuple\[~?(?:\w+\.)*Any, \.\.\.\], ~?(?:\w+\.)*dtype\[~?(?:\w+\.)*(\w+)\]\]"
    return tuple(re.sub(arrays, r"NDArray[\1]", text) if text else text for text in short)


def skip_foreign(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what is inherited from other packages."""
    home = getattr(thing, "__module__", None) or getattr(getattr(thing, "__objclass__", None), "__module__", None)
    if isinstance(thing, property):
        home = getattr(thing.fget, "__module__", None)
    if isinstance(home, str) and not home.startswith("signorini"):
        return True
    return None


def link_to_files(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Links to files of the project outside of `docs/` lead to pages with their text."""
    wanted: set[str] = app.env.__dict__.setdefault("signorini_files", set())
    for node in list(doctree.findall(addnodes.download_reference)):
        file = (Path(app.srcdir) / Path(docname).parent / node["reftarget"]).resolve()
        if not file.is_file():
            file = (Path(app.srcdir) / node["reftarget"].lstrip("/")).resolve()
        if not file.is_file() or not file.is_relative_to(ROOT) or file.suffix not in TEXTS:
            continue
        page = f"files/{file.relative_to(ROOT).as_posix()}"
        wanted.add(page)
        uri = app.builder.get_relative_uri(docname, page)
        node.replace_self(nodes.reference("", "", *node.children, refuri=uri, internal=True))


def file_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The pages of these files, with coloured text."""
    for page in sorted(app.env.__dict__.get("signorini_files", ())):
        file = ROOT / page.removeprefix("files/")
        text = file.read_text(encoding="utf-8")
        try:
            lexer = get_lexer_for_filename(file.name)
        except ClassNotFound:
            lexer = TextLexer()
        body = highlight(text, lexer, HtmlFormatter(cssclass="highlight"))
        path = page.removeprefix("files/")
        yield page, {"title": path, "body": f"<h1><code>{path}</code></h1>{body}"}, "page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("builder-inited", write_api)
    app.connect("source-read", read_page)
    app.connect("autodoc-process-docstring", plain_text, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", short_types)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("doctree-resolved", link_to_files)
    app.connect("html-collect-pages", file_pages)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
