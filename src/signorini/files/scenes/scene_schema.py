"""The tables of a scene file, each made from the call or the dataclass that it stands for.

Kinds of bodies come from `scene.kinds.KINDS`: a new kind has its table without a change here.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, create_model

from signorini.files.scenes import motion_schema
from signorini.files.scenes.loaded_scene import SceneFile
from signorini.files.scenes.scene_table import Table, Vector
from signorini.files.scenes.table_builder import Key, call_table, dataclass_keys, dataclass_table, table_from
from signorini.scene.body import Body
from signorini.scene.kinds import KINDS
from signorini.scene.scene import Scene
from signorini.settings import Settings

MOTION_TABLES = motion_schema.MOTION_TABLES
"""The tables of scripted motions."""


VERTICES = list[int] | dict[str, Any]
"""Numbers of vertices, or the table of a place (`scene.places`)."""


def _body_table(kind: type[Body]) -> type[Table]:
    """The table of `Scene.add_<kind>`, with the key `pins` if the body has a method `pin`."""
    further: dict[str, Key] = {}
    if hasattr(kind, "pin"):
        text = "Tables of pins: vertices that are fixed, or move by a script."
        further["pins"] = (list[PIN_TABLES[kind.kind]], Field(default_factory=list, description=text))
    return call_table(f"{kind.__name__}Table", getattr(Scene, f"add_{kind.kind}"), further=further)


PIN_TABLES: dict[str, Any] = {
    kind.kind: call_table(f"{kind.__name__}PinTable", kind.pin, types={"vertices": VERTICES})  # pyright: ignore[reportAttributeAccessIssue]
    for kind in KINDS
    if hasattr(kind, "pin")
}
"""The tables of pins by the kind of their body."""
BODY_TABLES: dict[str, type[Table]] = {kind.kind: _body_table(kind) for kind in KINDS}
"""The tables of bodies by kind."""
_ORDER = "Names of all bodies in the order in which they are added; by default kind by kind, in the order of the file."
SceneTable = call_table(
    "SceneTable",
    Scene.__init__,
    documented_in=Scene,
    further={"order": (list[str] | None, Field(default=None, description=_ORDER))},
)
SimulationTable = table_from(
    "SimulationTable",
    SceneFile,
    dataclass_keys(SceneFile, types={"scene": None, "settings": None, "options": None, "dt": float | Literal["auto"]}),
    text="How the scene is run, unless the command or the call says otherwise.",
)
SettingsTable = dataclass_table(Settings)
AttachmentTable = call_table("AttachmentTable", Scene.attach, types={"vertices": VERTICES})
_NAMES = str | list[str]
ContactTable = call_table("ContactTable", Scene.set_contact, types={"bodies": _NAMES, "others": _NAMES | None})
_VALUES: dict[str, Any] = {
    "force": Vector | list[Vector],
    "torque": Vector | list[Vector],
    "pressure": float | list[float],
    "velocity": Vector | list[Vector],
}
_LOAD_KEYS: dict[str, Any] = {"body": str, "vertices": VERTICES | None, "times": list[float] | None}
LOAD_TABLES: dict[str, type[Table]] = {
    kind: call_table(f"{kind.capitalize()}Table", getattr(Scene, f"add_{kind}"), types=_VALUES | _LOAD_KEYS)
    for kind in ("force", "torque", "pressure", "wind")
}
"""The tables of loads; fields are functions, which only Python has."""
JOINT_TABLES: dict[str, type[Table]] = {
    "joint": call_table("JointTable", Scene.add_joint),
    "lock": call_table("LockTable", Scene.lock),
    "drive": call_table("DriveTable", Scene.add_drive),
}
"""The tables of joints, locks and drives of rigid bodies."""
_SECTIONS: dict[str, Any] = {
    "scene": (SceneTable, Field(default_factory=SceneTable)),
    "simulation": (SimulationTable, Field(default_factory=SimulationTable)),
    "settings": (SettingsTable, Field(default_factory=SettingsTable)),
    **{kind: (list[table], Field(default_factory=list)) for kind, table in BODY_TABLES.items()},  # pyright: ignore[reportInvalidTypeForm]
    "attachment": (list[AttachmentTable], Field(default_factory=list)),  # pyright: ignore[reportInvalidTypeForm]
    **{kind: (list[table], Field(default_factory=list)) for kind, table in LOAD_TABLES.items()},  # pyright: ignore[reportInvalidTypeForm]
    "contact": (list[ContactTable], Field(default_factory=list)),  # pyright: ignore[reportInvalidTypeForm]
    **{key: (list[table], Field(default_factory=list)) for key, table in JOINT_TABLES.items()},  # pyright: ignore[reportInvalidTypeForm]
}
Document = create_model("Document", __base__=Table, __doc__="A scene file of Signorini.", **_SECTIONS)
