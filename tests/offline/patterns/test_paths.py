"""Patterns from wrinkle paths: height of the wrinkles, selection of frames that cover the cloth, noise in the gaps."""

import numpy as np
import pytest

import ruckle
from meshes import triangle
from patterned_cloth import grid_of, waves
from ruckle import Modulator, choose_frames, compression_axes, noise_pattern, path_pattern, pattern_moments
from ruckle.offline.patterns.paths import filled_pattern
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
    # in units of r_min, a single wrinkle is about 1 high, and overlapping wrinkles are up to 2 high
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


def test_property_noise_fills_the_gaps_of_paths(frames: list[ruckle.Frame]) -> None:
    animation = ruckle.sample("chopping")
    grid = animation_grid(animation, spacing="0.5%")
    axes = compression_axes(animation.positions[::6], grid.topology.faces, grid.rest)
    noise = noise_pattern(grid, axes, wavelength=4 * frames[0].length_unit)
    folds = path_pattern(grid, choose_frames(frames))
    filled = filled_pattern(folds, noise)
    own, both = (np.sqrt(pattern_moments(grid, one.heights[None]).square_slopes[:, 0]) for one in (folds, filled))
    steepness = (own**2).sum() / own.sum()
    assert (own < 0.1 * steepness).mean() > 0.3
    assert (both < 0.1 * steepness).mean() < 0.02
    # noise in the gaps between paths changes the steep parts of paths only a little
    steep = own > 1.5 * steepness
    np.testing.assert_allclose(both[steep], own[steep], rtol=0.5)
    assert filled.name == folds.name


def test_reject_fillers_of_another_grid() -> None:
    first, second = (waves(grid_of(triangle(), parts)) for parts in (2, 4))
    with pytest.raises(ValueError, match="patterns: expected patterns of one grid"):
        filled_pattern(first, second)


def test_reject_frames() -> None:
    mesh = triangle()
    grid, still = grid_of(mesh), ruckle.Frame.of(mesh.positions, mesh.topology, r_min=0.1)
    for frames, message in ((still, "have no wrinkles"), ([], "expected at least one, got none")):
        with pytest.raises(ValueError, match=f"frames: {message}"):
            path_pattern(grid, frames)
    with pytest.raises(TypeError, match="frames: expected frames of a run, got 3"):
        choose_frames(3)  # type: ignore[arg-type]
    assert choose_frames([still]) == [still]
