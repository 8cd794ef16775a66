"""The command `ruckle bench truth`, which compares the wrinkles of several methods with simulated fine cloth."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drawing import need_opengl
from program import invoke
from ruckle.experiments.bench import truth
from ruckle.offline.simulation.truth_scene import TruthScene
from truth_scenes import flat_scene

OWN = Path(__file__).resolve().parents[3] / "examples" / "own_method.py"


def test_exact_a_scene_from_a_file_has_a_row_for_every_method(tmp_path: Path) -> None:
    need_opengl()
    flat_scene(columns=61).save(tmp_path / "flat.npz")
    flat_scene(columns=53).save(tmp_path / "second.npz")
    result = invoke(
        "bench", "truth", tmp_path / "flat.npz", tmp_path / "second.npz", "--method", f"{OWN}:dents",
        "--csv", tmp_path / "rows.csv", "--pictures", tmp_path, "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    surfaces = [row["surface"] for row in rows if row["width"] == "folds"]
    assert surfaces[:2] == ["second simulation", "coarse mesh, bare"]
    assert {"paths", "patterns", "waves", "wrinkle mesh", "tension map", "own_method.py:dents"} < set(surfaces)
    assert surfaces[-3:] == ["inflated", "inflated patterns", "truth, turned by 90°"]
    ceiling, bare = rows[0], rows[2]
    # The second simulation finds little more than 0.7 of the folds of the first (recall), because both fine meshes are
    # coarse in this test.
    assert ceiling["recall"] > 0.7 > bare["recall"]
    with (tmp_path / "rows.csv").open() as file:
        assert len(list(csv.reader(file))) == len(rows) + 1
    assert (tmp_path / "flat.jpg").read_bytes().startswith(b"\xff\xd8")


@pytest.mark.parametrize(
    ("method", "message"),
    [("nothing.py:f", "expected FILE.py:FUNCTION"), (f"{OWN}:nothing", "has no function 'nothing'")],
)
def test_reject_methods_that_do_not_exist(tmp_path: Path, method: str, message: str) -> None:
    flat_scene(columns=41).save(tmp_path / "flat.npz")
    result = invoke("bench", "truth", tmp_path / "flat.npz", "--method", method)
    assert result.exit_code != 0
    assert message in result.output


def test_exact_packaged_garments_are_simulated_once_and_teach_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated: list[str] = []

    def simulate(opened: tuple[str, float], **options: Any) -> TruthScene:
        name, edge = opened
        simulated.append(f"{name} {edge:g}")
        flat = flat_scene(columns=41)
        return replace(flat, coarse=replace(flat.coarse, name=name))

    monkeypatch.setattr(truth, "open_skinned", lambda garment, edge: (garment, edge))
    monkeypatch.setattr(truth, "teaching_scene", lambda garment, motion, edge: (f"{garment} in {motion}", edge))
    monkeypatch.setattr(truth, "simulate_skinned", simulate)
    for _ in range(2):
        scenes = truth.packaged_scenes(["shirt", "apron"], tmp_path, edge=0.02)
        assert [scene.name for scene in scenes] == [
            "shirt", "shirt", "shirt in apron", "apron", "apron", "apron in shirt"
        ]  # fmt: skip
    assert simulated == [
        "shirt 0.02", "shirt 0.0188", "shirt in apron 0.02", "apron 0.02", "apron 0.0188", "apron in shirt 0.02"
    ]  # fmt: skip
    assert len(truth.packaged_scenes(["shirt"], tmp_path, edge=0.02)) == 2


def test_property_upsampling_learns_from_other_motions() -> None:
    other, scene = (flat_scene(columns=41) for _ in range(2))
    other = replace(other, coarse=replace(other.coarse, name="other"))
    methods = truth.methods_for(scene, [other])
    assert set(methods) - set(truth.METHODS) == {"learned upsampling", "learned upsampling, rich"}
    with pytest.warns(UserWarning, match="contain few of the shapes"):
        found = list(methods["learned upsampling"](scene))
    # the coarse mesh does not move, so the learned model always returns the mean of the fine frames
    assert abs(found[0] - scene.positions.mean(axis=0)).max() < 0.004
