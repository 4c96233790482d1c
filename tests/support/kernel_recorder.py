"""A plug-in of pytest that records which kernels the package calls, for `signorini warmup`: `make kernels`."""

from __future__ import annotations

from typing import Any

import pytest

import signorini as sg
from signorini.compilation.cache_place import cache_place
from signorini.compilation.kernel_list import CONTACT, Entry, encoded, write_kernel_list
from signorini.compiled import KERNELS, REQUESTED


def first_contact() -> sg.Simulation:
    """A small cloth that is dropped on the ground, up to the first step with contacts."""
    scene = sg.Scene(gravity=(0, 0, -9.81), friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=8), area_density=0.2, position=(0, 0, 0.003), name="sheet")
    scene.add_ground()
    sim = sg.Simulation(scene, dt=4e-3)
    while not sim.step().contact_count:
        pass
    return sim


def requested_entries() -> dict[tuple[str, str], Entry]:
    """What the package has called so far in this process; types without a name are left out."""
    names = {id(kernel): name for name, kernel in KERNELS.items() if name.startswith("signorini.")}
    entries = {}
    for kernel, signature in list(REQUESTED):
        arguments = [encoded(kind) for kind in signature]
        if id(kernel) in names and None not in arguments:
            file = next((d / kernel.cache.file_name(signature) for d in cache_place().read), None)
            size = file.stat().st_size // 1000 if file is not None and file.is_file() else 0
            entries[names[id(kernel)], repr(arguments)] = Entry(names[id(kernel)], size, arguments)
    return entries


def pytest_sessionstart(session: Any) -> None:
    """Note what the first contact needs, before anything else is called."""
    first_contact()
    session.config.first_contact = set(requested_entries())
    session.config.of_workers = []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of pytest-xdist has recorded."""
    node.config.of_workers += node.workeroutput.get("kernels", [])


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Hand what was recorded to the main process, which writes the list when the tests have passed."""
    config, entries = session.config, requested_entries()
    if hasattr(config, "workerinput"):
        config.workeroutput["kernels"] = [list(entry) for entry in entries.values()]
        return
    for name, size, arguments in config.of_workers:
        entries.setdefault((name, repr(arguments)), Entry(name, size, arguments))
    if exitstatus == 0:
        contact = {key: entry for key, entry in entries.items() if key in config.first_contact}
        others = [entry for key, entry in entries.items() if key not in contact]
        write_kernel_list({CONTACT: list(contact.values()), "others": others})
