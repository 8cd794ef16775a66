"""The option --mask in each command, with each kind of term: the right vertices keep their shape."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawing import need_opengl
from program import invoke
from ruckle import load
from skinned_sleeve import COLUMNS, LENGTH, R_MIN, ROWS, sleeve

# coordinates u (around the sleeve) and v (along it) of each vertex, as `sleeve` makes them
U, V = (a.ravel() for a in np.meshgrid(np.arange(COLUMNS + 1) / COLUMNS, np.linspace(0.0, 1.0, ROWS)))
ELBOW = np.clip((LENGTH * V - LENGTH / 2) / 10.0 + 0.5, 0.0, 1.0)
ROW = (ROWS - 1) / 2
# rows of the lower and of the upper material; the middle row belongs to both
LOWER, UPPER = V * (ROWS - 1) <= ROW, V * (ROWS - 1) >= ROW
ONES = np.ones(len(U))
# values of the file, by vertex
STORED = np.where(U < 0.5, 0.0, V)

TERMS = {
    "image": (["half.png"], np.where(V > 0.5, 1.0, 0.0)),
    "image with a plus": (["none +half.png"], np.where(V > 0.5, 1.0, 0.0)),
    "image with a minus": (["all -half.png"], np.where(V > 0.5, 1.0, 0.0)),
    "array": (["stored.npy"], STORED),
    "named array": (["stored.npz"], STORED),
    "bone with a minus": (["-bone:elbow"], 1.0 - np.clip((ELBOW - 0.25) / 0.5, 0.0, 1.0)),
    "bone with a plus": (["+bone:elb*"], ELBOW),
    "material with a minus": (["-material:upper"], 1.0 - UPPER),
    "material with a plus": (["+material:upper"], UPPER & ~LOWER),
    "mesh": (["none", "+mesh:sleeve"], ONES),
    "colour with a minus": (["-#e7bc95"], 1.0 - (LOWER & ~UPPER)),
    "colour with a plus": (["+#e7bc95~2%"], LOWER & ~UPPER),
    "vertex": (["-vertex:0-25"], np.where(np.arange(len(U)) < 26, 0.0, 1.0)),
    "both signs": (["all -bone:elbow +vertex:100-150"], None),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a skinned sleeve and masks for it."""
    pil = pytest.importorskip("PIL.Image")
    path = tmp_path_factory.mktemp("masks")
    sleeve(path / "sleeve.glb", shaded=False)
    # in glTF files, v = 0 is the first row of an image
    rows = np.repeat([[0], [255]], 64, axis=0) * np.ones((1, 8))
    pil.fromarray(np.dstack([rows] * 3).astype(np.uint8)).save(path / "half.png")
    np.save(path / "stored.npy", STORED)
    np.savez(path / "stored.npz", mask=STORED)
    return path


def expected_of(name: str) -> Any:
    if name == "both signs":
        found = TERMS["bone with a minus"][1].copy()
        found[100:151] = 1.0
        return found
    return np.asarray(TERMS[name][1], np.float64)


def options(folder: Path, terms: list[str]) -> list[str]:
    """Return the options --mask; files are in the folder."""
    placed = [" ".join(_placed(folder, word) for word in term.split()) for term in terms]
    return [option for term in placed for option in ("--mask", term)]


def _placed(folder: Path, word: str) -> str:
    sign = word[0] if word[0] in "+-" else ""
    return f"{sign}{folder / word.removeprefix(sign)}" if Path(word).suffix in (".png", ".npy", ".npz") else word


def distances(points: Any, triangles: Any) -> Any:
    """Return the distance of each point (N, 3) from the nearest triangle (T, 3, 3), in float64."""
    a, b, c = triangles.astype(np.float64).transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    a, b, c, normals = a[sizes > 0], b[sizes > 0], c[sizes > 0], normals[sizes > 0] / sizes[sizes > 0, None]
    found = []
    for point in points.astype(np.float64):
        height = ((point - a) * normals).sum(axis=1)
        foot = point - height[:, None] * normals
        inside = np.all(
            [(np.cross(q - p, foot - p) * normals).sum(1) >= -1e-12 for p, q in ((a, b), (b, c), (c, a))], 0
        )
        nearest = np.where(inside, np.abs(height), np.inf).min()
        for p, q in ((a, b), (b, c), (c, a)):
            way = q - p
            t = np.clip(((point - p) * way).sum(1) / (way * way).sum(1), 0.0, 1.0)
            nearest = min(nearest, np.linalg.norm(p + t[:, None] * way - point, axis=1).min())
        found.append(nearest)
    return np.array(found)


@pytest.mark.parametrize("name", TERMS)
def test_exact_terms_mask_the_right_vertices_in_run_and_export(folder: Path, tmp_path: Path, name: str) -> None:
    terms, expected = options(folder, TERMS[name][0]), expected_of(name)
    sources = [str(folder / "sleeve.glb"), *terms, "--animation", "0", "--loop", "no", "--r-min", str(R_MIN)]
    result = invoke("run", *sources, "-o", str(tmp_path / "run.npz"), "--tau", "1.05")
    assert result.exit_code == 0, result.stderr
    with np.load(tmp_path / "run.npz") as run:
        mask = run["mask"] if "mask" in run else np.ones(len(U))
        faces, positions, folds = run["faces"], run["positions"], len(run["wrinkle_points"])
    assert len(mask) == len(expected)
    # an image changes gradually within one of its texels
    sharp = np.abs(V - 0.5) > 0.02 if "image" in name else np.ones(len(V), bool)
    np.testing.assert_allclose(mask[sharp], expected[sharp], atol=1e-5)
    result = invoke("export", *sources, "-o", str(tmp_path / "fine"), "--tau", "1.05", "--frames", "10:11")
    assert result.exit_code == 0, result.stderr
    fine = load(tmp_path / "fine", fps=30)
    triangles = fine.positions[0][fine.faces]
    # a masked triangle is also in the fine mesh; other triangles are curved
    is_masked = (mask[faces] == 0.0).all(axis=1)
    centres = positions[10][faces].mean(axis=1)
    assert distances(centres[is_masked][::5], triangles).max(initial=0.0) < 1e-6
    if (~is_masked).any():
        is_open = (mask[faces] > 0.5).all(axis=1)
        assert folds > 0
        assert distances(centres[is_open][::5], triangles).max() > 1e-3


@pytest.mark.parametrize("kind", ["image", "array", "vertex"])
def test_property_pictures_show_folds_outside_of_the_mask_only(folder: Path, tmp_path: Path, kind: str) -> None:
    need_opengl()
    pil = pytest.importorskip("PIL.Image")
    changed = []
    for start in (0.0, 0.5):
        # the side of the sleeve that faces the camera, and the other side
        wrinkles = (start - 0.01 < U) & (start + 0.51 > U)
        if kind == "vertex":
            mask = " ".join(["none", *(f"+vertex:{number}" for number in np.flatnonzero(wrinkles))])
        elif kind == "array":
            mask = str(tmp_path / "a.npy")
            np.save(mask, wrinkles)
        else:
            mask = str(tmp_path / "a.png")
            columns = np.arange(64) / 64
            white = (columns >= start) & (columns < start + 0.5)
            pil.fromarray(np.tile(255 * white, (4, 1)).astype(np.uint8)).save(mask)
        pictures = []
        for term in (mask, "none"):
            sources = [str(folder / "sleeve.glb"), "--mask", term, "--animation", "0", "--loop", "no"]
            details = ["--tau", "1.05", "--r-min", str(R_MIN), "--frame", "10", "--size", "240x240", "--base", "flat"]
            shown = ["--mode", "height", "--camera", "front", "--detail", "1"]
            result = invoke("render", *sources, *details, *shown, "-o", str(tmp_path / "picture.png"))
            assert result.exit_code == 0, result.stderr
            pictures.append(np.asarray(pil.open(tmp_path / "picture.png")).astype(int))
        changed.append(int((np.abs(pictures[0] - pictures[1]).max(axis=2) > 12).sum()))
    assert changed[0] > 100
    assert changed[1] < 0.1 * changed[0]
