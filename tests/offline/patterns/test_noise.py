"""Noise patterns: waves of a given wavelength along the axis of compression, separate for each layer of cloth."""

import numpy as np
import pytest

from meshes import grid
from patterned_cloth import grid_of, squeezed
from ruckle import PatternGrid, Topology, _core, compression_axes, noise_pattern


def test_exact_axes_are_those_of_the_compression() -> None:
    mesh = grid(7, 7)
    for x, y, expected in ((0.8, 1.0, 0), (1.1, 0.9, 1), (0.9, 0.7, 1)):
        axes = compression_axes(squeezed(mesh.positions, x, y)[None], mesh.faces, mesh.positions)
        np.testing.assert_allclose(abs(axes[:, expected]), 1, atol=1e-3)
    # frames with stronger compression have a larger weight in the mean axis
    frames = np.stack([squeezed(mesh.positions, 0.7), squeezed(mesh.positions, 1.0, 0.9)])
    np.testing.assert_allclose(abs(compression_axes(frames, mesh.faces, mesh.positions)[:, 0]), 1, atol=1e-3)


def test_property_axes_spread_over_cloth_that_is_never_compressed() -> None:
    mesh = grid(9, 9)
    moved = mesh.positions.copy()
    moved[:, 1] = np.where(moved[:, 1] < 4, moved[:, 1] * 0.7 + 1.2, moved[:, 1])
    axes = compression_axes(moved[None], mesh.faces, mesh.positions)
    assert (abs(axes[mesh.positions[mesh.faces].mean(axis=1)[:, 1] < 7][:, 1]) > 0.99).all()
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("wavelength", [1.5, 3.0])
def test_property_noise_has_its_wavelength_along_its_axes(wavelength: float) -> None:
    mesh = grid(25, 25)
    found = grid_of(mesh, 8)
    pattern = noise_pattern(found, np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1)), wavelength=wavelength, spread=0.0)
    gradient = found.gradients(pattern.heights)
    across, along = (gradient**2).mean(axis=0)[:2]
    assert along < 0.15 * across
    # a sine wave: mean square slope divided by mean square height is the square of the frequency
    frequency = np.sqrt(across / (pattern.heights.astype(float) ** 2).mean())
    assert frequency == pytest.approx(2 * np.pi / wavelength, rel=0.15)


def test_property_wavelengths_differ_from_patch_to_patch() -> None:
    mesh = grid(25, 25)
    found = grid_of(mesh, 8)
    axes = np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1))

    def spectrum(spread: float) -> float:
        heights = noise_pattern(found, axes, wavelength=2.0, spread=spread, seed=3).heights[: mesh.vertex_count]
        power = (abs(np.fft.rfft(heights.reshape(25, 25), axis=1)) ** 2).mean(axis=0)
        return float(power.max() / power.sum())

    assert spectrum(0.3) < 0.8 * spectrum(0.0)


def test_property_signs_of_axes_mean_nothing_to_their_direction() -> None:
    mesh = grid(15, 15)
    found = grid_of(mesh, 4)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(mesh.faces))
    pattern = noise_pattern(found, signs[:, None] * [0.0, 1.0, 0.0], wavelength=3.0, spread=0.0)
    squares = (found.gradients(pattern.heights) ** 2).mean(axis=0)
    assert squares[0] < 0.2 * squares[1]


def test_property_waves_stay_on_their_layer() -> None:
    # two sheets close together: the noise connects only faces that are neighbours on the mesh
    mesh = grid(6, 6)
    positions = np.concatenate([mesh.positions, mesh.positions + np.array([0, 0, 0.1])])
    faces, count = np.concatenate([mesh.faces, mesh.faces + mesh.vertex_count]), len(mesh.faces)
    topology, random = Topology(faces, len(positions)), np.random.default_rng(0)
    waves = random.normal(size=(2 * count, 3)).astype(np.float32)
    phases = random.uniform(0.0, 6.0, 2 * count).astype(np.float32)
    alone = _core.wave_heights(grid_of(mesh, 4), waves[:count], phases[:count], reach=1.5)
    both = PatternGrid(topology, positions, edge_parts=np.full(topology.edge_count, 4))
    found = _core.wave_heights(both, waves, phases, reach=1.5)[both.faces < count]
    np.testing.assert_allclose(np.sort(found), np.sort(alone), atol=1e-5)
    assert alone.std() > 0.1


def test_reject_noise() -> None:
    mesh = grid()
    found, axes = grid_of(mesh), np.tile([1.0, 0.0, 0.0], (len(mesh.faces), 1))
    for changed, message in (
        ({"axes": np.eye(3)}, r"axes: expected finite numbers of shape \(40, 3\), got \(3, 3\)"),
        ({"wavelength": 0}, "wavelength: expected a finite number above 0, got 0"),
        ({"spread": 2}, r"spread: expected a number in \[0, 1\], got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            noise_pattern(found, **{"axes": axes, "wavelength": 1.0} | changed)
    with pytest.raises(ValueError, match=r"positions: expected shape \(F, V, 3\), got \(30, 3\)"):
        compression_axes(mesh.positions, mesh.faces, mesh.positions)
