"""The Panda3D example: its picture agrees with `ruckle.Renderer`, and it needs one draw call."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
import ruckle.scene.renderer
from drawing import need_opengl
from program import PATIENCE
from rigged_sleeve import COLUMNS, ROWS, write_sleeve
from ruckle.scene.camera import Camera
from ruckle.scene.look import Light, Look, linear_color
from ruckle.scene.modes import MODES, Mode
from ruckle.scene.uniforms import scene_block, toward

if find_spec("panda3d") is None or find_spec("gltf") is None:
    pytest.skip("panda3d and panda3d-gltf are not installed", allow_module_level=True)

EXAMPLE = Path(__file__).parents[2] / "examples" / "panda3d"
SIZE, R_MIN, EDGE_LENGTH = 320, 0.005 * 1.7, 0.007 * 1.7
# the lights of examples/panda3d/wrinkles.py: direction and intensity
LIGHTS = {"key": (-0.82, 0.52, 0.28, 2.4), "fill": (0.85, 0.10, 0.50, 0.25), "rim": (0.50, 0.60, -0.70, 0.60)}


def camera() -> Camera:
    return Camera(target=(0.3, 0.0, 0.12), distance=1.5, azimuth=20.0, elevation=10.0, field_of_view=26.0, up="z")


def drawn_in_panda(mode: str, folder: Path) -> Any:
    model, result = folder / "sleeve.glb", folder / "result.npz"
    write_sleeve(model)
    np.savez(result, eye=camera().eye, target=camera().target)
    program = [sys.executable, str(Path(__file__).with_name("draw_actor.py")), str(model), mode, str(result)]
    ended = subprocess.run(program, capture_output=True, text=True, check=False, timeout=PATIENCE, env=dict(os.environ))
    assert ended.returncode == 0, ended.stderr[-3000:]
    return np.load(result)


def drawn_by_renderer(mode: str, shown: Any) -> Any:
    rows, columns = np.meshgrid(np.arange(ROWS - 1), np.arange(COLUMNS), indexing="ij")
    a, b = rows * COLUMNS + columns, rows * COLUMNS + (columns + 1) % COLUMNS
    faces = np.stack([a, b, a + COLUMNS, b, b + COLUMNS, a + COLUMNS], axis=-1).reshape(-1, 3)
    topology = ruckle.Topology(faces, len(shown["rest"]))
    paths = ruckle.Wrinkler(topology, rest=shown["rest"], r_min=R_MIN, tau=1.1)
    waves = ruckle.WaveField(topology, shown["rest"], r_min=R_MIN)
    layer: Any = {"paths": paths, "waves": waves, "both": ruckle.Stack([paths, waves])}[mode]
    for positions in shown["positions"]:
        frame = layer.step(positions)
    detail = 0.5 * R_MIN / EDGE_LENGTH
    base: Any = "flat" if mode == "waves" else "curved"
    with ruckle.Renderer(SIZE, SIZE, base=base, detail=detail, base_level=4, look=Look(sheen=0.16), up="z") as renderer:
        return renderer.render(frame, camera=camera(), mode="height")


def with_lights(*given: Any) -> Any:
    """Return the uniform block of a picture with the lights and colours of the example."""
    block = scene_block(*given)
    for name, (*direction, intensity) in LIGHTS.items():
        block[f"{name}_ws"] = (*toward(Light(tuple(direction), intensity), camera()), intensity)
    for name, color in (("sky", (0.37, 0.41, 0.49)), ("ground", (0.28, 0.25, 0.23))):
        block[name][:3] = linear_color(name, color)
    return block


@pytest.mark.parametrize("mode", ["paths", "waves", "both"])
def test_property_panda_draws_the_picture_of_the_renderer(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_opengl()
    # draw in one pass with the lights of the example, without the reflections of the studio
    monkeypatch.setitem(MODES, "height", Mode(("shaded.frag",), displaced=mode != "waves"))
    monkeypatch.setattr(ruckle.scene.renderer, "scene_block", with_lights)
    shown = drawn_in_panda(mode, tmp_path)
    expected, found = drawn_by_renderer(mode, shown).astype(int), shown["pixels"].astype(int)
    background = found[0, 0]
    cloth = (np.abs(expected - background).max(axis=2) > 8) | (np.abs(found - background).max(axis=2) > 8)
    if "RUCKLE_PICTURES" in os.environ:
        np.savez(Path(os.environ["RUCKLE_PICTURES"]) / f"panda_{mode}.npz", expected=expected, found=found)
    assert shown["draws"] == 1
    assert cloth.mean() > 0.05
    # mean difference in 8-bit values, first over the whole picture, then over the cloth
    assert np.abs(expected - found).mean() <= 2.0
    assert np.abs(expected - found)[cloth].mean() <= 6.0


def test_exact_the_example_has_at_most_ten_lines() -> None:
    lines = [line for line in (EXAMPLE / "demo.py").read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) <= 10
    assert any(line.startswith("wrinkle(") for line in lines)
    # the guide shows the same lines
    guide = (EXAMPLE.parents[1] / "docs" / "games.md").read_text()
    assert "\n".join(lines) in guide.replace("\n\n", "\n")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("sleeves")
    files = [folder / "inside.glb", folder / "outside.glb"]
    write_sleeve(files[0])
    write_sleeve(files[1], outside=True, color=(0.5, 0.25, 0.125, 1.0))
    program = [sys.executable, str(Path(__file__).with_name("load_actors.py")), *map(str, files)]
    ended = subprocess.run(program, capture_output=True, text=True, check=False, timeout=PATIENCE, env=dict(os.environ))
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


def test_reject_a_mesh_that_the_actor_does_not_have(loaded: Any) -> None:
    assert "Meshes of the Actor: sleeve" in loaded["unknown"]
    assert "outside of its armature" in loaded["without loader"]


def test_exact_a_mesh_outside_of_its_armature_moves_as_inside(loaded: Any) -> None:
    assert loaded["inside"]["names"] == loaded["outside"]["names"] == ["sleeve"]
    np.testing.assert_allclose(loaded["outside"]["corners"], loaded["inside"]["corners"], atol=1e-5)


def test_exact_wrinkled_cloth_keeps_the_base_colour(loaded: Any) -> None:
    np.testing.assert_allclose(loaded["outside"]["color"], (0.5, 0.25, 0.125), atol=1e-6)


def test_property_draw_calls_are_divided(loaded: Any) -> None:
    assert max(loaded["draws"]) <= 100
    assert sum(loaded["draws"]) == 2 * COLUMNS * (ROWS - 1)


def test_property_fine_edges_are_as_short_as_the_vertices_allow(loaded: Any) -> None:
    limited, least = loaded["edge lengths"]
    assert limited > 1e-4
    assert least == 0.05
