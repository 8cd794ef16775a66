"""The command `ruckle bench paths`: its table contains the values that a run measures. The tests do not check times."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from program import invoke
from ruckle import sample
from ruckle.experiments.bench import growth, paths
from ruckle.experiments.metrics import measure_paths


def test_bench_exact_table_csv_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "COPIES", growth.COPIES[:2])
    monkeypatch.setattr(growth, "TAUS", growth.TAUS[:2])
    animation, short = replace(sample("sawing"), positions=sample("sawing").positions[:45]), tmp_path / "short.npz"
    replace(animation, name="short").save(short)
    table = invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 1, "--csv", tmp_path / "a.csv")
    assert (table.exit_code, table.stderr) == (0, "")
    assert "tau 1.2, r_min 0.5%" in table.stdout
    for word in ("short", "median", "goal", ">= 85%", "reached", "time ~ wrinkles^"):
        assert word in table.stdout
    with (tmp_path / "a.csv").open() as file:
        scene, median = csv.DictReader(file)
    assert (scene["scene"], median["scene"], float(scene["tau"])) == ("short", "median", 1.2)
    value = json.loads(invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 1, "--json").stdout)
    assert list(value["rows"][0]) == ["tau", "scene", *paths.FIGURES]
    expected = measure_paths(paths.at_rate(animation, 30), tau=1.2)
    assert value["rows"][0]["coverage"] == pytest.approx(expected.coverage)
    assert value["rows"][0]["wrinkles"] == pytest.approx(expected.wrinkles)
    assert [load["copies"] for load in value["growth"]["copies"]] == list(growth.COPIES)
    assert [load["tau"] for load in value["growth"]["taus"]] == list(growth.TAUS)
    for name in ("coverage", "drift_p95", "rate_count"):
        assert float(scene[name]) == pytest.approx(value["rows"][0][name])
