"""The first second on a machine: an installation that nobody can write to, many processes at once, and what warm-up leaves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import signorini
from support.kernel_recorder import requested_entries

PACKAGE = Path(signorini.__file__).parent
FIRST_CONTACT = """
import hashlib
from signorini.compilation.announcement import watch_compilation
from support.kernel_recorder import first_contact
sim = first_contact()
print(watch_compilation().count, hashlib.sha256(sim.bodies["sheet"].positions.tobytes()).hexdigest())
"""
NESTED_KERNELS = """
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors
from signorini.compilation.announcement import watch_compilation
vector = (1.0, 2.0, 3.0)
found = point_triangle_closest_vectors(vector, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
print(watch_compilation().count, repr(found).replace(" ", ""))
"""
ONE_KERNEL = """
from signorini.collision.point_triangle_kernels import dot
from signorini.compilation.announcement import watch_compilation
print(dot((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)), watch_compilation().count, dot.cache.cache_path)
"""


def environment(**changes: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SIGNORINI_", "NUMBA_", "XDG_"))}
    paths = [str(PACKAGE.parent), str(Path(__file__).parents[2])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), **changes}


def start(code: str, *before: str, **changes: str) -> subprocess.Popen[str]:
    """A new process that runs code."""
    return subprocess.Popen(
        [*before, sys.executable, "-c", code],
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err
    return out, err


def without_privileges() -> list[str]:
    """What makes permissions of files count for root too."""
    if not hasattr(os, "getuid") or os.getuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root can write everywhere, and there is no setpriv")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


def test_a_read_only_installation_and_a_home_that_cannot_be_written_work(tmp_path: Path) -> None:
    root, home, spare = tmp_path / "installed", tmp_path / "home", tmp_path / "spare"
    shutil.copytree(PACKAGE, root / "signorini", ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    home.mkdir()
    spare.mkdir()
    for path in (home, *root.rglob("*"), root):
        path.chmod(path.stat().st_mode & ~0o222)
    before = sorted(root.rglob("*"))
    changes = {"PYTHONPATH": str(root), "HOME": str(home), "TMPDIR": str(spare)}
    try:
        out, err = result(start(ONE_KERNEL, *without_privileges(), **changes))
        again, _ = result(start(ONE_KERNEL, *without_privileges(), **changes))
        assert sorted(root.rglob("*")) == before
        assert not list(home.iterdir())
    finally:
        for path in (root, home, *root.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)
    assert out.split()[:2] == ["14.0", "1"]
    assert out.split()[2].startswith(str(spare))
    assert len(err.splitlines()) == 1 and "cannot be written; compiled kernels are kept in" in err
    assert again.split()[:2] == ["14.0", "0"]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "least"), [(NESTED_KERNELS, 4), (FIRST_CONTACT, 100)], ids=["nested", "contact"])
def test_ten_processes_at_once_on_an_empty_cache_compile_each_kernel_once(
    code: str, least: int, tmp_path: Path
) -> None:
    cache = {"SIGNORINI_CACHE_DIR": str(tmp_path), "SIGNORINI_COMPILE_PROCESSES": "1"}
    processes = [start(code, **cache) for _ in range(10)]
    lines = [result(process)[0].split() for process in processes]
    assert len({state for _, state in lines}) == 1
    files = list(tmp_path.glob("*/*.kernel"))
    assert len(files) > least
    assert sum(int(count) for count, _ in lines) == len(files)
    assert not list(tmp_path.glob("*/.new-*"))


@pytest.mark.slow
def test_a_first_simulation_is_helped_by_other_processes(tmp_path: Path) -> None:
    cache = {"SIGNORINI_CACHE_DIR": str(tmp_path), "SIGNORINI_COMPILE_PROCESSES": "3"}
    count, _ = result(start(FIRST_CONTACT, **cache))[0].split()
    assert 0 < int(count) < len(list(tmp_path.glob("*/*.kernel")))


@pytest.mark.slow
def test_warmup_leaves_nothing_to_compile_for_gallery_scenes(tmp_path: Path) -> None:
    code = """
import signorini as sg
from signorini.compilation.announcement import watch_compilation
from signorini.gallery import SCENES
for name, resolution, steps in (("falling-cloth", 12, 150), ("soft-stack", None, 30), ("ball-on-cloth", 12, 60)):
    scene = SCENES[name].build() if resolution is None else SCENES[name].build(resolution=resolution)
    sim = sg.Simulation(scene, dt=SCENES[name].dt)
    assert max(sim.step().contact_count for _ in range(steps)) > 0, name
print(watch_compilation().count)
"""
    cache = {"SIGNORINI_CACHE_DIR": str(tmp_path)}
    out, _ = result(start("import signorini; print(signorini.warmup())", **cache))
    assert int(out) > 60
    assert result(start(code, **cache))[0] == "0\n"
    assert result(start("import signorini; print(signorini.warmup())", **cache))[0] == "0\n"


@pytest.mark.slow
def test_the_list_of_the_first_contact_is_up_to_date() -> None:
    code = """
from signorini.compilation.kernel_list import CONTACT, kernel_list
from support.kernel_recorder import first_contact, requested_entries
first_contact()
listed = {(entry.kernel, repr(entry.arguments)) for entry in kernel_list()[CONTACT]}
print(sorted(set(requested_entries()) - listed), sorted(listed - set(requested_entries())), sep="\\n")
"""
    missing, superfluous = result(start(code))[0].splitlines()
    assert missing == "[]", f"{missing} are not in the list: run `make kernels`"
    assert superfluous == "[]", f"{superfluous} are compiled for nothing: run `make kernels`"


def test_the_recorder_leaves_out_kernels_of_others() -> None:
    assert all(name.startswith("signorini.") for name, _ in requested_entries())
