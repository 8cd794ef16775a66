"""Chapter 4: labels (compression, rest, stretch) and reference triangles."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import Clip, play, play_sample, still_sample
from ruckle.experiments.figures.peters2015 import graph_cut, label_costs, reference_triangles
from ruckle.experiments.figures.peters2015.label_costs import on_grid
from ruckle.experiments.metrics import label_boundaries, label_changes


# Figures 4.1, 8.3, 8.4: the graph cut reduces the differences of labels between neighbours and between frames.
def test_property_the_graph_cut_has_fewer_label_boundaries_and_changes(clip: Clip) -> None:
    found = graph_cut.measure(clip.animation)
    assert label_boundaries(found.raw, found.topology) > 0.01
    assert found.fewer_boundaries >= 1.5
    assert found.fewer_changes > 1.2


def test_exact_labels_equal_those_of_the_wrinkler() -> None:
    clip = play_sample("sawing")
    found = graph_cut.measure(clip.animation)
    np.testing.assert_array_equal(found.cut, [frame.labels for frame in clip.frames[1:]])


def test_exact_without_pairwise_costs_the_graph_cut_changes_no_label() -> None:
    found = graph_cut.measure(play_sample("chopping").animation, pairwise_costs=np.zeros((3, 3)))
    np.testing.assert_array_equal(found.raw, found.cut)
    assert found.fewer_boundaries == found.fewer_changes == 1.0


def test_degenerate_a_still_garment_is_at_rest() -> None:
    found = graph_cut.measure(still_sample("chopping"))
    assert (found.raw == 1).all()
    assert (found.cut == 1).all()
    assert label_changes(found.cut) == 0.0
    assert found.fewer_boundaries == found.fewer_changes == 1.0


# Figure 4.2: the surfaces of the label costs over a = 1/λ_min (compression) and b = λ_max (stretch). The product a b =
# λ_max / λ_min is at least 1.
C, R, S = 0, 1, 2
Array = NDArray[Any]


def formula(a: Array, b: Array, *, inverse: bool) -> Array:
    """Return c(a, b) of (4.5) in float64.

    If `inverse`, the second branch has the factor b / a, as printed in the thesis.
    """
    high, low = np.exp(-9.0 * (a - 1.0)), np.exp(-90.0 * (a - 1.0))
    ratio = b / a if inverse else a / b
    bell = (high - low) * np.exp(-0.5 * (a - b) ** 2 / (2 * 0.05**2)) + low
    return np.where(a > b, bell, ratio * (high - 1.0) + 1.0)


def serves_the_intent(values: Array, compression: Array, stretch: Array) -> bool:
    """Return True if the cost surfaces have the properties that the thesis intends.

    For a and b of at least 1, all costs are at least 0, and the label of the larger deformation has the lower cost.
    """
    a, b = on_grid(values)
    sound = (a >= 1.0) & (b >= 1.0)
    clear = sound & (np.abs(a - b) > 1e-6)
    cheaper = np.where(a > b, compression < stretch, stretch < compression)
    return bool((compression[sound] >= 0.0).all() and (stretch[sound] >= 0.0).all() and cheaper[clear].all())


def test_property_only_our_reading_of_the_cost_formula_makes_the_dominating_label_cheaper() -> None:
    surfaces = label_costs.measure()
    assert serves_the_intent(surfaces.values, surfaces.costs[..., C], surfaces.costs[..., S])
    a, b = on_grid(surfaces.values)
    other = formula(a, b, inverse=True), formula(b, a, inverse=True)
    assert not serves_the_intent(surfaces.values, *other)


# Figure 4.6: each reference triangle is replaced, relaxed by the singular values 0.95 Σ + 0.05 I, or not changed.
def test_exact_every_update_follows_its_label(clip: Clip) -> None:
    found = reference_triangles.measure(clip)
    assert found.broken == 0
    assert found.damping_error < 1e-4
    assert found.axis_error < 0.5
    assert min(found.kept, found.relaxed) > 0


def test_property_references_grow_to_the_most_stretched_shape() -> None:
    # this cloth is already compressed in its first frame, so that only an updated reference shows the compression
    clip = play_sample("sawing")
    start = int(np.argmax([frame.compression.mean() for frame in clip.frames]))
    later = play(type(clip.animation)(clip.animation.positions[start:], clip.animation.faces, fps=30.0, name="later"))
    found = reference_triangles.measure(later)
    assert found.replaced > 10
    area = np.abs(np.linalg.det(found.reference.astype(np.float64)))
    changed = (found.reference != found.reference[0]).any(axis=(0, 2, 3)) & (found.labels == 2).any(axis=0)
    assert (area.max(axis=0) > 1.02 * area[0])[changed].any()
