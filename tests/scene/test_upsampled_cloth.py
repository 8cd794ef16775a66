"""Learned upsampling on the graphics card: the buffer of the shaders is equal to the result of the CPU."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from layers import Given
from learning import garment, random_model
from rendering import open_renderer
from ruckle import Stack, Upsampler
from ruckle.scene.fine_cloth import FineCloth
from ruckle.scene.modes import MODES, ModeName
from ruckle.scene.upsampled_cloth import CardUpsampler, UpsampledCloth
from ruckle.upsampling import UpsamplingModel
from ruckle.view import Camera


def smooth_model(coarse: tuple[int, int] = (9, 7), fine: tuple[int, int] = (37, 29), pairs: int = 0) -> UpsamplingModel:
    """Return a model for a sheet: 0.8 times linear interpolation, plus 0.2 times the mean of the coarse positions."""
    cloth = garment(coarse, fine)
    operator = 0.8 * cloth.linear_map.toarray() + 0.2 / cloth.coarse_count
    return random_model(cloth, pairs=pairs, operator=operator.astype(np.float32))


def bent(model: UpsamplingModel, far: float = 0.0) -> Any:
    positions = model.coarse_rest.copy()
    positions[:, 2] = 0.3 * np.sin(3.0 * positions[:, 0]) * positions[:, 1]
    return positions + np.float32(far)


@pytest.mark.parametrize("precision", ["half", "single"])
@pytest.mark.parametrize(("sizes", "far"), [(((4, 3), (7, 5)), 0.0), (((9, 7), (37, 29)), 100.0)])
def test_exact_positions_are_those_of_the_processor(sizes: Any, far: float, precision: Any) -> None:
    model = random_model(garment(*sizes))
    if precision == "half":
        # The graphics card stores the matrix as half floats, the CPU as integers. Round the matrix to half floats, so
        # that both have the same input.
        model = replace(model, operator=model.operator.astype(np.float16).astype(np.float32))
    positions = bent(model, far)
    expected = Upsampler(model, precision="single").step(positions).fine_positions
    with open_renderer(64, 48) as renderer, renderer._device.current():
        upsampler = CardUpsampler(renderer._device, model, precision=precision)
        for _ in range(2):
            upsampler.multiply(positions)
        found, normals = upsampler.read()
    extent = np.ptp(expected, axis=0).max()
    # far from the origin, float32 rounds positions to 8e-6 m
    assert np.abs(found - expected).max() < 1e-5 * extent + 1e-7 * far
    corners = expected[model.fine_faces].astype(np.float64)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums = np.zeros((model.fine_count, 3))
    np.add.at(sums, model.fine_faces.ravel(), np.repeat(across, 3, axis=0))
    sums /= np.linalg.norm(sums, axis=1, keepdims=True)
    assert (normals * sums).sum(axis=1).min() > (0.9999 if far == 0.0 else 0.99)


@pytest.mark.parametrize("mode", list(MODES))
def test_property_pictures_are_those_of_the_mesh_of_the_processor(mode: ModeName) -> None:
    model = smooth_model()
    frame = Upsampler(model).step(bent(model))
    camera = Camera.framing(frame.positions, aspect=4 / 3, azimuth=30)
    with open_renderer(320, 240, samples=1, base="flat") as renderer:
        found = renderer.render(frame, camera=camera, mode=mode).astype(int)
        assert isinstance(renderer._cloth, UpsampledCloth)
        kept = renderer.allocations
        renderer.render(frame, camera=camera, mode=mode)
        assert renderer.allocations == kept
        # the renderer does not know the type of a stack's frame, so the CPU computes its fine mesh
        expected = renderer.render(Stack([Given(frame)]).step(frame.positions), camera=camera, mode=mode).astype(int)
        assert isinstance(renderer._cloth, FineCloth)
    assert expected.std() > 5
    assert np.abs(found - expected).mean() < 1.0


def test_property_waves_and_pins_are_left_to_the_processor() -> None:
    model = smooth_model(pairs=1)
    upsampler = Upsampler(model)
    frames = [upsampler.step(bent(model)), upsampler.step(bent(model), gain=0.0)]
    assert [frame.is_product for frame in frames] == [False, True]
    assert not upsampler.step(bent(model), gain=0.0, pins=model.fine_rest).is_product
    with open_renderer(64, 48) as renderer:
        renderer.render(frames[0])
        assert isinstance(renderer._cloth, FineCloth)
