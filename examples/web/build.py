"""Build the page: the core by Emscripten, shaders, samples and program in one HTML file.

python examples/web/build.py -o build/web

Needs Emscripten (Debian: apt install emscripten), CMake, Eigen and the package ruckle.
"""

from __future__ import annotations

import argparse
import base64
import importlib.util
import json
import os
import re
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.io.samples import bone_matrices_of, stored_sample
from ruckle.scene.programs import VERSION, shader_folder, shader_source

HERE = Path(__file__).resolve().parent

# In the order in which they import each other.
MODULES = ("core", "contents", "camera", "shadow", "picture", "page")

# WebGL 2; samplers would be of low precision otherwise.
VERSION_FOR_WEB = "\n".join(
    ["#version 300 es", *(f"precision highp {kind};" for kind in ("float", "int", "sampler2D", "usampler2D"))]
)


def build_core(folder: Path) -> bytes:
    """Return the core as WebAssembly, compiled in this folder."""
    # Debian's Emscripten finds its JavaScript modules there
    environment = {"NODE_PATH": "/usr/share/nodejs", **os.environ}
    configure: list[str | Path] = [
        "emcmake",
        "cmake",
        "-S",
        HERE,
        "-B",
        folder,
        "-DCMAKE_BUILD_TYPE=Release",
        "-Wno-dev",
    ]
    eigen = _eigen()
    if eigen:
        configure.append(f"-DEigen3_DIR={eigen}")
    # a number, because make starts all jobs at once without one
    jobs = str(os.cpu_count() or 1)
    compile_core: list[str | Path] = ["cmake", "--build", folder, "--target", "ruckle_web", "--parallel", jobs]
    for command in (configure, compile_core):
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (folder / "ruckle_web.wasm").read_bytes()


def moving(values: NDArray[Any]) -> dict[str, Any]:
    """Return numbers of all frames (F, ...) as whole steps, whose second differences over frames compress well."""
    low, step, steps = quantised(values)
    flat = steps.reshape(len(steps), -1)
    for _ in range(2):
        flat = np.concatenate([flat[:1], np.diff(flat, axis=0)])
    return {"steps": packed(flat), "count": flat.shape[1], "low": float(low), "step": float(step)}


def quantised(values: NDArray[Any]) -> tuple[np.float32, np.float32, NDArray[np.uint16]]:
    """Return the least value, the step, and the steps of each value above the least: 0.03 mm for samples."""
    low = np.float32(values.min())
    step = np.float32((values.max() - low) / 65534)
    return low, step, np.round((values - low) / step).astype(np.uint16)


def restored(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return the numbers that the page unpacks from `moving`, to the bit."""
    low, step, steps = quantised(values)
    result: NDArray[np.float32] = low + step * steps.astype(np.float32)
    return result


def packed(array: NDArray[Any]) -> str:
    """Return the bytes of an array, deflated, as base64."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 9)).decode()


def pack_samples() -> dict[str, Any]:
    """Return every sample with the motion of its wearer, and the figures of the samples."""
    samples, figures = {}, {}
    with stored_sample("wearer") as wearer:
        for name in ruckle.samples():
            animation = ruckle.sample(name)
            figure = str(wearer[f"{name}_figure"])
            bones = bone_matrices_of(
                wearer["joints"], wearer["parents"], wearer[f"{name}_turns"], wearer[f"{name}_hips"]
            )
            samples[name] = {
                "faces": packed(animation.faces.astype(np.uint16)),
                "positions": moving(animation.positions),
                "fps": animation.fps,
                "height": animation.height,
                "frames": len(animation.positions),
                "figure": figure,
                "body_faces": packed(wearer[f"{name}_faces"]),
                "matrices": moving(bones),
            }
            joints, weights = _four_joints(wearer[f"{figure}_joint_indices"], wearer[f"{figure}_joint_weights"])
            figures[figure] = {
                "positions": packed(wearer[f"{figure}_positions"].astype(np.float32)),
                "joints": packed(joints),
                "weights": packed(weights),
                "joint_count": len(wearer["joints"]),
            }
    return {"samples": samples, "figures": figures}


def _four_joints(
    joints: NDArray[np.uint8], weights: NDArray[np.uint16]
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return the four joints that move each vertex most, since shaders take four, with weights that sum to 65535."""
    most = np.argsort(weights, axis=1)[:, ::-1][:, :4]
    kept = np.take_along_axis(weights, most, axis=1).astype(np.float64)
    shares = np.round(65535 * kept / kept.sum(axis=1, keepdims=True)).astype(np.uint16)
    return np.take_along_axis(joints, most, axis=1), shares


def pack_shaders() -> dict[str, str]:
    """Return the sources of the page's shaders, with their includes, for WebGL 2."""
    files = {"cloth": HERE / "cloth.vert", "body": HERE / "body.vert", "picture": shader_folder() / "picture.vert"}
    files.update({name: shader_folder() / f"{name}.frag" for name in ("shaded", "shadow", "soften")})
    sources = {name: shader_source(path)[0] for name, path in files.items()}
    for name, text in sources.items():
        # WebGL does not have `precise`, and drivers choose the rounding
        text = text.replace(VERSION, VERSION_FOR_WEB).replace("precise ", "")
        # a triangle may cover a pixel but not its center: at outlines, normals at the center are then far off
        sources[name] = re.sub(r"^(in|out) (?=float|vec2|vec3|mat3)", r"centroid \1 ", text, flags=re.MULTILINE)
    return sources


def program() -> str:
    """Return the page's modules as one."""
    text = "\n".join((HERE / f"{name}.mjs").read_text(encoding="utf-8") for name in MODULES)
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)


def write_page(path: Path, core: bytes) -> None:
    """Write the page around a compiled core."""
    contents = {"core": base64.b64encode(core).decode(), "shaders": pack_shaders(), **pack_samples()}
    page = (HERE / "page.html").read_text(encoding="utf-8")
    # "<" could end the script element that contains them
    page = page.replace("{{contents}}", json.dumps(contents).replace("<", "\\u003c"))
    path.write_text(page.replace("{{program}}", program()), encoding="utf-8")


def _eigen() -> str:
    """Return the folder of Eigen from the package index; empty to use the system's."""
    found = importlib.util.find_spec("cmeel")
    if found is None or found.origin is None:
        return ""
    return str(Path(found.origin).parents[1] / "cmeel.prefix" / "share" / "eigen3" / "cmake")


def main() -> None:
    """Build the page in the folder of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("build/web"), help="folder of the page")
    folder: Path = parser.parse_args().output
    core = build_core(folder)
    write_page(folder / "ruckle.html", core)
    size = (folder / "ruckle.html").stat().st_size
    print(f"{folder / 'ruckle.html'}: {size / 1e6:.1f} MB, of which the core {len(core) / 1e6:.1f}")


if __name__ == "__main__":
    main()
