"""Patterns of wrinkle paths: one section for all wrinkles, and frames that cover the cloth."""

import numpy as np
import pytest

import ruckle
from meshes import triangle
from patterned_cloth import grid_of
from ruckle import Modulator, choose_frames, path_pattern
from ruckle.patterns.modulator import animation_grid


@pytest.fixture(scope="module")
def frames() -> list[ruckle.Frame]:
    return list(ruckle.run(ruckle.sample("chopping"), r_min="1%", tau=1.2))[::6]


def test_property_baked_wrinkles_are_as_high_as_the_least_radius(frames: list[ruckle.Frame]) -> None:
    animation = ruckle.sample("chopping")
    grid = animation_grid(animation, spacing="0.5%")
    busiest = max(frames, key=lambda frame: len(frame.wrinkles))
    pattern = path_pattern(grid, busiest)
    assert pattern.heights.min() == 0.0
    # somewhat higher where several overlap
    raised = pattern.heights[pattern.heights > 0]
    assert np.quantile(raised, 0.95) == pytest.approx(busiest.length_unit, rel=0.3)
    assert raised.max() < 2.0 * busiest.length_unit
    assert 0.02 < len(raised) / len(pattern.heights) < 0.9
    state = Modulator.for_animation(animation, [pattern]).step(animation.positions[40])
    assert state.factors.max() > 0.0


def test_property_chosen_frames_cover_more_and_more(frames: list[ruckle.Frame]) -> None:
    animation = ruckle.sample("chopping")
    grid = animation_grid(animation, spacing="1%")
    chosen = choose_frames(frames, 3)
    assert len({frame.index for frame in chosen}) == 3
    shares = [(path_pattern(grid, chosen[: k + 1]).heights > 0).mean() for k in range(3)]
    assert shares[0] < shares[1] < shares[2]


def test_reject_frames() -> None:
    mesh = triangle()
    grid, still = grid_of(mesh), ruckle.Frame.of(mesh.positions, mesh.topology, r_min=0.1)
    for frames, message in ((still, "have no wrinkles"), ([], "expected at least one, got none")):
        with pytest.raises(ValueError, match=f"frames: {message}"):
            path_pattern(grid, frames)
    with pytest.raises(TypeError, match="frames: expected frames of a run, got 3"):
        choose_frames(3)  # type: ignore[arg-type]
    assert choose_frames([still]) == [still]
