"""The command `ruckle bench render`: the sums in its table are correct. A renderer without wrinkles is an error."""

import csv
import json
from pathlib import Path

import pytest

from program import invoke
from rendering import open_renderer


def test_bench_exact_render_table_and_csv(tmp_path: Path) -> None:
    open_renderer(8, 8).close()
    arguments = ("--size", 64, 36, "--frames", 1, "--repeats", 1)
    table = invoke("bench", "render", "jumping_jack", *arguments, "--csv", tmp_path / "a.csv")
    assert (table.exit_code, table.stderr) == (0, "")
    with (tmp_path / "a.csv").open() as file:
        (row,) = csv.DictReader(file)
    modeling = sum(float(row[name]) for name in ("lists", "upload", "draw"))
    assert float(row["modeling"]) == pytest.approx(modeling)
    assert float(row["total"]) == pytest.approx(modeling + float(row["reference"]) + float(row["tracing"]))
    value = json.loads(invoke("bench", "render", "jumping_jack", *arguments, "--json").stdout)
    assert value["rows"][0]["triangles"] == 356
    assert value["driver"]


def test_bench_reject_renderer_without_wrinkles(monkeypatch: pytest.MonkeyPatch) -> None:
    open_renderer(8, 8).close()
    monkeypatch.setattr("ruckle.scene.renderer.detail_at", lambda *arguments: (1.0, 0.0))
    found = invoke("bench", "render", "sawing", "--size", 64, 36, "--frames", 1, "--repeats", 1)
    assert found.exit_code != 0
    assert "does not show the wrinkles" in found.output
