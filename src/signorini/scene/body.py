"""Bodies of a scene: what all kinds have in common, and how a scene keeps them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from signorini.errors import InputError, short
from signorini.geometry.faces import Faces
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.vertex_groups import Groups
from signorini.model.contribution import Contribution
from signorini.scene.body_options import BodyOptions
from signorini.scene.checks import check_non_negative
from signorini.scene.tables import Table, TableReader, TableWriter

if TYPE_CHECKING:
    from signorini.scene.scene import Scene


LONGEST_NAME = 100
"""Characters of the longest name of a body: file systems allow 255 bytes, and a character may have two."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Body(ABC):
    """A body as plain data: what it is made of and how it starts. A kind of body is a subclass in a file of its own."""

    kind: ClassVar[str]
    """The name of the kind: of its tables in scene files, of `Scene.add_<kind>`, and of `kind` in views and trajectories."""
    carries: ClassVar[bool] = False
    """Whether nodes of other bodies can be attached to it."""

    name: str
    friction: float
    color: str | None = None
    """Colour in pictures and in the viewer, as #rrggbb; None for that of its kind."""
    finish: str | None = None
    """Finish in pictures, one of `FINISHES`; None for that of its kind."""
    options: BodyOptions = field(default_factory=BodyOptions)
    """Restitution, contact distance, self-contact and gravity of its own."""

    def __repr__(self) -> str:
        mesh, tets, pins = (getattr(self, name, None) for name in ("mesh", "tets", "pins"))
        parts = [] if mesh is None else [f"{len(mesh.vertices)} vertices", f"{len(mesh.triangles)} triangles"]
        parts += [] if tets is None else [f"{len(tets.tetrahedra)} tetrahedra"]
        parts += [f"{sum(len(pin.vertices) for pin in pins)} pinned"] if pins else []
        return f"{type(self).__name__} {self.name!r}: {', '.join([*parts, f'friction {self.friction:g}'])}"

    @property
    def attachable_nodes(self) -> int:
        """Number of nodes that can be pinned or attached to other bodies."""
        return 0

    @property
    def element_text(self) -> str:
        """Which elements it is made of, and why, where that was a choice; else empty."""
        return ""

    @property
    def groups(self) -> Groups:
        """Numbers of the vertices of each named group of the mesh file, those of the nodes of a soft solid."""
        return self.surface_groups

    @property
    def surface_groups(self) -> Groups:
        """Numbers of the vertices of the surface that belong to each named group."""
        mesh = getattr(self, "mesh", None)
        return mesh.groups if isinstance(mesh, TriangleMesh) else {}

    @property
    def faces(self) -> Faces | None:
        """The polygons and texture coordinates of the file that its surface was read from; None: there are only triangles."""
        mesh = getattr(self, "mesh", None)
        return mesh.faces if isinstance(mesh, TriangleMesh) else None

    @abstractmethod
    def contribution(self, air_drag: float) -> Contribution:
        """Contribution to the model; `air_drag` [1/s] is the rate at which still air slows its nodes down."""

    @abstractmethod
    def to_table(self, writer: TableWriter) -> Table:
        """Its table in a scene file, with arrays in files beside it; keys whose value is None are left out."""

    @classmethod
    @abstractmethod
    def from_table(cls, scene: Scene, values: Mapping[str, Any], reader: TableReader) -> None:
        """Make the call `scene.add_<kind>` that a table stands for; `values` has all keys, with defaults."""

    def scale_stiffness(self, factor: float) -> None:
        """Multiply all its stiffnesses by `factor`; a body without any stays as it is."""
        return


Kind = TypeVar("Kind", bound=Body)


class BodyList:
    """The bodies of a scene by name."""

    def __init__(self, *, friction: float) -> None:
        self.friction = check_non_negative("friction", friction)
        self.bodies: dict[str, Body] = {}

    def _add(self, body: Kind) -> Kind:
        self.bodies[body.name] = body
        return body

    def _named(self, body: str | Body) -> Body:
        name = body if isinstance(body, str) else getattr(body, "name", repr(body))
        if name not in self.bodies or not (isinstance(body, str) or self.bodies[name] is body):
            raise InputError(f"there is no body {name!r} in this scene; there are {', '.join(self.bodies) or 'none'}")
        return self.bodies[name]

    def _friction_or_default(self, friction: float | None) -> float:
        return self.friction if friction is None else check_non_negative("friction", friction)

    def _new_name(self, kind: str, name: str | None) -> str:
        if name is None:
            numbered = (f"{kind}-{number}" for number in count(2))
            name = next(free for free in chain([kind], numbered) if free not in self.bodies)
        if not isinstance(name, str) or not name or set(name) & set("/\\\0") or name.startswith("."):
            raise InputError(
                f"name of a body must be a non-empty string without slashes and not begin with a dot, got {name!r}"
            )
        if len(name) > LONGEST_NAME:
            raise InputError(
                f"name of a body must have at most {LONGEST_NAME} characters, got {len(name)}: {short(name)}; its mesh is "
                "saved in a file of this name"
            )
        if name in self.bodies:
            raise InputError(f"a body named {name!r} exists already: give each body its own name")
        return name
