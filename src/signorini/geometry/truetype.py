"""A small reader of TrueType fonts: the outlines of glyphs and how far they advance.

Reads .ttf files with quadratic outlines (the tables head, loca, glyf, cmap, hhea and hmtx of the OpenType
specification), simple and composite glyphs; no hints, no kerning, no ligatures.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError

Contour = list[tuple[float, float, bool]]
"""Points x, y and whether the curve passes through the point."""

_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Font:
    """The tables of a font file; lengths are in font units."""

    name: str
    tables: dict[str, bytes]
    characters: dict[int, int]
    """From code point to glyph."""

    def glyph(self, character: str) -> int:
        """The number of the glyph for a character, or an `InputError` that names it."""
        number = self.characters.get(ord(character), 0)
        if number == 0:
            raise InputError(f"font {self.name!r} has no glyph for {character!r}: use another font or another text")
        return number

    def advance(self, glyph: int) -> float:
        """How far the next glyph is to the right."""
        (count,) = struct.unpack_from(">H", self.tables["hhea"], 34)
        return float(struct.unpack_from(">H", self.tables["hmtx"], 4 * min(glyph, count - 1))[0])

    def contours(self, glyph: int, depth: int = 0) -> list[Contour]:
        """The outline of a glyph; empty for a blank."""
        data = self._data(glyph)
        if not data:
            return []
        (count,) = struct.unpack_from(">h", data, 0)
        if count >= 0:
            return _simple(data, count)
        if depth >= _DEEPEST:
            raise InputError(f"font {self.name!r} is damaged: glyph {glyph} contains itself")
        found: list[Contour] = []
        for part, (a, b, c, d, x, y) in _components(data):
            for contour in self.contours(part, depth + 1):
                found.append([(a * u + c * v + x, b * u + d * v + y, on) for u, v, on in contour])
        return found

    def _data(self, glyph: int) -> bytes:
        (is_long,) = struct.unpack_from(">h", self.tables["head"], 50)
        loca = self.tables["loca"]
        start, end = (
            struct.unpack_from(">2I", loca, 4 * glyph) if is_long else struct.unpack_from(">2H", loca, 2 * glyph)
        )
        factor = 1 if is_long else 2
        return self.tables["glyf"][factor * start : factor * end]


def read_font(path: str | Path) -> Font:
    """A TrueType font from a .ttf file, or an `InputError` that says what is wrong with it."""
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"font file {str(file)!r} cannot be read ({error.strerror or error})") from None
    if data[:4] in (b"OTTO", b"ttcf", b"wOFF", b"wOF2"):
        raise InputError(
            f"font file {str(file)!r} is not a plain TrueType font: use a .ttf file with TrueType outlines"
        )
    try:
        tables = _tables(data)
        characters = _characters(tables["cmap"])
    except (struct.error, IndexError):
        raise InputError(f"font file {str(file)!r} is damaged or no TrueType font: use a .ttf file") from None
    except KeyError as error:
        raise InputError(
            f"font file {str(file)!r} has no table {error}: use a .ttf file with TrueType outlines"
        ) from None
    return Font(str(file), tables, characters)


def flattened(contour: Contour, edge: float) -> NDArray[np.float64]:
    """Points (n, 2) on a contour: its curves in pieces of about `edge` that turn by 45° at most."""
    full: Contour = []
    for k, (x, y, on) in enumerate(contour):
        px, py, previous_on = contour[k - 1]
        if not on and not previous_on:  # between two control points the curve passes through their middle
            full.append((0.5 * (px + x), 0.5 * (py + y), True))
        full.append((x, y, on))
    points: list[NDArray[np.float64]] = []
    for k, (x, y, on) in enumerate(full):
        p = np.array([x, y])
        if on:
            points.append(p)
            continue
        a, b = np.array(full[k - 1][:2]), np.array(full[(k + 1) % len(full)][:2])
        u, v = p - a, b - p
        turn = abs(np.arctan2(u[0] * v[1] - u[1] * v[0], u @ v))
        length = 0.5 * (np.linalg.norm(u) + np.linalg.norm(v) + np.linalg.norm(b - a))
        pieces = max(1, int(np.ceil(turn / 0.786)), round(length / edge))
        for s in np.arange(1, pieces) / pieces:
            points.append((1 - s) ** 2 * a + 2 * s * (1 - s) * p + s * s * b)
    return np.array(points).reshape(-1, 2)


def _tables(data: bytes) -> dict[str, bytes]:
    (count,) = struct.unpack_from(">H", data, 4)
    tables = {}
    for k in range(count):
        tag, _, start, length = struct.unpack_from(">4s3I", data, 12 + 16 * k)
        tables[tag.decode("latin-1")] = data[start : start + length]
    return {name: tables[name] for name in ("head", "loca", "glyf", "cmap", "hhea", "hmtx")}


def _characters(cmap: bytes) -> dict[int, int]:
    """From code points to glyphs, from the Unicode table with most of them (formats 4 and 12)."""
    (count,) = struct.unpack_from(">H", cmap, 2)
    best: dict[int, int] = {}
    for k in range(count):
        platform, encoding, start = struct.unpack_from(">HHI", cmap, 4 + 8 * k)
        if platform == 0 or (platform == 3 and encoding in (1, 10)):
            table = cmap[start:]
            (kind,) = struct.unpack_from(">H", table, 0)
            found = _segments(table) if kind == 4 else _groups(table) if kind == 12 else {}
            best = found if len(found) > len(best) else best
    return best


def _segments(table: bytes) -> dict[int, int]:
    (twice,) = struct.unpack_from(">H", table, 6)
    n = twice // 2
    ends = struct.unpack_from(f">{n}H", table, 14)
    starts, deltas, offsets = (struct.unpack_from(f">{n}H", table, 16 + twice * k) for k in (1, 2, 3))
    found = {}
    for k in range(n):
        for code in range(starts[k], min(ends[k], 0xFFFE) + 1):
            if offsets[k] == 0:
                found[code] = (code + deltas[k]) & 0xFFFF
                continue
            place = 16 + 3 * twice + 2 * k + offsets[k] + 2 * (code - starts[k])
            (glyph,) = struct.unpack_from(">H", table, place)
            found[code] = (glyph + deltas[k]) & 0xFFFF if glyph else 0
    return found


def _groups(table: bytes) -> dict[int, int]:
    (count,) = struct.unpack_from(">I", table, 12)
    found = {}
    for k in range(count):
        first, last, glyph = struct.unpack_from(">3I", table, 16 + 12 * k)
        found.update({code: glyph + code - first for code in range(first, min(last, 0x10FFFF) + 1)})
    return found


def _simple(data: bytes, count: int) -> list[Contour]:
    ends = struct.unpack_from(f">{count}H", data, 10)
    total = ends[-1] + 1 if count else 0
    (skipped,) = struct.unpack_from(">H", data, 10 + 2 * count)
    place = 12 + 2 * count + skipped
    flags: list[int] = []
    while len(flags) < total:
        flag = data[place]
        repeats = data[place + 1] if flag & 8 else 0
        flags += [flag] * (repeats + 1)
        place += 2 if flag & 8 else 1
    xs, place = _coordinates(data, place, flags[:total], short=2, same=16)
    ys, _ = _coordinates(data, place, flags[:total], short=4, same=32)
    points = [(float(x), float(y), bool(f & 1)) for x, y, f in zip(xs, ys, flags, strict=False)]
    starts = [0, *(e + 1 for e in ends[:-1])]
    return [points[s : e + 1] for s, e in zip(starts, ends, strict=True)]


def _coordinates(data: bytes, place: int, flags: list[int], *, short: int, same: int) -> tuple[list[int], int]:
    value, values = 0, []
    for flag in flags:
        if flag & short:
            value += data[place] if flag & same else -data[place]
            place += 1
        elif not flag & same:
            value += struct.unpack_from(">h", data, place)[0]
            place += 2
        values.append(value)
    return values, place


def _components(data: bytes) -> list[tuple[int, tuple[float, float, float, float, float, float]]]:
    """The glyphs of a composite, each with the map (a, b, c, d, x, y): u → a u + c v + x, v → b u + d v + y."""
    parts = []
    place, more = 10, True
    while more:
        flags, glyph = struct.unpack_from(">2H", data, place)
        place += 4
        x, y = struct.unpack_from(">2h" if flags & 1 else ">2b", data, place)
        place += 4 if flags & 1 else 2
        if not flags & 2:  # two points are to be matched: rare, and without a shift nearly right
            x = y = 0
        count = 1 if flags & 8 else 2 if flags & 64 else 4 if flags & 128 else 0
        scale = [s / 16384.0 for s in struct.unpack_from(f">{count}h", data, place)]
        place += 2 * count
        a, b, c, d = {
            0: (1.0, 0.0, 0.0, 1.0),
            1: (*scale, 0.0, 0.0, *scale),
            2: (*scale[:1], 0.0, 0.0, *scale[1:]),
        }.get(count, tuple(scale))
        parts.append((glyph, (a, b, c, d, float(x), float(y))))
        more = bool(flags & 32)
    return parts
