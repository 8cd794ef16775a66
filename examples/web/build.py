"""Build for browsers: the core with Emscripten, the npm package `ruckle`, the page, and the notebook view.

python examples/web/build.py -o build/web

Requires Emscripten and Node (Debian: apt install emscripten nodejs npm), CMake, Eigen and the Python package ruckle.
`npm ci` in this folder downloads three.js and other libraries. Without these libraries only the core is built.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ruckle
from ruckle.io import gltf_cloth, masks
from ruckle.io.samples import (
    PART_COLORS,
    bone_matrices_of,
    figure_faces,
    figure_positions,
    figure_weights,
    stored_sample,
    visible_faces,
)
from ruckle.mesh import animation as meshes, rig_shape, rigid_parts, roles
from ruckle.mesh.colors import FaceColors
from ruckle.scene.programs import shader_folder
from ruckle.view.packing import deflated, moving, tinted_faces

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"

INCLUDE = re.compile(r'^#include "([^"]+)"$')

# Decoders of Draco and KTX2, which the loaders of three.js fetch by file name.
DECODERS = (
    "draco/gltf/draco_wasm_wrapper.js",
    "draco/gltf/draco_decoder.wasm",
    "basis/basis_transcoder.js",
    "basis/basis_transcoder.wasm",
)

# Options of the TypeScript compiler for JavaScript modules with types in comments.
TYPE_OPTIONS: dict[str, Any] = {
    "allowJs": True,
    "checkJs": True,
    "strict": True,
    "skipLibCheck": True,
    "declaration": True,
    "emitDeclarationOnly": True,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2023", "dom", "dom.iterable"],
    "rootDir": ".",
    "outDir": ".",
    "types": [],
}

# Content security policy of the page: its own script, WebAssembly and workers are allowed, requests to servers are not.
# 'unsafe-eval' is for the transcoder of KTX2 textures, which makes functions from strings.
POLICY = (
    "default-src 'none'; script-src {hash} 'unsafe-eval' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "connect-src blob: data:; img-src blob: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)


def build_core(folder: Path) -> bytes:
    """Compile the core in a build folder, and return the WebAssembly module."""
    # NODE_PATH: location of the JavaScript modules of Debian's Emscripten
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
    # the number of jobs is explicit, because otherwise make starts all jobs at once
    jobs = str(os.cpu_count() or 1)
    compile_core: list[str | Path] = ["cmake", "--build", folder, "--target", "ruckle_web", "--parallel", jobs]
    for command in (configure, compile_core):
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (folder / "ruckle_web.wasm").read_bytes()


def as_text(packed: Any) -> Any:
    """Return nested dictionaries with bytes replaced by base64 text, for JSON."""
    if isinstance(packed, dict):
        return {name: as_text(value) for name, value in packed.items()}
    return base64.b64encode(packed).decode() if isinstance(packed, bytes) else packed


def pack_samples() -> dict[str, Any]:
    """Return the packaged samples with the motion of their wearer, and the mesh of the wearer."""
    samples, figures = {}, {}
    with stored_sample("wearer") as wearer:
        body_faces, shades = figure_faces(wearer), np.array(PART_COLORS, np.float32)[wearer["parts"]]
        joints, weights = _four_joints(wearer["joint_indices"], figure_weights(wearer))
        figures["figure"] = {
            "positions": deflated(figure_positions(wearer)),
            "joints": deflated(joints),
            "weights": deflated(weights),
            "joint_count": len(wearer["joints"]),
        }
        for name in ruckle.samples():
            animation = ruckle.sample(name)
            bones = bone_matrices_of(
                wearer["joints"], wearer["parents"], wearer[f"{name}_turns"], wearer[f"{name}_hips"]
            )
            visible = visible_faces(wearer, name)
            colors = replace(FaceColors.plain(visible.sum()), corners=np.repeat(shades[visible][:, None], 3, axis=1))
            samples[name] = {
                "faces": deflated(animation.faces.astype(np.uint16)),
                "positions": moving(animation.positions),
                "fps": animation.fps,
                "height": animation.height,
                "frames": len(animation.positions),
                "figure": "figure",
                "body": tinted_faces(body_faces[visible], colors),
                "matrices": moving(bones),
            }
    return as_text({"samples": samples, "figures": figures})  # type: ignore[no-any-return]


def _four_joints(
    joints: NDArray[np.uint8], weights: NDArray[np.float32]
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """Return the four joints with the largest weights per vertex, as shaders expect; the weights sum to 65535."""
    most = np.argsort(weights, axis=1)[:, ::-1][:, :4]
    kept = np.take_along_axis(weights, most, axis=1).astype(np.float64)
    shares = np.round(65535 * kept / kept.sum(axis=1, keepdims=True)).astype(np.uint16)
    return np.take_along_axis(joints, most, axis=1), shares


def shaders() -> dict[str, str]:
    """Return the GLSL code that the kit adds to shaders of three.js, with its includes."""
    return {name: "\n".join(_included(HERE / "kit" / f"{name}.glsl", set())) for name in ("vertex", "fragment")}


def node_shaders() -> dict[str, dict[str, str]]:
    """Return the function that node materials call and its includes, in GLSL and in WGSL."""
    path = HERE.parents[1] / "shaders" / "engines" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    assert spec is not None
    assert spec.loader is not None
    engines = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(engines)
    own = engines.sources({"height_limit.glsl": ("slope_over", "within_room")})
    own += engines.Reader((HERE / "kit" / "node_normal.glsl").read_text(encoding="utf-8")).declarations()
    result = {}
    for name, language in (("node_glsl", engines.Glsl), ("node_wgsl", engines.Wgsl)):
        writer = language([*engines.sources(), *own])
        *includes, main = map(writer.declaration, writer.declarations)
        result[name] = {"includes": "\n".join(includes), "main": main}
    return result


def _included(path: Path, done: set[Path]) -> Iterator[str]:
    """Yield the lines of a shader. Each include is inserted only once."""
    done.add(path)
    # WebGL does not have the qualifier `precise`
    for line in path.read_text(encoding="utf-8").splitlines():
        found = INCLUDE.match(line)
        if not found:
            yield line.replace("precise ", "")
        elif (included := shader_folder() / found[1]) not in done:
            yield from _included(included, done)


def role_words() -> str:
    """Return a JavaScript module with the word lists of `ruckle.mesh.roles`, which find the cloth of a character."""
    lines = ["// The words of python/ruckle/mesh/roles.py, by build.py."]
    tables = {name: getattr(roles, name) for name in ("ROLES", "CREATURES", "LATIN_WORDS", "OTHER_PARTS")}
    for name, words in tables.items():
        table = {role: sorted(words[role].split()) for role in words}
        lines += ["/** @type {Record<string, string[]>} */", f"export const {name} = {json.dumps(table)};"]
    lists = {
        "VENDORS": list(roles.VENDORS),
        "FALSE_ENDS": sorted(roles.FALSE_ENDS),
        "ARMOURED": sorted(roles.ARMOURED),
        "BONE_ROLES": list(roles.BONE_ROLES),
    }
    lines += ["/** @type {Record<string, any>} */", f"export const RULES = {json.dumps(rules())};"]
    lines += [f"/** @type {{Record<string, string>}} */\nexport const BONE_WORDS = {json.dumps(roles.BONE_WORDS)};"]
    lines += [f"export const {name} = {json.dumps(value)};" for name, value in lists.items()]
    return "\n".join([*lines, f"export const LONG_WORD = {roles.LONG_WORD};", ""])


def rules() -> dict[str, Any]:
    """Return the limits and short word lists by which the Python package finds cloth, for the kit."""
    numbers = {
        rig_shape: (
            *("CHEST", "ANKLE", "MIDDLE", "HAND", "UNEVEN"),
            *("LEAST_FINGERS", "LEAST_SIDE", "LEAST_JOINTS", "LEAST_LEAVES"),
        ),
        rigid_parts: ("RIGID", "LEAST_SHARE", "LEAST_BONES", "WHOLE", "SMALL"),
        gltf_cloth: ("METAL", "COVERS_LIMBS", "ALONE"),
        meshes: ("FLAT", "LYING"),
        masks: ("STIFF_FROM", "STIFF_TO", "WHOLE_BODY", "BARE", "BOTH"),
    }
    words = {"TORSO": roles.TORSO, "LIMBS": roles.LIMBS, "BODY_ROLES": roles.BODY_ROLES}
    found = {name: getattr(module, name) for module, names in numbers.items() for name in names}
    return found | {name: sorted(words[name]) for name in words}


def write_kit(folder: Path, core: bytes) -> None:
    """Write the npm package: modules, the core as a file, and a module that contains the core and the worker."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "kit", folder, ignore=shutil.ignore_patterns("*.glsl", "tsconfig.json"))
    (folder / "ruckle.wasm").write_bytes(core)
    (folder / "role_words.mjs").write_text(role_words(), encoding="utf-8")
    texts = [
        f"export const {name.upper()} = {json.dumps(text)};" for name, text in {**shaders(), **node_shaders()}.items()
    ]
    (folder / "shaders.mjs").write_text("\n".join(["// By build.py.", *texts, ""]), encoding="utf-8")
    shutil.copy(HERE.parents[1] / "LICENSE", folder)
    about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    about["version"] = ruckle.__version__
    (folder / "package.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    # links the installed libraries that the modules import
    link = folder.parent / "node_modules"
    if link.is_symlink() or not link.exists():
        link.unlink(missing_ok=True)
        link.symlink_to(MODULES)
    worker = _bundled(folder / "worker.mjs", "--format=iife")
    (folder / "worker.mjs").unlink()
    text = (
        "// By build.py: the core, deflated, and its worker.\n"
        f'export const WASM = "{base64.b64encode(zlib.compress(core, 9)).decode()}";\n'
        f"export const WORKER = {json.dumps(worker)};\n"
    )
    (folder / "binaries.mjs").write_text(text, encoding="utf-8")


def write_types(folder: Path) -> None:
    """Check the types of kit, page and view, and write the type declarations of the kit for TypeScript."""
    for program in ("page", "notebook"):
        shutil.copytree(HERE / program, folder.parent / program, dirs_exist_ok=True)
    # maps the import "ruckle" of page and view to the kit
    options = TYPE_OPTIONS | {"paths": {"ruckle": [f"./{folder.name}/index.mjs"]}}
    include = [f"{folder.name}/*.mjs", "page/*.mjs", "notebook/*"]
    config = folder.parent / "tsconfig.json"
    config.write_text(json.dumps({"compilerOptions": options, "include": include, "exclude": []}))
    # the compiler would read declarations of an earlier build instead of the modules
    for old in folder.parent.glob("*/*.d.mts"):
        old.unlink()
    done = subprocess.run([MODULES / ".bin" / "tsc", "-p", config], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout)
    for unneeded in ("binaries", "shaders", "role_words"):
        (folder / f"{unneeded}.d.mts").unlink(missing_ok=True)


def pack_kit(folder: Path) -> Path:
    """Pack the npm package, and return the path of the archive for `npm install`."""
    command = ["npm", "pack", "--silent", "--pack-destination", folder.parent.resolve()]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return folder.parent / done.stdout.split()[-1]


def _bundled(module: Path, *options: str) -> str:
    """Bundle a module and its imports into one script, and return the text."""
    command = [MODULES / ".bin" / "esbuild", module, "--bundle", "--minify", "--log-level=warning", *options]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def write_page(path: Path, kit: Path) -> None:
    """Write the page as one file that contains the kit, the samples and the decoders."""
    libraries = MODULES / "three" / "examples" / "jsm" / "libs"
    decoders = {Path(name).name: base64.b64encode((libraries / name).read_bytes()).decode() for name in DECODERS}
    alias = f"--alias:ruckle={kit.resolve() / 'index.mjs'}"
    script = _bundled(HERE / "page" / "page.mjs", "--format=esm", alias).replace("</script", "<\\/script")
    # "<" could end the script element that contains this text
    contents = json.dumps({"decoders": decoders, **pack_samples()}).replace("<", "\\u003c")
    program = f"\n{script}\n"
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    parts = {
        "policy": POLICY.format(hash=f"'sha256-{digest}'"),
        "style": (HERE / "page" / "page.css").read_text(encoding="utf-8"),
        "contents": contents,
        "program": script,
    }
    page = (HERE / "page" / "page.html").read_text(encoding="utf-8")
    path.write_text(re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page), encoding="utf-8")


def write_widget(path: Path, kit: Path) -> None:
    """Write the notebook view as one module that contains the kit and three.js."""
    alias = f"--alias:ruckle={kit.resolve() / 'index.mjs'}"
    text = _bundled(HERE / "notebook" / "widget.mjs", "--format=esm", "--loader:.css=text", alias)
    path.write_text(text, encoding="utf-8")


def build(folder: Path) -> None:
    """Build the core, the package and the page in a folder."""
    core = build_core(folder)
    if not MODULES.is_dir():
        print(f"built the core alone: `npm ci` in {HERE} fetches what the package and the page need")
        return
    kit = folder / "kit"
    write_kit(kit, core)
    write_types(kit)
    page, widget = folder / "ruckle.html", folder / "widget.js"
    write_page(page, kit)
    write_widget(widget, kit)
    # wheels include the view from this folder; the copy is for the running package
    shutil.copy(widget, Path(ruckle.__file__).parent / "view")
    for made in (pack_kit(kit), page, widget):
        print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


def _eigen() -> str:
    """Return the CMake folder of Eigen if it was installed as a Python package, otherwise an empty string."""
    found = importlib.util.find_spec("cmeel")
    if found is None or found.origin is None:
        return ""
    return str(Path(found.origin).parents[1] / "cmeel.prefix" / "share" / "eigen3" / "cmake")


def main() -> None:
    """Build into the folder that is given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("build/web"), help="folder of the results")
    build(parser.parse_args().output)


if __name__ == "__main__":
    main()
