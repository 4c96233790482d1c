"""Signorini: hard contact for deformable objects. SI units; z is up."""

from signorini import motions, shapes
from signorini.bodies.materials import ClothMaterial
from signorini.bodies.solid_materials import SolidMaterial
from signorini.body_view import BodyView, RigidView
from signorini.bvh import load_bvh
from signorini.contact.mlcp import Mlcp
from signorini.dancer import procedural_dancer
from signorini.errors import InputError, MissingExtraError, SimulationStoppedError
from signorini.files.meshes import load_mesh
from signorini.files.trajectory import Trajectory
from signorini.files.volume_meshes import load_tets
from signorini.mesh import TriangleMesh
from signorini.mesh_sequence import load_mesh_sequence
from signorini.readout import Contact
from signorini.report import StepReport, StepStatus
from signorini.scene import Scene
from signorini.settings import CollisionLoopSettings, HongSettings, Settings, SolverSettings
from signorini.simulation import Frame, Simulation
from signorini.skeleton import Skeleton
from signorini.tetmesh import TetMesh

__version__ = "0.1.0"

__all__ = [
    "BodyView",
    "ClothMaterial",
    "CollisionLoopSettings",
    "Contact",
    "Frame",
    "HongSettings",
    "InputError",
    "MissingExtraError",
    "Mlcp",
    "RigidView",
    "Scene",
    "Settings",
    "Simulation",
    "SimulationStoppedError",
    "Skeleton",
    "SolidMaterial",
    "SolverSettings",
    "StepReport",
    "StepStatus",
    "TetMesh",
    "Trajectory",
    "TriangleMesh",
    "load_bvh",
    "load_mesh",
    "load_mesh_sequence",
    "load_tets",
    "motions",
    "procedural_dancer",
    "shapes",
]
