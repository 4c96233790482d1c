"""Plain SVG pictures of boxes, words and arrows, without any library."""

from __future__ import annotations

from xml.sax.saxutils import escape

COLOURS = {
    "foundation": ("#f3f4f6", "#6b7280"),
    "input": ("#fdf3e3", "#b45309"),
    "numerics": ("#e8f0fb", "#1d4ed8"),
    "contact": ("#fdeaea", "#b91c1c"),
    "output": ("#e9f6ec", "#15803d"),
}
"""Fill and outline of the kinds of boxes."""


class Svg:
    """Elements of a picture."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        fill, line = COLOURS[kind]
        self.parts.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="7" fill="{fill}" '
            f'stroke="{line}" stroke-width="1.2"/>'
        )

    def text(self, x: float, y: float, words: str, *, size: int = 12, style: str = "", anchor: str = "middle") -> None:
        look = {
            "": 'fill="#374151"',
            "bold": 'fill="#111827" font-weight="600"',
            "code": 'fill="#374151" font-family="ui-monospace, Menlo, Consolas, monospace"',
            "data": 'fill="#1f2937" font-style="italic"',
        }[style]
        self.parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}" {look}>{escape(words)}</text>'
        )

    def curve(self, points: list[tuple[float, float]], *, colour: str = "#9ca3af") -> None:
        """An arrow downward through points, upright at each of them."""
        x, y = points[0]
        path = f"M{x:.0f} {y:.0f}"
        for u, v in points[1:]:
            middle = 0.5 * (y + v)
            path += f" C{x:.0f} {middle:.0f} {u:.0f} {middle:.0f} {u:.0f} {v:.0f}"
            x, y = u, v
        self._arrow(path, colour)

    def line(self, points: list[tuple[float, float]], *, colour: str = "#6b7280", dashed: bool = False) -> None:
        """An arrow along straight lines."""
        path = "M" + " L".join(f"{x:.0f} {y:.0f}" for x, y in points)
        self._arrow(path, colour, ' stroke-dasharray="5 4"' if dashed else "")

    def _arrow(self, path: str, colour: str, more: str = "") -> None:
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"{more} marker-end="url(#head)"/>'
        )

    def written(self) -> str:
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
                f'width="{self.width:.0f}" height="{self.height:.0f}" font-family="Helvetica, Arial, sans-serif">',
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                'orient="auto"><path d="M0 0.8 L7.5 4 L0 7.2 z" fill="#6b7280"/></marker></defs>',
                f'<rect width="{self.width:.0f}" height="{self.height:.0f}" fill="white"/>',
                *self.parts,
                "</svg>\n",
            ]
        )
