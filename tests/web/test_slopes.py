"""All renderers of three.js draw normals with the slopes that the core computes."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from browser import Browser, Site, chromium

# options of Debian's Chromium that enable WebGPU on a software device
WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan")

PAGE = """<!doctype html><link rel="icon" href="data:,">
<script type="importmap">{ "imports": {
  "three": "./node_modules/three/build/three.webgpu.js",
  "three/webgpu": "./node_modules/three/build/three.webgpu.js",
  "three/tsl": "./node_modules/three/build/three.tsl.js",
  "three/webgl": "./node_modules/three/build/three.module.js",
  "ruckle": "./node_modules/ruckle/index.mjs",
  "ruckle/core": "./node_modules/ruckle/core.mjs",
  "ruckle/webgpu": "./node_modules/ruckle/webgpu.mjs" } }</script>
<body><script type="module" src="main.js"></script>
"""

PROGRAM = """
import * as three from "three/webgpu";
import { WebGLRenderer, WebGLRenderTarget } from "three/webgl";
import { normalView, vec4 } from "three/tsl";
import { loadCore, Waves } from "ruckle/core";
import { Ruckle } from "ruckle";
import { nodes } from "ruckle/webgpu";

// A compressed sheet, seen from in front: its normals, and heights and gradients of the core at the same points. With
// `isLayered`, a slanted sheet hangs over it, outside the camera's range.
window.slopes = async (kind, isLayered) => {
  const wasm = await (await fetch("node_modules/ruckle/ruckle.wasm")).arrayBuffer(), isPlain = kind === "webgl";
  const ruckle = await Ruckle.load({ worker: false, wasm, materials: isPlain ? undefined : nodes });
  const core = await loadCore(wasm);
  const renderer = isPlain ? new WebGLRenderer() : new three.WebGPURenderer({ forceWebGL: kind === "fallback" });
  await renderer.init?.();
  const geometry = new three.BufferGeometry();
  const rest = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], triangles = [0, 1, 2, 0, 2, 3];
  if (isLayered) {
    rest.push(0, 0, 0.02, 1, 0, 0.06, 1, 1, 0.06, 0, 1, 0.02);
    triangles.push(...triangles.map((vertex) => vertex + 4));
  }
  geometry.setAttribute("position", new three.BufferAttribute(Float32Array.from(rest), 3));
  geometry.setIndex(triangles);
  const material = isPlain ? new three.MeshStandardMaterial() : new three.MeshStandardNodeMaterial();
  material.fragmentNode = vec4(normalView.mul(0.5).add(0.5), 1);
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(/}\\s*$/, "gl_FragColor = vec4(0.5 * normal + 0.5, 1.0); }");
  };
  const mesh = new three.Mesh(geometry, material), scene = new three.Scene();
  scene.add(mesh);
  const options = { r_min: 0.02, wavelength: 0.2, irregularity: 0 };
  const [wrinkled] = await ruckle.add(mesh, { waves: options });
  const now = rest.map((value, i) => (i % 3 ? value : 0.8 * value));
  for (let i = 0; i < 30; ++i) {
    wrinkled.setPositions(now);
    ruckle.update(1 / 30);
  }
  const size = 64, camera = new three.OrthographicCamera(0, 0.8, 1, 0, 0.99, 3);
  const pixels = new Uint8Array(4 * size * size);
  camera.position.z = 1;
  const target = isPlain ? new WebGLRenderTarget(size, size) : new three.RenderTarget(size, size);
  renderer.setRenderTarget(target);
  renderer.render(scene, camera);
  if (isPlain) {
    renderer.readRenderTargetPixels(target, 0, 0, size, size, pixels);
  } else {
    pixels.set(await renderer.readRenderTargetPixelsAsync(target, 0, 0, size, size));
  }
  const waves = new Waves(core, Int32Array.from(triangles), Float32Array.from(rest), options);
  for (let i = 0; i < 30; ++i) {
    waves.step(Float32Array.from(now), 1 / 30);
  }
  const faces = [], weights = [];
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      const x = (column + 0.5) / size, y = (row + 0.5) / size;
      faces.push(x > y ? 0 : 1);
      weights.push(...(x > y ? [1 - x, x - y, y] : [1 - y, x, y - x]));
    }
  }
  const given = [Float32Array.from(now), Int32Array.from(faces), Float32Array.from(weights)];
  const { heights, gradients } = waves.sample(...given);
  const crowding = waves.crowding(core.copy(Float32Array.from(now)), 0);
  const paths = isPlain ? "" : await wrinkled.set({ paths: true }).catch((error) => error.message);
  const isWebGPU = renderer.backend?.isWebGPUBackend ?? false;
  const found = { heights: [...heights], gradients: [...gradients], crowding: crowding && [...crowding] };
  return { isWebGPU, pixels: [...pixels], ...found, paths };
};
"""


def limited(found: dict[str, Any]) -> Any:
    """Return the gradients (N, 3) of heights that end before the other sheet, by the formula of room.h in float64."""
    height, slopes = np.array(found["heights"]), np.array(found["gradients"]).reshape(-1, 3)
    if found["crowding"] is None:
        return slopes
    crowding = np.array(found["crowding"]).reshape(-1, 2)[:4]
    # `crowding` at the corners of the square, in order; its interpolation w is linear in both triangles (x > y, x < y)
    rows, columns = np.divmod(np.arange(len(height)), 64)
    x, y = (columns + 0.5) / 64, (rows + 0.5) / 64
    side = np.where(height > 0, 0, 1)
    a, b, c, d = (corner[side] for corner in crowding)
    first = x > y
    w = np.where(first, a + (b - a) * x + (c - b) * y, a + (c - d) * x + (d - a) * y)
    # the sheet is 0.8 wide
    w_slopes = np.stack([np.where(first, b - a, c - d) / 0.8, np.where(first, c - b, d - a), 0 * x], axis=1)
    use = np.abs(height) * w
    rest = 0.25 / np.maximum(use, 0.5)
    room = np.sign(height) / np.maximum(w, 1e-9)
    by_height, by_crowding = np.where(
        use > 0.5, [rest / np.maximum(use, 0.5), (2 * rest - 1) * room / np.maximum(w, 1e-9)], [[1.0], [0.0]]
    )
    assert (use > 0.5).mean() > 0.2
    return by_height[:, None] * slopes + by_crowding[:, None] * w_slopes


@pytest.mark.parametrize("layered", [False, True])
@pytest.mark.parametrize("kind", ["webgl", "fallback", "webgpu"])
def test_exact_pixels_have_the_slopes_of_the_core(
    build: ModuleType, kit: Path, tmp_path: Path, kind: str, *, layered: bool
) -> None:
    """Compare the normals of a compressed sheet with those of `ruckle_waves_sample`."""
    if not chromium():
        pytest.skip("needs Chromium: apt install chromium")
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "main.js").write_text(PROGRAM)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "three").symlink_to(build.MODULES / "three")
    (tmp_path / "node_modules" / "ruckle").symlink_to(kit)
    flags = WEBGPU if kind == "webgpu" else ()
    with Site(tmp_path) as address, Browser(tmp_path / "profile", 400, 400, *flags) as browser:
        browser.open(address)
        if kind == "webgpu" and not browser.ask("navigator.gpu?.requestAdapter().then(Boolean)"):
            pytest.skip("this Chromium has no device for WebGPU")
        browser.complaints.clear()
        found = browser.ask(f"slopes({kind!r}, {json.dumps(layered)})")
        assert browser.complaints == []
    assert found["isWebGPU"] == (kind == "webgpu")
    if kind != "webgl":
        assert found["paths"] == "paths: WebGPURenderer draws only waves; WebGLRenderer draws paths and waves"
    pixels = np.array(found["pixels"]).reshape(64, 64, 4)[:, :, :3] / 127.5 - 1.0
    # WebGPU stores the top row first
    normals = (pixels[::-1] if kind == "webgpu" else pixels).reshape(-1, 3)
    assert (found["crowding"] is not None) == layered
    slopes = limited(found)
    expected = np.stack([-slopes[:, 0], -slopes[:, 1], np.ones(len(slopes))], axis=1)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.abs(slopes).max() > 0.2
    # exclude pixels near the diagonal, which may belong to either triangle
    rows, columns = np.divmod(np.arange(len(slopes)), 64)
    inside = np.abs(rows - columns) > 1
    # the tolerance is for normals with 8 bits, and amplitudes and covectors with 16 bits
    np.testing.assert_allclose(normals[inside], expected[inside], atol=0.02)


def test_exact_the_function_of_node_materials_is_valid(build: ModuleType) -> None:
    """Compile the function as WGSL without a device.

    In the other tests, Chromium compiles it only with a WebGPU device.
    """
    wgpu = pytest.importorskip("wgpu", reason="validates WGSL: pip install wgpu")
    try:
        device = wgpu.gpu.request_adapter_sync().request_device_sync()
    except RuntimeError:
        pytest.skip("no device for WebGPU")
    text = "\n".join(build.node_shaders()["node_wgsl"].values())
    device.create_shader_module(code=text)
    with pytest.raises(wgpu.GPUError):
        device.create_shader_module(code=text.replace("raised_normal(", "unknown_normal(", 1))
