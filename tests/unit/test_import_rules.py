"""Imports go one way, along the flow of data from geometry to the command line (docs/architecture.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import signorini
from signorini import checks

ROOT = Path(signorini.__file__).parent


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions, but not under TYPE_CHECKING."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            base = node.module or ""
            for alias in node.names:  # `from a import b` counts as a.b where that is a module
                full = f"{base}.{alias.name}"
                found.add(full if full in FILES else base)
        waiting += [child for child in ast.iter_child_nodes(node) if not is_type_checking(child)]
    return found


IMPORTS = {name: imports_of(path) for name, path in FILES.items()}


def inside(module: str, packages: tuple[str, ...]) -> bool:
    """Whether a module is one of the packages (names below `signorini`) or in one of them."""
    return any(module == f"signorini.{p}" or module.startswith(f"signorini.{p}.") for p in packages)


def ours(module: str) -> set[str]:
    return {name for name in IMPORTS[module] if name.split(".")[0] == "signorini"}


ORDER = (
    ("errors",),
    ("compilation", "compiled"),
    ("checks", "attributes"),
    ("parallel",),
    ("settings",),
    ("linalg",),
    ("geometry",),
    ("files.meshes",),
    ("elements",),
    ("loads",),
    ("collision",),
    ("model",),
    ("scene",),
    ("characters",),
    ("contact",),
    ("dynamics",),
    ("solvers",),
    ("methods",),
    ("simulation",),
    ("files",),
    ("render",),
    ("viewer",),
    ("reports",),
    ("gallery",),
    ("environments",),
    ("diagnosis",),
    ("studies",),
    ("cli", "__main__"),
)
"""The rooms of the package in the order in which data flows: each imports only itself and what stands above it."""


def rank(module: str) -> int:
    """The place of a module in ORDER; the most specific entry counts."""
    places = [(len(name), k) for k, names in enumerate(ORDER) for name in names if inside(module, (name,))]
    assert places, f"{module} is in no room: add it to ORDER, or move it"
    return max(places)[1]


def test_the_rules_see_the_package() -> None:
    assert "signorini.collision.detect" in FILES
    assert "signorini.collision.contact_set" in IMPORTS["signorini.collision.detect"]
    assert "signorini.collision.detect_kernels" in IMPORTS["signorini.collision.detect"]


@pytest.mark.parametrize("module", [name for name in FILES if name not in ("signorini", "signorini.files")])
def test_imports_follow_the_flow_of_data(module: str) -> None:
    wrong = {used for used in ours(module) if used != "signorini" and rank(used) > rank(module)}
    assert not wrong, f"{module} imports {sorted(wrong)}, which come after it"


def test_solvers_see_only_the_contact_problem() -> None:
    allowed = (
        "solvers",
        "contact.mlcp",
        "contact.feasibility",
        "contact.residuals",
        "contact.residuals_kernels",
        "contact.friction_cone_kernels",
        "linalg",
        "parallel",
        "settings",
        "errors",
        "compiled",
    )
    for name in FILES:
        if inside(name, ("solvers",)):
            wrong = {used for used in ours(name) if not inside(used, allowed)}
            assert not wrong, f"{name} imports {sorted(wrong)}"


def test_the_top_of_the_package_has_only_foundations() -> None:
    top = {path.name for path in ROOT.glob("*.py")}
    assert top <= {
        "__init__.py",
        "__main__.py",
        "errors.py",
        "checks.py",
        "attributes.py",
        "compiled.py",
    }, sorted(top)


def test_foundations_import_nothing_of_ours() -> None:
    assert not ours("signorini.errors")
    assert not ours("signorini.model.state")
    assert ours("signorini.checks") <= {"signorini.errors"}
    assert ours("signorini.attributes") <= {"signorini.errors"}
    for name in FILES:
        if inside(name, ("settings",)):
            assert {used for used in ours(name) if not inside(used, ("settings",))} <= {
                "signorini.checks",
                "signorini.errors",
            }


INSTRUCTIONS = (
    "signorini.collision.boxes.box_registers_kernels",
    "signorini.linalg.vector4_kernels",
    "signorini.parallel.atomics_kernels",
)
"""Modules that define instructions of the processor which Numba has no name for."""


def test_kernels_import_only_numerics_and_other_kernels() -> None:
    kernels = [name for name in FILES if name.endswith("_kernels")]
    assert len(kernels) > 5
    for name in kernels:
        for used in IMPORTS[name]:
            if used.split(".")[0] == "signorini":
                # contact_set defines the numbers of the kinds of contact, which are part of a key.
                allowed = used.endswith("_kernels") or used in ("signorini.collision.contact_set", "signorini.compiled")
                assert allowed, f"{name} imports {used}"
            elif name not in INSTRUCTIONS:
                assert used.split(".")[0] in {"__future__", "math", "numpy", "typing"}, f"{name} imports {used}"


def test_one_place_decides_how_kernels_are_compiled() -> None:
    users = {name for name, used in IMPORTS.items() if any(u.split(".")[0] == "numba" for u in used)}
    allowed = {"signorini.compiled", *INSTRUCTIONS} | {name for name in users if inside(name, ("compilation",))}
    assert users == allowed


def test_the_product_never_imports_test_tools() -> None:
    tools = {"ipctk", "clarabel", "pytest", "hypothesis", "tests", "reference"}
    for name, used in IMPORTS.items():
        # The frames of other simulators are judged by a tool that is not ours, if it is installed.
        judges = {"ipctk"} if name == "signorini.studies.performance.peers.comparison" else set()
        wrong = {u for u in used if u.split(".")[0] in tools - judges}
        assert not wrong, f"{name} imports {sorted(wrong)}"


def test_no_import_cycles() -> None:
    """Depth-first search over the modules themselves (packages' __init__ are left out: they only export)."""
    graph = {name: {u for u in ours(name) if u in FILES} for name, path in FILES.items() if path.name != "__init__.py"}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path, name))
        if name in done:
            return
        for used in graph.get(name, ()):
            visit(used, (*path, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def test_checks_of_numbers_are_imported_from_where_they_are_defined() -> None:
    users = [path for name, path in FILES.items() if not inside(name, ("checks", "settings"))]
    found = []
    for path in users:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "signorini.settings":
                found += [f"{path.name}: {a.name}" for a in node.names if hasattr(checks, a.name)]
    assert not found
