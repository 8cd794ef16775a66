"""Variants of real files: flat cloth, Z up, small pieces of cloth, layers, and first meshes that are not cloth."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from characters import Character
from gltf_writer import Writer
from layer_piercing import layers_of, pierced
from program import invoke
from ruckle import Animation, load
from ruckle.mesh.animation import likely_up
from ruckle.simulation.sheet import grid_faces

FRAMES = 12


def sheet(columns: int, rows: int, width: float, depth: float) -> tuple[Any, Any]:
    """Return a sheet in the plane of X and Z, (V, 3) and (T, 3)."""
    x, z = (a.ravel() for a in np.meshgrid(np.linspace(0, width, columns), np.linspace(0, depth, rows)))
    return np.stack([x, 0 * x, z], axis=1), grid_faces(columns, rows)


def pushed(points: Any, axis: int = 0, *, to: float = 0.7) -> Any:
    """Return frames (F, V, 3) in which the cloth becomes shorter along an axis."""
    shares = np.linspace(1.0, to, FRAMES)
    factors = np.ones((FRAMES, 1, 3))
    factors[:, 0, axis] = shares
    return points * factors


def tube(length: float, radius: float, axis: int, *, rows: int = 30, columns: int = 16) -> tuple[Any, Any]:
    """Return a tube along an axis."""
    t, turn = np.meshgrid(
        np.linspace(0, length, rows), np.linspace(0, 2 * np.pi, columns, endpoint=False), indexing="ij"
    )
    own = np.stack([t, radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a, b = i * columns + j, i * columns + (j + 1) % columns
    faces = np.stack([a, b, a + columns, b, b + columns, a + columns], axis=-1).reshape(-1, 3)
    return np.roll(own, axis, axis=1), faces


def written(folder: Path, kind: str, frames: Any, faces: Any) -> tuple[Path, list[str]]:
    """Write frames in a format. Return the path and the options that the format requires."""
    frames = np.asarray(frames, np.float32)
    if kind == "npz":
        np.savez(folder / "a.npz", positions=frames, faces=faces, fps=30.0)
        return folder / "a.npz", []
    if kind == "obj":
        (folder / "frames").mkdir()
        lines = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
        for number, points in enumerate(frames):
            rows = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
            (folder / "frames" / f"a_{number:03d}.obj").write_text("\n".join([*rows, *lines, ""]))
        return folder / "frames", ["--fps", "30"]
    if kind == "pc2":
        Animation(frames, faces, fps=30).save(folder / "a.pc2")
        return folder / "a.pc2", []
    writer = Writer()
    attributes = {"POSITION": writer.accessor(frames[0])}
    targets = [{"POSITION": writer.accessor(frames[-1] - frames[0])}]
    primitive = {"attributes": attributes, "indices": writer.accessor(faces.ravel(), "u4"), "targets": targets}
    writer.add("nodes", {"mesh": writer.mesh(primitive), "name": "cloth"})
    writer.animate(0, "weights", [0.0, (FRAMES - 1) / 30], [0.0, 1.0])
    return writer.save(folder / "a.glb"), []


FORMATS = ("npz", "obj", "pc2", "glb")
FLAT = {
    "rounding noise": {"noise": 1e-7},
    "noise of text": {"noise": 1e-5},
    "centimetres": {"scale": 100.0, "noise": 1e-5},
    "far from the origin": {"offset": 900.0, "noise": 3e-5},
    "kilometres": {"scale": 1000.0, "noise": 1e-2},
    "tiny": {"scale": 1e-3, "noise": 1e-10},
    "an unused vertex": {"unused": 50.0, "noise": 0.0},
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", FLAT)
def test_exact_flat_cloth_has_the_height_of_its_extent(tmp_path: Path, name: str, kind: str) -> None:
    about = FLAT[name]
    points, faces = sheet(21, 11, 2.0, 1.0)
    points *= about.get("scale", 1.0)
    frames = pushed(points)
    frames[..., 1] += about.get("noise", 0.0) * np.random.default_rng(0).standard_normal(frames.shape[:2])
    frames[..., 1] += about.get("offset", 0.0)
    if "unused" in about:
        extra = np.full((FRAMES, 1, 3), about["unused"])
        frames = np.concatenate([frames, extra], axis=1)
    path, options = written(tmp_path, kind, frames, faces)
    height = load(path, **({"fps": 30} if options else {})).height
    assert height == pytest.approx(2.0 * about.get("scale", 1.0), rel=0.01)
    result = invoke("run", path, *options, "-o", tmp_path / "run.npz", "--tau", "1.1")
    assert result.exit_code == 0, result.stderr
    assert len(ruckle.load_run(tmp_path / "run.npz").wrinkles[-1]) > 0


UPRIGHT = {
    "sleeve": (tube(0.6, 0.06, 2), {}),
    "sleeve in centimetres": (tube(60.0, 6.0, 2), {}),
    "sleeve far away": (tube(0.6, 0.06, 2), {"offset": [40.0, -7.0, 3.0]}),
    "sleeve downward": (tube(-0.6, 0.06, 2), {}),
    "trousers": (tube(1.0, 0.07, 2), {"twin": [0.2, 0.0, 0.0]}),
    "with an unused vertex": (tube(0.6, 0.06, 2), {"unused": True}),
}


@pytest.mark.parametrize("kind", ["npz", "obj", "pc2"])
@pytest.mark.parametrize("name", UPRIGHT)
def test_exact_the_note_suggests_the_axis(tmp_path: Path, name: str, kind: str) -> None:
    (points, faces), about = UPRIGHT[name]
    if "twin" in about:
        faces = np.concatenate([faces, faces + len(points)])
        points = np.concatenate([points, points + about["twin"]])
    points = points + about.get("offset", 0.0)
    if about.get("unused"):
        points = np.concatenate([points, [[0.0, 30.0, 0.0]]])
    frames = pushed(points - points[0], 2) + points[0]
    path, options = written(tmp_path, kind, frames, faces)
    result = invoke("run", path, *options, "-o", tmp_path / "run.npz", "--tau", "1.1")
    assert result.exit_code == 0, result.stderr
    assert "far longer along z: --up z" in result.stderr
    again = invoke("run", path, *options, "-o", tmp_path / "again.npz", "--tau", "1.1", "--up", "z")
    assert "--up" not in again.stderr
    extent = np.ptp(points[: len(points) - bool(about.get("unused")), 2])
    assert load(tmp_path / "again.npz").height == pytest.approx(extent, rel=1e-3)


@pytest.mark.parametrize(("axis", "up"), [(0, "y"), (1, "y")])
def test_exact_no_note_for_cloth_that_stands_or_lies_sideways(axis: int, up: str) -> None:
    points, faces = tube(0.6, 0.06, axis)
    assert likely_up(Animation(points[None], faces)) == up


ISLANDS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "small": lambda: sheet(7, 7, 0.012, 0.012),
    "two triangles": lambda: sheet(2, 2, 0.01, 0.01),
    "many": lambda: several(sheet(5, 5, 0.012, 0.012), 12, [0.05, 0.0, 0.0]),
    "fine": lambda: sheet(25, 25, 0.014, 0.014),
}


def several(mesh: tuple[Any, Any], count: int, step: Any) -> tuple[Any, Any]:
    points, faces = mesh
    copies = [points + np.multiply(step, k) for k in range(count)]
    return np.concatenate(copies), np.concatenate([faces + k * len(points) for k in range(count)])


@pytest.mark.parametrize("name", ISLANDS)
def test_exact_the_hint_for_cloth_without_room(tmp_path: Path, name: str) -> None:
    points, faces = ISLANDS[name]()
    frames = (
        pushed(points, to=0.6)
        if name != "many"
        else points[None] * np.linspace([1, 1, 1], [0.6, 1, 1], FRAMES)[:, None]
    )
    path, _ = written(tmp_path, "npz", frames, faces)
    result = invoke("run", path, "-o", tmp_path / "run.npz", "--height", "1.7")
    assert result.exit_code == 0, result.stderr
    assert "widths of a wrinkle; use a smaller --r-min" in result.stderr
    assert "smaller --tau" not in result.stderr
    if name in ("small", "fine"):
        # the advice helps
        again = invoke("run", path, "-o", tmp_path / "again.npz", "--height", "1.7", "--r-min", "0.05%")
        assert again.stderr == ""


LAYERS: dict[str, dict[str, Any]] = {
    "close": {"radii": (0.09, 0.092)},
    "wide": {"radii": (0.09, 0.11)},
    "three": {"radii": (0.09, 0.096, 0.102)},
    "almost touching": {"radii": (0.09, 0.0901)},
    "outer first": {"radii": (0.1, 0.09)},
    "opposite winding": {"radii": (0.09, 0.098), "turned": True},
    "centimetres": {"radii": (9.0, 9.6), "length": 60.0},
    "finer outside": {"radii": (0.09, 0.096), "fine": True},
    "short over long": {"radii": (0.09, 0.096), "short": True},
}


@pytest.mark.parametrize("kind", ["paths", "waves"])
@pytest.mark.parametrize("name", LAYERS)
def test_property_no_fold_pierces_the_next_layer(name: str, kind: str) -> None:
    about = LAYERS[name]
    length, meshes = about.get("length", 0.6), []
    for number, radius in enumerate(about["radii"]):
        fine = about.get("fine") and number
        points, faces = tube(
            length / (2 if about.get("short") and number else 1),
            radius,
            0,
            rows=40 if fine else 30,
            columns=24 if fine else 16,
        )
        meshes.append((points, faces[:, ::-1] if about.get("turned") and number else faces))
    starts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    faces = np.concatenate([own + start for (_, own), start in zip(meshes, starts, strict=False)])
    frames = pushed(np.concatenate([points for points, _ in meshes]), to=0.75)
    animation = Animation(frames, faces, fps=30)
    layer: Any = (
        ruckle.Wrinkler.for_animation(animation, tau=1.05, r_min="1.5%")
        if kind == "paths"
        else ruckle.WaveField.for_animation(animation, r_min="1.5%")
    )
    for positions in animation.positions:
        frame = layer.step(positions, 1 / 30)
    assert layers_of(frame.topology).max() == len(about["radii"]) - 1
    fine = ruckle.displace(frame, base="flat", edge_length=0.01 * length)
    assert np.abs(fine.heights).max() > (0.0 if name == "almost touching" else 1e-4 * animation.height)
    assert pierced(frame, edge_length=0.01 * length) == 0


FIRST = {
    "eye": [("Eye_L", "Eye"), ("Shirt", "Fabric")],
    "sword": [("Sword", "Steel"), ("Body", "Fabric")],
    "hair": [("Hair", "hair"), ("Tunic", "tunic")],
    "eye by material": [("Mesh_0", "eyeball"), ("Mesh_1", "top")],
    "unnamed prop": [("Mesh_0", "shield"), ("Mesh_1", "two")],
    "teeth and lashes": [("Teeth", "a"), ("Eyelashes", "b"), ("Outfit", "c")],
    "skin": [("Body", "Skin"), ("Dress", "x")],
    "helmet": [("Helmet", "x"), ("Pants", "y")],
}


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".vrm", ".GLB", ".VRM"])
@pytest.mark.parametrize("name", FIRST)
def test_exact_the_first_mesh_is_no_cloth(tmp_path: Path, name: str, suffix: str) -> None:
    writer = Character()
    for node, material in FIRST[name]:
        writer.part(node, material)
    path = tmp_path / f"hero{suffix}"
    path.write_bytes(writer.gltf() if suffix == ".gltf" else writer.glb())
    found = load(path)
    assert found.name == FIRST[name][-1][0]
    assert found.mask is None
    assert load(path, mesh=0).name == FIRST[name][0][0]
