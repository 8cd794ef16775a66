"""Compares exported files, rendered by three.js, with pictures of `ruckle.Renderer`."""

import base64
import io
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from browser import Browser, Site, chromium
from exported_pictures import ALIKE, FPS, FRAME, Character

pytest.importorskip("moderngl", reason='its pictures need more packages: pip install "ruckle[render]"')


@pytest.fixture(scope="module")
def character(tmp_path_factory: pytest.TempPathFactory) -> Character:
    return Character(tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="module")
def page(build: ModuleType, character: Character, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser with a page that can render exported files."""
    if not build.MODULES.is_dir():
        pytest.skip("needs libraries of the npm registry: npm ci --prefix examples/web")
    if not chromium():
        pytest.skip("needs Chromium: apt install chromium")
    folder = character.path.parent
    modules = folder / "node_modules"
    modules.symlink_to(build.MODULES)
    shutil.copy(Path(__file__).parent / "exports.mjs", folder)
    esbuild: list[str | Path] = [
        modules / ".bin" / "esbuild",
        folder / "exports.mjs",
        "--bundle",
        f"--outfile={folder / 'exports.js'}",
    ]
    subprocess.run(esbuild, check=True, capture_output=True)
    (folder / "index.html").write_text(
        '<!doctype html><link rel="icon" href="data:,"><script src="exports.js"></script>'
    )
    with Site(folder) as address, Browser(tmp_path_factory.mktemp("profile"), 400, 300) as opened:
        opened.open(f"{address}index.html")
        yield opened


def shown(page: Browser, character: Character, file: str, **given: Any) -> float:
    """Return the mean difference between our picture and three.js's picture of a file.

    If the environment variable RUCKLE_PICTURES names a folder, both pictures are written there.
    """
    scene = character.scene() | {"file": file, "time": FRAME / FPS, "hidden": []} | given
    answer = page.ask(f"picture({json.dumps(scene)})")
    picture = np.array(Image.open(io.BytesIO(base64.b64decode(answer["png"].partition(",")[2]))).convert("RGB"))
    folder = os.environ.get("RUCKLE_PICTURES")
    kept = None if folder is None else Path(folder) / f"three_{Path(file).parent.name or Path(file).stem}.png"
    return character.difference(picture, kept)


def test_property_the_coarse_character_differs(page: Browser, character: Character) -> None:
    assert shown(page, character, "sleeve.glb") > 2.0


def test_property_morph_targets_look_like_our_picture(page: Browser, character: Character) -> None:
    character.export(character.path.parent / "morph.glb", "--budget", "4k")
    assert shown(page, character, "morph.glb") <= ALIKE


def test_property_vertex_animation_textures_look_like_our_picture(page: Browser, character: Character) -> None:
    pytest.importorskip("OpenEXR")
    folder = character.export(character.path.parent / "vat", "--form", "vat", "--budget", "4k")
    files = {path.name.removeprefix("sleeve"): f"vat/{path.name}" for path in folder.iterdir()}
    texture = {"positions": files["_positions.exr"], "normals": files["_normals.exr"], "about": files[".json"]}
    assert shown(page, character, files[".glb"], texture=texture | {"frame": FRAME}) <= ALIKE


def test_property_two_vertex_animation_textures_can_share_a_page(page: Browser, character: Character) -> None:
    pytest.importorskip("OpenEXR")
    for frames in (FRAME + 1, FRAME + 7):
        folder = character.path.parent / f"vat_{frames}"
        character.export(folder, "--form", "vat", "--budget", "4k", "--frames", f"0:{frames}")
        files = {path.name.removeprefix("sleeve"): f"{folder.name}/{path.name}" for path in folder.iterdir()}
        texture = {"positions": files["_positions.exr"], "normals": files["_normals.exr"], "about": files[".json"]}
        assert shown(page, character, files[".glb"], texture=texture | {"frame": FRAME}) <= ALIKE


def test_property_normal_maps_look_like_our_picture(page: Browser, character: Character) -> None:
    folder = character.export(character.path.parent / "normals", "--form", "normals", "--map-size", 512)
    [picture] = [f"normals/{path.name}" for path in folder.glob(f"*_normal_{FRAME:04d}.png")]
    assert shown(page, character, "normals/sleeve.glb", normalMap=picture) <= ALIKE
