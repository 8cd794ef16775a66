"""Figures 4.1, 8.3, 8.4: labels with and without the graph cut.

"The labels chosen without a graph-cut strategy are inconsistent [...] Utilizing graph-cut produces a much smoother
labeling": fewer boundaries across edges, and fewer changes in time, at the thesis's 30 frames per second.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import Clip, play_sample, still_sample
from ruckle.figures.peters2015.graph_cut import measure
from ruckle.mesh.animation import Animation
from ruckle.metrics import label_boundaries, label_changes

AT_LEAST = 1.5


def test_property_far_fewer_boundaries_and_fewer_changes(sequence: Animation) -> None:
    found = measure(sequence)
    assert label_boundaries(found.raw, found.topology) > 0.01
    assert found.fewer_boundaries >= AT_LEAST
    assert found.fewer_changes > 1.2


def test_property_samples_too(sample_clip: Clip) -> None:
    found = measure(sample_clip.animation)
    assert found.fewer_boundaries >= AT_LEAST
    assert found.fewer_changes > 1.2


def test_exact_the_labels_are_the_wrinklers() -> None:
    clip = play_sample("sawing")
    found = measure(clip.animation)
    np.testing.assert_array_equal(found.cut, [frame.labels for frame in clip.frames[1:]])


def test_exact_without_pairwise_costs_nothing_is_gained() -> None:
    found = measure(play_sample("chopping").animation, pairwise_costs=np.zeros((3, 3)))
    np.testing.assert_array_equal(found.raw, found.cut)
    assert found.fewer_boundaries == found.fewer_changes == 1.0


def test_degenerate_a_still_garment_is_at_rest() -> None:
    found = measure(still_sample("chopping"))
    assert (found.raw == 1).all()
    assert (found.cut == 1).all()
    assert label_changes(found.cut) == 0.0
    assert found.fewer_boundaries == found.fewer_changes == 1.0
