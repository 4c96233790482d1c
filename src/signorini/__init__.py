"""Signorini: hard contact for deformable objects. SI units; z is up."""

from signorini import motions, shapes
from signorini.bodies.materials import ClothMaterial
from signorini.contact.mlcp import Mlcp
from signorini.errors import InputError, MissingExtraError, SimulationStoppedError
from signorini.files.meshes import load_mesh
from signorini.files.trajectory import Trajectory
from signorini.mesh import TriangleMesh
from signorini.report import StepReport, StepStatus
from signorini.scene import Scene
from signorini.settings import Settings, SolverSettings
from signorini.simulation import Frame, Simulation

__version__ = "0.1.0"

__all__ = [
    "ClothMaterial",
    "Frame",
    "InputError",
    "MissingExtraError",
    "Mlcp",
    "Scene",
    "Settings",
    "Simulation",
    "SimulationStoppedError",
    "SolverSettings",
    "StepReport",
    "StepStatus",
    "Trajectory",
    "TriangleMesh",
    "load_mesh",
    "motions",
    "shapes",
]
