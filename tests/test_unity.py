"""The C# code of the Unity package, compiled and run by Mono: garments are equal to Python's bit by bit."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ruckle
from c_library import LIBRARY
from program import PATIENCE
from ruckle import WaveField
from ruckle.c_structures import structures
from wave_cloth import cylinder, swinging

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "examples" / "unity" / "Runtime" / "RuckleNative.cs"
CLOTH = cylinder(9, 8)
FRAMES = 6

PROGRAM = """
using System; using System.IO; using System.Linq; using Ruckle;
class Program {
    static float[] Floats(string path) { var bytes = File.ReadAllBytes(path); var f = new float[bytes.Length / 4];
        Buffer.BlockCopy(bytes, 0, f, 0, bytes.Length); return f; }
    static void Main(string[] a) {
        var rest = Floats(a[0] + "/rest"); var bytes = File.ReadAllBytes(a[0] + "/faces");
        var faces = new int[bytes.Length / 4]; Buffer.BlockCopy(bytes, 0, faces, 0, bytes.Length);
        using (var garment = new Garment(rest, faces, Garment.DefaultOptions(2f))) {
            var waves = new float[6 * garment.VertexCount]; var strains = new float[8 * garment.VertexCount];
            for (var i = 0; i < @FRAMES@; ++i) garment.Step(Floats(a[0] + "/frame" + i), 1f / 30f);
            garment.WriteWaves(waves); garment.WriteStrains(strains);
            float[] profile; garment.RestTexels(out profile);
            var all = waves.Concat(strains).Concat(profile).ToArray();
            var result = new byte[4 * all.Length]; Buffer.BlockCopy(all, 0, result, 0, result.Length);
            File.WriteAllBytes(a[0] + "/result", result);
            try { garment.Step(rest, -1f); }
            catch (InvalidOperationException error) { Console.WriteLine(error.Message); }
            try { garment.Step(new float[3], 1f); }
            catch (ArgumentException error) { Console.WriteLine(error.Message); }
        }
    }
}
"""


def test_exact_options_are_those_of_the_library() -> None:
    struct = re.search(r"struct WaveOptions\s*\{(.*?)\}", SOURCE.read_text(), re.S)
    assert struct is not None
    declared = [name for line in re.findall(r"public \w+ (.*?);", struct[1]) for name in line.split(", ")]
    assert declared == [name for name, _ in structures(LIBRARY)["ruckle_wave_options"]._fields_]


def test_exact_a_garment_in_csharp_gives_the_bits_of_python(tmp_path: Path) -> None:
    if shutil.which("mcs") is None or shutil.which("mono") is None:
        pytest.skip("mcs and mono are not installed (Debian: mono-mcs)")
    # omit the extension module, which only Python can load, and libraries that were built with sanitizers
    built_libraries = sorted(ROOT.glob("build/[dr]*/libruckle_c.so"), key=lambda path: path.stat().st_mtime)
    if not built_libraries:
        pytest.skip("the C library is not built (make core)")
    rest = np.ascontiguousarray(CLOTH.positions, np.float32)
    frames = [np.ascontiguousarray(swinging(CLOTH, number / 10), np.float32) for number in range(FRAMES)]
    (tmp_path / "rest").write_bytes(rest.tobytes())
    (tmp_path / "faces").write_bytes(np.ascontiguousarray(CLOTH.faces, np.int32).tobytes())
    for number, positions in enumerate(frames):
        (tmp_path / f"frame{number}").write_bytes(positions.tobytes())
    (tmp_path / "Program.cs").write_text(PROGRAM.replace("@FRAMES@", str(FRAMES)))
    (tmp_path / "libruckle_c.so").symlink_to(built_libraries[-1])
    command = ["mcs", "-langversion:7", f"-out:{tmp_path}/program.exe", str(SOURCE), str(tmp_path / "Program.cs")]
    built = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert built.returncode == 0, built.stdout + built.stderr
    environment = dict(os.environ, LD_LIBRARY_PATH=str(tmp_path))
    ended = subprocess.run(
        ["mono", str(tmp_path / "program.exe"), str(tmp_path)],
        capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "dt: expected a number of seconds in (0, 1e6], got -1",
        "positions: expected at least 216 numbers, got 3",
    ]
    field = WaveField(CLOTH.topology, rest, r_min=0.01)
    for positions in frames:
        frame = field.step(positions)
    strain = ruckle.vertex_strain(CLOTH.topology, rest, frames[-1])
    found = np.frombuffer((tmp_path / "result").read_bytes(), np.float32)
    count = len(rest)
    np.testing.assert_array_equal(found[: 6 * count].reshape(-1, 6), frame.vertices)
    np.testing.assert_array_equal(found[6 * count : 14 * count].reshape(-1, 8)[:, 3], strain.least)
    np.testing.assert_allclose(found[14 * count :], field.wave_heights.profile, atol=1e-7)
