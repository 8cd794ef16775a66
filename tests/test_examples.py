"""The Python examples run and print the promised results. The C and C++ examples are tests of ctest."""

import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import ruckle
from drawing import need_opengl
from program import PATIENCE, swinging

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name: str, *arguments: str, folder: Path | None = None) -> str:
    """Run a script with its arguments, and return its output. Assert that it ends without errors and warnings."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


def test_exact_label_costs_draws_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "costs.png"
    printed = run("label_costs.py", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    shares = [float(share) for share in re.findall(r"([\d.]+)% of the square", printed)]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    # as much cloth is compressed as stretched; only a small part is labelled rest
    assert shares[0] == pytest.approx(shares[2], abs=1.5)
    assert 0 < shares[1] < 10


def test_exact_the_c_example_contains_the_first_frames_of_a_sample() -> None:
    pair = ruckle.load(EXAMPLES / "c" / "sawing.pc2", fps=24)
    original = ruckle.sample("sawing").at_rate(24)
    np.testing.assert_array_equal(pair.positions, original.positions[:30])
    np.testing.assert_array_equal(pair.faces, original.faces)


def test_exact_own_costs_compares_methods() -> None:
    printed = run("own_costs.py")
    for block in re.split(r"^(?=\S)", printed, flags=re.MULTILINE)[1:]:
        energies = {m[0]: float(m[1]) for m in re.findall(r"(\w+) +energy +([-\d.]+)", block)}
        assert energies.keys() >= {"swap", "independent"}
        if "exact" in energies:
            assert energies["exact"] <= min(energies.values()) + 1e-3
    assert 'use method="expansion"' in printed
    assert "not a metric" in printed


def run_smaller(name: str, folder: Path, changes: dict[str, str]) -> Path:
    """Run an example after replacing text, such as large numbers by smaller ones. Return the path of its picture."""
    need_opengl()
    code = (EXAMPLES / name).read_text(encoding="utf-8")
    for large, small in changes.items():
        assert large in code
        code = code.replace(large, small)
    (folder / name).write_text(code, encoding="utf-8")
    run(str(folder / name), str(folder / "a.png"))
    return folder / "a.png"


def test_exact_parameters_draws_a_sheet(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    picture = np.asarray(image.open(run_smaller("parameters.py", tmp_path, {"Renderer(640, 640)": "Renderer(32, 32)"})))
    # nine pictures with axes; white paper would have a standard deviation of 0
    assert picture.shape == (1089, 1056, 4)
    assert picture[..., :3].std() > 20


def test_exact_patterns_draws_layers_beside_each_other(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    smaller = {
        "Renderer(400, 500)": "Renderer(160, 200)",
        '"2.5%"': '"6%"',
        "0.025 *": "0.06 *",
        ', "shoveling:104", "fist_pumping:76"': "",
    }
    picture = np.asarray(image.open(run_smaller("patterns.py", tmp_path, smaller))).astype(int)
    for one, other in combinations(np.split(picture, 4, axis=1), 2):
        assert (np.abs(one - other).max(axis=2) > 8).mean() > 0.01


def test_property_cloth_hangs_differently_by_material(tmp_path: Path) -> None:
    need_opengl()
    image = pytest.importorskip("PIL.Image")
    smaller = {"SPACING = 0.02": "SPACING = 0.06", "SECONDS = 2.0": "SECONDS = 0.5", "396, 440": "99, 110"}
    picture = np.asarray(image.open(run_smaller("cloth.py", tmp_path, smaller))).astype(int)
    for one, other in combinations(np.split(picture, 4, axis=1), 2):
        assert (np.abs(one - other).max(axis=2) > 8).mean() > 0.01


def test_exact_poses_draws_coarse_cloth_over_examples(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    smaller = {
        "ROWS = 60, 92": "ROWS = 16, 24",
        "range(0, 61, 12)": "range(0, 13, 12)",
        "(6, 30, 54)": "(6,)",
        "520, 420": "130, 105",
    }
    picture = np.asarray(image.open(run_smaller("poses.py", tmp_path, smaller))).astype(int)
    coarse, fine = np.split(picture, 2, axis=0)
    assert (np.abs(coarse - fine).max(axis=2) > 8).mean() > 0.02


def test_exact_contact_sheet_has_a_row_for_each_file_and_sample(tmp_path: Path) -> None:
    swinging().save(tmp_path / "swinging.npz")
    arguments = ["swinging.npz", "jumping_jack", "--tau", "1.3", "--count", "2", "--back"]
    printed = run("contact_sheet.py", *arguments, folder=tmp_path).splitlines()
    assert [line.partition(":")[0] for line in printed] == ["swinging", "jumping_jack", "out/contact_sheet.png"]
    assert (tmp_path / "out" / "contact_sheet.png").read_bytes().startswith(b"\x89PNG")


def test_exact_render_sheet_draws_garments_beside_each_other(tmp_path: Path) -> None:
    need_opengl()
    image = pytest.importorskip("PIL.Image")
    swinging().save(tmp_path / "swinging.npz")
    np.savez(tmp_path / "body.npz", faces=np.zeros((1, 3), int))
    arguments = ["swinging.npz", "jumping_jack", "body.npz", "--tau", "1.3", "--pane", "64", "-o", "a.png"]
    printed = run("render_sheet.py", *arguments, folder=tmp_path).splitlines()
    assert [line.partition(":")[0] for line in printed] == ["swinging", "jumping jack", "left out", "a.png"]
    sheet = np.asarray(image.open(tmp_path / "a.png")).astype(int)
    # the image shows two garments, with three pictures of each garment
    assert sheet.shape[1] > max(sheet.shape[0], 6 * 64)
    colors = [len(np.unique(sheet[:, k : k + 64].reshape(-1, 3), axis=0)) for k in (14, 14 + 64, 28 + 3 * 64)]
    assert min(colors) > 10


def test_exact_pictures_draws_only_named_pictures(tmp_path: Path) -> None:
    need_opengl()
    smaller = {"--size 480x640": "--size 60x80"}
    code = (EXAMPLES / "pictures.py").read_text(encoding="utf-8")
    for large, small in smaller.items():
        assert large in code
        code = code.replace(large, small)
    (tmp_path / "pictures.py").write_text(code, encoding="utf-8")
    printed = run(str(tmp_path / "pictures.py"), "looks/wool", "--into", str(tmp_path)).splitlines()
    assert printed == [str(tmp_path / "looks" / "wool.png")]
    assert (tmp_path / "looks" / "wool.png").read_bytes().startswith(b"\x89PNG")
