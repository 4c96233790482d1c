"""Options that several commands have."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

SceneArgument = Annotated[str, typer.Argument(metavar="SCENE", help="A name from `signorini scenes`, or a .toml file.")]
RunArgument = Annotated[Path, typer.Argument(metavar="OUT", help="The output directory of a run.")]
Seconds = Annotated[float | None, typer.Option(help="Simulated time [s].")]
Step = Annotated[
    str | None,
    typer.Option(metavar="SECONDS|auto", help="Time step [s]; auto: as long as the error of the motion allows."),
]
Fps = Annotated[float | None, typer.Option(help="Frames stored per simulated second.")]
Friction = Annotated[float | None, typer.Option(help="Friction coefficient of all bodies.")]
Stiffness = Annotated[
    float | None, typer.Option(help="Multiply all stiffnesses of cloth, rods and soft solids by this.")
]
Resolution = Annotated[
    int | None, typer.Option(help="Resolution of a gallery scene (vertices along an edge of its cloth).")
]
SceneOptions = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="NAME=VALUE", help="An option that only this gallery scene has; repeatable."),
]
Threads = Annotated[
    int | None,
    typer.Option(help="Threads; default SIGNORINI_THREADS, or one for each core. Results do not depend on it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no table.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on standard output, nothing else.")]


@contextlib.contextmanager
def ticks(what: str, count: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """A progress bar of `count` ticks; the function that is yielded makes one."""
    if not shown:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=count)
        yield lambda: bar.advance(task)


def read_step(dt: str) -> float | str:
    """The value of --dt: a number of seconds, or a word."""
    try:
        return float(dt)
    except ValueError:
        return dt


def progress_is_shown(*, quiet: bool) -> bool:
    """Whether a progress bar is drawn: only on a terminal."""
    return not quiet and sys.stderr.isatty()


def announce_compilation(*, quiet: bool) -> None:
    """Say on standard error that kernels are being compiled, if any are, also where it is no terminal."""
    from signorini.compilation.announcement import watch_compilation

    watch_compilation().enabled = not quiet
