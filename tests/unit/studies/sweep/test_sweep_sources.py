"""Scenes of a sweep: which parameters they have, what each changes, and the plan that is made of them."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.studies.sweep.plan import make_plan
from signorini.studies.sweep.scene_source import FileSource, FunctionSource, GallerySource
from support.sweeps import SLOPE, block_on_slope, slope_file


def test_options_settings_times_and_keys_of_a_gallery_scene():
    made = GallerySource("drape").make(
        {
            "friction": 0.7,
            "material": "silk",
            "resolution": 6,
            "seconds": 0.1,
            "dt": 2e-3,
            "max_refinements": 3,
            "solver.tolerance": 1e-4,
            "cloth.sheet.area_density": 0.31,
            "scene.air_drag": 1.5,
        }
    )
    sheet = made.scene.bodies["sheet"]
    assert sheet.area_density == 0.31 and sheet.friction == 0.7 and len(sheet.positions) == 36
    assert made.scene.air_drag == 1.5
    assert (made.seconds, made.dt) == (0.1, 2e-3)
    assert made.settings.max_refinements == 3 and made.settings.solver.tolerance == 1e-4


def test_the_material_of_the_drape_is_an_option():
    cotton, silk = (GallerySource("drape").make({"material": m, "resolution": 4}).scene for m in ("cotton", "silk"))
    assert cotton.bodies["sheet"].material != silk.bodies["sheet"].material


def test_keys_of_a_scene_file(tmp_path):
    source = FileSource.of(slope_file(tmp_path))
    made = source.make(
        {
            "friction": 0.25,
            "rigid.block.density": 700.0,
            "rigid.0.mesh.height": 0.2,
            "ground.slope.height": -0.01,
            "simulation.fps": 10.0,
            "settings.solver.tolerance": 1e-5,
        }
    )
    block = made.scene.bodies["block"]
    assert block.friction == 0.25 and made.scene.bodies["slope"].height == -0.01
    assert block.properties.mass == pytest.approx(700.0 * 0.1 * 0.1 * 0.2)
    assert made.fps == 10.0 and made.settings.solver.tolerance == 1e-5


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("frction", 0.1, "has no parameter 'frction': did you mean 'friction'"),
        ("cloth.sheet.density", 0.1, "drape: cloth.*unknown key 'density'"),
        ("cloth.shet.area_density", 0.1, "there is no 'shet'; there are sheet"),
        ("rigid.block.density", 0.1, "unknown key 'rigid'"),
        ("scene.gravty", 0.1, "unknown key 'gravty'"),
        ("solver.tolerence", 0.1, "tolerence"),
        ("material", "wol", "wol"),
        ("resolution", 3.5, "parameter resolution=3.5: expected an integer"),
        ("dt", -1.0, "dt must be positive"),
    ],
)
def test_a_wrong_parameter_is_found_before_anything_runs(name, value, message):
    with pytest.raises(InputError, match=message):
        make_plan(GallerySource("drape"), [{name: value}], fixed={"resolution": 4} if name != "resolution" else {})


def test_a_wrong_text_among_good_ones_is_found_before_anything_runs():
    with pytest.raises(InputError, match="wol"):
        make_plan(GallerySource("drape"), [{"material": m} for m in ("cotton", "silk", "wol")], fixed={"resolution": 4})


def test_functions_that_build_scenes():
    source = FunctionSource.of(block_on_slope, {"seconds": 0.1, "dt": 5e-3})
    made = source.make({"friction": 0.2, "dt": 2e-3})
    assert made.scene.friction == 0.2 and made.seconds == 0.1 and made.dt == 2e-3
    with pytest.raises(InputError, match="block_on_slope has no parameter 'frction': did you mean 'friction'"):
        make_plan(source, [{"frction": 0.2}])
    with pytest.raises(InputError, match="must return a Scene"):
        FunctionSource.of(lambda: 3, {}).make({})


def test_runs_are_named_by_what_they_compute(tmp_path):
    file = slope_file(tmp_path)
    sets = [{"friction": f} for f in (0.1, 0.2, 0.3)]
    plan = make_plan(FileSource.of(file), sets)
    ids = [run.id for run in plan.runs]
    assert len(set(ids)) == 3
    longer = make_plan(FileSource.of(file), [{"friction": 0.15}, *sets])
    assert [run.id for run in longer.runs][1:] == ids
    assert [run.seed for run in longer.runs][1:] == [run.seed for run in plan.runs]
    for other in (
        make_plan(FileSource.of(file), sets, fixed={"seconds": 0.3}),
        make_plan(FileSource.of(file), sets, metrics=["final_height"]),
        make_plan(FileSource.of(file), sets, dataset=True),
    ):
        assert not {run.id for run in other.runs} & set(ids)
    file.write_text(SLOPE.replace("500.0", "501.0"))
    assert not {run.id for run in make_plan(FileSource.of(file), sets).runs} & set(ids)


def test_a_builder_that_takes_a_seed_gets_one_that_depends_on_the_parameters_only():
    def build(*, friction, seed):
        return block_on_slope(friction=friction + 1e-12 * seed)

    source = FunctionSource.of(build, {})
    first, again = (make_plan(source, [{"friction": f} for f in (0.1, 0.2)], seed=s) for s in (1, 1))
    other = make_plan(source, [{"friction": f} for f in (0.1, 0.2)], seed=2)
    seeds = [first.settings_of(run)["seed"] for run in first.runs]
    assert seeds == [again.settings_of(run)["seed"] for run in again.runs]
    assert len({*seeds, *(run.seed for run in other.runs)}) == 4
    assert {run.id for run in first.runs}.isdisjoint(run.id for run in other.runs)


@pytest.mark.parametrize(
    ("sets", "fixed", "message"),
    [
        ([], {}, "the sweep is empty"),
        ([{"friction": 0.1}, {"friction": 0.1}], {}, "have the same parameters"),
        ([{"friction": 0.1}, {"dt": 0.1}], {}, "run 1 has the parameters dt"),
        ([{"friction": 0.1}], {"friction": 0.2}, "is varied and also given as 0.2"),
    ],
)
def test_plans_that_are_none(tmp_path, sets, fixed, message):
    with pytest.raises(InputError, match=message):
        make_plan(FileSource.of(slope_file(tmp_path)), sets, fixed=fixed)


def test_vertex_forces_add_up_to_the_contact_force():
    sim = sg.Simulation(block_on_slope(friction=0.6), dt=5e-3)
    assert not sim.bodies["block"].contact_forces.any()
    for _ in range(20):
        sim.step()
    forces = sim.bodies["block"].contact_forces
    assert forces.shape == sim.bodies["block"].positions.shape
    np.testing.assert_allclose(forces.sum(axis=0), sim.contact_force("block"), rtol=0.0, atol=1e-12)
    assert np.linalg.norm(forces.sum(axis=0)) == pytest.approx(0.5 * 9.81, rel=0.05)
