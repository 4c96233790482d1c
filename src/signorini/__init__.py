"""Signorini: hard contact for deformable objects. SI units; z is up.

The names below are public, as are the public attributes and methods of these classes. Every other module and name of the
package is private: it may change in any version without notice.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # that of `typing`, whose import would leave Ctrl-C more time before the command line catches it
if TYPE_CHECKING:
    from signorini.characters.bvh import load_bvh
    from signorini.characters.dancer import procedural_dancer
    from signorini.characters.mesh_sequence import load_mesh_sequence
    from signorini.characters.skeleton import Skeleton
    from signorini.collision import ccd
    from signorini.compilation.warmup import warmup
    from signorini.compiled import kernel
    from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
    from signorini.contact.residuals import measured_response
    from signorini.diagnosis.check import check, repair
    from signorini.diagnosis.fault import CheckReport, Fault
    from signorini.elements.element import Elements, Linearisation, Weights
    from signorini.elements.solid_law import SolidLaw
    from signorini.elements.tetrahedra_kernels import from_stress
    from signorini.errors import DiskFullError, InputError, MissingExtraError, SimulationStoppedError
    from signorini.files.exports.export import export, exporter
    from signorini.files.exports.selection import FrameSelection
    from signorini.files.meshes.surface_meshes import load_mesh
    from signorini.files.meshes.volume_meshes import load_tets
    from signorini.files.runs.run_scene import resume, run
    from signorini.files.runs.step_recorder import Recording, record
    from signorini.files.runs.trajectory import Trajectory
    from signorini.files.scenes.scene_file import SceneFile, load_scene, save_scene
    from signorini.geometry import shapes
    from signorini.geometry.tet_mesh import TetMesh
    from signorini.geometry.triangle_mesh import TriangleMesh
    from signorini.linalg.block_matrix import BlockMatrix
    from signorini.methods.report import StepReport, StepStatus
    from signorini.reports.run_report import write_report
    from signorini.scene import motions, places
    from signorini.scene.cloth_material import ClothMaterial
    from signorini.scene.scene import Scene
    from signorini.scene.solid_material import SolidMaterial
    from signorini.settings import CollisionLoopSettings, HongSettings, Settings, SolverSettings
    from signorini.simulation.body_view import BodyView, RigidView
    from signorini.simulation.frame_readout import FrameReadout
    from signorini.simulation.material.cloth_state import ClothState
    from signorini.simulation.material.solid_state import SolidState
    from signorini.simulation.pair_force import PairForce
    from signorini.simulation.readout import Contact
    from signorini.simulation.simulation import Frame, Simulation
    from signorini.studies.sweep.metrics import RunRecord
    from signorini.studies.sweep.python_sweep import sweep
    from signorini.studies.sweep.table import SweepTable
    from signorini.viewer.view_run import view

__version__ = "0.2.0"
"""Version of the package; the only place where it stands (`tests/unit/test_version.py`)."""

# fmt: off
__all__ = [  # noqa: RUF022 (grouped by purpose)
    # What a scene is made of
    "Scene", "ClothMaterial", "SolidMaterial", "motions", "places",
    # Meshes
    "TriangleMesh", "TetMesh", "shapes", "load_mesh", "load_tets",
    # Characters
    "Skeleton", "load_bvh", "load_mesh_sequence", "procedural_dancer",
    # Simulation, and what it reports
    "Simulation", "Frame", "BodyView", "RigidView", "Contact", "PairForce", "SolidState", "ClothState",
    "StepReport", "StepStatus",
    # Continuous collision detection of your own primitives
    "ccd",
    # Settings
    "Settings", "SolverSettings", "CollisionLoopSettings", "HongSettings",
    # The contact problem of a step, for contact solvers
    "Mlcp", "BlockMatrix", "WarmStart", "Response", "ContactSolver", "measured_response",
    # Elements and materials of your own
    "Elements", "Linearisation", "Weights", "SolidLaw", "kernel", "from_stress",
    # Scene files
    "SceneFile", "load_scene", "save_scene",
    # Output directories
    "run", "resume", "record", "Recording", "Trajectory", "FrameReadout",
    # Many runs
    "sweep", "SweepTable", "RunRecord",
    # What is wrong with meshes and scenes
    "check", "repair", "CheckReport", "Fault",
    # The viewer in the browser, and the page about a run
    "view", "write_report",
    # Exports to other programs
    "export", "exporter", "FrameSelection",
    # Compilation of all kernels before they are needed
    "warmup",
    # Errors
    "InputError", "MissingExtraError", "SimulationStoppedError", "DiskFullError",
]
# fmt: on

_LATE = {
    "BlockMatrix": "signorini.linalg.block_matrix",
    "BodyView": "signorini.simulation.body_view",
    "ccd": "signorini.collision",
    "check": "signorini.diagnosis.check",
    "CheckReport": "signorini.diagnosis.fault",
    "ClothMaterial": "signorini.scene.cloth_material",
    "CollisionLoopSettings": "signorini.settings",
    "ClothState": "signorini.simulation.material.cloth_state",
    "Contact": "signorini.simulation.readout",
    "ContactSolver": "signorini.contact.mlcp",
    "DiskFullError": "signorini.errors",
    "Elements": "signorini.elements.element",
    "export": "signorini.files.exports.export",
    "exporter": "signorini.files.exports.export",
    "Fault": "signorini.diagnosis.fault",
    "Frame": "signorini.simulation.simulation",
    "FrameReadout": "signorini.simulation.frame_readout",
    "FrameSelection": "signorini.files.exports.selection",
    "from_stress": "signorini.elements.tetrahedra_kernels",
    "HongSettings": "signorini.settings",
    "InputError": "signorini.errors",
    "kernel": "signorini.compiled",
    "Linearisation": "signorini.elements.element",
    "load_bvh": "signorini.characters.bvh",
    "load_mesh": "signorini.files.meshes.surface_meshes",
    "load_mesh_sequence": "signorini.characters.mesh_sequence",
    "load_scene": "signorini.files.scenes.scene_file",
    "load_tets": "signorini.files.meshes.volume_meshes",
    "measured_response": "signorini.contact.residuals",
    "MissingExtraError": "signorini.errors",
    "Mlcp": "signorini.contact.mlcp",
    "motions": "signorini.scene",
    "PairForce": "signorini.simulation.pair_force",
    "places": "signorini.scene",
    "procedural_dancer": "signorini.characters.dancer",
    "record": "signorini.files.runs.step_recorder",
    "Recording": "signorini.files.runs.step_recorder",
    "repair": "signorini.diagnosis.check",
    "Response": "signorini.contact.mlcp",
    "resume": "signorini.files.runs.run_scene",
    "RigidView": "signorini.simulation.body_view",
    "run": "signorini.files.runs.run_scene",
    "RunRecord": "signorini.studies.sweep.metrics",
    "save_scene": "signorini.files.scenes.scene_file",
    "Scene": "signorini.scene.scene",
    "SceneFile": "signorini.files.scenes.scene_file",
    "Settings": "signorini.settings",
    "shapes": "signorini.geometry",
    "Simulation": "signorini.simulation.simulation",
    "SimulationStoppedError": "signorini.errors",
    "Skeleton": "signorini.characters.skeleton",
    "SolidLaw": "signorini.elements.solid_law",
    "SolidMaterial": "signorini.scene.solid_material",
    "SolidState": "signorini.simulation.material.solid_state",
    "SolverSettings": "signorini.settings",
    "StepReport": "signorini.methods.report",
    "StepStatus": "signorini.methods.report",
    "sweep": "signorini.studies.sweep.python_sweep",
    "SweepTable": "signorini.studies.sweep.table",
    "TetMesh": "signorini.geometry.tet_mesh",
    "Trajectory": "signorini.files.runs.trajectory",
    "TriangleMesh": "signorini.geometry.triangle_mesh",
    "view": "signorini.viewer.view_run",
    "WarmStart": "signorini.contact.mlcp",
    "warmup": "signorini.compilation.warmup",
    "Weights": "signorini.elements.element",
    "write_report": "signorini.reports.run_report",
}
"""Where each name is. Names are imported when they are first used: `import signorini` and `signorini --help` do not wait for
the compiler, and Ctrl-C while they load is caught by the command line."""


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    home = import_module(_LATE[name])
    value = globals()[name] = getattr(home, name) if hasattr(home, name) else import_module(f"{_LATE[name]}.{name}")
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
