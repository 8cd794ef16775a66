"""Normals of waves in the shading languages of engines: up to date, compilable, and equal to the normals of the CPU."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawing import need_opengl
from program import PATIENCE
from ruckle import WaveField
from wave_cloth import anywhere, cylinder, swinging

FOLDER = Path(__file__).parents[1] / "shaders" / "engines"

_SPEC = importlib.util.spec_from_file_location("generate_engine_shaders", FOLDER / "generate.py")
assert _SPEC is not None
assert _SPEC.loader is not None
generate: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generate)

# text after the generated function in each language: inputs, and a main function that calls it
GLSL_MAIN = """
uniform vec4 profile;
in vec3 b;
flat in vec3 w[3], a[3], r[3], n[3];
out vec4 color;
void main() {
    WaveCorner corners[3];
    for (int v = 0; v < 3; ++v) { corners[v] = WaveCorner(w[v], a[v].x, a[v].yz); }
    color = vec4(wave_normal(corners, r, n, b, vec3(0.0, 0.0, 1.0), profile), 1.0);
}
"""
HLSL_MAIN = """
cbuffer Waves { float4 profile; float3 w[3]; float3 a[3]; float3 r[3]; float3 n[3]; };
float4 main(float3 b : TEXCOORD0) : SV_Target {
    WaveCorner corners[3];
    for (int v = 0; v < 3; ++v) { corners[v] = make_WaveCorner(w[v], a[v].x, a[v].yz); }
    return float4(wave_normal(corners, r, n, b, float3(0.0, 0.0, 1.0), profile), 1.0);
}
"""
WGSL_MAIN = """
@group(0) @binding(0) var<uniform> profile: vec4f;
@group(0) @binding(1) var<storage, read> waves: array<WaveCorner, 3>;
@group(0) @binding(2) var<storage, read> places: array<vec3f, 6>;
@fragment fn main(@location(0) b: vec3f) -> @location(0) vec4f {
    let rest = array<vec3f, 3>(places[0], places[1], places[2]);
    let now = array<vec3f, 3>(places[3], places[4], places[5]);
    return vec4f(wave_normal(waves, rest, now, b, vec3f(0.0, 0.0, 1.0), profile), 1.0);
}
"""


def text_of(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf-8")


def compiled(folder: Path, name: str, text: str, *command: str) -> None:
    path = folder / name
    path.write_text(text)
    ended = subprocess.run(
        [*command, str(path)], capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=folder
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def test_exact_files_are_those_of_the_sources() -> None:
    for file, text in generate.generated().items():
        assert text_of(file) == text, f"{file}: run python3 shaders/engines/generate.py"


def test_exact_glsl_compiles(tmp_path: Path) -> None:
    need("glslangValidator")
    compiled(tmp_path, "a.frag", "#version 330 core\n" + text_of("wave_normal.glsl") + GLSL_MAIN, "glslangValidator")
    es = "#version 310 es\nprecision highp float;\n" + text_of("wave_normal.es.glsl") + GLSL_MAIN
    # GLSL ES 3.10 does not allow arrays between shader stages
    es = es.replace("flat in vec3 w[3], a[3], r[3], n[3];", "uniform vec3 w[3], a[3], r[3], n[3];")
    compiled(tmp_path, "b.frag", es.replace("in vec3 b", "in highp vec3 b"), "glslangValidator")


def test_exact_godot_functions_are_glsl(tmp_path: Path) -> None:
    # Only Godot's editor contains its compiler. The language has the same functions and structs as GLSL ES, so that
    # glslang can check the file.
    need("glslangValidator")
    text = text_of("wave_normal.gdshaderinc")
    compiled(tmp_path, "a.frag", "#version 330 core\n" + text + GLSL_MAIN, "glslangValidator")
    assert not re.search(r"\b(uniform|precise|mat\dx\d)\b", re.sub("//.*", "", text))


def test_exact_hlsl_compiles(tmp_path: Path) -> None:
    need("glslangValidator")
    text = text_of("wave_normal.hlsl") + HLSL_MAIN
    compiled(tmp_path, "a.hlsl", text, "glslangValidator", "-D", "-V", "-S", "frag", "-e", "main", "-o", "a.spv")


@pytest.mark.parametrize("command", ["naga", "tint --format wgsl"])
def test_exact_wgsl_compiles(command: str, tmp_path: Path) -> None:
    program, *options = command.split()
    need(program)
    compiled(tmp_path, "a.wgsl", text_of("wave_normal.wgsl") + WGSL_MAIN, program, *options)


def test_property_shader_normals_are_those_of_the_cpu() -> None:
    need_opengl()
    import moderngl

    cloth = cylinder(9, 8)
    rest = cloth.positions.astype(np.float32)
    field = WaveField(cloth.topology, rest)
    for number in range(8):
        frame = field.step(swinging(cloth, number / 10).astype(np.float32))
    faces, weights = anywhere(cloth, 400)
    _, gradients = frame.heights(faces, weights)
    normals = np.tile(np.array([0.6, 0.0, 0.8], np.float32), (len(faces), 1))
    flat = gradients - (gradients * normals).sum(axis=1, keepdims=True) * normals
    expected = (normals - flat) / np.linalg.norm(normals - flat, axis=1, keepdims=True)
    corners = cloth.topology.faces[faces]
    vertices = frame.vertices[corners]
    inputs = {"b": weights, "m": normals}
    for k in range(3):
        inputs |= {f"w{k}": vertices[:, k, :3], f"r{k}": rest[corners[:, k]], f"n{k}": frame.positions[corners[:, k]]}
        inputs[f"a{k}"] = np.concatenate([vertices[:, k, 5:], vertices[:, k, 3:5]], axis=1)
    declared = "\n".join(f"in vec3 {name};" for name in inputs)
    of_corners = "\n".join(
        f"corners[{k}] = WaveCorner(w{k}, a{k}.x, a{k}.yz); rest[{k}] = r{k}; now[{k}] = n{k};" for k in range(3)
    )
    source = (
        f"#version 330 core\n{text_of('wave_normal.glsl')}\nuniform vec4 profile;\n{declared}\nout vec3 found;\n"
        f"void main() {{ WaveCorner corners[3]; vec3 rest[3], now[3]; {of_corners}\n"
        "found = wave_normal(corners, rest, now, b, m, profile); gl_Position = vec4(0.0); }\n"
    )
    context = moderngl.create_context(standalone=True, backend="egl")
    try:
        # OpenGL captures shader outputs only if a framebuffer is bound
        context.simple_framebuffer((4, 4)).use()
        program = context.program(vertex_shader=source, varyings=["found"])
        program["profile"] = field.wave_heights.profile
        content = [
            (context.buffer(np.ascontiguousarray(values, np.float32)), "3f", name) for name, values in inputs.items()
        ]
        result = context.buffer(reserve=12 * len(faces))
        context.vertex_array(program, content).transform(result, moderngl.POINTS)
        found = np.frombuffer(result.read(), np.float32).reshape(-1, 3)
    finally:
        context.release()
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert np.abs(found - normals).max() > 0.05
