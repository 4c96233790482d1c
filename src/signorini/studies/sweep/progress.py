"""The progress bar of a sweep on standard error: runs done, runs failed, time left."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from signorini.studies.sweep.one_run import Outcome
from signorini.studies.sweep.sweep_runs import Progress, Show


def progress_bar(name: str) -> Callable[[Progress], AbstractContextManager[Show]]:
    """What `run_sweep` takes to show its progress."""

    @contextlib.contextmanager
    def display(progress: Progress) -> Iterator[Show]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("runs{task.fields[failed]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        failed = 0
        with Bar(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=600.0) as bar:
            task = bar.add_task(name, total=progress.total, completed=progress.done, failed="")

            def show(outcome: Outcome) -> None:
                nonlocal failed
                failed += outcome.status != "completed"
                bar.update(task, advance=1, failed=f", {failed} failed" if failed else "")

            yield show

    return display
