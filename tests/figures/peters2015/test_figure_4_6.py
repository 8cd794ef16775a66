"""Figure 4.6: evolution of reference triangles.

Where cloth stretches beyond its reference on both axes the reference becomes the current triangle; under a compression
label it is relaxed: "the same eigenvectors, but smoothly altered eigenvalues", 0.95 Σ + 0.05 I; under a rest label "we
leave its reference triangle as is".
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import Clip, play, play_sample
from ruckle.figures.peters2015.reference_triangles import Evolution, measure


def check_rules(found: Evolution) -> None:
    assert found.broken == 0
    assert found.damping_error < 1e-4
    assert found.axis_error < 0.5


def test_exact_every_update_follows_its_label(sample_clip: Clip) -> None:
    found = measure(sample_clip)
    check_rules(found)
    assert min(found.kept, found.relaxed) > 0


def test_exact_on_real_motion(sequence_clip: Clip) -> None:
    found = measure(sequence_clip)
    check_rules(found)
    assert min(found.kept, found.relaxed, found.replaced) > 0


def test_exact_the_first_references_are_the_first_triangles(sample_clip: Clip) -> None:
    found = measure(sample_clip)
    np.testing.assert_array_equal(found.reference[0], found.current[0])


def test_property_references_grow_to_the_most_stretched_shape() -> None:
    # a cloth that starts squeezed: its first frame hides the compression that the evolved reference knows
    clip = play_sample("sawing")
    start = int(np.argmax([frame.compression.mean() for frame in clip.frames]))
    later = play(type(clip.animation)(clip.animation.positions[start:], clip.animation.faces, fps=30.0, name="later"))
    found = measure(later)
    assert found.replaced > 10
    area = np.abs(np.linalg.det(found.reference.astype(np.float64)))
    changed = (found.reference != found.reference[0]).any(axis=(0, 2, 3)) & (found.labels == 2).any(axis=0)
    assert (area.max(axis=0) > 1.02 * area[0])[changed].any()


def test_reject_another_relaxation_breaks_the_rule() -> None:
    assert measure(play_sample("chopping", relaxation=0.2)).damping_error > 0.01
