"""The command `ruckle bench surface`: the mesh has the size that the title states, and wrong results are errors."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from program import invoke
from ruckle import sample
from ruckle.experiments.bench import surface

PEERS = Path(__file__).parents[2] / "benchmarks"


def test_bench_surface_exact_table_csv_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surface, "COARSE_VERTICES", 300)
    monkeypatch.setattr(surface, "FINE_VERTICES", 3_000)
    monkeypatch.setattr(surface, "FRAMES", 2)
    garment = replace(sample("sawing"), positions=sample("sawing").positions[:40], name="short")
    garment.save(tmp_path / "short.npz")
    options = ["bench", "surface", tmp_path / "short.npz", "--repeats", 1, "--peers", PEERS]
    table = invoke(*options, "--csv", tmp_path / "rows.csv")
    assert (table.exit_code, table.stderr) == (0, "")
    assert "short" in table.stdout
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    value = json.loads(invoke(*options, "--json").stdout)
    names = [row["what"] for row in value["rows"]]
    assert names == [row["what"] for row in rows]
    assert names[1::2][:2] == ["displace, 1 thread", "displace, 2 threads"]
    assert "times ours on one thread" in value["rows"][-1]["note"]
    without = invoke("bench", "surface", tmp_path / "short.npz", "--repeats", 1, "--peers", tmp_path)
    assert "holds no float64_surface.py" in without.stderr
