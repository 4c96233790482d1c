"""A headless Chromium, driven through its DevTools protocol over a pipe; no further package is needed."""

from __future__ import annotations

import base64
import io
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt install chromium)")
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--no-first-run", "--hide-scrollbars", "--disable-background-networking", "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
]  # fmt: skip


class Browser:
    """One page of a browser."""

    def __init__(self, width: int = 1280, height: int = 800):
        assert PROGRAM is not None
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, answers = os.pipe(), os.pipe()
        given = (commands[0], answers[1])
        # The browser reads from descriptor 3 and writes to 4.
        moved = f'exec 3<&{given[0]} 4>&{given[1]} "$0" "$@"'
        options = [*FLAGS, f"--user-data-dir={self._folder.name}", f"--window-size={width},{height}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", moved, PROGRAM, *options],
            pass_fds=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.process_id = self._process.pid
        for descriptor in given:
            os.close(descriptor)
        self._out, self._in = commands[1], answers[0]
        self._buffer, self._number, self._session = b"", 0, None
        self.errors: list[str] = []
        """Messages of exceptions and of console.error in the page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Network.enable")
        self.requests: list[str] = []
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def call(self, method: str, *, timeout: float = 60.0, **parameters: Any) -> Any:
        """Send a command and wait for its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            answer = self._next(end)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            block = os.read(self._in, 1 << 20)
            assert block, "the browser has ended"
            self._buffer += block
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(raw)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message

    def open(self, url: str, *, until: str, timeout: float = 60.0) -> None:
        """Open a page and wait until a JavaScript expression is true."""
        self.call("Page.navigate", url=url)
        self.wait(until, timeout=timeout)

    def wait(self, expression: str, *, timeout: float = 30.0) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + timeout
        while not self.evaluate(f"(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()"):
            assert time.monotonic() < end, f"{expression}: not within {timeout} s; {self.errors}"
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def center(self, selector: str) -> tuple[float, float]:
        """The middle of an element, scrolled into view [px]."""
        code = (
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'nearest'}});"
            "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()"
        )
        x, y = self.evaluate(code)
        return x, y

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Send an event of the mouse: mousePressed, mouseReleased, mouseMoved or mouseWheel."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector: str) -> None:
        """Click into the middle of an element."""
        x, y = self.center(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1)

    def drag(self, selector: str, dx: float, dy: float) -> None:
        """Drag from the middle of an element."""
        x, y = self.center(selector)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for k in range(1, 6):
            self.mouse("mouseMoved", x + dx * k / 5, y + dy * k / 5, button="left", buttons=1)
        self.mouse("mouseReleased", x + dx, y + dy, button="left")

    def screenshot(self, file: Path | None = None, selector: str | None = None) -> np.ndarray:
        """The page, or an element of it, as pixels (height, width, 3); also to a file."""
        options: dict[str, Any] = {"format": "png"}
        if selector:
            code = (
                f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                "return [b.left, b.top, b.width, b.height]; })()"
            )
            x, y, width, height = self.evaluate(code)
            options["clip"] = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        data = base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])
        if file is not None:
            file.write_bytes(data)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(float)

    def close(self) -> None:
        """End the browser."""
        try:
            self._session = None
            self.call("Browser.close", timeout=5.0)
        except (AssertionError, OSError):
            self._process.terminate()
        try:
            self._process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()
