"""The command `ruckle bench stages`: its rows agree with a run, and it can replace the table on a page of the guide."""

import json
from pathlib import Path

import numpy as np
import pytest

import ruckle
from program import invoke
from ruckle.experiments.bench import stages


@pytest.fixture(autouse=True)
def two_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ruckle, "samples", lambda: ["sawing", "jumping_jack"])


def test_bench_stages_exact_rows() -> None:
    value = json.loads(invoke("bench", "stages", "--repeats", 1, "--json").stdout)
    assert [row["scene"] for row in value["rows"]] == ["sawing", "jumping_jack"]
    row = value["rows"][0]
    frames = list(ruckle.run(ruckle.sample("sawing"), tau=1.4, r_min="0.5%"))
    assert row["triangles"] == 734
    assert row["wrinkles"] == pytest.approx(np.mean([len(frame.wrinkles) for frame in frames]))
    for stage in stages.STAGES:
        assert 0.0 <= row[f"{stage}_p50"] <= row[f"{stage}_p95"]


def test_bench_stages_exact_markdown_into_a_file(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench stages -->\nold\n<!-- end -->\nafter\n")
    result = invoke("bench", "stages", "--repeats", 1, "--markdown", "--into", page)
    assert result.exit_code == 0
    table = result.stdout.rstrip("\n")
    assert page.read_text() == f"before\n<!-- bench stages -->\n{table}\n<!-- end -->\nafter\n"
    assert "*22.75*" in table
    assert "| jumping_jack, τ 1.2 | 356 |" in table
