"""The command `ruckle bench poses`: its results are correct and its table is complete. The tests do not check times."""

import json
from pathlib import Path

import pytest

from program import invoke
from ruckle.experiments.bench import poses


def test_bench_exact_rows_of_a_small_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poses, "SHEETS", {(30, 20): (60.0, 100.0, 300.0)})
    monkeypatch.setattr(poses, "CACHES", 2**20)
    result = invoke("bench", "poses", "--repeats", 1, "--json", "--csv", tmp_path / "rows.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = {row["what"].removeprefix("600 vertices: "): row for row in json.loads(result.stdout)["rows"]}
    assert set(rows) >= {"step", "angles", "details", "frames", "place", "normals", "details, cold"}
    assert "goal 300 µs" in rows["step"]["note"]
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == len(rows) + 1
