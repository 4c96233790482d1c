"""PVD series for ParaView: a VTP file for each body and frame, with fields, and a list of them with their times."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from signorini.files.exports.fields import stored_fields, vertex_fields
from signorini.files.exports.registry import exporter
from signorini.files.exports.selection import FrameSelection

_TYPES = {"f8": "Float64", "f4": "Float32", "i8": "Int64", "i4": "Int32"}


@exporter("pvd")
def write_pvd(selection: FrameSelection, file: Path) -> list[Path]:
    """Write `FILE.pvd` and beside it the folder `FILE` with the meshes; open the former in ParaView.

    Points have `displacement` and `velocity`, and the fields that the run stored; numbers are double precision.
    """
    folder = file.with_suffix("")
    folder.mkdir(exist_ok=True)
    digits = max(4, len(str(len(selection.frames) - 1)))
    lines, written = [], []
    for part, name in enumerate(selection.bodies):
        faces, edges = selection.faces(name), selection.bodies[name].edges
        ends = faces.starts.astype(np.int64) + faces.counts
        for k, (frame, time) in enumerate(zip(selection.frames, selection.times.tolist(), strict=True)):
            path = folder / f"{quote(name, safe=' ')}_{k:0{digits}d}.vtp"
            _write_vtp(
                path,
                points=selection.positions(name, frame),
                lines=(edges.ravel().astype(np.int64), np.arange(2, 2 * len(edges) + 2, 2, dtype=np.int64)),
                polygons=(faces.corners.astype(np.int64), ends),
                fields=vertex_fields(selection, name, k) | stored_fields(selection, name, k),
            )
            written.append(path)
            place = quoteattr(f"{folder.name}/{path.name}")
            lines.append(f'<DataSet timestep="{time!r}" part="{part}" name={quoteattr(name)} file={place}/>')
    head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>\n'
    file.write_text(head + "\n".join(lines) + "\n</Collection>\n</VTKFile>\n", encoding="utf-8")
    return [file, *written]


def _write_vtp(
    path: Path,
    *,
    points: NDArray[np.float64],
    lines: tuple[NDArray[np.int64], NDArray[np.int64]],
    polygons: tuple[NDArray[np.int64], NDArray[np.int64]],
    fields: dict[str, NDArray[np.float64]],
) -> None:
    """Write polygons and lines, given by the vertices of all corners and where those of each end, as VTK's XML."""
    data = bytearray()

    def array(name: str, values: NDArray[Any]) -> str:
        """The element that names an array; its numbers go to the end of the file, behind their length in bytes."""
        width = "" if values.ndim == 1 else f' NumberOfComponents="{values.shape[1]}"'
        kind, offset = _TYPES[values.dtype.str[1:]], len(data)
        data.extend(np.uint64(values.nbytes).tobytes() + np.ascontiguousarray(values).tobytes())
        return f'<DataArray type="{kind}" Name="{name}"{width} format="appended" offset="{offset}"/>'

    def cells(corners: NDArray[np.int64], ends: NDArray[np.int64]) -> str:
        return array("connectivity", corners) + array("offsets", ends)

    xml = (
        '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
        f'<PolyData>\n<Piece NumberOfPoints="{len(points)}" NumberOfVerts="0" NumberOfLines="{len(lines[1])}" '
        f'NumberOfStrips="0" NumberOfPolys="{len(polygons[1])}">\n'
        f"<PointData>{''.join(array(name, values) for name, values in fields.items())}</PointData>\n"
        f"<Points>{array('Points', points)}</Points>\n<Lines>{cells(*lines)}</Lines>\n<Polys>{cells(*polygons)}</Polys>\n"
        '</Piece>\n</PolyData>\n<AppendedData encoding="raw">\n_'
    )
    path.write_bytes(xml.encode() + bytes(data) + b"\n</AppendedData>\n</VTKFile>\n")
