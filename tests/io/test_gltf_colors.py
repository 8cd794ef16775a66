"""Colours of glTF files: colour factors, textures, vertex colours, and several meshes at once."""

import base64
import io
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gltf_writer import TRIANGLE, Writer
from ruckle import FormatError, load
from ruckle.mesh.colors import FaceColors
from shared_data import shared_cases

Image = pytest.importorskip("PIL.Image")

from ruckle.io.pictures import open_picture  # noqa: E402  # after the skip

CASES = shared_cases("attack")

UV = [[0.0, 0.0], [1.0, 0.0], [0.25, 0.5]]


def png(*rows: Any) -> bytes:
    """Return a PNG file of an image whose texels are grey, RGB or RGBA values."""
    file = io.BytesIO()
    Image.fromarray(np.array(rows, np.uint8)).save(file, "PNG")
    return file.getvalue()


def colored(path: Path, material: dict[str, Any], image: bytes = b"", **attributes: Any) -> Path:
    """Write a triangle with one material and return the path. Texture 0 of the material is an image inside the file."""
    writer = Writer()
    given = {name: writer.accessor(values) for name, values in attributes.items()}
    given |= {"POSITION": writer.accessor(TRIANGLE), "TEXCOORD_0": writer.accessor(UV)}
    writer.mesh({"attributes": given, "material": 0}, name="shirt")
    writer.add("materials", material)
    if image:
        writer.add("textures", {"source": writer.add("images", {"bufferView": writer.view(image)})})
    return writer.save(path)


def colors_of(path: Path) -> FaceColors:
    found = load(path).colors
    assert found is not None
    return found


def textured(**texture: Any) -> dict[str, Any]:
    return {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, **texture}}}


def test_colors_exact_factor_times_vertex_colours(tmp_path: Path) -> None:
    material = {"pbrMetallicRoughness": {"baseColorFactor": [0.5, 1.0, 0.25, 1.0]}}
    painted = [[1.0, 0.5, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    found = colors_of(colored(tmp_path / "a.glb", material, COLOR_0=painted))
    np.testing.assert_allclose(found.corners[0], np.array(painted) * [0.5, 1.0, 0.25])
    assert (found.images, found.face_images.tolist()) == ((), [-1])


def test_colors_exact_white_is_no_colour(tmp_path: Path) -> None:
    assert load(colored(tmp_path / "a.glb", {"name": "plain"})).colors is None


def test_colors_exact_texture_within_the_file_beside_it_and_as_data(tmp_path: Path) -> None:
    image = png([[255, 0, 0], [0, 255, 0]])
    path = colored(tmp_path / "a.glb", textured(), image)
    [inside] = colors_of(path).images
    assert inside.read() == image
    assert inside.place == f"{path}: images[0]"
    (tmp_path / "red green.png").write_bytes(image)
    for uri in ("red%20green.png", "data:image/png;base64," + base64.b64encode(image).decode()):
        writer = Writer()
        attributes = {"POSITION": writer.accessor(TRIANGLE), "TEXCOORD_0": writer.accessor(UV)}
        writer.mesh({"attributes": attributes, "material": 0})
        writer.add("materials", textured())
        writer.add("textures", {"source": writer.add("images", {"uri": uri})})
        assert colors_of(writer.save(tmp_path / "b.gltf")).images[0].read() == image


def test_colors_exact_v_points_up_and_transforms_are_followed(tmp_path: Path) -> None:
    image = png([[255, 0, 0]])
    found = colors_of(colored(tmp_path / "a.glb", textured(), image))
    np.testing.assert_allclose(found.uv[0], [[0, 1], [1, 1], [0.25, 0.5]])
    # example of the extension's specification: the lower left quadrant of the texture, rotated by 90 degrees
    change = {"KHR_texture_transform": {"offset": [0, 1], "rotation": np.pi / 2, "scale": [0.5, 0.5]}}
    found = colors_of(colored(tmp_path / "b.glb", textured(extensions=change), image))
    np.testing.assert_allclose(found.uv[0], [[0, 0], [0, 0.5], [0.25, 0.125]], atol=1e-7)
    # an image that uses the second texture coordinates is ignored
    assert load(colored(tmp_path / "c.glb", textured(texCoord=1), image)).colors is None


@pytest.mark.parametrize(
    ("material", "cutout"),
    [({}, None), ({"alphaMode": "MASK"}, 0.5), ({"alphaMode": "MASK", "alphaCutoff": 0.3}, 0.3)],
)
def test_colors_exact_cutouts(tmp_path: Path, material: dict[str, Any], cutout: float | None) -> None:
    found = colors_of(colored(tmp_path / "a.glb", textured() | material, png([[255, 0, 0]])))
    assert [image.cutout for image in found.images] == [cutout]


def test_colors_exact_meshes_together_share_their_pictures(tmp_path: Path) -> None:
    writer = Writer()
    attributes = {"POSITION": writer.accessor(TRIANGLE), "TEXCOORD_0": writer.accessor(UV)}
    for number, name in enumerate(("shirt", "coat", "hat")):
        writer.mesh({"attributes": attributes, **({"material": number} if number < 2 else {})}, name=name)
    for _ in range(2):
        writer.add("materials", textured())
    writer.add("textures", {"source": writer.add("images", {"bufferView": writer.view(png([[9, 9, 9]]))})})
    path = writer.save(tmp_path / "a.glb")
    outfit = load(path, mesh=["coat", "shirt", 2, "coat"])
    assert (outfit.name, outfit.face_count) == ("coat+shirt+hat", 3)
    assert outfit.colors is not None
    assert len(outfit.colors.images) == 1
    assert outfit.colors.face_images.tolist() == [0, 0, -1]
    # the hat does not have a material, so it does not have colours if it is loaded alone
    assert load(path, mesh="hat").colors is None


@pytest.mark.parametrize(
    ("material", "sentence"),
    [
        (
            {"pbrMetallicRoughness": {"baseColorFactor": [1, 1]}},
            "materials[0].pbrMetallicRoughness: baseColorFactor: ",
        ),
        (textured(index=4), "materials[0].pbrMetallicRoughness.baseColorTexture: index: expected a whole number from"),
        (textured() | {"alphaMode": "MASK", "alphaCutoff": "x"}, "materials[0]: alphaCutoff: expected a finite number"),
        (textured(extensions={"KHR_texture_transform": {"scale": [1]}}), "materials[0].pbrMetallicRoughness.baseColor"),
    ],
)
def test_colors_reject_damaged_materials(tmp_path: Path, material: dict[str, Any], sentence: str) -> None:
    path = colored(tmp_path / "a.glb", material, png([[255, 0, 0]]))
    with pytest.raises(FormatError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}: {sentence}")


def test_colors_reject_pictures_when_they_are_drawn(tmp_path: Path) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    damaged = colors_of(colored(tmp_path / "a.glb", textured(), b"no picture")).images
    with pytest.raises(FormatError, match=r"a\.glb: images\[0\]: is not a readable PNG, JPEG or WebP picture"):
        texture.decoded(damaged)


def bomb(side: int) -> bytes:
    """Return a black PNG image of side x side one-bit texels, whose file is tiny compared with the decoded image."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(1000)))]
    packed = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def test_colors_reject_pictures_of_too_many_texels(tmp_path: Path) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    canvas = b"VP8X\x0a\0\0\0\0\0\0\0" + (16382).to_bytes(3, "little") * 2 + bytes(10)
    webp = b"RIFF" + struct.pack("<I", 4 + len(canvas)) + b"WEBP" + canvas
    for content, sentence in (
        (bomb(9400), "a picture of 9400 x 9400 texels: would take 795 MB of memory"),
        (bomb(40_000), "has too many texels"),
        (webp, "a picture of 16383 x 16383 texels: would take 2,416 MB of memory"),
    ):
        path = colored(tmp_path / "a.glb", textured(), content)
        with pytest.raises(FormatError, match=rf"a\.glb: images\[0\]: {sentence}"):
            texture.decoded(colors_of(path).images)
    # with a larger budget, the file is read
    [image] = load(colored(tmp_path / "a.glb", textured(), bomb(9400)), budget=20).colors.images
    with pytest.raises(FormatError, match="is not a readable PNG, JPEG or WebP picture"):
        texture.decoded([image])


def test_colors_reject_repeated_scans(tmp_path: Path) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    file = io.BytesIO()
    Image.new("RGB", (2000, 2000)).save(file, "JPEG", progressive=True)
    content = file.getvalue()
    texture.decoded(colors_of(colored(tmp_path / "a.glb", textured(), content)).images)
    last_scan = content[content.rfind(b"\xff\xda") : -2]
    longer = content[:-2] + 3000 * last_scan + content[-2:]
    with pytest.raises(FormatError, match=r"a\.glb: images\[0\]: would take about 12 s"):
        texture.decoded(colors_of(colored(tmp_path / "a.glb", textured(), longer)).images)


@pytest.mark.parametrize("form", ["EPS", "BMP", "GIF", "TIFF", "PPM", "ICO", "TGA", "PCX", "PDF"])
def test_colors_reject_other_formats(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    file = io.BytesIO()
    Image.new("RGB", (4, 4)).save(file, form)

    def run(*_: object, **__: object) -> None:
        pytest.fail("a picture starts a program")

    monkeypatch.setattr(subprocess, "Popen", run)
    path = colored(tmp_path / "a.glb", textured(), file.getvalue())
    with pytest.raises(FormatError, match="is not a readable PNG, JPEG or WebP picture"):
        texture.decoded(colors_of(path).images)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_colors_exact_formats(tmp_path: Path, form: str) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    file = io.BytesIO()
    Image.new("RGB", (4, 4), (250, 3, 5)).save(file, form)
    [picture] = texture.decoded(colors_of(colored(tmp_path / "a.glb", textured(), file.getvalue())).images)
    np.testing.assert_allclose(np.asarray(picture), np.tile([250, 3, 5, 255], (4, 4, 1)), atol=4)


def test_colors_exact_an_image_of_many_materials_is_decoded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    writer = Writer()
    attributes = [{"POSITION": writer.accessor(TRIANGLE), "TEXCOORD_0": writer.accessor(UV)} for _ in range(6)]
    writer.mesh(*({"attributes": own, "material": number} for number, own in enumerate(attributes)))
    for number in range(6):
        writer.add("materials", textured() | ({"alphaMode": "MASK", "alphaCutoff": 0.3} if number % 2 else {}))
    picture = png([[9, 9, 9, 100], [9, 9, 9, 50]])
    writer.add("textures", {"source": writer.add("images", {"bufferView": writer.view(picture)})})
    found = colors_of(writer.save(tmp_path / "a.glb"))
    assert found.face_images.tolist() == [0, 1, 0, 1, 0, 1]
    opened = []
    monkeypatch.setattr(
        texture, "open_picture", lambda *given, **more: opened.append(1) or open_picture(*given, **more)
    )
    plain, cut = texture.decoded(found.images)
    assert len(opened) == 1
    assert (np.asarray(plain)[..., 3].tolist(), np.asarray(cut)[..., 3].tolist()) == ([[255, 255]], [[255, 0]])


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not there")
@pytest.mark.parametrize("name", ["eps_texture.gltf", "error.gltf", "one.gltf"])
def test_colors_reject_shared_cases(name: str) -> None:
    texture = pytest.importorskip("ruckle.scene.texture")
    with pytest.raises(FormatError, match=name):
        texture.decoded(colors_of(CASES / name).images)


@pytest.mark.parametrize(("mesh", "error"), [([], ValueError), ([True], ValueError), (["coat"], FormatError)])
def test_load_reject_lists_of_meshes(tmp_path: Path, mesh: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="mesh"):
        load(colored(tmp_path / "a.glb", {}), mesh=mesh)


def with_texture(texture: dict[str, Any], *images: dict[str, Any]) -> Writer:
    """Return a triangle whose material has a base colour and a texture that may use several images."""
    writer = Writer()
    uv = writer.accessor([[0, 0], [1, 0], [0, 1]])
    writer.mesh({"attributes": {"POSITION": writer.accessor(TRIANGLE), "TEXCOORD_0": uv}, "material": 0})
    base = {"baseColorTexture": {"index": 0}, "baseColorFactor": [0.5, 0.25, 0.125, 1]}
    writer.root |= {"materials": [{"pbrMetallicRoughness": base}], "textures": [texture], "images": list(images)}
    return writer


KTX2 = {"uri": "cloth.ktx2"}
BASIS = {"extensions": {"KHR_texture_basisu": {"source": 0}}}


@pytest.mark.parametrize(
    ("texture", "images", "remark"),
    [
        ({"source": 0}, [{"uri": "gone.png"}], r"textures are missing \(gone\.png\)"),
        ({"source": 0}, [{"uri": "gone.png", "name": "denim"}], r"textures are missing \(denim\)"),
        (BASIS, [KTX2], r"KTX2 textures are left out \(cloth\.ktx2\)"),
        (BASIS, [{"bufferView": 0, "mimeType": "image/ktx2"}], r"KTX2 textures are left out \(images\[0\]\)"),
        ({"source": 0}, [{"uri": "cloth.dds"}], r"DDS textures are left out \(cloth\.dds\)"),
    ],
)
def test_exact_textures_that_cannot_be_read_are_named(tmp_path: Path, texture: Any, images: Any, remark: str) -> None:
    writer = with_texture(texture, *images)
    with pytest.warns(UserWarning, match=rf"a\.gltf: {remark}$") as found:
        colors = load(writer.save(tmp_path / "a.gltf")).colors
    assert len(found) == 1
    # the texture cannot be read, so only the base colour is used
    assert colors.images == ()
    assert np.allclose(colors.corners, [0.5, 0.25, 0.125])


def test_exact_the_plain_copy_of_a_ktx2_texture_is_taken(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    (tmp_path / "cloth.png").write_bytes(b"")
    colors = load(with_texture({"source": 1, **BASIS}, KTX2, {"uri": "cloth.png"}).save(tmp_path / "a.gltf")).colors
    assert [image.place for image in colors.images] == [f"{tmp_path / 'a.gltf'}: images[1]"]
    assert not recwarn.list
