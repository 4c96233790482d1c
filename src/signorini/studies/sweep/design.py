"""Designs: from the values of each parameter to the list of parameter sets, one for each run."""

from __future__ import annotations

import csv
import itertools
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.gallery.options import read_value
from signorini.studies.sweep.values import MOST_VALUES, Axis, Range

Sampling = Literal["random", "latin"]
"""How ranges without a count are drawn: independently, or as a Latin hypercube."""


def parameter_sets(
    axes: Mapping[str, Axis],
    *,
    rows: Sequence[Mapping[str, Any]] = ({},),
    samples: int | None = None,
    sampling: Sampling = "random",
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Every row with every point of the grid with every sample; the last parameter varies fastest.

    Lists and ranges with a count span the grid. Ranges without one are drawn `samples` times, the same for each point of the
    grid, so that materials, say, are compared on the same draws.
    """
    drawn = {name: axis for name, axis in axes.items() if isinstance(axis, Range) and axis.count is None}
    grid = {name: axis.points() for name, axis in axes.items() if name not in drawn}
    _check_samples(drawn, samples)
    for name in {key for row in rows for key in row} & set(axes):
        raise InputError(f"parameter {name!r} is varied and also a column of the table of rows: choose one")
    samples_of = [{}]
    if drawn and samples is not None:
        columns = {name: axis.at(_places(name, samples, sampling, seed)) for name, axis in drawn.items()}
        samples_of = [{name: column[k] for name, column in columns.items()} for k in range(samples)]
    count = len(rows) * len(samples_of)
    for values in grid.values():
        count *= len(values)
    if count > MOST_VALUES:
        raise InputError(f"this sweep has {count:.3g} runs, more than {MOST_VALUES}: vary less")
    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    return [{**row, **point, **sample} for row in rows for point in points for sample in samples_of]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file, whose first line names the parameters; cells are values as in TOML, or text."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise InputError(f"--rows {str(path)!r} cannot be read: {error.strerror}") from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"--rows {str(path)!r} is no CSV file: {error}") from None
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise InputError(f"--rows {str(path)!r} is empty: it needs a line of names and at least one row of values")
    names = [name.strip() for name in lines[0]]
    if not all(names) or len(set(names)) != len(names):
        raise InputError(f"--rows {str(path)!r}: the first line must name every column once, got {', '.join(names)}")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(names):
            raise InputError(f"--rows {str(path)!r}: row {number} has {len(line)} cells instead of {len(names)}")
    return [{name: read_value(cell.strip()) for name, cell in zip(names, line, strict=True)} for line in lines[1:]]


def _check_samples(drawn: Mapping[str, Range], samples: int | None) -> None:
    if drawn and samples is None:
        name, axis = next(iter(drawn.items()))
        ends = f"{axis.low:g}:{axis.high:g}"
        raise InputError(
            f"--vary {name}={ends} does not say how many values: write {name}={ends}:20, or draw them with --random N or "
            "--latin N"
        )
    if samples is None:
        return
    if not drawn:
        raise InputError(
            f"there is nothing to draw {samples} samples of: give a range without a count, such as friction=0:1"
        )
    if not 1 <= samples <= MOST_VALUES:
        raise InputError(f"the number of samples must be from 1 to {MOST_VALUES}, got {samples}")


def _places(name: str, samples: int, sampling: Sampling, seed: int) -> NDArray[np.float64]:
    """Places from 0 to 1 of one parameter; they depend on its name and the seed, and not on the other parameters."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    if sampling == "random":
        return rng.random(samples)
    return (rng.permutation(samples) + rng.random(samples)) / samples
