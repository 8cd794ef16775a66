"""Paint maps (weights of heights) from arrays, vertex colours and images, and their effect on all layers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from gltf_writer import TRIANGLE, Writer
from meshes import Float64, grid
from patterned_cloth import crossed, grid_of, squeezed
from ruckle import Animation, FormatError, Modulator, Wrinkler, load_paint
from ruckle.patterns.paint import bilinear

SIDE = 5


def sheet() -> Animation:
    """Return a sheet of one frame. Its texture coordinates are x and y, scaled to [0, 1]."""
    mesh = grid(SIDE, SIDE)
    uv = np.asarray(mesh.positions, np.float32)[:, :2] / SIDE
    return Animation(mesh.positions[None].astype(np.float32), mesh.faces, fps=30, uv=uv)


def halves(animation: Animation) -> Float64:
    """Return weights per vertex: 1 in the half with larger x, 0 in the other half."""
    return (animation.positions[0][:, 0] > SIDE / 2).astype(np.float64)


def test_exact_arrays(tmp_path: Path) -> None:
    animation = sheet()
    values = halves(animation)
    np.savez(tmp_path / "paint.npz", paint=values)
    np.save(tmp_path / "paint.npy", values.astype(np.uint8))
    for name in ("paint.npz", "paint.npy"):
        np.testing.assert_array_equal(load_paint(tmp_path / name, animation), values)


@pytest.mark.parametrize(("dtype", "top"), [("f4", 1.0), ("u1", 255), ("u2", 65535)])
def test_exact_vertex_colours(tmp_path: Path, dtype: str, top: float) -> None:
    red = np.array([0.0, 1.0, 0.5])
    colors = np.stack([red, 1.0 - red, red], axis=1) * top
    writer = Writer()
    unpainted = {"POSITION": writer.accessor([[0.0, 0.0, 0.0]] * 6)}
    writer.mesh({"attributes": unpainted})
    normalized = {} if dtype == "f4" else {"normalized": True}
    color = writer.accessor(np.rint(colors) if dtype != "f4" else colors, dtype, **normalized)
    writer.mesh({"attributes": {"POSITION": writer.accessor(TRIANGLE), "COLOR_0": color}})
    animation = Animation(np.array([TRIANGLE], np.float32), [[0, 1, 2]], fps=30)
    found = load_paint(writer.save(tmp_path / "painted.glb"), animation)
    np.testing.assert_allclose(found, red, atol=3e-3)


@pytest.mark.parametrize("white", [1.0, 255.0, 65535.0])
def test_exact_images_lie_over_texture_coordinates(tmp_path: Path, white: float) -> None:
    animation = sheet()
    texels = np.zeros((8, 8))
    texels[:, 4:] = white
    # an EXR file, because `load_paint` reads an .npy file as one number per vertex, not as an image
    exr = pytest.importorskip("OpenEXR")
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    exr.File(header, {"Y": texels.astype(np.float32)}).write(str(tmp_path / "mask.exr"))
    found = load_paint(tmp_path / "mask.exr", animation)
    inside = abs(animation.positions[0][:, 0] - SIDE / 2) < SIDE / 2 - 0.5
    np.testing.assert_array_equal(found[inside], halves(animation)[inside])


def test_exact_images_are_bilinear_and_repeat() -> None:
    # in units of texels, the centre of a texel is at an integer plus 0.5; the first row of texels is at v = 1
    texels = np.random.default_rng(2).random((5, 7))
    centers = np.stack([(np.tile(np.arange(7), 5) + 0.5) / 7, 1 - (np.repeat(np.arange(5), 7) + 0.5) / 5], axis=1)
    for shift in ((0, 0), (1, 0), (-2, 3)):
        np.testing.assert_allclose(bilinear(texels, centers + shift), texels.ravel(), atol=1e-12)
    between = [[0.0, 1 - 0.5 / 5], [2 / 7, 1 - 1.5 / 5], [0.5 / 7, 0.0], [0.75 / 7, 1 - 0.5 / 5]]
    np.testing.assert_allclose(
        bilinear(texels, np.array(between)),
        [
            (texels[0, 6] + texels[0, 0]) / 2,
            (texels[1, 1] + texels[1, 2]) / 2,
            (texels[4, 0] + texels[0, 0]) / 2,
            0.75 * texels[0, 0] + 0.25 * texels[0, 1],
        ],
        atol=1e-12,
    )


def test_reject_paint(tmp_path: Path) -> None:
    animation = sheet()
    count = animation.vertex_count

    def saved(name: str, **arrays: Any) -> Path:
        np.savez(tmp_path / name, **arrays)
        return tmp_path / name

    with pytest.raises(FormatError, match="holds no array 'paint'"):
        load_paint(saved("other.npz", values=np.ones(count)), animation)
    with pytest.raises(
        ValueError, match=rf"short.npz: expected paint for {count} vertices, got an array of shape \(3,\)"
    ):
        load_paint(saved("short.npz", paint=np.ones(3)), animation)
    for wrong in (1.5, -0.1, np.nan):
        values = np.ones(count)
        values[7] = wrong
        with pytest.raises(FormatError, match=r"vertex 7 has paint .*, allowed are 0 to 1"):
            load_paint(saved("wrong.npz", paint=values), animation)
    writer = Writer()
    writer.mesh({"attributes": {"POSITION": writer.accessor(TRIANGLE)}})
    with pytest.raises(FormatError, match=f"expected a mesh of {count} vertices with colours; 0 of its 1 meshes"):
        load_paint(writer.save(tmp_path / "plain.glb"), animation)
    bare = Animation(animation.positions, animation.faces, fps=30)
    (tmp_path / "mask.png").write_bytes(b"")
    with pytest.raises(ValueError, match="a painted image needs texture coordinates, but the animation has none"):
        load_paint(tmp_path / "mask.png", bare)
    with pytest.raises(OSError, match=r"missing\.npz"):
        load_paint(tmp_path / "missing.npz", animation)
    with pytest.raises(ValueError, match=r"paint: expected a number in \[0, 1\] for each of"):
        Wrinkler(animation.faces, count, paint=np.full(count, 2.0))


def test_property_paint_holds_down_every_layer() -> None:
    animation = ruckle.sample("sawing")
    middle = np.median(animation.positions[0][:, 0])
    paint = (animation.positions[0][:, 0] > middle).astype(np.float32)
    wrinkler, painted = (Wrinkler.for_animation(animation, tau=1.25, paint=mask) for mask in (None, paint))
    for positions in animation.positions[:50]:
        frame, masked = wrinkler.step(positions), painted.step(positions)
    faces = np.arange(frame.topology.face_count, dtype=np.int32)
    where = np.full((len(faces), 3), 1 / 3, np.float32)
    before, after = frame.heights(faces, where)[0], masked.heights(faces, where)[0]
    share = paint[frame.topology.faces].mean(axis=1)
    # faces whose distance from the border of the paint is larger than the width of a wrinkle
    far = abs(animation.positions[0][frame.topology.faces].mean(axis=1)[:, 0] - middle) > 3 * frame.length_unit
    assert before[far & (share == 0)].max() > 0.3 * frame.length_unit
    assert after[far & (share == 0)].max() < 0.01 * frame.length_unit
    unpainted = far & (share == 1)
    np.testing.assert_allclose(after[unpainted], before[unpainted], atol=1e-3 * frame.length_unit)
    # paint changes the heights of the surface, but not the wrinkles
    assert [w.id for w in masked.wrinkles] == [w.id for w in frame.wrinkles]
    assert masked.highest <= frame.highest


def test_property_paint_scales_patterns() -> None:
    made = crossed(grid_of(grid(SIDE, SIDE)))
    rest = made[0].grid.rest.astype(np.float64)
    paint = np.linspace(0.0, 1.0, len(rest))
    plain, painted = (Modulator(made, paint=mask).step(squeezed(rest, 0.8)).factors for mask in (None, paint))
    np.testing.assert_allclose(painted, plain * paint[:, None], atol=1e-6)
