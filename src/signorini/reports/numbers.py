"""Numbers as people read them: three digits, a prefix of the unit, no exponents."""

from __future__ import annotations

import math

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_WITHOUT_LARGE = ("s", "m", "m/s")
"""Units that are not written with large prefixes: 1,110 s and not 1.11 ks."""


def plain(value: float) -> str:
    """A number with three digits, or all digits before its point: 1,110 and 0.0123; very small ones with a power of ten."""
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 999.5:
        return f"{value:,.0f}" if abs(value) < 1e9 else f"{value:.2e}"
    return f"{value:.3g}"


def quantity(value: float | None, unit: str) -> str:
    """A value in an SI unit, with the prefix that gives it one to three digits before its point: `4.7 ms`, `22 µm/s`."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0.0:
        return f"0 {unit}"
    size = abs(value)
    if size < _PREFIXES[-1][0]:
        return f"below 1 n{unit}"
    for factor, prefix in _PREFIXES:
        if factor > 1.0 and unit in _WITHOUT_LARGE:
            continue
        if size >= 0.9995 * factor:
            return f"{plain(value / factor)} {prefix}{unit}"
    return f"{plain(value / _PREFIXES[-1][0])} n{unit}"


def power_of_ten(exponent: float) -> str:
    """10 to an exponent as a label of an axis: 0.01, 1, 50, and 10⁻⁵ or 2·10⁻⁵ beyond."""
    if -3 <= exponent < 4:
        return f"{10.0**exponent:.6g}"
    whole = math.floor(exponent + 1e-9)
    if abs(exponent - whole) > 1e-9:
        return f"{10.0 ** (exponent - whole):.2g}·{power_of_ten(whole)}"
    exponent = whole
    return "10" + "".join("⁻" if digit == "-" else "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(int(exponent)))


def share(part: float, whole: float) -> str:
    """A part in per cent, `–` of nothing."""
    return "–" if whole <= 0.0 else f"{100.0 * part / whole:.0f} %"
