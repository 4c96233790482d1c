"""Pages that programs write are up to date, and no dependency is without its licence."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PIL import Image

from signorini.gallery import SCENES

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import list_gallery  # noqa: E402
import list_licences  # noqa: E402


def test_the_gallery_page_is_that_of_the_registry() -> None:
    assert list_gallery.PAGE.read_text(encoding="utf-8") == list_gallery.page(), "run `python docs/list_gallery.py`"


def test_every_scene_has_a_picture_a_film_and_a_measured_time() -> None:
    text = list_gallery.page()
    parts = {part.split("\n")[0]: part for part in text.split("\n## ")[1:]}
    assert set(parts) == set(SCENES)
    assert not [name for name, part in parts.items() if "![Film" not in part or "not measured" in part]
    for name in SCENES:
        with Image.open(ROOT / f"docs/films/{name}.webp") as film:
            assert film.n_frames > 1, name


def test_every_direct_dependency_has_a_licence() -> None:
    text = list_licences.PAGE.read_text(encoding="utf-8")
    stated = dict(re.findall(r"^\| ([\w-]+) \| [\w, ]+ \| (\S[^|]*) \|$", text, flags=re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [*project["dependencies"], *(need for extra in project["optional-dependencies"].values() for need in extra)]
    names = {re.split(r"[\[<>=~! ;]", need)[0] for need in needs} - {"signorini"}
    assert names <= set(stated), sorted(names - set(stated))
    for package in names:
        try:
            version(package)
        except PackageNotFoundError:
            continue
        assert stated[package] == list_licences.licence(package), package


def test_the_film_of_the_readme_is_small_and_moves() -> None:
    film = ROOT / "docs/images/film.webp"
    assert film.stat().st_size < 3e6
    with Image.open(film) as picture:
        assert picture.n_frames > 30
    first = (ROOT / "README.md").read_text(encoding="utf-8").split("![")[1]
    assert "docs/images/film.webp" in first.split(")")[0]
