"""Figure 3.3: no frame of the animation is a rest shape.

"Using compression on the top tensor as cue for wrinkling will generate no wrinkles on the left knee (an inverse
reference pose will generate no wrinkles on the right). The local tensor provides better, but noisy cues."
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import Clip, play
from ruckle.figures.peters2015.graph_cut import measure as label
from ruckle.figures.peters2015.stretch_tensors import measure, opposite_starts
from ruckle.mesh.animation import Animation


def starts_of(clip: Clip) -> range:
    """Return some ten frames spread over a clip."""
    return range(0, len(clip), max(1, len(clip) // 10))


def test_property_whichever_frame_is_the_reference_it_misses_compression(sequence_clip: Clip) -> None:
    missed = [measure(sequence_clip, start).missed_share for start in starts_of(sequence_clip)]
    assert min(missed) > 0.10
    assert np.median(missed) > 0.20


def test_property_samples_too(sample_clip: Clip) -> None:
    missed = [measure(sample_clip, start).missed_share for start in starts_of(sample_clip)]
    assert min(missed) > 0.05
    assert np.median(missed) > 0.20


def test_property_an_inverse_pose_misses_other_cloth(sample_clip: Clip) -> None:
    one, other, frame = opposite_starts(sample_clip, starts_of(sample_clip))
    row = frame - 1
    for mine, theirs in ((one, other), (other, one)):
        seen_by_theirs = mine.missed[row] & ~theirs.missed[row]
        assert seen_by_theirs.any()
        assert mine.compressing[row][seen_by_theirs].all()


def test_property_the_local_cue_is_noisy(sequence: Animation) -> None:
    # what the thesis answers with the graph cut: neighbours disagree more than they would have to
    assert label(sequence).fewer_boundaries > 1.5


def test_exact_a_sheet_that_is_only_squeezed_hides_nothing_from_its_first_frame() -> None:
    y, x = np.mgrid[0:5, 0:5].astype(float)
    flat = np.stack([x.ravel(), y.ravel(), np.zeros(25)], axis=1)
    corner = (np.arange(4)[:, None] * 5 + np.arange(4)).ravel()
    faces = np.concatenate(
        [np.stack([corner, corner + 1, corner + 5], 1), np.stack([corner + 1, corner + 6, corner + 5], 1)]
    )
    shrinking = 0.97 ** np.arange(20)
    positions = flat * np.stack([shrinking, np.ones(20), np.ones(20)], axis=1)[:, None]
    clip = play(Animation(positions, faces, fps=30, name="squeezed", height=4.0))
    from_rest, from_squeezed = measure(clip, 0), measure(clip, 19)
    assert from_rest.compressing.all()
    assert from_rest.missed_share == 0.0
    assert from_squeezed.missed_share == pytest.approx(1.0)
