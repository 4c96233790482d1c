"""Animated pictures, WebP and GIF: short films for web pages and README files, written by Pillow without a further package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ENDINGS = (".webp", ".gif")
WEBP_QUALITY, KEY_FRAMES = 88, 9
"""Quality, of Pillow's 0 to 100, and the most frames from one that stores all of the picture to the next: those between store
differences, and what moves leaves faint lines on the ground in them. With 78 and no limit the lines could be seen."""


@contextlib.contextmanager
def animated_picture(target: Path, fps: float) -> Iterator[Any]:
    """A function that appends a picture (h, w, 3) to an animation that repeats forever; the file is written at the end."""
    frames: list[Image.Image] = []
    yield lambda image: frames.append(Image.fromarray(np.array(image)))
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "duration": round(1000 / fps), "loop": 0}
    if target.suffix.lower() == ".webp":
        options |= {"quality": WEBP_QUALITY, "method": 4, "kmin": 1, "kmax": KEY_FRAMES}
    frames[0].save(target, **options)
