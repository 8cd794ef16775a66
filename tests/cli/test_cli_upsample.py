"""The option `ruckle run --upsample`: the output file contains the fine mesh and the wrinkles."""

from pathlib import Path

import numpy as np
import pytest

import ruckle
from learning import garment, random_model
from program import invoke, refusal, value_of
from ruckle.io.results import load_run

WRINKLES = ("--r-min", "0.1", "--least-aspect", "0")


@pytest.fixture
def coarse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ruckle.Animation:
    """Save an upsampling model, and an animation of its sheet that is compressed along x. Return the animation."""
    monkeypatch.chdir(tmp_path)
    cloth = garment()
    operator = cloth.linear_map.toarray().astype(np.float32)
    random_model(cloth, operator=operator).save("sheet.upsampling.npz", precision="single")
    scales = np.linspace([1.0, 1.0, 1.0], [0.6, 1.0, 1.0], 5)
    pushed = ruckle.Animation(cloth.coarse_rest * scales[:, None], cloth.coarse_faces, fps=24, height=6.0)
    pushed.save("sheet.npz")
    return pushed


def test_exact_runs_hold_the_fine_mesh(coarse: ruckle.Animation) -> None:
    value_of("run", "sheet.npz", *WRINKLES, "--upsample", "sheet.upsampling.npz", "-o", "run.npz")
    found = load_run("run.npz")
    layer = ruckle.Upsampler.for_animation(coarse, ruckle.load_model("sheet.upsampling.npz"))
    assert found.fine_positions is not None
    for frame, positions in zip(coarse.positions, found.fine_positions, strict=True):
        np.testing.assert_array_equal(layer.step(frame, 1 / 24).fine_positions, positions)
    np.testing.assert_array_equal(found.fine_faces, layer.model.fine_faces)
    # this model only interpolates, so the fine mesh remains compressed and wrinkles appear on it
    assert found.compression.max() > 1.3
    assert sum(map(len, found.wrinkles)) > 0
    value_of("run", "sheet.npz", *WRINKLES, "-o", "plain.npz")
    assert load_run("plain.npz").fine_positions is None


def test_reject_models_of_other_meshes(coarse: ruckle.Animation) -> None:
    random_model(garment((5, 3))).save("other.upsampling.npz")
    said = refusal("run", "sheet.npz", "--upsample", "other.upsampling.npz", "-o", "run.npz")
    assert said.startswith("model: was learnt for another mesh, of 15 vertices")
    assert not Path("run.npz").exists()
    assert invoke("run", "sheet.npz", "--upsample", "none.npz", "-o", "run.npz").exit_code == 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fine_positions": np.zeros((4, 35, 3), np.float32)}, r"'fine_positions' is float32 \(4, 35, 3\)"),
        ({"fine_faces": np.full((2, 3), 35, np.int32)}, r"'fine_faces' is int32 \(2, 3\), expected int32 .* of 35"),
        ({"fine_faces": np.zeros((2, 4), np.int32)}, r"'fine_faces' is int32 \(2, 4\)"),
    ],
)
def test_reject_runs_with_a_broken_fine_mesh(coarse: ruckle.Animation, changes: dict[str, object], said: str) -> None:
    value_of("run", "sheet.npz", *WRINKLES, "--upsample", "sheet.upsampling.npz", "-o", "run.npz")
    with np.load("run.npz") as archive:
        np.savez("broken.npz", **{**archive, **changes})  # type: ignore[arg-type]
    with pytest.raises(ruckle.FormatError, match=said):
        load_run("broken.npz")
