"""The command `ruckle bench waves`: each target has a row with its bound and its result.

The tests do not check times.
"""

import csv
import json
import math
from pathlib import Path

import pytest

import ruckle
from program import invoke
from ruckle.experiments.bench import waves
from ruckle.experiments.bench.waves import Figure
from truth_scenes import flat_scene


def test_exact_every_surface_is_measured_in_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waves, "SHEET_CELLS", (3, 6))
    monkeypatch.setattr(ruckle, "samples", lambda: ["stretching"])
    flat_scene(columns=41).save(tmp_path / "flat.npz")
    arguments = ["--repeats", "2", "--characters", "6", "--csv", tmp_path / "rows.csv"]
    result = invoke("bench", "waves", tmp_path / "flat.npz", *arguments, "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    measured = {row["surface"] for row in rows if (row["scene"], row["quantity"]) == ("flat", "recall")}
    assert measured == set(waves.SURFACES)
    # the coarse mesh of this scene does not have bones, so the command puts the scene into the group "simulated"
    (recall,) = (row for row in rows if row["quantity"] == "simulated, mean of 1, recall" and row["surface"] == "waves")
    assert recall["goal"] == ">= 0.85"
    assert recall["value"] == next(row["value"] for row in rows if row["surface"] == "waves")
    change = {row["surface"]: row for row in rows if row["quantity"].startswith("largest change")}
    assert set(change) == set(waves.LAYERS)
    (calm,) = (parameter.default for parameter in ruckle.WaveField.parameters if parameter.name == "calm")
    assert isinstance(calm, float)
    assert 0.1 < change["waves"]["value"] <= calm * 1.0001
    assert [row["value"] for row in rows if row["quantity"] == "upload, KB"][1] == 389 * 16 / 1024
    with (tmp_path / "rows.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(rows)


def test_exact_a_figure_compares_waves_with_its_bounds() -> None:
    values = {"paths": 3.0, "waves": 1.2}
    assert list(Figure("slope", values, 0.85, 1.15).texts(["patterns", "waves"])) == [
        "slope", "-", "1.2", "0.85 to 1.15", "missed"
    ]  # fmt: skip
    assert list(Figure("cost", values, most=2.0).texts(["paths"])) == ["cost", "3", "<= 2", "met"]
    assert list(Figure("recall", values, least=1.3).texts(["waves"])) == ["recall", "1.2", ">= 1.3", "missed"]
    assert list(Figure("along", values).texts(["waves"])) == ["along", "1.2", "", ""]
    assert not Figure("unmeasured", {"waves": math.nan}, least=0.0).met
