"""Exports for game engines: copies of a character's file with fine mesh, morph targets, textures and normal maps."""

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import ruckle
from program import invoke
from ruckle import Animation, FineMesh
from ruckle.io.budget import Budget
from ruckle.io.fine import Original, fine_writer
from ruckle.io.fine_glb import GlbFineWriter
from ruckle.io.gltf_accessors import read_floats, read_integers
from ruckle.io.gltf_container import Document
from ruckle.io.principal import BLOCK, PrincipalShapes
from ruckle.surface.budget import fine_vertex_count, levels_within
from skinned_sleeve import FRAMES, R_MIN, bones, sleeve


def exported(path: Path, source: Path, *, form: str = "obj", **options: Any) -> tuple[Animation, list[FineMesh]]:
    """Export a file's animation with wrinkles to a path. Return the animation and the fine mesh of each frame."""
    animation = ruckle.load(source, **options)
    wrinkler = ruckle.Wrinkler.for_animation(animation, r_min=R_MIN, tau=1.2)

    def frames() -> Any:
        wrinkler.reset()
        return (wrinkler.step(positions, 1 / 30) for positions in animation.positions)

    drawn = []
    with fine_writer(path, animation, form=form, original=Original(source, options)) as writer:  # type: ignore[arg-type]
        writer.fix(frames(), budget=3000)
        drawn.extend(writer.append(frame).displace() for frame in frames())
        writer.finish()
    assert max(fine.heights.max() for fine in drawn) > 0.002
    return animation, drawn


def contents(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the JSON document and the binary buffer of a GLB file."""
    content = path.read_bytes()
    (size,) = struct.unpack_from("<I", content, 12)
    return json.loads(content[20 : 20 + size]), content[28 + size :]


def blended(document: Document, primitive: Any, weights: Any, name: str) -> Any:
    """Return an attribute plus the weighted sum of its morph targets, by the formula of the glTF specification."""
    values = read_floats(document, primitive.entry("attributes").integer(name), "VEC3")
    for weight, target in zip(weights, primitive.elements("targets"), strict=True):
        values = values + weight * read_floats(document, target.integer(name), "VEC3")
    return values


@pytest.mark.parametrize("mirrored", [False, True])
def test_character_exact_skin_and_targets_give_the_drawn_surface(tmp_path: Path, mirrored: bool) -> None:
    _, drawn = exported(tmp_path / "out.glb", sleeve(tmp_path / "sleeve.glb", mirrored=mirrored), animation=1)
    document = Document(tmp_path / "out.glb", Budget())
    mesh = document.root.element("meshes", document.root.element("nodes", 0).integer("mesh"))
    clip = document.root.element("animations", 1)
    sampler = clip.element("samplers", clip.elements("channels")[-1].integer("sampler"))
    times = read_floats(document, sampler.integer("input"), "SCALAR")[:, 0]
    np.testing.assert_allclose(times, 0.5 + np.arange(FRAMES) / 30.0, atol=1e-6)
    weights = read_floats(document, sampler.integer("output"), "SCALAR").reshape(FRAMES, -1)
    for frame in range(0, FRAMES, 3):
        corners = []
        for primitive in mesh.elements("primitives"):
            attributes = primitive.entry("attributes")
            assert attributes is not None
            joints = read_integers(document, attributes.integer("JOINTS_0"), "VEC4")
            shares = read_floats(document, attributes.integer("WEIGHTS_0"), "VEC4")
            moves = np.einsum("vk,vkij->vij", shares, bones(frame, mirrored=mirrored)[joints])
            points = blended(document, primitive, weights[frame], "POSITION")
            normals = blended(document, primitive, weights[frame], "NORMAL")
            posed = np.einsum("vij,vj->vi", moves[:, :, :3], points) + moves[:, :, 3]
            turned = np.einsum("vij,vj->vi", moves[:, :, :3], normals)
            turned /= np.linalg.norm(turned, axis=1, keepdims=True)
            faces = read_integers(document, primitive.integer("indices"), "SCALAR").reshape(-1, 3)
            corners.append(np.concatenate([posed, turned], axis=1)[faces[:, ::-1] if mirrored else faces])
        fine = drawn[frame]
        expected = np.concatenate([fine.positions[fine.faces], fine.corner_normals], axis=2)
        found = np.concatenate(corners)
        # The exporter sorts faces by primitive and may start mirrored faces at another corner. So compare the means of
        # the corners of each face, and match faces by their centres.
        found, expected = found.mean(axis=1), expected.mean(axis=1)
        gaps, match = cKDTree(expected[:, :3]).query(found[:, :3])
        assert len(np.unique(match)) == len(found) == len(expected)
        assert gaps.max() < 2e-6
        np.testing.assert_allclose(found[:, 3:], expected[match, 3:], atol=2e-3)


def test_character_exact_everything_else_is_kept(tmp_path: Path) -> None:
    source = sleeve(tmp_path / "sleeve.glb")
    animation, drawn = exported(tmp_path / "out.glb", source)
    before, buffer = contents(source)
    after, longer = contents(tmp_path / "out.glb")
    assert longer.startswith(buffer)
    for key, value in before.items():
        if key in ("accessors", "bufferViews", "meshes"):
            assert after[key][: len(value)] == value
        elif key not in ("asset", "buffers", "nodes", "animations"):
            assert after[key] == value
    assert after["nodes"] == [{**before["nodes"][0], "mesh": 1}, *before["nodes"][1:]]
    assert after["animations"][1] == before["animations"][1]
    assert after["animations"][0]["channels"][0] == before["animations"][0]["channels"][0]
    assert [primitive["material"] for primitive in after["meshes"][1]["primitives"]] == [0, 1]
    # attributes are interpolated linearly in coarse triangles; in this file, colours are linear functions of the
    # texture coordinates
    document = Document(tmp_path / "out.glb", Budget())
    for primitive in document.root.element("meshes", 1).elements("primitives"):
        attributes = primitive.entry("attributes")
        assert attributes is not None
        uv, swapped = (read_floats(document, attributes.integer(f"TEXCOORD_{k}"), "VEC2") for k in (0, 1))
        np.testing.assert_allclose(swapped, uv[:, ::-1], atol=1e-6)
        colors = read_floats(document, attributes.integer("COLOR_0"), "VEC4")
        np.testing.assert_allclose(colors[:, 0], uv[:, 1], atol=1e-2)
        tangents, normals = (
            read_floats(document, attributes.integer(name), kind)
            for name, kind in (("TANGENT", "VEC4"), ("NORMAL", "VEC3"))
        )
        assert np.abs((tangents[:, :3] * normals).sum(axis=1)).max() < 1e-5
        assert (tangents[:, 3] == -1).all()
    loaded = ruckle.load(tmp_path / "out.glb")
    assert (loaded.name, loaded.frame_count) == (animation.name, FRAMES)
    assert loaded.face_count == drawn[0].face_count


def test_character_reject_another_mesh(tmp_path: Path) -> None:
    source = sleeve(tmp_path / "sleeve.glb")
    animation = ruckle.load(source, primitive=0)
    with pytest.raises(ruckle.FormatError, match="has another mesh than the animation"):
        fine_writer(tmp_path / "out.glb", animation, original=Original(source, {}))


def test_textures_exact_offsets_before_the_skin(tmp_path: Path) -> None:
    exr = pytest.importorskip("OpenEXR")
    _, drawn = exported(tmp_path / "vat", sleeve(tmp_path / "sleeve.glb"), form="vat")
    said = json.loads((tmp_path / "vat" / "sleeve.json").read_text())
    assert (said["space"], said["uv_set"], said["frames"]) == ("offset", 2, FRAMES)
    # `lap`, the number of frames after which the textures repeat, is the length of the clip in the same file
    assert said["lap"] == FRAMES - 1
    with exr.File(str(tmp_path / "vat" / "sleeve_positions.exr")) as file:
        texels = file.channels()["RGB"].pixels
    document = Document(tmp_path / "vat" / "sleeve.glb", Budget())
    size = np.array([said["width"], said["height"]])
    frame = 9
    found = []
    for primitive in document.root.element("meshes", 1).elements("primitives"):
        attributes = primitive.entry("attributes")
        assert attributes is not None
        at = read_floats(document, attributes.integer("TEXCOORD_2"), "VEC2") + np.array([0, frame * said["step"]])
        column, row = (at * size).astype(int).T
        points = read_floats(document, attributes.integer("POSITION"), "VEC3") + texels[row, column]
        joints = read_integers(document, attributes.integer("JOINTS_0"), "VEC4")
        shares = read_floats(document, attributes.integer("WEIGHTS_0"), "VEC4")
        moves = np.einsum("vk,vkij->vij", shares, bones(frame, mirrored=False)[joints])
        found.append(np.einsum("vij,vj->vi", moves[:, :, :3], points) + moves[:, :, 3])
    used = np.unique(drawn[frame].faces)
    expected = drawn[frame].positions[used]
    gaps = np.linalg.norm(np.concatenate(found)[:, None] - expected[None], axis=2)
    # offsets are stored with eleven significant bits
    assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < 1e-3 * 0.02


def test_normal_maps_exact_pictures_and_a_copy(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    source = sleeve(tmp_path / "sleeve.glb")
    outcome = invoke(
        "export", source, "-o", tmp_path / "maps", "--form", "normals", "--map-size", "128", "--tau", "1.2"
    )
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "maps" / "sleeve.glb").read_bytes() == source.read_bytes()
    said = json.loads((tmp_path / "maps" / "sleeve.json").read_text())
    assert len(said["pictures"]) == said["frames"] == FRAMES
    first, last = (np.asarray(image.open(tmp_path / "maps" / said["pictures"][k]), float) for k in (0, -1))
    assert (np.abs(first - [128, 128, 255]) <= 1).all()
    normals = last / 127.5 - 1.0
    assert np.abs(np.linalg.norm(normals, axis=2) - 1).max() < 0.02
    assert (normals[..., 2] < 0.95).sum() > 20
    assert "belong to several triangles" not in outcome.output


def test_normal_maps_exact_note_on_overlaps(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image")
    half = ruckle.load(sleeve(tmp_path / "sleeve.glb"))
    # both halves of the sleeve have the left half of the texture; 5 % of its texels are on edges of the sleeve
    doubled = replace(half, uv=np.abs(half.uv - [0.5, 0.0]).astype(np.float32))
    doubled.save(tmp_path / "sleeve.npz")
    words = ("--form", "normals", "--map-size", "64", "--frames", "0:1")
    outcome = invoke("export", tmp_path / "sleeve.npz", "-o", tmp_path / "maps", *words)
    assert outcome.exit_code == 0, outcome.output
    assert "95% of the texels belong to several triangles" in " ".join(outcome.output.split())


def test_principal_shapes_exact_error_of_the_full_decomposition(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows = (random.normal(size=(5 * BLOCK + 3, 40)) * 0.7 ** np.arange(40)) @ random.normal(size=(40, 700))
    rows = rows.astype(np.float32)
    with (tmp_path / "rows").open("x+b") as file:
        shapes = PrincipalShapes(file, 8)
        for row in rows:
            shapes.append(row)
        found = shapes.solve()
    singular = np.linalg.svd(rows.astype(np.float64), compute_uv=False)
    error = np.linalg.norm(rows - found.weights @ found.shapes)
    # the eighth shape is constant, so seven shapes approximate the rows; the error contains all other singular values
    assert error == pytest.approx(np.sqrt((singular[7:] ** 2).sum()), rel=1e-2)
    assert (found.weights.min(), found.weights.max()) == (0.0, 1.0)
    assert (found.weights[:, -1] == 1.0).all()


@pytest.mark.parametrize("rank", [0, 3])
def test_principal_shapes_degenerate_few_directions(tmp_path: Path, rank: int) -> None:
    random = np.random.default_rng(2)
    rows = (random.normal(size=(20, rank)) @ random.normal(size=(rank, 90))).astype(np.float32)
    with (tmp_path / "rows").open("x+b") as file:
        shapes = PrincipalShapes(file, 8)
        for row in rows:
            shapes.append(row)
        found = shapes.solve()
    assert len(found.shapes) == (rank + 1 if rank else 0)
    np.testing.assert_allclose(found.weights @ found.shapes, rows, atol=1e-5)


def test_budget_property_counts_agree_and_folds_get_more() -> None:
    animation = ruckle.sample("sawing").cut(0, 60)
    *_, frame = ruckle.run(animation)
    surface = ruckle.Surface(frame.topology)
    surface.update(frame)
    assert fine_vertex_count(frame.topology, surface.edge_levels) == surface.displace().vertex_count
    needed, largest = surface.edge_levels.astype(float), surface.edge_levels
    folded = needed > np.percentile(needed, 90)
    for budget in (2_000, 10_000):
        levels = levels_within(frame.topology, needed, largest, budget)
        surface.update(frame, edge_levels=levels)
        count = surface.displace().vertex_count
        assert 0.9 * budget < count == fine_vertex_count(frame.topology, levels) <= budget
        assert (levels <= largest).all()
        assert levels[folded].mean() > 1.5 * levels[~folded].mean()
    assert levels_within(frame.topology, needed, largest, 10**9) is largest
    with pytest.raises(ValueError, match="budget: expected at least the 389 vertices of the coarse mesh, got 388"):
        levels_within(frame.topology, needed, largest, 388)


@pytest.mark.parametrize(("given", "count"), [("700", 700), ("0.9k", 900)])
def test_command_exact_budget(tmp_path: Path, given: str, count: int) -> None:
    outcome = invoke("export", "sawing", "-o", tmp_path / "out.glb", "--frames", "0:3", "--budget", given)
    assert outcome.exit_code == 0, outcome.output
    assert f"about {0.001 * count * (56 + 24 * 3 + 24) / 1000:.1f} MB" in outcome.output
    found = ruckle.load(tmp_path / "out.glb")
    assert len(np.unique(found.positions[0].round(6), axis=0)) <= count


def test_command_exact_default_budget_of_large_meshes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GlbFineWriter, "budget", 100)
    outcome = invoke("export", "sawing", "-o", tmp_path / "out.glb", "--frames", "40:43", "--json")
    assert outcome.exit_code == 0, outcome.output
    found = ruckle.load(tmp_path / "out.glb")
    assert 1.5 * 389 < len(np.unique(found.positions[0].round(6), axis=0)) <= 2 * 389


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--budget", "some"], "expected a number of vertices, such as 50000 or 50k, got 'some'"),
        (["--budget", "5k", "--adaptive"], "adaptive: --budget needs the same faces in every frame"),
        (["--budget", "100"], "budget: expected at least the 389 vertices of the coarse mesh, got 100"),
    ],
)
def test_command_reject_budget(tmp_path: Path, options: list[str], sentence: str) -> None:
    outcome = invoke("export", "sawing", "-o", tmp_path / "out", "--frames", "0:1", *options)
    assert outcome.exit_code != 0
    assert sentence in " ".join(outcome.output.split())
    assert not (tmp_path / "out").exists()
