"""Sweeps from Python: the call `signorini.sweep`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from signorini.errors import InputError
from signorini.settings import Settings
from signorini.studies.sweep.design import Sampling, parameter_sets
from signorini.studies.sweep.plan import Metric, make_plan
from signorini.studies.sweep.progress import progress_bar
from signorini.studies.sweep.scene_source import FileSource, FunctionSource, GallerySource
from signorini.studies.sweep.sweep_runs import SweepOptions, run_sweep
from signorini.studies.sweep.table import SweepTable
from signorini.studies.sweep.values import axis_of


def sweep(
    build: Callable[..., Any] | str | Path,
    parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    out: str | Path,
    run: Callable[..., Any] | None = None,
    metrics: Sequence[Metric] = (),
    dt: float | None = None,
    seconds: float | None = None,
    fps: float | None = None,
    settings: Settings | None = None,
    samples: int | None = None,
    sampling: Sampling = "random",
    seed: int = 0,
    dataset: bool = False,
    keep_runs: bool = True,
    jobs: int | None = None,
    scheduler: str | None = None,
    retries: int = 1,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    retry_failed: bool = False,
    force: bool = False,
    progress: bool = False,
) -> SweepTable:
    """Run a scene with many sets of parameters in worker processes, and return the table of all runs.

    `build(**parameters)` returns a `Scene`, a `SceneFile` or a `Simulation`; it may also be the name of a gallery scene or of
    a scene file. `parameters` has a list of values, or a text such as `"0:1:20"`, for each name, and every combination is a
    run; a list of dictionaries is one run each. `run(simulation)`, if given, does the run and returns a number or a
    dictionary of cells; otherwise it is the usual run of `seconds` with `fps` frames per second. `metrics` are built-in
    names, `module:function`, or functions of a `RunRecord`.

    Everything goes to the directory `out`. The same call again goes on where it stopped, and what is finished is not done
    again. `time_limit` [s] and `memory_limit` [bytes] are those of one run. In a script, call it under
    `if __name__ == "__main__":`, because worker processes import the script.
    """
    fixed = {key: value for key, value in {"dt": dt, "seconds": seconds, "fps": fps}.items() if value is not None}
    if callable(build):
        source = FunctionSource.of(build, {**fixed, "settings": settings})
        fixed = {}
    else:
        if settings is not None:
            raise InputError(
                "settings are for a function that builds scenes: vary the settings of a scene by their names"
            )
        source = FileSource.of(build) if str(build).endswith(".toml") else GallerySource(str(build))
    plan = make_plan(
        source,
        _sets(parameters, samples=samples, sampling=sampling, seed=seed),
        fixed=fixed,
        metrics=metrics,
        dataset=dataset,
        run=run,
        seed=seed,
    )
    if run is not None and (dataset or metrics):
        raise InputError(
            "metrics and a data set are of the usual run: let the function `run` return what you want to keep"
        )
    options = SweepOptions(
        jobs=jobs, scheduler=scheduler, retries=retries, time_limit=time_limit, memory_limit=memory_limit,
        retry_failed=retry_failed, keep_runs=keep_runs, force=force,
    )  # fmt: skip
    return run_sweep(plan, Path(out), options, display=progress_bar(source.name) if progress else None)


def _sets(
    parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, samples: int | None, sampling: Sampling, seed: int
) -> list[dict[str, Any]]:
    if isinstance(parameters, Mapping):
        axes = {name: axis_of(name, given) for name, given in parameters.items()}
        return parameter_sets(axes, samples=samples, sampling=sampling, seed=seed)
    if not isinstance(parameters, Sequence) or not all(isinstance(row, Mapping) for row in parameters):
        raise InputError("parameters must be a dictionary of values, or a list of dictionaries, one for each run")
    return parameter_sets({}, rows=parameters, samples=samples, sampling=sampling, seed=seed)
