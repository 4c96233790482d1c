"""Notebook output of scenes, simulations and trajectories: a table of bodies, pictures to play and to scrub."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.render.camera import make_camera
from signorini.render.frame_source import FrameSource, PastStates
from signorini.render.pictures import DEFAULT_VIEW, frame_bounds
from signorini.render.stage import Stage
from signorini.scene.scene import Scene
from signorini.scene.sizes import body_sizes

if TYPE_CHECKING:
    from signorini.files.runs.trajectory import Trajectory
    from signorini.simulation.simulation import Simulation

SIZE = (480, 320)
"""Width and height of pictures [pixels]."""
MOST_FRAMES = 24
"""Pictures of a trajectory: about 20 kB each, which the notebook keeps."""
QUALITY = 85
"""Of pictures, as JPEG has it."""
MOST_TRIANGLES = 400_000
"""Triangles of all pictures of a page together; larger bodies are shown in fewer frames."""
PLAY_TIME, SLOWEST, FASTEST = 4000, 400, 60
"""Time that all pictures take when they are played, and the longest and the shortest time of one [ms]."""
_SCRUB = """
const all = [...this.parentNode.querySelectorAll('img')];
all.forEach((one, k) => { one.style.display = k == this.value ? 'block' : 'none' });
this.parentNode.querySelector('output').textContent = all[this.value].alt;
"""
"""What the slider does: it shows one picture and hides the others."""
_PLAY = """
const button = this, slider = this.parentNode.querySelector('input');
const stop = () => { clearInterval(button.timer); button.timer = 0; button.textContent = '▶' };
const show = (k) => { slider.value = k; slider.dispatchEvent(new Event('input')) };
if (button.timer) { stop(); return; }
button.textContent = '❚❚';
if (+slider.value >= +slider.max) show(0);
button.timer = setInterval(() => {
  if (!button.isConnected || +slider.value >= +slider.max) stop();
  else show(+slider.value + 1);
}, PERIOD);
"""
"""What the button does: it moves the slider to its end, picture by picture; pressed again, it stops there."""


def scene_html(scene: Scene) -> str:
    """A table of the bodies of a scene."""
    sizes = {size.name: size for size in body_sizes(scene.bodies)}
    rows = []
    for name, body in scene.bodies.items():
        size, pins = sizes.get(name), getattr(body, "pins", [])
        notes = [f"{sum(len(pin.vertices) for pin in pins)} vertices pinned"] if pins else []
        notes += [f"{len(a.vertices)} vertices attached to {a.to}" for a in scene.attachments if a.body == name]
        notes += [f"{load.kind}" for load in scene.loads if load.body == name]
        counts = ("", "", "", "") if size is None else (size.vertices, size.triangles, size.size_text, size.mass_text)
        rows.append((name, body.kind.replace("_", " "), *counts, f"{body.friction:g}", "; ".join(notes)))
    headings = ("body", "kind", "vertices", "triangles", "size", "mass", "friction", "")
    return f"<p>{html.escape(repr(scene))}</p>{_table(headings, rows)}"


def simulation_html(sim: Simulation) -> str:
    """Pictures of a simulation as it is now and as it was before, and its numbers."""
    distance = f"{sim.min_distance:.3g} m" if np.isfinite(sim.min_distance) else "nothing is near"
    facts = [("least distance", distance), ("contact distance", f"{sim.contact_distance:.3g} m")]
    facts += [("asleep", ", ".join(sim.sleeping))] if sim.sleeping else []
    states = PastStates(sim)
    pictures = _player(states, states.times, [f"t = {time:.6g} s" for time in states.times])
    return f"<p>{html.escape(repr(sim))}</p>{pictures}{_table((), facts)}"


def trajectory_html(trajectory: Trajectory) -> str:
    """Pictures of the frames of a trajectory."""
    text = f"<p>{html.escape(repr(trajectory))}</p>"
    if not trajectory.frame_count:
        return text
    labels = [f"frame {k}, t = {time:.6g} s" for k, time in enumerate(trajectory.times)]
    return text + _player(trajectory, trajectory.times.tolist(), labels)


def _player(source: FrameSource, times: Sequence[float], labels: Sequence[str]) -> str:
    """Pictures of some of the frames at these times, the last one shown, with a button that plays them and a slider."""
    triangles = sum(len(body.triangles) for body in source.bodies.values())
    most = max(1, min(MOST_FRAMES, len(times), MOST_TRIANGLES // max(triangles, 1)))
    frames: list[int] = sorted(set(np.rint(np.linspace(len(times) - 1, 0, most)).astype(int).tolist()))
    box = frame_bounds(source, frames)
    camera = make_camera(box, SIZE, view=DEFAULT_VIEW, camera=None, look_at=None)
    stage = Stage(source, box, size=SIZE, view=camera.backward, subdivide=len(frames) == 1, contacts=False)
    last = len(frames) - 1
    pictures = "".join(
        _image(stage.show(frame, camera), "JPEG" if last else "PNG", labels[frame], shown=number == last)
        for number, frame in enumerate(frames)
    )
    if not last:
        return pictures
    period = round(np.clip(PLAY_TIME / len(frames), FASTEST, SLOWEST))
    play = html.escape(" ".join(_PLAY.replace("PERIOD", str(period)).split()))
    button = f'<button type="button" aria-label="play or pause" style="width:3em" onclick="{play}">▶</button>'
    slider = (
        f'<input type="range" min="0" max="{last}" value="{last}" aria-label="frame" style="width:{SIZE[0] - 240}px" '
        f'oninput="{html.escape(" ".join(_SCRUB.split()))}"> <output>{labels[-1]}</output>'
    )
    return f"<div>{pictures}{button} {slider}</div>"


def _image(picture: NDArray[np.uint8], kind: str, label: str, *, shown: bool) -> str:
    """A picture (height, width, 3) as an element of a page with the data inside."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, format=kind, quality=QUALITY)
    data = base64.b64encode(stream.getvalue()).decode()
    display = "block" if shown else "none"
    height, width = picture.shape[:2]
    source = f'src="data:image/{kind.lower()};base64,{data}" width="{width}" height="{height}"'
    return f'<img alt="{html.escape(label)}" style="display:{display};max-width:100%" {source}>'


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain table; texts are escaped."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in headings)
    lines = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows)
    return f"<table>{f'<tr>{head}</tr>' if head else ''}{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
