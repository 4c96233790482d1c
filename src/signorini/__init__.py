"""Signorini: hard contact for deformable objects. SI units; z is up."""

from signorini.characters.bvh import load_bvh
from signorini.characters.dancer import procedural_dancer
from signorini.characters.mesh_sequence import load_mesh_sequence
from signorini.characters.skeleton import Skeleton
from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
from signorini.contact.residuals import measured_response
from signorini.errors import InputError, MissingExtraError, SimulationStoppedError
from signorini.files.meshes.surface_meshes import load_mesh
from signorini.files.meshes.volume_meshes import load_tets
from signorini.files.runs.trajectory import Trajectory
from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.linalg.block_matrix import BlockMatrix
from signorini.methods.report import StepReport, StepStatus
from signorini.scene import motions
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import CollisionLoopSettings, HongSettings, Settings, SolverSettings
from signorini.simulation.body_view import BodyView, RigidView
from signorini.simulation.readout import Contact
from signorini.simulation.simulation import Frame, Simulation

__version__ = "0.1.0"

__all__ = [
    "BlockMatrix",
    "BodyView",
    "ClothMaterial",
    "CollisionLoopSettings",
    "Contact",
    "ContactSolver",
    "Frame",
    "HongSettings",
    "InputError",
    "MissingExtraError",
    "Mlcp",
    "Response",
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
    "WarmStart",
    "load_bvh",
    "load_mesh",
    "load_mesh_sequence",
    "load_tets",
    "measured_response",
    "motions",
    "procedural_dancer",
    "shapes",
]
