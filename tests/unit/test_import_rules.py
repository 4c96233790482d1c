"""Imports go one way: data flows from bodies and collision through contact and solvers to stepping and simulation."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import signorini

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


def test_the_rules_see_the_package() -> None:
    assert "signorini.collision.detect" in FILES
    assert "signorini.contact.contact_set" in IMPORTS["signorini.collision.detect"]
    assert "signorini.collision.detect_kernels" in IMPORTS["signorini.collision.detect"]


@pytest.mark.parametrize(
    ("package", "allowed"),
    [
        ("bodies", ("bodies", "errors", "mass_properties", "mesh", "settings", "tetmesh")),
        ("collision", ("collision", "contact.contact_set", "errors")),
        (
            "contact",
            ("contact", "bodies.surface_map", "dynamics.block_matrix", "dynamics.block_matrix_kernels", "errors"),
        ),
        ("dynamics", ("dynamics", "bodies", "model_types", "state")),
        (
            "solvers",
            (
                "solvers",
                "contact.mlcp",
                "dynamics.block_matrix",
                "dynamics.block_matrix_kernels",
                "dynamics.ssor_kernels",  # conjugate gradients on block matrices
                "settings",
                "errors",
            ),
        ),
        (
            "stepping",
            (
                "stepping",
                "bodies",
                "collision",
                "contact",
                "dynamics",
                "solvers",
                "errors",
                "model_types",
                "report",
                "settings",
                "state",
            ),
        ),
        (
            "gallery",
            (
                "gallery",
                "articulation",
                "bodies.inside",
                "bodies.lattice",
                "bodies.materials",
                "bodies.solid_materials",
                "bvh",
                "dancer",
                "errors",
                "files.meshes",
                "isosurface",
                "keyframes",
                "mass_properties",
                "mesh",
                "motions",
                "scene",
                "settings",
                "shapes",
                "skeleton",
                "tet_shapes",
                "tetmesh",
                "text_shapes",
                "vertebra_shapes",
            ),
        ),
    ],
)
def test_a_package_imports_only_what_comes_before_it(package: str, allowed: tuple[str, ...]) -> None:
    members = [name for name in FILES if inside(name, (package,))]
    assert members
    for name in members:
        wrong = {used for used in ours(name) if not inside(used, allowed)}
        assert not wrong, f"{name} imports {sorted(wrong)}"


def test_only_the_outside_imports_the_simulation() -> None:
    outside = ("cli", "runner", "render", "files", "gallery", "viewer", "sweep", "comparison", "simulation")
    for name in FILES:
        if name != "signorini" and not inside(name, outside):
            assert "signorini.simulation" not in IMPORTS[name], name


def test_nothing_imports_the_command_line() -> None:
    for name in FILES:
        if not inside(name, ("cli", "__main__")):
            assert "signorini.cli" not in IMPORTS[name], name


def test_the_computation_imports_neither_files_nor_gallery_nor_rendering() -> None:
    inner = (
        "bodies",
        "collision",
        "contact",
        "dynamics",
        "solvers",
        "stepping",
        "model",
        "scene",
        "simulation",
        "mesh",
    )
    for name in FILES:
        if inside(name, inner):
            outer = {used for used in IMPORTS[name] if inside(used, ("files", "gallery", "render", "runner"))}
            assert not outer, f"{name} imports {sorted(outer)}"


def test_foundations_import_nothing_of_ours() -> None:
    assert not ours("signorini.errors")
    assert not ours("signorini.state")
    assert ours("signorini.settings") <= {"signorini.errors"}


def test_kernels_import_only_numerics_and_other_kernels() -> None:
    kernels = [name for name in FILES if name.endswith("_kernels")]
    assert len(kernels) > 5
    for name in kernels:
        for used in IMPORTS[name]:
            if used.split(".")[0] == "signorini":
                # contact_set defines the numbers of the kinds of contact, which are part of a key.
                assert used.endswith("_kernels") or used == "signorini.contact.contact_set", f"{name} imports {used}"
            else:
                assert used.split(".")[0] in {"__future__", "math", "numpy", "numba"}, f"{name} imports {used}"


def test_numba_is_used_in_kernels_only() -> None:
    for name, used in IMPORTS.items():
        if not name.endswith("_kernels"):
            assert not any(u.split(".")[0] == "numba" for u in used), name


def test_the_product_never_imports_test_tools() -> None:
    tools = {"ipctk", "clarabel", "pytest", "hypothesis", "tests", "reference"}
    for name, used in IMPORTS.items():
        wrong = {u for u in used if u.split(".")[0] in tools}
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
