"""Fields of every frame in a trajectory: what the material and the contacts of the bodies carry, if the run was asked for it.

Beside the positions of a body in `trajectory.zarr` there are the groups `bodies/NAME/fields/vertices` and `.../elements` with an
array (frames, n, ...) for each field, in single precision, one chunk per frame, with the attribute `unit`. The elements of a
cloth are its triangles; those of a soft solid are `bodies/NAME/tetrahedra` (t, 4), whose nodes are at
`.../fields/nodes/positions` (frames, n, 3) [m].

The fields of a frame are written before the frame exists, as its positions are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.files.runs.trajectory_arrays import FLAT_KEYS, TrajectoryBody, frame_file, readable
from signorini.simulation.frame_readout import FIELDS, States, material_states, vertex_fields
from signorini.simulation.material.solid_state import SolidState

if TYPE_CHECKING:
    import zarr

    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float32]
Place = Literal["vertices", "elements", "nodes"]
PLACES: tuple[Place, ...] = ("vertices", "elements", "nodes")
SOLID_FIELDS = {"stress": "Pa", "von_mises": "Pa", "principal_stretches": "", "volume_ratio": "", "energy": "J"}
"""Fields of tetrahedra, attributes of `SolidState`, and their units."""
CLOTH_FIELDS = {"tension": "N/m", "principal_tensions": "N/m", "principal_stretches": "", "area_ratio": ""}
"""Fields of triangles, attributes of `ClothState`, and their units."""
_CONTACT_FORCE = {"contact_force": "N"}
_UNITS: dict[Place, dict[str, str]] = {
    "vertices": FIELDS | _CONTACT_FORCE,
    "elements": SOLID_FIELDS | CLOTH_FIELDS,
    "nodes": {"positions": "m"},
}


class StoredFields(ABC):
    """The part of `Trajectory` that reads fields, of a run with `--fields`."""

    path: Path
    bodies: dict[str, TrajectoryBody]
    _group: zarr.Group

    @abstractmethod
    def body(self, name: str) -> TrajectoryBody:
        """The body of that name."""

    @abstractmethod
    def frame_index(self, frame: int) -> int:
        """`frame` as a number from 0."""

    @property
    def has_fields(self) -> bool:
        """Whether the run stored fields."""
        return any(field_names(self._group, name) for name in self.bodies)

    def field_names(self, body: str) -> dict[Place, list[str]]:
        """The names of the stored fields of a body: of its vertices, of its elements, and of the nodes of a soft solid."""
        return field_names(self._group, self.body(body).name)

    def field(self, body: str, field: str, frame: int, *, on: Place = "vertices") -> NDArray[Any]:
        """A stored field of a body at a frame, (n,) or (n, ...); -1 is the last frame. `on` is where its values are."""
        name, number = self.body(body).name, self.frame_index(frame)
        with readable(f"the field {field!r} of {name!r} at frame {number} in {str(self.path)!r} cannot be read"):
            return read_field(self.path, self._group, name, field, number, on)

    def tetrahedra(self, body: str) -> NDArray[np.int32]:
        """(t, 4) nodes of the elements of a soft solid, if the run stored fields; none for other bodies."""
        key = f"bodies/{quote(self.body(body).name, safe='')}/tetrahedra"
        stored: Any = self._group[key] if key in self._group else np.zeros((0, 4), np.int32)
        return np.asarray(stored[...], dtype=np.int32)


class FieldsWriter:
    """Writes the fields of frames into the trajectory of a run."""

    def __init__(self, group: zarr.Group, *, keep_frames: int = 0):
        """Continue after the first `keep_frames` frames; later ones are dropped."""
        self._group: Any = group
        self._arrays: dict[str, Any] = {}
        names: Any = group.attrs["bodies"]
        for name in names:
            folder = f"bodies/{quote(str(name), safe='')}/fields"
            for place in PLACES if folder in group else ():
                if f"{folder}/{place}" in group:
                    found: Any = group[f"{folder}/{place}"]
                    self._arrays |= {f"{folder}/{place}/{key}": array for key, array in found.arrays()}
        for array in self._arrays.values():
            array.resize((keep_frames, *array.shape[1:]))

    def write(self, frame: int, sim: Simulation, states: States | None = None) -> None:
        """Write the fields of the present state of a simulation as those of a frame."""
        for key, (values, unit) in present_fields(sim, states).items():
            array = self._arrays.get(key)
            if array is None:
                array = self._arrays[key] = self._made(key, values, unit)
            if array.shape[0] <= frame:
                array.resize((frame + 1, *array.shape[1:]))
            array[frame] = values
        if frame == 0:
            self._write_meshes(sim, states)

    def _made(self, key: str, values: Floats, unit: str) -> Any:
        from zarr.codecs import BloscCodec, Crc32cCodec

        codecs: Any = [BloscCodec(cname="zstd", clevel=3, shuffle="shuffle"), Crc32cCodec()]
        options: Any = {"dtype": values.dtype, "fill_value": float("nan"), "compressors": codecs}
        options["chunk_key_encoding"] = FLAT_KEYS
        return self._group.create_array(
            key, shape=(0, *values.shape), chunks=(1, *values.shape), attributes={"unit": unit}, **options
        )

    def _write_meshes(self, sim: Simulation, states: States | None) -> None:
        for name, state in (material_states(sim) if states is None else states).items():
            key = f"bodies/{quote(name, safe='')}/tetrahedra"
            if isinstance(state, SolidState) and key not in self._group:
                self._group.create_array(key, data=state.tetrahedra)


def present_fields(sim: Simulation, states: States | None = None) -> dict[str, tuple[NDArray[Any], str]]:
    """All fields of the present state with their units, by their place in the trajectory."""
    known = material_states(sim) if states is None else states
    at_vertices = vertex_fields(sim, known)
    found: dict[str, tuple[NDArray[Any], str]] = {}
    for name, body in sim.bodies.items():
        folder = f"bodies/{quote(name, safe='')}/fields"
        found[f"{folder}/vertices/contact_force"] = (body.contact_forces.astype(np.float32), "N")
        if len(body.triangles):
            none = np.zeros(len(body.positions), np.float32)  # before the first step
            found[f"{folder}/vertices/pressure"] = (at_vertices["pressure"].get(name, none), "Pa")
        for field, by_body in at_vertices.items():
            if name in by_body:
                found[f"{folder}/vertices/{field}"] = (by_body[name], FIELDS[field])
        state = known.get(name)
        units = {} if state is None else SOLID_FIELDS if isinstance(state, SolidState) else CLOTH_FIELDS
        for field, unit in units.items():
            found[f"{folder}/elements/{field}"] = (getattr(state, field).astype(np.float32), unit)
        if isinstance(state, SolidState):
            found[f"{folder}/nodes/positions"] = (body.node_positions, "m")
    return found


def field_names(group: zarr.Group, body: str) -> dict[Place, list[str]]:
    """The fields of a body that are stored, by where they are."""
    folder, found = f"bodies/{quote(body, safe='')}/fields", {}
    for place in PLACES:
        if folder in group and f"{folder}/{place}" in group:
            stored: Any = group[f"{folder}/{place}"]
            found[place] = sorted(stored.array_keys())
    return found


def read_field(
    store: Path, group: zarr.Group, body: str, field: str, frame: int, place: Place
) -> NDArray[np.float64] | Floats:
    """A field of a body at a frame; an `InputError` names what is stored, a `ValueError` says what is missing."""
    stored = field_names(group, body)
    if field not in stored.get(place, []):
        have = ", ".join(f"{name} ({where})" for where, names in stored.items() for name in names)
        hint = f"there are: {have}" if have else "run the scene again with --fields"
        raise InputError(f"the trajectory has no field {field!r} of {place} of {body!r}; {hint}")
    key = f"bodies/{quote(body, safe='')}/fields/{place}/{field}"
    array: Any = group[key]
    if frame >= array.shape[0] or not frame_file(store / key, array, frame).is_file():
        raise ValueError("it is missing")
    values = np.asarray(array[frame])
    if not np.isfinite(values).all():
        raise ValueError("a value is not finite")
    return values


def stored_vertex_fields(trajectory: StoredFields, frame: int) -> dict[str, dict[str, Floats]]:
    """By field and body: the stored values (n,) of the vertices at a frame, of all fields that are numbers."""
    found: dict[str, dict[str, Floats]] = {}
    for body in trajectory.bodies:
        for name in trajectory.field_names(body).get("vertices", []):
            if name in FIELDS:
                found.setdefault(name, {})[body] = trajectory.field(body, name, frame)
    return found
