"""Figures 5.4 and 5.5: paths slide over mesh vertices.

5.4: "A reconstructed polyline as a t value lies outside the [0, 1] interval." 5.5: "If all three interior points were
included, then they can only cross the mesh vertex by creating a self-intersecting loop in the wrinkle, which produces a
high cost [...] Thus, we remove all but one vertex and reconstruct the neighbourhood."
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from ruckle.figures.clips import Clip, play_sample
from ruckle.figures.peters2015.passing_vertex import ALPHA, STRAIGHTNESS, TAU, Passing, is_valid, measure
from ruckle.samples import samples


@pytest.fixture(scope="module", params=samples())
def played(request: pytest.FixtureRequest) -> Clip:
    return play_sample(request.param, tau=TAU, path_alpha=ALPHA, straightness=STRAIGHTNESS)


@pytest.fixture(scope="module")
def passings(played: Clip) -> list[Passing]:
    return measure(played)


def test_property_paths_pass_mesh_vertices(passings: list[Passing]) -> None:
    assert passings


def test_property_the_path_laid_anew_is_a_path_around_that_vertex(played: Clip, passings: list[Passing]) -> None:
    for passing in passings:
        assert is_valid(played.topology, passing.now)
        assert passing.now.id == passing.before.id
        lost = np.setdiff1d(passing.before.edges, passing.now.edges)
        assert (played.topology.edges[lost] == passing.vertex).any(axis=1).all()
        gained = np.setdiff1d(passing.now.edges, passing.before.edges)
        assert not len(gained) or (played.topology.edges[gained] == passing.vertex).any()


def test_property_and_stays_where_it_was(passings: list[Passing]) -> None:
    assert max(passing.gap for passing in passings) < 1.25
    assert np.median([passing.gap for passing in passings]) < 0.25


def test_property_with_all_its_vertices_a_crowd_would_be_held_back(passings: list[Passing]) -> None:
    crowds = [passing for passing in passings if passing.members.sum() > 1]
    assert crowds
    held = sum(bool((passing.beyond < 0.0).any()) for passing in crowds)
    assert held > 0.75 * len(crowds)


def test_reject_a_jumping_path_is_no_path() -> None:
    clip = play_sample("chopping", tau=TAU)
    wrinkle = max(clip.frames[-1].wrinkles, key=len)
    assert is_valid(clip.topology, wrinkle)
    swapped = wrinkle.edges.copy()
    swapped[[1, -2]] = swapped[[-2, 1]]
    assert not is_valid(clip.topology, replace(wrinkle, edges=swapped))
    assert not is_valid(clip.topology, replace(wrinkle, t=wrinkle.t - 1.0))
