"""Animated pictures, WebP and GIF: short films for web pages and README files, written by Pillow without a further package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ENDINGS = (".webp", ".gif")
WEBP_QUALITY = 78
"""Of Pillow's 0 to 100. Below about 70, what moves leaves faint lines on the ground, because frames store differences."""


@contextlib.contextmanager
def animated_picture(target: Path, fps: float) -> Iterator[Any]:
    """A function that appends a picture (h, w, 3) to an animation that repeats forever; the file is written at the end."""
    frames: list[Image.Image] = []
    yield lambda image: frames.append(Image.fromarray(np.array(image)))
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "duration": round(1000 / fps), "loop": 0}
    if target.suffix.lower() == ".webp":
        options |= {"quality": WEBP_QUALITY, "method": 4, "minimize_size": True}
    frames[0].save(target, **options)
