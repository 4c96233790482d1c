"""Arrays of a saved contact problem, checked: the solvers are compiled code, which believes every index that it is given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, shortened

FORMAT = "signorini-mlcp-1"
INTEGERS = ("A_indptr", "A_indices", "jacobian_indptr", "jacobian_nodes")
FLOATS = ("A_data", "jacobian_blocks", "gap", "free_velocity", "friction", "dt", "contact_distance")
OPTIONAL = ("A_points",)
"""Arrays of numbers that a problem may lack."""
ASYMMETRY = 1e-6
"""Difference of a_ij and a_ji over the root of a_ii a_jj that rounding explains."""


def read_saved_problem(path: str | Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file that `Mlcp.save` wrote; an `InputError` names what does not fit."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise InputError(f"contact problem {str(path)!r} does not exist") from None
    except Exception:  # text, .npy, pickles, damaged archives: what numpy, zipfile and zlib raise is not documented
        arrays = {}
    if str(arrays.pop("format", "")) != FORMAT:
        raise InputError(f"{str(path)!r} is not a saved contact problem ({FORMAT})")
    try:
        plain = _plain(arrays)
        _check_matrix(plain["A_indptr"], plain["A_indices"], plain["A_data"], plain.get("A_points"))
        _check_contacts(plain, nodes=len(plain["A_indptr"]) - 1)
    except ValueError as error:
        raise InputError(f"contact problem {str(path)!r} is damaged: {shortened(str(error), 300)}") from None
    return plain


def _plain(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """All arrays in the types that the kernels are compiled for, contiguous and finite."""
    floats = (*FLOATS, *(name for name in OPTIONAL if name in arrays))
    for name in (*INTEGERS, *floats):
        if name not in arrays:
            raise ValueError(f"it has no {name}")
        _need(arrays[name].dtype.kind in ("iu" if name in INTEGERS else "iuf"), f"{name} is {arrays[name].dtype}")
    for name in arrays:
        _need(name in INTEGERS or name in floats, f"it has an array {name!r}, which no problem has")
    for name in INTEGERS:
        limits = np.iinfo(np.int32)
        inside = (arrays[name] >= 0) & (arrays[name] <= limits.max)
        _need(bool(inside.all()), f"{name} has a number below 0 or above {limits.max}")
    plain = {name: np.ascontiguousarray(arrays[name], dtype=np.int32) for name in INTEGERS}
    with np.errstate(over="ignore"):
        plain |= {name: np.array(arrays[name], dtype=np.float64, order="C") for name in floats}
    for name in floats:
        _need(bool(np.isfinite(plain[name]).all()), f"{name} is not finite")
    return plain


def _check_matrix(indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], points: NDArray[Any] | None) -> None:
    """Rows in order, columns that increase and exist, a positive diagonal, and symmetry."""
    _check_rows("A_indptr", indptr, "A_indices", indices)
    _need(data.shape == (len(indices), 3, 3), f"A_data has shape {data.shape} for {len(indices)} blocks")
    n = len(indptr) - 1
    _need(points is None or points.shape == (n, 3), f"A_points has another shape than ({n}, 3)")
    _need(n == 0 or not len(indices) or int(indices.max()) < n, f"A_indices names a node that is not among {n}")
    rows = np.repeat(np.arange(n), np.diff(indptr))
    following = rows[1:] == rows[:-1]
    _need(bool((np.diff(indices)[following] > 0).all()), "A_indices does not increase within a row")
    on_diagonal = rows == indices
    _need(int(on_diagonal.sum()) == n, "A lacks a block on its diagonal")
    diagonal = np.einsum("bii->bi", data[on_diagonal])
    _need(bool((diagonal > 0.0).all()), "A has an entry on its diagonal that is not positive")
    # The blocks of the transpose in the same order: those of a symmetric matrix have the same pattern and values.
    order = np.lexsort((rows, indices))
    _need(bool((indices[order] == rows).all() and (rows[order] == indices).all()), "the pattern of A is not symmetric")
    scale = np.sqrt(diagonal)
    allowed = ASYMMETRY * scale[rows][:, :, None] * scale[indices][:, None, :]
    difference = np.abs(data - data[order].transpose(0, 2, 1))
    _need(bool((difference <= allowed).all()), "A is not symmetric")
    _need(bool((np.abs(data) <= (1.0 + ASYMMETRY) * allowed / ASYMMETRY).all()), "A is not positive definite")


def _check_contacts(plain: Mapping[str, NDArray[Any]], *, nodes: int) -> None:
    """Contacts that act on nodes which exist, with one gap, velocity and friction each."""
    count = plain["gap"].size
    entries = plain["jacobian_nodes"].size
    _check_rows("jacobian_indptr", plain["jacobian_indptr"], "jacobian_nodes", plain["jacobian_nodes"])
    shapes = {
        "jacobian_indptr": (count + 1,),
        "jacobian_blocks": (entries, 3, 3),
        "gap": (count,),
        "free_velocity": (count, 3),
        "friction": (count,),
        "dt": (),
        "contact_distance": (),
    }
    for name, shape in shapes.items():
        _need(plain[name].shape == shape, f"{name} has shape {plain[name].shape}, where {shape} is expected")
    _need(not entries or int(plain["jacobian_nodes"].max()) < nodes, f"jacobian_nodes names a node not among {nodes}")
    _need(bool((plain["friction"] >= 0.0).all()), "a friction coefficient is negative")
    _need(float(plain["dt"]) > 0.0, f"dt is {float(plain['dt']):g} s")
    _need(float(plain["contact_distance"]) >= 0.0, f"contact_distance is {float(plain['contact_distance']):g} m")


def _check_rows(name: str, indptr: NDArray[Any], entries_name: str, entries: NDArray[Any]) -> None:
    """The starts of rows: from 0 to the number of entries, never back."""
    _need(indptr.ndim == 1 and len(indptr) > 0 and entries.ndim == 1, f"{name} or {entries_name} is no list of numbers")
    _need(int(indptr[0]) == 0 and bool((np.diff(indptr) >= 0).all()), f"{name} does not increase from 0")
    _need(int(indptr[-1]) == len(entries), f"{name} ends at {indptr[-1]}, and there are {len(entries)} {entries_name}")


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)
