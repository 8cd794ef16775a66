"""The command that measures methods against fine cloth."""

import csv
import json
from pathlib import Path

import pytest

from drawing import need_opengl
from program import invoke
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
    assert {"paths", "patterns", "waves", "wrinkle mesh", "tension map", f"{OWN}:dents"} < set(surfaces)
    assert surfaces[-3:] == ["inflated", "inflated patterns", "truth, turned by 90°"]
    ceiling, bare = rows[0], rows[2]
    # both meshes are coarse
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
