"""The command `ruckle bench crowd`: a crowd has the same results as single wrinklers. The tests do not check times."""

import csv
import os
from pathlib import Path

from program import invoke
from ruckle.experiments.bench.crowd_garments import in_new_process


def test_bench_crowd_exact_table_and_csv(tmp_path: Path) -> None:
    arguments = ["--characters", "3", "--characters", "6", "--threads", "2", "--warm-up", "8", "--frames", "2", "--csv"]
    result = invoke("bench", "crowd", *arguments, tmp_path / "a.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "sawing, 734 triangles" in result.stdout
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    crowds = [("3", "1"), ("3", "2"), ("6", "1"), ("6", "2")]
    assert [(row["layer"], row["characters"], row["threads"]) for row in rows] == [
        (layer, *crowd) for layer in ("paths", "waves") for crowd in crowds
    ]
    assert rows[0]["wrinkles"] == rows[1]["wrinkles"]
    assert float(rows[0]["wrinkles"]) >= 1
    # kilobytes that are uploaded per character and frame; the positions (389 vertices, 16 bytes each) are 6 kilobytes
    # of them
    assert float(rows[0]["upload"]) == float(rows[1]["upload"]) > 6
    # waves upload only the positions: one texel of 16 bytes per vertex
    assert float(rows[-1]["upload"]) == 389 * 16 / 1024


def test_exact_rows_are_measured_in_new_processes() -> None:
    # memory that an earlier row has freed would be reused without an increase of the resident memory
    processes = [in_new_process(os.getpid) for _ in range(2)]
    assert len({os.getpid(), *processes}) == 3
