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
    # a mask as `Animation.save` writes it, and a mask of booleans
    animation.with_mask(values).save(tmp_path / "sheet.npz")
    np.save(tmp_path / "booleans.npy", values > 0.5)
    for name in ("paint.npz", "paint.npy", "sheet.npz", "booleans.npy"):
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


def test_exact_images_are_bilinear() -> None:
    # in units of texels, the centre of a texel is at an integer plus 0.5; the first row of texels is at v = 1
    texels = np.random.default_rng(2).random((5, 7))
    centers = np.stack([(np.tile(np.arange(7), 5) + 0.5) / 7, 1 - (np.repeat(np.arange(5), 7) + 0.5) / 5], axis=1)
    for shift in ((0, 0), (1, 0), (-2, 3)):
        np.testing.assert_allclose(bilinear(texels, centers + shift), texels.ravel(), atol=1e-12)
    places = np.array([[0.0, 1 - 0.5 / 5], [2 / 7, 1 - 1.5 / 5], [0.5 / 7, 0.0], [0.75 / 7, 1 - 0.5 / 5]])
    inner = [(texels[1, 1] + texels[1, 2]) / 2, 0.75 * texels[0, 0] + 0.25 * texels[0, 1]]
    np.testing.assert_allclose(bilinear(texels, places), [texels[0, 0], inner[0], texels[4, 0], inner[1]], atol=1e-12)
    # a coordinate outside [0, 1] shows that the image repeats
    repeated = [(texels[0, 6] + texels[0, 0]) / 2, inner[0], (texels[4, 0] + texels[0, 0]) / 2, inner[1], texels[2, 3]]
    tiled = np.concatenate([places, [[2 + 3.5 / 7, 0.5]]])
    np.testing.assert_allclose(bilinear(texels, tiled), repeated, atol=1e-12)


def test_exact_grey_pictures_of_every_kind(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    animation = sheet()
    grey = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4
    rgb = np.dstack([grey] * 3)
    solid, clear = np.full_like(grey, 255), np.where(np.arange(8) < 4, 0, 255).astype(np.uint8) + 0 * grey
    pictures = {
        "l.png": image.fromarray(grey),
        "rgb.png": image.fromarray(rgb),
        "rgba.png": image.fromarray(np.dstack([rgb, solid])),
        "la.png": image.fromarray(np.dstack([grey, solid]), "LA"),
        "palette.png": image.fromarray(grey).convert("P"),
        "deep.png": image.fromarray(grey.astype(np.uint16) * 257),
        "l.jpg": image.fromarray(grey),
        "rgb.jpg": image.fromarray(rgb),
        "rgb.webp": image.fromarray(rgb),
        "clear.png": image.fromarray(np.dstack([rgb, clear])),
    }
    found = {}
    for name, picture in pictures.items():
        picture.save(tmp_path / name, **({"lossless": True} if "webp" in name else {"quality": 100}))
        found[name] = load_paint(tmp_path / name, animation)
    # at vertex (x, y), the bilinear value from texel centres at (k + 0.5) / 8, without a transition over the edge
    x, y = (np.clip(8 * a - 0.5, 0, 7) for a in (np.asarray(animation.uv)[:, 0], 1 - np.asarray(animation.uv)[:, 1]))
    expected = 4 * (8 * y + x) / 255
    for name, values in found.items():
        if name != "clear.png":
            np.testing.assert_allclose(values, expected, atol=0.02 if "jpg" in name else 1e-6)
    # transparent texels are 0
    np.testing.assert_allclose(
        found["clear.png"], np.where(x < 3, 0, np.where(x > 4, expected, found["clear.png"])), atol=1e-6
    )
    assert (x < 3).any()
    for value in (0, 1, 255):
        image.fromarray(np.full((4, 4), value, np.uint8)).save(tmp_path / "plain.png")
        np.testing.assert_allclose(load_paint(tmp_path / "plain.png", animation), value / 255, atol=1e-7)
    image.fromarray(np.dstack([grey, grey[::-1], grey])).save(tmp_path / "colours.png")
    with pytest.raises(FormatError, match=r"colours.png: has colours; expected a grey image, white where the cloth"):
        load_paint(tmp_path / "colours.png", animation)
    (tmp_path / "mask.tga").write_bytes(b"")
    with pytest.raises(FormatError, match=r"mask.tga: is not a readable PNG, JPEG or WebP picture"):
        load_paint(tmp_path / "mask.tga", animation)


def test_exact_grey_channels_of_exr(tmp_path: Path) -> None:
    exr = pytest.importorskip("OpenEXR")
    animation = sheet()
    values = np.tile(np.linspace(0, 1, 8, dtype=np.float32), (8, 1))
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    colors = np.dstack([values] * 3).copy()
    for name, channels in {"y": {"Y": values}, "rgb": {"RGB": colors}}.items():
        exr.File(header, channels).write(str(tmp_path / f"{name}.exr"))
    found = [load_paint(tmp_path / f"{name}.exr", animation) for name in ("y", "rgb")]
    np.testing.assert_array_equal(*found)
    assert found[0].max() > 0.8
    colors[..., 0] *= 0.5
    exr.File(header, {"RGB": colors}).write(str(tmp_path / "red.exr"))
    with pytest.raises(FormatError, match=r"red.exr: has colours; expected a grey image"):
        load_paint(tmp_path / "red.exr", animation)


@pytest.mark.parametrize("outside", [False, True])
def test_exact_images_repeat_only_under_tiled_coordinates(tmp_path: Path, outside: bool) -> None:
    image = pytest.importorskip("PIL.Image")
    # a black row at the bottom and a white row at the top
    image.fromarray(np.array([[255, 255], [0, 0]], np.uint8)).save(tmp_path / "rows.png")
    animation = sheet()
    uv = np.asarray(animation.uv) / np.max(animation.uv) + (0, 1 if outside else 0)
    found = load_paint(tmp_path / "rows.png", Animation(animation.positions, animation.faces, fps=30, uv=uv))
    bottom, top = uv[:, 1] == uv[:, 1].min(), uv[:, 1] == uv[:, 1].max()
    assert found[bottom].tolist() == [0.5 if outside else 0.0] * int(bottom.sum())
    assert found[top].tolist() == [0.5 if outside else 1.0] * int(top.sum())


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
