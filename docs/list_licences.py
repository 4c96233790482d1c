"""Writes the table of docs/licences.md: `python docs/list_licences.py`, from what the installed packages say of themselves."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/licences.md"
SAID_ELSEWHERE = {
    "ipctk": "MIT",
    "nbclient": "BSD-3-Clause",
    "pytetwild": "MPL-2.0",
    "threadpoolctl": "BSD-3-Clause",
}
"""Licences of packages whose metadata have none in short form; from the file LICENSE that they install."""
SHORT = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Modified BSD License": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "LicenseRef-TOST-1.0": "TOST-1.0",
    "Python Software Foundation License": "PSF",
}


def direct_dependencies() -> dict[str, list[str]]:
    """Every package that pyproject.toml names, with the extras that need it; an empty list: everybody needs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed: dict[str, list[str]] = {_name(text): [] for text in project["dependencies"]}
    for extra, packages in project["optional-dependencies"].items():
        for name in map(_name, packages):
            if name != "signorini" and needed.get(name) != []:
                needed.setdefault(name, []).append(extra)
    return needed


def licence(package: str) -> str:
    """The licence that an installed package states, as short as it states it; an empty text if it is not installed."""
    if package in SAID_ELSEWHERE:
        return SAID_ELSEWHERE[package]
    try:
        about = metadata(package)
    except PackageNotFoundError:
        return ""
    classifiers = [c.rpartition(" :: ")[2] for c in about.get_all("Classifier") or [] if c.startswith("License :: ")]
    given = about.get("License") or ""
    stated = about.get("License-Expression") or (given if 0 < len(given) < 40 and "\n" not in given else "")
    text = stated or " and ".join(c for c in classifiers if c != "OSI Approved")
    return SHORT.get(text, text)


def table() -> str:
    """The table of the page."""
    rows = ["| package | needed by | licence |", "|---|---|---|"]
    for package, extras in sorted(direct_dependencies().items(), key=lambda item: (item[1], item[0])):
        rows.append(f"| {package} | {', '.join(extras) or 'everything'} | {licence(package)} |")
    return "\n".join(rows) + "\n"


def _name(requirement: str) -> str:
    return re.split(r"[\[<>=~! ;]", requirement)[0]


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8").partition("| package |")[0]
    after = PAGE.read_text(encoding="utf-8").partition("\n\n## ")[2]
    PAGE.write_text(f"{before}{table()}\n## {after}", encoding="utf-8")
