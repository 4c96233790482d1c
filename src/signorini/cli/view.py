"""The command `signorini view`: a run in the browser, or as a page in one file."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say, wait_for_interrupt
from signorini.errors import InputError

EXAMPLE = "Example: `signorini view runs/drape` or `signorini view runs/drape --html drape.html`"


def view(
    directory: common.RunArgument,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write a page with everything inside to this file, to send to someone."),
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="With --html, only every n-th frame.")] = 1,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the server; 0 takes a free one.")] = 0,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Other than loopback, whoever has the printed address may look.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Look at a run in the browser: play, orbit, contacts, fields and plots. Also while it is still running."""
    with exit_codes():
        from signorini.viewer.page import write_page
        from signorini.viewer.recording import RunRecording
        from signorini.viewer.server import ViewerServer

        recording = RunRecording(directory)
        if html is not None:
            with common.ticks("frames", len(recording.times) + 2, shown=common.progress_is_shown(quiet=False)) as tick:
                say(str(write_page(recording, html, every=every, tick=tick)))
            return
        if every != 1:
            raise InputError("--every is for --html: the server sends the frames that are looked at")
        with ViewerServer(recording, host=host, port=port) as server:
            say(f"{server.url} (Ctrl-C ends the viewer)")
            if browser:
                webbrowser.open(server.url)
            wait_for_interrupt()
