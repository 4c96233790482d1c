"""Every name, module path, file and link that the documentation mentions exists."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import signorini as sg
from signorini.cli.main import app

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/signorini"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BASES = (ROOT, PACKAGE, ROOT / "docs")
NOT_OURS = (
    "runs/",
    "OUT",
    "comparisons/",
    "sweeps/",
    "walk/",
    "meshes/",
    "bodies/NAME/",
    "NAME/",
    "checkpoint/",
    "<topic>",
    "path.",
    "problems/…",
    "signorini/Grasp-v",  # names of environments
    "signorini/Fold-v",
    "vertices/",  # groups of bodies in the trajectory of a run
    "elements/",
    "nodes/",
)
"""Beginnings of paths that stand for files of a user, parts of a run, or names of environments."""
PREFIX = "memory_rest_"
"""Arrays of a checkpoint whose names begin so are named after fields; `test_output_files_page` compares them with one."""
WRITTEN = {
    "scene.toml",
    "steps.csv",
    "summary.json",
    "numbers.json",
    "picture.png",
    "film.mp4",
    "trajectory.zarr/",
    "scene.schema.json",
    "sweep.json",
    "runs.csv",
}
"""Files that a command writes."""


def code_spans(text: str) -> list[str]:
    """What stands between single backticks, outside of code blocks."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def code_blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def resolves(dotted: str) -> bool:
    """Whether a dotted name that starts with the package leads to a module or an attribute."""
    parts = dotted.split(".")
    for k in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            if not hasattr(thing, name):
                return False
            thing = getattr(thing, name)
        return True
    return False


def exists(path: str) -> bool:
    """Whether a path, as `room/module`, `room/module.function` or a file of the project, exists."""
    for base in BASES:
        if (base / path).exists() or (base / f"{path}.py").exists():
            return True
    module, _, name = path.partition(".")
    file = PACKAGE / f"{module}.py"
    return file.exists() and resolves(f"signorini.{module.replace('/', '.')}.{name}")


@cache
def members() -> dict[str, set[str]]:
    """The methods, fields and attributes of every class of the package, by the name of the class."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef):
                continue
            names = found.setdefault(node.name, {base.id for base in node.bases if isinstance(base, ast.Name)})
            for part in ast.walk(node):
                if isinstance(part, ast.FunctionDef):
                    names.add(part.name)
                elif isinstance(part, ast.AnnAssign | ast.Assign):
                    targets = [part.target] if isinstance(part, ast.AnnAssign) else part.targets
                    names |= {t.id for t in targets if isinstance(t, ast.Name)}
                    names |= {t.attr for t in targets if isinstance(t, ast.Attribute)}
    return found


def has_member(owner: str, name: str) -> bool:
    own = members().get(owner, set())
    return name in own or any(has_member(base, name) for base in own & members().keys() if base != owner)


@cache
def words_of_the_code() -> set[str]:
    """Every word of the package, the tests and the benchmarks."""
    files = [p for top in ("src", "tests", "benchmarks") for p in (ROOT / top).rglob("*.py")]
    return {
        w for p in files if p.name != Path(__file__).name for w in re.findall(r"\w+", p.read_text(encoding="utf-8"))
    }


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


@pytest.fixture(params=PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def page(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_dotted_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:sg|signorini)(?:\.[A-Za-z_]\w*)+", " ".join([*code_spans(text), *code_blocks(text)])))
    missing = sorted(n for n in named if not resolves(re.sub(r"^sg\b", "signorini", n)))
    assert not missing, f"{page.name} names {missing}"


def test_imports_of_examples_work(page: Path) -> None:
    for line in re.findall(r"^(?:from|import) signorini.*$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        exec(line, {})


def test_module_paths_and_files_exist(page: Path) -> None:
    missing = []
    for span in code_spans(page.read_text(encoding="utf-8")):
        is_path = re.fullmatch(r"[\w.\-]+(/[\w.\-*]+)+/?|[\w\-]+\.(py|md|toml|bib|csv|json)", span)
        if not is_path or span.startswith(NOT_OURS) or span in WRITTEN or "*" in span:
            continue
        by_name = "/" not in span and any(any(ROOT.glob(f"{top}/**/{span}")) for top in ("src", "tests"))
        if not exists(span) and not by_name:
            missing.append(span)
    assert not missing, f"{page.name} names {missing}"


def test_members_of_classes_exist(page: Path) -> None:
    named = [
        s
        for s in code_spans(page.read_text(encoding="utf-8"))
        if re.fullmatch(r"[A-Z]\w*[a-z]\w*\.(?!md\b)[a-z_]\w*(\(.*\))?", s)
    ]
    wrong = [s for s in named if not has_member(*s.partition("(")[0].split("."))]
    assert not wrong, f"{page.name} names {wrong}"


def test_names_with_underscores_occur_in_the_code(page: Path) -> None:
    named = {s for s in code_spans(page.read_text(encoding="utf-8")) if re.fullmatch(r"_?[a-z]\w*_\w+", s)}
    words = words_of_the_code()
    wrong = sorted(name for name in named if name.removeprefix(PREFIX) not in words)
    assert not wrong, f"{page.name} names {wrong}"


def test_cited_works_are_in_the_bibliography() -> None:
    known = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "docs/references.bib").read_text(encoding="utf-8"), re.MULTILINE))
    texts = [*PAGES, *PACKAGE.rglob("*.py")]
    cited = {k for p in texts for k in re.findall(r"\b[A-Z][A-Za-z]+(?:19|20)\d\d\b", p.read_text(encoding="utf-8"))}
    assert len(cited) > 10
    assert cited <= known, sorted(cited - known)


def test_scripts_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for script in re.findall(r"python ((?:benchmarks|docs|examples)/[\w/]+\.py)", text):
        assert (ROOT / script).exists(), f"{page.name}: {script}"


def test_links_lead_to_a_page_and_to_a_heading(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name}: {link}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{page.name}: {link}, but {file.name} has {sorted(anchors(file))}"


def test_commands_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    known = {c.name or c.callback.__name__ for c in app.registered_commands if c.callback}
    known |= {g.typer_instance.info.name for g in app.registered_groups if g.typer_instance}
    used = set(re.findall(r"(?:^|`)signorini ([a-z]+)\b", text, flags=re.MULTILINE))
    assert used <= known, f"{page.name}: {sorted(used - known)}"


def test_every_page_is_reachable_from_the_readme() -> None:
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        current = waiting.pop().resolve()
        if current in seen or current.suffix != ".md":
            continue
        seen.add(current)
        for link in re.findall(r"\]\(([^)#\s]+)", current.read_text(encoding="utf-8")):
            if "://" in link:
                continue
            target = (current.parent / link).resolve()
            waiting += sorted(target.glob("*.md")) if target.is_dir() else [target]
    missing = sorted(p.name for p in PAGES if p.resolve() not in seen)
    assert not missing


def test_public_names_resolve() -> None:
    assert resolves("signorini.shapes.grid")
    assert not resolves("signorini.shapes.no_such_shape")
    assert all(hasattr(sg, name) for name in sg.__all__)
