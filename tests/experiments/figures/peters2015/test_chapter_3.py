"""Chapter 3: reference shapes that the thesis rejects, and the reasons."""

import numpy as np
import pytest

from cloth_meshes import grid, wrinkled_grid
from ruckle import Animation
from ruckle.experiments.figures.clips import Clip, play
from ruckle.experiments.figures.peters2015 import stretch_tensors, vertex_averages
from ruckle.experiments.figures.peters2015.vertex_averages import averaged_compression


# Figure 3.3: no frame of the animation is a rest shape, so with each of them as the reference, compression is missed.
def test_property_every_reference_frame_misses_compression(clip: Clip) -> None:
    starts = range(0, len(clip), max(1, len(clip) // 10))
    missed = [stretch_tensors.measure(clip, start).missed_share for start in starts]
    assert min(missed) > 0.05
    assert np.median(missed) > 0.15


def test_exact_from_the_first_frame_of_a_squeezed_sheet_all_compression_is_found() -> None:
    flat, faces = grid(4, 4)
    positions = flat * (0.97 ** np.arange(20))[:, None, None] ** [1, 0, 0]
    clip = play(Animation(positions, faces, fps=30, name="squeezed", height=4.0))
    from_rest, from_squeezed = stretch_tensors.measure(clip, 0), stretch_tensors.measure(clip, 19)
    assert from_rest.compressing.all()
    assert (from_rest.missed_share, from_squeezed.missed_share) == (0.0, pytest.approx(1.0))


# Figure 3.4: if the tensors of triangles are averaged at the vertices of a coarse mesh, peaks of compression are lost.
def test_property_averages_at_vertices_lower_peaks_of_compression(clip: Clip) -> None:
    peaks = [vertex_averages.measure(clip, frame) for frame in range(0, len(clip), 3)]
    sharp = np.concatenate([found.sharp for found in peaks])
    smooth = np.concatenate([found.smooth for found in peaks])
    assert len(sharp) > 10
    assert (smooth <= clip.tau).mean() > 0.35
    # for the median peak, averaging reduces the compression above 1 by more than a tenth
    assert np.median((smooth - 1.0) / (sharp - 1.0)) < 0.9


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)])
def test_exact_averages_of_a_uniform_field_equal_it(axis: tuple[float, float, float]) -> None:
    topology, positions, field = wrinkled_grid(1.6, axis)
    np.testing.assert_allclose(averaged_compression(positions, topology, field), 1.6, rtol=1e-4)
