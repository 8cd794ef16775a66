"""Chapter 8: effects of the parameters, and the six motions of the thesis."""

import numpy as np
import pytest

from ruckle import sample
from ruckle.experiments.figures.clips import still_sample
from ruckle.experiments.figures.peters2015 import motions, painted_folds, parameters
from ruckle.experiments.figures.peters2015.motions import BENDING, play_motion
from ruckle.experiments.figures.peters2015.parameters import R_MINS, TAUS
from ruckle.experiments.figures.peters2015.table_8_1 import TABLE_8_1
from ruckle.experiments.figures.regions import regions


# Figure 8.1: work falls if τ or R_min rises. The test measures work as the number of path vertices in the solver.
@pytest.mark.parametrize("name", ["sawing", "jumping_jack"])
def test_property_work_falls_as_either_parameter_rises(name: str) -> None:
    settings = parameters.measure(sample(name))
    for r_min in R_MINS:
        low, high = (settings[tau, r_min] for tau in TAUS)
        assert high.unknowns < low.unknowns
    for tau in TAUS:
        narrow, wide = (settings[tau, r_min] for r_min in R_MINS)
        assert wide.unknowns < narrow.unknowns
        assert wide.wrinkles < narrow.wrinkles


def test_exact_settings_equal_those_of_the_thesis() -> None:
    found = parameters.measure(still_sample("sawing", 3))
    assert set(found) == {(1.15, "0.5%"), (1.25, "0.5%"), (1.15, "1%"), (1.25, "1%")}
    assert all(setting.wrinkles == 0.0 for setting in found.values())
    assert all(setting.clip.r_min == pytest.approx(float(r[:-1]) * 0.0175) for (_, r), setting in found.items())


# Figure 8.2: our wrinkles compared with folds that are painted into a texture.
def test_property_wrinkles_follow_painted_folds_at_joints() -> None:
    found = painted_folds.measure(play_motion("sawing"))
    for elbow in ("right elbow", "left elbow"):
        assert found.painted[elbow] > 1.0
        assert found.wrinkled[elbow] > 1.0
        assert found.angles[elbow] < 35.0
        assert found.moving[elbow] > 0.2
    assert found.painted["middle of the chest"] == 0.0
    assert found.wrinkled["middle of the chest"] > 1.0
    assert found.wrinkled["under the right arm"] < 0.8 * found.painted["under the right arm"]


def test_property_strokes_turned_by_90_degrees_differ_from_the_wrinkles() -> None:
    middle = painted_folds.STROKES.mean(axis=1, keepdims=True)
    off = painted_folds.STROKES - middle
    turned = middle + np.stack([-off[..., 1], off[..., 0]], axis=-1)
    angles = painted_folds.measure(play_motion("sawing"), turned).angles
    assert min(angles["right elbow"], angles["left elbow"]) > 55.0


def test_degenerate_painted_folds_do_not_need_motion() -> None:
    still = still_sample("sawing", 3)
    found = painted_folds.measure(play_motion("sawing", still))
    assert found.painted["right elbow"] > 1.0
    assert set(found.wrinkled.values()) == set(found.moving.values()) == {0.0}
    assert not found.angles


def test_exact_strokes_are_lit_from_above() -> None:
    animation = sample("sawing")
    plain = painted_folds.paint(animation, painted_folds.STROKES[:0])
    assert (plain == painted_folds.PLAIN).all()
    painted = painted_folds.paint(animation).astype(int) - plain
    assert 0.005 < (painted != 0).mean() < 0.1
    assert painted.max() > 0.2 * painted_folds.PLAIN
    assert painted.min() < -0.4 * painted_folds.PLAIN


# Figures 8.5 to 8.10: in six motions, wrinkles appear where the cloth bends. Table 8.1: numbers of wrinkles.

MOTIONS = pytest.mark.parametrize("name", BENDING)


@MOTIONS
def test_property_wrinkles_are_where_the_cloth_bends(name: str) -> None:
    found = motions.measure(play_motion(name))
    assert found.length > 0.0
    for region in BENDING[name]:
        assert found.density[region] > 1.1, region
    assert found.still_density < 0.1


@pytest.mark.parametrize(("name", "part", "ratio"), [("sawing", "elbow", 1.5), ("fist_pumping", "shoulder", 5.0)])
def test_property_the_arm_that_moves_wrinkles_more_than_the_other(name: str, part: str, ratio: float) -> None:
    density = motions.measure(play_motion(name)).density
    assert density[f"right {part}"] > ratio * density[f"left {part}"]


@MOTIONS
def test_degenerate_a_garment_that_stands_still_has_no_wrinkles(name: str) -> None:
    found = motions.measure(play_motion(name, still_sample(name)))
    assert found.wrinkles == found.length == 0.0
    assert set(found.density.values()) == {0.0}


@MOTIONS
def test_exact_table_8_1_triangle_counts(name: str) -> None:
    clip = play_motion(name)
    assert clip.topology.face_count == TABLE_8_1[name].triangles
    assert all(inside.any() for inside in regions(clip.animation).values())
