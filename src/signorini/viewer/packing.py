"""Arrays with a JSON header as one block of bytes: what the page of the viewer reads.

Four bytes with the length of the header, the header (JSON, padded to a multiple of 8), then the arrays, each from a multiple of 8
on. The header has `meta`, whatever the page needs to know, and `arrays`: name, type, number of values and place of each.
Little-endian, as browsers read typed arrays on all machines of today.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = {"float32": "f4", "float64": "f8", "uint16": "u2", "int32": "i4", "uint8": "u1"}
"""Types that the page knows."""
_ALIGNMENT = 8


def packed(meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """One block of bytes with `meta` and arrays, each flat, of the types in `TYPES`."""
    table, blocks, place = [], [], 0
    for name, array in arrays.items():
        kind = TYPES[array.dtype.name]
        data = np.ascontiguousarray(array, dtype=f"<{kind}" if kind != "u1" else "u1").tobytes()
        table.append([name, kind, int(array.size), place])
        blocks.append(data + bytes(-len(data) % _ALIGNMENT))
        place += len(blocks[-1])
    header = json.dumps({"meta": meta, "arrays": table}, ensure_ascii=False, allow_nan=False).encode()
    header += b" " * (-(len(header) + 4) % _ALIGNMENT)
    return b"".join([len(header).to_bytes(4, "little"), header, *blocks])
