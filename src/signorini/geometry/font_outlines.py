"""Outlines of the glyphs of a font file, read with fontTools (extra `text`).

TrueType and OpenType fonts (.ttf, .otf, .woff, the first font of a .ttc): quadratic and cubic outlines, simple and composite
glyphs; no hints, no kerning, no ligatures. Import this module only where fontTools is installed.
"""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from numpy.typing import NDArray

from signorini.checks import check_path
from signorini.errors import InputError

Point = tuple[float, float]
Segment = tuple[Point, ...]
"""Control points of a Bézier curve from the first point to the last: 2 for a line, 3 for a quadratic, 4 for a cubic."""
Contour = list[Segment]
"""Segments of a closed curve; each begins where the one before it ends."""

# fontTools warns of odd dates and the like, which nobody who wants letters can mend: not on standard error then.
logging.getLogger("fontTools").addHandler(logging.NullHandler())

_LARGEST_TURN = 0.786
"""Largest angle between neighbouring pieces of a curve [rad]: a little more than 45°, so that a quarter circle has two."""


@dataclass(frozen=True, slots=True)
class Font:
    """An open font file; lengths are in font units."""

    name: str
    characters: dict[int, str]
    """From code points to names of glyphs."""
    units_per_em: float
    glyphs: Any
    """fontTools' glyph set: from names to glyphs with `draw` and `width`."""

    def glyph(self, character: str) -> str:
        """The name of the glyph of a character, or an `InputError` if the font has none."""
        name = self.characters.get(ord(character), ".notdef")
        if name == ".notdef":
            raise InputError(f"font {self.name!r} has no glyph for {character!r}: use another font or another text")
        return name

    def advance(self, glyph: str) -> float:
        """Distance from the origin of a glyph to that of the next one on its right."""
        try:
            return float(self.glyphs[glyph].width)
        except Exception as error:  # fontTools raises whatever goes wrong in a table that it reads late
            raise self._damaged(error) from None

    def contours(self, glyph: str) -> list[Contour]:
        """The outline of a glyph; empty for a blank."""
        pen = _SegmentPen(self.glyphs)
        try:
            self.glyphs[glyph].draw(pen)
        except Exception as error:  # as above; also a composite glyph that contains itself
            raise self._damaged(error) from None
        return [contour for contour in pen.contours if contour]

    def _damaged(self, error: BaseException) -> InputError:
        return InputError(f"font file {self.name!r} is damaged ({_one_line(error)}): use another one")


def read_font(path: str | Path) -> Font:
    """The font in a file, or an `InputError` that says what is wrong with it."""
    file = check_path("font", path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"font file {str(file)!r} cannot be read ({error.strerror or error})") from None
    try:
        font = TTFont(io.BytesIO(data), fontNumber=0, lazy=True)
        characters = font.getBestCmap() or {}
        units = float(font["head"].unitsPerEm)  # pyright: ignore[reportAttributeAccessIssue]
        return Font(str(file), dict(characters), units, font.getGlyphSet())
    except Exception as error:  # the readers of fontTools raise whatever goes wrong in them
        reason = _one_line(error)
        raise InputError(f"font file {str(file)!r} cannot be read ({reason}): use a .ttf or .otf file") from None


def flattened(contour: Contour, edge: float) -> NDArray[np.float64]:
    """Points (n, 2) on a contour: its curves in pieces of about `edge` that turn by 45° at most."""
    points: list[NDArray[np.float64]] = []
    for segment in contour:
        control = np.array(segment, dtype=np.float64)
        points.append(control[0])
        legs = np.diff(control, axis=0)
        turn = sum(_angle(u, v) for u, v in pairwise(legs))
        chord = np.linalg.norm(control[-1] - control[0])
        length = 0.5 * (sum(np.linalg.norm(leg) for leg in legs) + chord)
        if len(control) > 2:
            pieces = max(1, int(np.ceil(turn / _LARGEST_TURN)), round(float(length) / edge))
            points += [_on_curve(control, s) for s in np.arange(1, pieces) / pieces]
    return np.array(points).reshape(-1, 2)


def _on_curve(control: NDArray[np.float64], s: float) -> NDArray[np.float64]:
    """Point of a quadratic or cubic Bézier curve at the parameter s, 0 to 1."""
    if len(control) == 3:
        a, p, b = control
        return (1 - s) ** 2 * a + 2 * s * (1 - s) * p + s * s * b
    a, p, q, b = control
    return (1 - s) ** 3 * a + 3 * s * (1 - s) ** 2 * p + 3 * s * s * (1 - s) * q + s**3 * b


def _angle(u: NDArray[np.float64], v: NDArray[np.float64]) -> float:
    """Angle between two vectors (2,) [rad], 0 to π."""
    return float(abs(np.arctan2(u[0] * v[1] - u[1] * v[0], u @ v)))


class _SegmentPen(BasePen):
    """Collects the contours of a glyph as segments; the base class resolves composite glyphs and implied points."""

    def __init__(self, glyphs: Any):
        super().__init__(glyphs)
        self.contours: list[Contour] = []
        self._start: Point = (0.0, 0.0)
        self._end: Point = (0.0, 0.0)

    def _moveTo(self, pt: Any) -> None:
        self.contours.append([])
        self._start = self._end = pt

    def _add(self, *points: Any) -> None:
        if any(point != self._end for point in points):
            self.contours[-1].append((self._end, *points))
        self._end = points[-1]

    def _lineTo(self, pt: Any) -> None:
        self._add(pt)

    def _qCurveToOne(self, pt1: Any, pt2: Any) -> None:
        self._add(pt1, pt2)

    def _curveToOne(self, pt1: Any, pt2: Any, pt3: Any) -> None:
        self._add(pt1, pt2, pt3)

    def _closePath(self) -> None:
        self._add(self._start)

    def _endPath(self) -> None:
        self._add(self._start)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 120 else text[:117] + "..."
