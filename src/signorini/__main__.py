"""`python -m signorini`, and the command `signorini`: Ctrl-C is one line, also while the program is still being loaded."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Entry point of the command line."""
    signal.signal(signal.SIGINT, stop_loading)
    try:
        from signorini.cli.main import main as run

        run()
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        # Python ends itself by the signal if the interrupt went through an exec, as in the making of a dataclass.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # everything is done: a late Ctrl-C ends nothing


def stop_loading(number: int, frame: FrameType | None) -> None:
    """Immediate end of the process: nothing is under way, and half-loaded modules could swallow an exception, or raise others."""
    os.write(2, b"signorini: interrupted\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
