"""Look at a run in the browser, or write it as a page: the call `signorini.view`."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from signorini.viewer.page import write_page
from signorini.viewer.recording import RunRecording
from signorini.viewer.server import LOOPBACK, ViewerServer


def view(
    out: str | Path,
    *,
    html: str | Path | None = None,
    every: int = 1,
    host: str = LOOPBACK,
    port: int = 0,
    browser: bool = True,
) -> ViewerServer | Path:
    """Show the run in the directory `out` in the browser, also while it is still running, or write it as a page.

    Without `html` the page is served by a thread of this process to this machine only, until `close()` of the server that is
    returned; its address is `url`. With `html` everything is written to that file, or every n-th frame of it with `every`.
    A `host` other than loopback lets other machines look that know the secret in `url`; `port` 0 takes a free one.
    """
    recording = RunRecording(out)
    if html is not None:
        return write_page(recording, html, every=every)
    server = ViewerServer(recording, host=host, port=port)
    if browser:
        webbrowser.open(server.url)
    return server
