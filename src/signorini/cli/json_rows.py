"""Measured rows as plain JSON."""

from __future__ import annotations

import math
from typing import Any


def plain_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """JSON has no NaN and no infinity: they become null."""
    return [
        {key: None if isinstance(v, float) and not math.isfinite(v) else v for key, v in row.items()} for row in rows
    ]
