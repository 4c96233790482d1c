"""Registry of the kinds of bodies: the one list that a new kind is entered in."""

from __future__ import annotations

from signorini.scene.body import Body
from signorini.scene.cloth import AddsCloth, Cloth
from signorini.scene.half_space import AddsGround, HalfSpace
from signorini.scene.kinematic import AddsKinematic, Kinematic
from signorini.scene.rigid import AddsRigid, Rigid
from signorini.scene.rod import AddsRod, Rod
from signorini.scene.soft_solid import AddsSoftSolid, SoftSolid

KINDS: tuple[type[Body], ...] = (Cloth, Rod, SoftSolid, Rigid, Kinematic, HalfSpace)
"""All kinds, in the order in which the model numbers their nodes and vertices: scripted bodies and planes last."""


class AddsBodies(AddsCloth, AddsRod, AddsSoftSolid, AddsRigid, AddsKinematic, AddsGround):
    """Scenes with bodies of all kinds."""
