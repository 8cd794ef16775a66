"""Figure 3.4: on coarse meshes smoothing the tensor per triangle to a piecewise linear field loses details.

"[It] leads to loss of details, such as the compression on the shoulder and across the chest (left) which are no longer
distinguishable on the right."
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from cloth_meshes import wrinkled_grid
from ruckle.figures.clips import Clip, play_sample
from ruckle.figures.peters2015.vertex_averages import averaged_compression, measure
from ruckle.figures.regions import regions

EVERY = 3


@pytest.mark.parametrize("region", ["right shoulder", "left shoulder", "chest"])
def test_property_named_peaks_are_lost(region: str) -> None:
    clip = play_sample("chopping")
    inside = regions(clip.animation)[region]
    peaks = [measure(clip, frame) for frame in range(0, len(clip), EVERY)]
    count = sum(int(inside[found.faces].sum()) for found in peaks)
    lost = sum(int(inside[found.faces[found.lost]].sum()) for found in peaks)
    assert count > 50
    assert lost > 0.5 * count


def check_loss(clip: Clip) -> None:
    peaks = [measure(clip, frame) for frame in range(0, len(clip), EVERY)]
    sharp = np.concatenate([found.sharp for found in peaks])
    smooth = np.concatenate([found.smooth for found in peaks])
    assert len(sharp) > 10
    assert (smooth <= clip.tau).mean() > 0.35
    # half the peaks lose more than a tenth of what is beyond 1
    assert np.median((smooth - 1.0) / (sharp - 1.0)) < 0.9


def test_property_samples_lose_peaks(sample_clip: Clip) -> None:
    check_loss(sample_clip)


def test_property_sequences_lose_peaks(sequence_clip: Clip) -> None:
    check_loss(sequence_clip)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)])
def test_exact_a_uniform_field_loses_nothing(axis: tuple[float, float, float]) -> None:
    topology, positions, field = wrinkled_grid(1.6, axis)
    np.testing.assert_allclose(averaged_compression(positions, topology, field), 1.6, rtol=1e-4)
