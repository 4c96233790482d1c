"""The documentation site: built without a warning, complete, without the network, and searchable from the disk."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import signorini as sg
from support.chromium import Browser, needs_chromium

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from headlines import headlines  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; the sources are copied, so that tests that run beside this one are not disturbed."""
    folder = tmp_path_factory.mktemp("site")
    for part in (
        "docs",
        "src",
        "problems/README.md",
        "examples",
        "tests",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
    ):
        if (ROOT / part).is_dir():
            hidden = shutil.ignore_patterns("__pycache__", "api", "*.png", "*.webp", "*.kernel")
            shutil.copytree(ROOT / part, folder / part, ignore=hidden)
        else:
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, folder / part)
    for picture in [
        *(ROOT / "docs").rglob("*.png"),
        *(ROOT / "docs").rglob("*.webp"),
    ]:  # links are fast, copies are not
        (folder / picture.relative_to(ROOT)).parent.mkdir(exist_ok=True)
        (folder / picture.relative_to(ROOT)).symlink_to(picture)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "docs", "site"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-3000:]
    return folder / "site"


def test_every_page_is_in_the_table_of_contents(site: Path) -> None:
    """A page that no table of contents names would have been a warning; here, that none was left out of the build."""
    sources = [p for p in (ROOT / "docs").rglob("*.md") if "api" not in p.parts]
    missing = [p.name for p in sources if not (site / p.relative_to(ROOT / "docs")).with_suffix(".html").exists()]
    assert not missing


def test_every_link_and_anchor_leads_somewhere(site: Path) -> None:
    found = [page for page in site.rglob("*.html") if "_static" not in page.parts]  # a template of the theme lies there
    pages = {page: page.read_text(encoding="utf-8") for page in found}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    broken = []
    for page, text in pages.items():
        for kind, address in re.findall(r'\b(href|src)="([^"]+)"', text):
            parts = urlsplit(address)
            if parts.scheme or address.startswith(("//", "#")):
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.exists() or (kind == "href" and parts.fragment and target in anchors):
                if target.exists() and unquote(parts.fragment) in anchors[target]:
                    continue
                broken.append(f"{page.relative_to(site)}: {address}")
    assert not broken, broken[:20]


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    loaded = r"""(?:<(?:script|img|iframe)[^>]*\bsrc|<link[^>]*\bhref)="(https?:)?//"""
    assert not [page.name for page in site.rglob("*.html") if re.search(loaded, page.read_text(encoding="utf-8"))]


def test_the_start_page_says_what_the_evidence_says(site: Path) -> None:
    """A film, code that runs, and the numbers of the pages of evidence."""
    text = (site / "index.html").read_text(encoding="utf-8")
    for page, numbers in headlines().items():
        assert numbers in text and f'href="{page}.html"' in text
    source = (ROOT / "docs/index.rst").read_text(encoding="utf-8")
    (code,) = re.findall(r"code-block:: python\n\n((?:      .*\n|\n)+)", source)
    code = textwrap.dedent(code)
    assert len([line for line in code.splitlines() if line and not line.startswith("import")]) <= 10
    exec(compile(code.replace("seconds=1.0", "seconds=0.1"), "index.rst", "exec"), {})
    assert 'src="_images/film.webp"' in text


def test_every_public_name_is_in_the_api(site: Path) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    documented = set(re.findall(r'id="(?:module-)?signorini\.(\w+)"', text))
    assert set(sg.__all__) <= documented, sorted(set(sg.__all__) - documented)


@needs_chromium
@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)], ids=["desktop", "phone"])
def test_the_site_works_in_a_browser_from_the_disk(site: Path, width: int, height: int) -> None:
    browser = Browser(width, height)
    try:
        for page in ("index.html", "theory/otaduy2009.html", "api/what-a-scene-is-made-of.html"):
            browser.open((site / page).as_uri(), until="document.readyState == 'complete'")
            assert browser.evaluate("document.documentElement.scrollWidth") <= width, f"{page} is wider than the window"
        browser.open(
            (site / "search.html").as_uri() + "?q=friction",
            until="document.querySelectorAll('#search-results li').length > 5",
        )
        assert all(address.startswith(("file:", "data:")) for address in browser.requests)
        assert not browser.errors
    finally:
        browser.close()
