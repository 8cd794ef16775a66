"""Garments of one wearer in the npm package: folds end before the next garment, and wrinkles of a loop have no seam."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from gltf_writer import Writer
from ruckle.surface.raised import RaisedMesh
from shared_data import MISSING, shared_cases, shared_folder

R_MIN, STEPS, FPS = 0.012, 24, 30.0

PROGRAM = """
globalThis.self = globalThis;
// the loader of embedded buffers reports progress
globalThis.ProgressEvent ??= Event;
const { AnimationMixer } = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
const { Ruckle } = await import(`${kit}/index.mjs`);
const bytes = Uint8Array.from(atob(given.file), (character) => character.charCodeAt(0));
const gltf = await new GLTFLoader().parseAsync(bytes.buffer, "");
const ruckle = await Ruckle.load({ worker: false });
const { r_min, layers, steps, fps } = given;
const meshes = await ruckle.add(gltf.scene, { waves: layers.includes("waves") && { r_min },
  paths: layers.includes("paths") && { r_min, tau: 1.05 }, height: 1 });
const mixer = new AnimationMixer(gltf.scene), counts = new Map(meshes.map((one) => [one.mesh.name, one.vertexCount]));
mixer.clipAction(gltf.animations[0]).play();
const last = {};
meshes.forEach((one) => {
  const show = one.show.bind(one);
  one.show = (frame) => {
    const numbers = new Float32Array(frame.texels.buffer), count = counts.get(one.mesh.name);
    last[one.mesh.name] = frame.firstLimit < 0 ? null
      : Array.from({ length: 2 * count }, (_, i) => numbers[4 * (frame.firstLimit + (i >> 1)) + (i & 1)] || 0);
    show(frame);
  };
});
for (let step = 0; step < steps; ++step) {
  mixer.setTime(step / fps);
  ruckle.update(1 / fps);
}
console.log(JSON.stringify(last));
"""


def sleeves(path: Path, *, gap: float, one_mesh: bool = False, apart: bool = False) -> Path:
    """Write two sleeves, one around the other, whose elbow bends. They are two meshes, or one."""
    writer, rows, columns, length, radius = Writer(), 26, 20, 1.0, 0.09
    x, turn = np.meshgrid(
        np.linspace(0, length, rows), np.linspace(0, 2 * np.pi, columns, endpoint=False), indexing="ij"
    )
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a, b = i * columns + j, i * columns + (j + 1) % columns
    squares = np.stack([a, b, a + columns, b, b + columns, a + columns], axis=-1).reshape(-1, 3)
    share = np.clip((x.ravel() - length / 2) / 0.2 + 0.5, 0, 1)
    parts = []
    for own in (radius, radius + gap):
        shift = 3.0 * float(apart and own > radius)
        points = np.stack([x, own * np.cos(turn), own * np.sin(turn) + shift], axis=-1).reshape(-1, 3)
        parts.append(points)
    groups = [(np.concatenate(parts), np.concatenate([squares, squares + len(parts[0])]))] if one_mesh else []
    groups = groups or [(points, squares) for points in parts]
    writer.root["nodes"] = [{"name": "shoulder", "children": [1]}, {"name": "elbow", "translation": [length / 2, 0, 0]}]
    for number, (points, faces) in enumerate(groups):
        weights = np.tile(share, len(points) // len(share))
        attributes = {
            "POSITION": writer.accessor(points),
            "JOINTS_0": writer.accessor(np.tile([0, 1, 0, 0], (len(points), 1)), "u1"),
            "WEIGHTS_0": writer.accessor(np.stack([1 - weights, weights, 0 * weights, 0 * weights], axis=1)),
        }
        primitive = {"attributes": attributes, "indices": writer.accessor(faces.ravel(), "u2")}
        writer.add("nodes", {"name": f"Sleeve_{number}", "mesh": writer.mesh(primitive), "skin": 0})
    binding = np.tile(np.eye(4), (2, 1, 1))
    binding[1, 0, 3] = -length / 2
    matrices = writer.accessor(binding.transpose(0, 2, 1).reshape(2, 16))
    nodes = [0, *range(2, len(writer.root["nodes"]))]
    writer.root |= {
        "skins": [{"joints": [0, 1], "inverseBindMatrices": matrices}],
        "scenes": [{"nodes": nodes}],
        "scene": 0,
    }
    times = np.linspace(0, 1, 31)
    half = np.radians(45) * times
    writer.animate(1, "rotation", times, np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1))
    return writer.save(path)


def limits(node: Callable[..., Any], path: Path, layers: str = "waves") -> dict[str, Any]:
    """Return the crowding (V, 2) of each mesh after some frames, by name; None for a mesh without limits."""
    file = base64.b64encode(path.read_bytes()).decode()
    found = node(PROGRAM, file=file, r_min=R_MIN, layers=layers, steps=STEPS, fps=FPS)
    return {name: None if one is None else np.array(one).reshape(-1, 2) for name, one in found.items()}


def expected(path: Path) -> Any:
    """Return the crowding (V, 2) of the Python package, in which all meshes are one mesh of several layers."""
    animation = ruckle.load(path, fps=FPS)
    field = ruckle.WaveField.for_animation(animation, r_min=R_MIN)
    for positions in animation.positions[:STEPS]:
        frame = field.step(positions, 1 / FPS)
    raised = RaisedMesh(frame.topology, 1)
    raised.update(frame, edge_length=None, curved=False, base_level=1)
    return raised.core.crowding


@pytest.mark.parametrize("gap", [0.004, 0.01, 0.02])
def test_property_folds_end_before_the_next_garment(node: Callable[..., Any], tmp_path: Path, gap: float) -> None:
    path = sleeves(tmp_path / "sleeves.glb", gap=gap)
    found, wanted = limits(node, path), expected(path)
    # both meshes have no seams, so their vertices have the order of their faces
    rows = np.concatenate([found["Sleeve_0"], found["Sleeve_1"]])
    animation = ruckle.load(path)
    order = np.concatenate([first_use(animation.faces[:1000]), first_use(animation.faces[1000:])])
    wanted = wanted[order]
    assert (wanted > 0).any(axis=0).all()
    # phases of two fields differ slightly from those of one field with two parts
    np.testing.assert_allclose(rows, wanted, atol=0.02 * wanted.max())


def first_use(faces: Any) -> Any:
    """Return the vertices in the order of their first use."""
    _, first = np.unique(faces.ravel(), return_index=True)
    return faces.ravel()[np.sort(first)]


def test_property_the_next_garment_limits_paths_too(node: Callable[..., Any], tmp_path: Path) -> None:
    path = sleeves(tmp_path / "sleeves.glb", gap=0.006)
    waves, both = limits(node, path), limits(node, path, "waves and paths")
    for name, own in waves.items():
        assert (both[name] >= own - 1e-3 * own.max()).all()
        assert both[name].max() > 0


@pytest.mark.parametrize("layers", ["waves", "paths"])
def test_property_two_meshes_have_the_limits_of_one(node: Callable[..., Any], tmp_path: Path, layers: str) -> None:
    two = limits(node, sleeves(tmp_path / "two.glb", gap=0.01), layers)
    one = limits(node, sleeves(tmp_path / "one.glb", gap=0.01, one_mesh=True), layers)["Sleeve_0"]
    rows = np.concatenate([two["Sleeve_0"], two["Sleeve_1"]])
    assert one.max() > 10.0
    differs = np.abs(rows - one) > 0.02 * one.max()
    # a wrinkle path may begin in the next row of faces, because the order of edges differs
    assert differs.mean() <= (0.0 if layers == "waves" else 0.02)


def test_exact_garments_that_are_apart_have_no_limits(node: Callable[..., Any], tmp_path: Path) -> None:
    found = limits(node, sleeves(tmp_path / "apart.glb", gap=0.01, apart=True))
    assert all(one is not None and not one.any() for one in found.values())


def test_exact_two_layers_of_a_public_case(node: Callable[..., Any]) -> None:
    if shared_folder() is None:
        pytest.skip(MISSING)
    path = shared_cases("files") / "two_layers.gltf"
    found, wanted = limits(node, path), expected(path)
    rows = np.concatenate([found["Inner"], found["Outer"]])
    faces = ruckle.load(path).faces
    half = len(faces) // 2
    topology = ruckle.weld(ruckle.load(path).positions[0], faces)
    order = np.concatenate([first_use(topology[:half]), first_use(topology[half:])])
    assert (wanted > 0).any()
    np.testing.assert_allclose(rows, wanted[order], atol=0.02 * wanted.max())
