"""`ruckle bench crowd`: crowds are checked against wrinklers alone, and counted. No test looks at a time."""

import csv
import ctypes
from pathlib import Path

import click
import pytest

from program import invoke
from ruckle.experiments.bench import crowd


def test_bench_crowd_exact_table_and_csv(tmp_path: Path) -> None:
    arguments = ["--characters", "3", "--characters", "6", "--threads", "2", "--warm-up", "8", "--frames", "2", "--csv"]
    result = invoke("bench", "crowd", *arguments, tmp_path / "a.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "sawing, 734 triangles" in result.stdout
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["characters"], row["threads"]) for row in rows] == [("3", "1"), ("3", "2"), ("6", "1"), ("6", "2")]
    assert rows[0]["wrinkles"] == rows[1]["wrinkles"]
    assert float(rows[0]["wrinkles"]) >= 1
    # positions alone are 6 KB
    assert float(rows[0]["upload"]) == float(rows[1]["upload"]) > 6


def test_bench_reject_a_crowd_that_is_not_as_one_alone() -> None:
    garment = crowd.Garment("sawing")
    lone, other = garment.wrinkler(), garment.wrinkler()
    for frame in range(3):
        garment.step(other, frame)
    crowd.require_as_alone(garment, [other], lone, 3)
    assert len(garment.uploaded(other, 2)) == 16 * garment.table(other, 2).texel_count
    garment.step(other, 9)
    with pytest.raises(click.ClickException, match="wrong result: character 0 of 1 is not as alone"):
        crowd.require_as_alone(garment, [other], lone, 4)
    with pytest.raises(click.ClickException, match="positions: expected 389 vertices, got 3"):
        garment.call("ruckle_step", lone, garment.frames[0], 3, ctypes.c_float(1.0))
    garment.destroy([lone, other])
