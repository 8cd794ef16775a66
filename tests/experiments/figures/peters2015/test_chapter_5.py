"""Chapter 5: paths are smoothed, coherent over time, turned to a new direction field, and moved over mesh vertices."""

import numpy as np
import pytest

from ruckle import Animation, sample, samples, smooth_path, trace
from ruckle.experiments.figures.clips import Clip, play_sample, still_sample
from ruckle.experiments.figures.peters2015 import coherent_paths, passing_vertex, path_smoothing, turning_path
from ruckle.experiments.figures.peters2015.coherent_paths import Coherence
from ruckle.experiments.figures.peters2015.passing_vertex import ALPHA, STRAIGHTNESS, TAU, Passing, is_valid
from ruckle.experiments.figures.sheet import compressed_sheet, flat_sheet
from ruckle.experiments.metrics import turning_angles


# Figure 5.1: the smoothed wrinkle is "between the input wrinkle (blue) and geodesic path (orange)".
def test_property_smoothed_paths_lie_between(clip: Clip) -> None:
    found = path_smoothing.measure(clip, every=15)
    assert len(found.paths) > 5
    traced, smoothed, geodesic = found.lengths.T
    slack = 1.0 + 1e-6
    assert (smoothed <= traced * slack).all()
    assert (geodesic <= smoothed * slack).all()
    # the smoothed path is closer to the traced path than the geodesic path is
    assert (found.shifts[:, 0] <= found.shifts[:, 1] + 1e-6 * traced).mean() > 0.95
    assert found.shifts[:, 0].sum() < 0.5 * found.shifts[:, 1].sum()
    sharp = [float(np.percentile(angles, 90)) for angles in found.turning]
    assert sharp[1] < 0.8 * sharp[0]
    assert sharp[2] < sharp[1]


def test_exact_a_straight_path_stays() -> None:
    sheet = flat_sheet()
    field = compressed_sheet(sheet, 20.0)
    straight = 0
    for edges, t in trace(sheet.topology, sheet.positions, field, r_min=0.1, tau=1.4, smooth=False):
        # a path with a mesh vertex in its way has a bend there
        if len(edges) > 4 and turning_angles(sheet.topology, sheet.positions, edges, t).max() < 0.05:
            straight += 1
            smoothed = smooth_path(sheet.topology, sheet.positions, edges, t)
            np.testing.assert_allclose(smoothed, t, atol=1e-4)
    assert straight > 3


# Figure 5.2: paths that are traced again in each frame jump; coherent paths change gradually.
def check_coherence(found: Coherence) -> None:
    assert found.drift_ratio > 3.0
    assert found.height_ratio > 3.0
    # changes are gradual: the median drift is below half a width, and no wrinkle starts with more than half its height
    assert np.nanmedian(found.coherent_changes.drift) < 0.5
    assert found.coherent_changes.height.max() < 0.5


@pytest.mark.parametrize("name", samples())
def test_property_coherent_paths_change_gradually(name: str) -> None:
    check_coherence(coherent_paths.measure(sample(name)))


def test_property_coherent_paths_change_gradually_on_captured_motion(sequence: Animation) -> None:
    check_coherence(coherent_paths.measure(sequence, tau=1.25))


def test_degenerate_a_still_garment_does_not_change() -> None:
    found = coherent_paths.measure(still_sample("sawing"))
    assert found.independent_changes.height.max() == 0.0
    assert np.isnan(found.coherent_changes.drift).all()


# Figure 5.3: a path turns to a new direction field over several frames. A path that is traced in the new field would
# jump.
@pytest.mark.parametrize("angle", [-25.0, 10.0, 25.0])
def test_property_a_path_turns_to_the_new_field(angle: float) -> None:
    found = turning_path.measure(angle=angle)
    assert found.errors[0] == pytest.approx(abs(angle), abs=1.0)
    assert (np.diff(found.errors) < 0.0).all()
    assert found.errors[-1] < 0.5 * found.errors[0]
    # in each frame, the path moves by less than a tenth of the jump of a newly traced path
    assert found.step < 0.1 * found.jump
    assert np.abs(np.diff(found.errors)).max() < 0.1 * abs(angle)


def test_exact_without_the_weight_of_the_field_paths_do_not_turn() -> None:
    found = turning_path.measure(alpha=0.0)
    np.testing.assert_allclose(found.lines, found.lines[:1].repeat(len(found.lines), axis=0), atol=1e-5)


# Figures 5.4 and 5.5: a path moves over a mesh vertex. Its vertices on the edges around this mesh vertex are replaced.
@pytest.fixture(scope="module", params=samples())
def played(request: pytest.FixtureRequest) -> Clip:
    return play_sample(request.param, tau=TAU, path_alpha=ALPHA, straightness=STRAIGHTNESS)


@pytest.fixture(scope="module")
def passings(played: Clip) -> list[Passing]:
    return passing_vertex.measure(played)


def test_property_a_path_that_passes_a_vertex_changes_only_edges_of_that_vertex(
    played: Clip, passings: list[Passing]
) -> None:
    assert passings
    for passing in passings:
        assert is_valid(played.topology, passing.now)
        assert passing.now.id == passing.before.id
        lost = np.setdiff1d(passing.before.edges, passing.now.edges)
        assert (played.topology.edges[lost] == passing.vertex).any(axis=1).all()
        gained = np.setdiff1d(passing.now.edges, passing.before.edges)
        assert not len(gained) or (played.topology.edges[gained] == passing.vertex).any()


def test_property_a_path_that_passes_a_vertex_hardly_moves(passings: list[Passing]) -> None:
    assert max(passing.gap for passing in passings) < 1.25
    assert np.median([passing.gap for passing in passings]) < 0.25


def test_property_in_most_groups_some_vertex_is_not_beyond_its_edge(passings: list[Passing]) -> None:
    crowds = [passing for passing in passings if passing.members.sum() > 1]
    assert crowds
    held = sum(bool((passing.beyond < 0.0).any()) for passing in crowds)
    assert held > 0.75 * len(crowds)
