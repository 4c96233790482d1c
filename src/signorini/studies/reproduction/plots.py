"""Plots that several targets share: a row of pictures, and below it the cost of the steps with their contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signorini.studies.reproduction.measured_run import MeasuredRun, show_picture


def pictures_above(figure: Any, run: MeasuredRun, count: int = 3) -> Sequence[Any]:
    """Draw the pictures of a run side by side; the axes of the row below them, empty."""
    axes = figure.subplots(2, count, height_ratios=(1.4, 1.0))
    for axis, picture in zip(axes[0], run.pictures, strict=False):
        show_picture(axis, picture)
    return axes[1]


def draw_step_costs(figure: Any, run: MeasuredRun, paper_step: float, paper_contacts: int | None = None) -> None:
    """Pictures of a run, and below them the CPU time [s] of its steps beside the paper's, with the contacts on a second scale."""
    below = pictures_above(figure, run)
    grid = below[0].get_gridspec()
    for axis in below:
        axis.remove()
    axis = figure.add_subplot(grid[1, :])
    times = [r.time for r in run.reports]
    contacts = [r.contact_count for r in run.reports]
    axis.semilogy(times[1:], run.cpu[1:], lw=0.8, label="CPU time of a step, ours")
    axis.axhline(paper_step, color="tab:red", ls="--", label=f"paper, mean: {paper_step:.1f} s")
    axis.set(xlabel="time [s]", ylabel="CPU time of a step [s]", ylim=(None, 4.0 * max(paper_step, *run.cpu[1:])))
    other = axis.twinx()
    other.plot(times, contacts, color="tab:green", lw=0.8, label="contacts, ours")
    if paper_contacts is not None:
        other.axhline(paper_contacts, color="tab:green", ls=":", label="contacts, paper: at most")
    other.set(ylabel="contacts", ylim=(0, 1.25 * max(paper_contacts or 0, *contacts)))
    lines = [*axis.get_lines(), *other.get_lines()]
    labels = [line.get_label() for line in lines]
    figure.legend(lines, labels, fontsize=8, loc="outside lower center", ncols=len(lines))
