"""The command `ruckle bench patterns`: the NumPy peer agrees; wrong results are errors.

The tests do not check times.
"""

import json
from pathlib import Path

import pytest

from program import invoke
from ruckle.experiments.bench import patterns

PEERS = Path(__file__).parents[2] / "benchmarks"


def test_bench_exact_rows_with_and_without_the_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SHEETS", {(19, 19): (20.0, 20.0)})
    monkeypatch.setattr(patterns, "SAMPLE_FRAMES", 40)
    found = invoke("bench", "patterns", "--repeats", 1, "--peers", PEERS, "--json")
    assert (found.exit_code, found.stderr) == (0, "")
    rows = {row["what"]: row["note"] for row in json.loads(found.stdout)["rows"]}
    assert rows["722 triangles: the same step, NumPy float64"].endswith("times ours")
    without = invoke("bench", "patterns", "--repeats", 1, "--peers", tmp_path, "--json")
    assert without.exit_code == 0
    assert "float64_modulation.py" in without.stderr
    assert len(json.loads(without.stdout)["rows"]) == len(rows) - 1
