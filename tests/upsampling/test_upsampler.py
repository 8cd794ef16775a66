"""The upsampling matrix at run time: products, precision, oscillations, attachment, and use in a stack."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from learning import garment, random_model
from ruckle import Upsampler, UpsamplingModel, _core
from ruckle.mesh.rotation import rotation_matrices


def coarse_frames(model: UpsamplingModel, count: int = 4, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(scale=0.05, size=(count, model.coarse_count, 3))
    return (model.coarse_rest + noise).astype(np.float32)


def normals(positions: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return unit vertex normals (N, 3): means of face normals, weighted by area."""
    a, b, c = positions[faces].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    total = np.zeros_like(positions)
    for corner in faces.T:
        np.add.at(total, corner, across)
    return total / np.linalg.norm(total, axis=1, keepdims=True)


def test_exact_products_are_summed_column_by_column() -> None:
    # the number of rows is not a multiple of the kernel's block size
    model = random_model(garment((5, 4), (9, 11)))
    frame = coarse_frames(model)[0]
    found = Upsampler(model, precision="single").step(frame).fine_positions
    mean = frame.astype(np.float64).mean(axis=0).astype(np.float32)
    # float64 represents the product of two float32 numbers exactly, so that each sum is rounded once, as with fused
    # multiply-add
    wide = np.float32 if _core.instruction_set() == "baseline" else np.float64
    expected = np.zeros_like(found)
    for column, position in enumerate(frame - mean):
        expected = (expected + model.operator[:, column, None].astype(wide) * position).astype(np.float32)
    np.testing.assert_array_equal(found, expected + mean)


@pytest.mark.parametrize("sizes", [((5, 4), (9, 11)), ((5, 3), (7, 5))])
def test_exact_16_bit_products_equal_integer_sums(sizes: Any) -> None:
    # even and odd numbers of columns, and entries of very different sizes
    model = random_model(garment(*sizes))
    operator = model.operator.copy()
    operator[:, 0] *= 1e-6
    operator[3] *= 40.0
    operator[:, 1] += 1.0 - operator.sum(axis=1)
    model = random_model(garment(*sizes), operator=operator)
    frame = coarse_frames(model)[0]
    found = Upsampler(model).step(frame).fine_positions
    mean = frame.astype(np.float64).mean(axis=0).astype(np.float32)
    relative, sizes_of_rows = frame - mean, np.abs(operator.astype(np.float64))
    units = np.maximum(
        sizes_of_rows.sum(axis=1) / (65535 - 0.5 * operator.shape[1]), sizes_of_rows.max(axis=1) / 32766
    )[:, None]
    units = (units * (1.0 + 1e-6)).astype(np.float32)
    entries = np.rint(operator / units).astype(np.int64)
    steps = np.rint(relative * (np.float32(32767) / np.abs(relative).max())).astype(np.int64)
    sums = entries @ steps
    assert np.abs(entries).max() <= 32767
    assert np.abs(sums).max() < 2**31
    step = np.abs(relative).max() / np.float32(32767)
    np.testing.assert_array_equal(found, sums.astype(np.float32) * (units * step) + mean)
    # rounding of the matrix: half a unit per entry; rounding of the positions: half a step per position
    allowed = 0.51 * (units * np.abs(relative).sum() + step * sizes_of_rows.sum(axis=1, keepdims=True)) + 1e-6
    assert (np.abs(found - mean - operator @ relative) < allowed).all()


def test_property_the_largest_sums_do_not_overflow() -> None:
    # all products have the largest possible size and the same sign; the integer sum must not overflow
    count, columns = 3, 4000
    rows = np.tile(np.where(np.arange(columns) % 2, 1.0, -1.0), (count, 1)).astype(np.float32)
    rows[:, 0] += 1.0
    faces, none = np.array([[0, 1, 2]], np.int32), np.zeros((0, count), np.float32)
    layer = _core.Upsampler(rows, faces, np.zeros(count, np.float32), none, np.zeros(0, np.float32), {})
    positions = np.repeat(np.sign(rows[0] + 1e-3)[:, None], 3, axis=1).astype(np.float32)
    found = layer.step(positions, 1.0, 1.0, None)[0]
    mean = positions.mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(found, rows.astype(np.float64) @ (positions - mean) + mean, rtol=1e-2)


def test_degenerate_cloth_at_one_point_stays_there() -> None:
    model = random_model()
    frame = np.full_like(model.coarse_rest, 0.25)
    np.testing.assert_array_equal(Upsampler(model).step(frame).fine_positions, 0.25)


def test_property_frames_turn_and_move_with_their_coarse_ones() -> None:
    model = random_model()
    frame, turn = coarse_frames(model)[0], rotation_matrices(np.array([0.3, -0.5, 0.2]))
    upsampler = Upsampler(model, precision="single")
    there = (frame @ turn.T + [1000.0, 0.0, -500.0]).astype(np.float32)
    expected = upsampler.step(frame).fine_positions @ turn.T + [1000.0, 0.0, -500.0]
    # the tolerance is the rounding error of float32 positions at a distance of 1 km from the origin
    np.testing.assert_allclose(upsampler.step(there).fine_positions, expected, atol=4e-4)


@pytest.mark.parametrize("instructions", ["baseline", "x86-64-v3"])
@pytest.mark.parametrize("precision", ["single", "half"])
def test_property_threads_and_instruction_sets_change_no_bit(precision: Any, instructions: str, tmp_path: Path) -> None:
    model = random_model(garment((6, 5), (60, 50)), pairs=2)
    model.save(tmp_path / "m.npz", precision="single")
    frames = coarse_frames(model)
    found = []
    for threads in (1, 2):
        upsampler = Upsampler(model, precision=precision, threads=threads)
        found.append(np.array([upsampler.step(frame).fine_positions for frame in frames]))
    np.testing.assert_array_equal(found[0], found[1])
    np.save(tmp_path / "frames.npy", frames)
    code = (
        "import numpy as np, ruckle\n"
        f"u = ruckle.Upsampler(ruckle.load_model('m.npz'), precision='{precision}')\n"
        "np.save('found.npy', [u.step(frame).fine_positions for frame in np.load('frames.npy')])"
    )
    environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": instructions}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
    there = np.load(tmp_path / "found.npy")
    if precision == "single" and instructions == "baseline":
        # without fused multiply-add, results differ by rounding
        np.testing.assert_allclose(there, found[0], atol=1e-6 * np.ptp(found[0]))
    else:
        np.testing.assert_array_equal(there, found[0])


def test_exact_oscillations_follow_their_phase() -> None:
    model, dt = random_model(pairs=2), 0.01
    upsampler, still = Upsampler(model, precision="single", rate=2.0), Upsampler(model, precision="single")
    frames = coarse_frames(model, count=5)
    for number, frame in enumerate(frames):
        gain = 0.5 + number
        flat = still.step(frame, dt, gain=0.0).fine_positions
        phases = 2 * np.pi * model.frequencies * 2.0 * dt * number
        heights = np.einsum(
            "pk,pkn->n", np.stack([np.sin(phases), np.cos(phases)], 1), model.oscillation_shapes.reshape(2, 2, -1)
        )
        expected = flat + gain * heights[:, None] * normals(flat, model.fine_faces)
        np.testing.assert_allclose(upsampler.step(frame, dt, gain=gain).fine_positions, expected, atol=2e-6)
    upsampler.reset()
    first = Upsampler(model, precision="single", rate=2.0).step(frames[0])
    np.testing.assert_array_equal(upsampler.step(frames[0]).fine_positions, first.fine_positions)


def test_exact_attached_vertices_follow_their_pins() -> None:
    cloth = garment()
    model = random_model(cloth, attachment=np.linspace(0, 1, cloth.fine_count, dtype=np.float32))
    frame = coarse_frames(model)[0]
    pins = np.random.default_rng(5).normal(size=(cloth.fine_count, 3)).astype(np.float32)
    upsampler = Upsampler(model)
    free = upsampler.step(frame).fine_positions
    share = model.attachment[:, None]
    held = upsampler.step(frame, pins=pins).fine_positions
    np.testing.assert_allclose(held, (1 - share) * free + share * pins, atol=1e-6)
    np.testing.assert_array_equal(held[0], free[0])
    # if the attachment of a vertex is 0, its pin is not read
    pins[0] = np.nan
    np.testing.assert_array_equal(upsampler.step(frame, pins=pins).fine_positions, held)


def test_reject_frames_leave_the_state() -> None:
    model = random_model(pairs=1, attachment=np.ones(35, np.float32))
    frames = coarse_frames(model, count=3)
    upsampler, untouched = Upsampler(model), Upsampler(model)
    for layer in (upsampler, untouched):
        layer.step(frames[0])
    spoiled, pins = frames[1].copy(), np.zeros((35, 3), np.float32)
    spoiled[7, 1], pins[4, 2] = np.nan, np.inf
    for arguments, error, message in (
        ({"positions": spoiled}, ruckle.MeshError, "frame 1: vertex 7 lies at "),
        ({"positions": frames[1][:-1]}, ruckle.MeshError, "frame 1: expected 12 vertices, got 11"),
        ({"positions": frames[1], "dt": 0.0}, ValueError, "dt: expected a number of seconds in"),
        ({"positions": frames[1], "gain": np.inf}, ValueError, "gain: expected a finite number, got inf"),
        ({"positions": frames[1], "pins": pins}, ruckle.MeshError, "frame 1: the pin of an attached vertex is not"),
        ({"positions": frames[1], "pins": pins[:3]}, ValueError, "pins: expected an array of shape"),
    ):
        with pytest.raises(error, match=message):
            upsampler.step(**arguments)  # type: ignore[arg-type]
    assert upsampler.frame_count == 1
    found, expected = upsampler.step(frames[2]), untouched.step(frames[2])
    np.testing.assert_array_equal(found.fine_positions, expected.fine_positions)
    assert found.index == 1


def test_reject_what_is_no_model_or_does_not_fit() -> None:
    with pytest.raises(TypeError, match="model: expected"):
        Upsampler("skirt.upsampling.npz")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"precision: expected one of .*half.*single"):
        Upsampler(random_model(), precision="quarter")  # type: ignore[arg-type]
    large = random_model().operator.copy()
    large[3, :2] += [1e5, -1e5]
    with pytest.raises(ValueError, match=r"rows: expected numbers of half precision, at most 65504, got .* at 3"):
        Upsampler(random_model(operator=large))
    Upsampler(random_model(operator=large), precision="single")
    wide, faces = np.full((3, 65537), 1 / 65537, np.float32), np.array([[0, 1, 2]], np.int32)
    none = np.zeros((0, 3), np.float32)
    with pytest.raises(ValueError, match="coarse_vertex_count: expected at most 65536 for an operator"):
        _core.Upsampler(wide, faces, np.zeros(3, np.float32), none, np.zeros(0, np.float32), {})


def test_exact_a_shape_layer_carries_wrinkles_and_patterns() -> None:
    cloth = garment((9, 7), (33, 25))
    # a matrix that interpolates the coarse mesh
    model = random_model(cloth, operator=cloth.linear_map.toarray().astype(np.float32))
    squeezed = cloth.coarse_rest * np.linspace(1.0, 0.7, 8)[:, None, None] ** [1, 0, 0]
    animation = ruckle.Animation(squeezed.astype(np.float32), cloth.coarse_faces, fps=30.0, height=1.8)
    upsampler = Upsampler.for_animation(animation, model)
    patterns = ruckle.animation_patterns(animation, ["noise"], wavelength=0.2)
    modulator = ruckle.Modulator.for_animation(animation, patterns)
    stack = ruckle.Stack([upsampler, ruckle.Wrinkler.for_animation(animation), modulator])
    for positions in animation.positions:
        frame = stack.step(positions, 1 / 30)
    [shape] = [part for part in frame.parts if isinstance(part, ruckle.UpsampledFrame)]
    assert shape.shape.mesh.vertex_count == cloth.fine_count
    fine = ruckle.displace(frame)
    assert fine.heights.max() > 0.0
    assert fine.vertex_count >= cloth.fine_count
    assert repr(shape) == f"UpsampledFrame(7: {cloth.fine_count} vertices over {cloth.coarse_count})"
    assert list(shape.timings) == ["multiply", "detail", "normals", "oscillate", "attach", "total"]


def test_reject_and_warn_for_animations() -> None:
    model = random_model(covariance=1e-4 * np.eye(12, dtype=np.float32))
    still = np.repeat(model.coarse_rest[None], 3, axis=0)
    other = ruckle.Animation(still[:, :, [1, 0, 2]], np.roll(model.coarse_faces, 1, axis=0), fps=30.0)
    with pytest.raises(
        ValueError, match="model: was learnt for another mesh, of 12 vertices and 12 faces; the animation has"
    ):
        Upsampler.for_animation(other, model)
    wild = ruckle.Animation(still * np.array([1.0, 1.0, 50.0])[:, None, None], model.coarse_faces, fps=30.0)
    with pytest.warns(UserWarning, match="frame 2: the cloth differs from the training data"):
        Upsampler.for_animation(wild, model)


def test_exact_repr() -> None:
    assert repr(Upsampler(random_model(pairs=1))) == (
        "Upsampler(UpsamplingModel(12 coarse to 35 fine vertices, 1 oscillations), 0 frames done)"
    )
