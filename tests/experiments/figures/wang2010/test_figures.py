"""Claims of the figures of Wang et al. 2010, tested on the sleeve of `ruckle poses simulate sleeve`."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.experiments.figures.wang2010 import clips, joints, sleeve
from ruckle.offline.pose_space.check import check_poses
from ruckle.pose_space.synthesizer import PoseSynthesizer


def test_exact_the_stored_sleeve_equals_that_of_its_command() -> None:
    found, truth = sleeve.database(), sleeve.held_out()
    assert found.notes["command"] == "ruckle poses simulate sleeve"
    assert repr(sleeve.plan()) == "PosePlan(elbow 9, arm 4 x 1 x 3: 21 samples)"
    assert truth.fine.shape == (16 + 48, found.binding.vertex_count, 3)
    assert (found.size + truth.fine.size * 2) < 2e6


def test_property_figure_2_examples_restore_the_curvature() -> None:
    found = clips.curvatures()
    bare, ours = (abs(values / found.truth - 1).mean() for values in (found.bare, found.ours))
    assert ours < 0.7 * bare
    assert ours < 0.12


def test_property_figure_5_rotations_and_coarse_frames_keep_lengths_that_straight_lines_lose() -> None:
    ways = joints.measure()
    np.testing.assert_array_equal(ways.spacings, [12, 24, 48, 96])
    # bounds relative to the error without examples, for samples every 12 degrees (first) and every 24 degrees (second)
    assert ways.frames[0] < 0.11 * ways.without
    assert ways.frames[1] < 0.19 * ways.without
    for rotations in (ways.arc, ways.screw, ways.frames):
        assert rotations[2] < 0.7 * ways.straight[2]
        assert rotations[3] < 0.5 * ways.straight[3]
    # interpolation between samples has smaller errors than the nearest sample
    assert (ways.frames < ways.nearest).all()
    # the error grows with the distance between samples
    assert (np.diff(ways.frames) > 0).all()


def test_property_figure_6_influence_falls_off_from_the_joint() -> None:
    weights, measured = joints.influence()
    assert weights.min() >= 0
    assert weights.max() <= 1
    for own, found in zip(weights.T, measured.T, strict=True):
        assert np.corrcoef(own, found)[0, 1] > 0.3
        assert found[own > 0.9].mean() > 1.5 * found[own < 0.3].mean()


def test_property_figure_8_kept_energy_merges_no_worse_than_the_paper() -> None:
    energy, paper = clips.merged("energy"), clips.merged("paper")
    assert len(clips.of_both_joints()) >= 26
    assert energy.error <= paper.error
    assert energy.error < 0.7 * energy.without
    # the weighted mean of the paper makes wrinkles flatter in poses in which only one joint causes wrinkles
    assert paper.curvature < energy.curvature < 1.05


@pytest.mark.parametrize("way", range(5))
def test_property_figure_7_shapes_change_less_than_simulated_ones(way: int) -> None:
    found, truth = sleeve.database(), sleeve.held_out()
    check = check_poses(found, *truth.animations(found, np.flatnonzero(truth.ways == way)))
    assert 0 < check.change < check.true_change


def test_property_figure_7_shapes_are_continuous_at_the_borders_of_cells() -> None:
    plan = sleeve.plan()
    for joint in plan.joints:
        for sample in joint.samples[1:-1]:
            shapes = []
            for change in (-1e-3, 0.0, 1e-3):
                bones = plan.skeleton.pose(plan.rotations({joint.name: sample * (1 + change)}))
                shapes.append(sleeve.synthesized(bones).shape.positions)
            # The skin moves by up to 1 mm between these poses. Folds are 10 mm high, so that a jump between folds would
            # exceed 2 mm.
            assert np.abs(np.diff(shapes, axis=0)).max() < 2e-3


def test_exact_table_1_copies_have_the_results_of_the_garment() -> None:
    bones = sleeve.held_out().bones[20]
    one, many = (
        PoseSynthesizer(which).step(sleeve.coarse_at(bones), bones=bones).shape.positions
        for which in (sleeve.database(), clips.copies(sleeve.database(), 3))
    )
    np.testing.assert_array_equal(many, np.tile(one, (3, 1)))
