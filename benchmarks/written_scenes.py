"""Gallery scenes beside the files that `signorini scenes NAME --write` makes of them: the same bits, step by step.

    python benchmarks/written_scenes.py                     all scenes, a markdown row each
    python benchmarks/written_scenes.py drape letters       only these
    python benchmarks/written_scenes.py --steps 100         longer

A scene and its file take turns, 40 steps each, and on until twenty steps had contacts; 400 steps are the most. After every step
all that is needed to go on (positions, velocities, memory of contacts, states of elements) is compared as bytes.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.cli.scene_options import load_scene_argument
from signorini.gallery import SCENES

CONTACT_STEPS = 20
"""Steps with contacts that are waited for."""
MOST_STEPS = 400


def written(name: str, folder: Path) -> sg.SceneFile:
    """The scene as its file has it."""
    result = CliRunner().invoke(app, ["scenes", name, "--write", str(folder / "scene.toml")])
    assert result.exit_code == 0, result.output
    return sg.load_scene(folder / "scene.toml")


def state_bytes(sim: sg.Simulation) -> dict[str, bytes]:
    """All that is needed to go on."""
    return {name: values.tobytes() for name, values in sim.checkpoint().items()}


def compare(name: str, steps: int) -> str:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        given, theirs = load_scene_argument(name), written(name, Path(folder))
        same = (given.dt, given.seconds, given.fps, given.settings) == (
            theirs.dt,
            theirs.seconds,
            theirs.fps,
            theirs.settings,
        )
        pair = [sg.Simulation(file.scene, dt=file.dt, settings=file.settings) for file in (given, theirs)]
        done = touching = most = 0
        stopped = ""
        while done < steps or (touching < CONTACT_STEPS and done < MOST_STEPS):
            reports = []
            for sim in pair:
                try:
                    reports.append(sim.step())
                except sg.SimulationStoppedError as error:
                    stopped += str(error) + "\n"
            if stopped:
                break
            done += 1
            touching += reports[0].contact_count > 0
            most = max(most, reports[0].contact_count)
            if state_bytes(pair[0]) != state_bytes(pair[1]):
                return f"| `{name}` | {done} | {touching} | {most} | **differs** |"
    lines = stopped.splitlines()
    verdict = "the same" if same and len(lines) != 1 and lines[::2] == lines[1::2] else "**differs**"
    return f"| `{name}` | {done} | {touching} | {most} | {verdict}{', stopped' if lines else ''} |"


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(SCENES), help="scenes of the gallery")
    parser.add_argument("--steps", type=int, default=40, help="least number of steps")
    arguments = parser.parse_args()
    print("| scene | steps | with contacts | most contacts | bits |\n|---|---|---|---|---|")
    for name in arguments.names:
        print(compare(name, arguments.steps), flush=True)


if __name__ == "__main__":
    main()
