"""The journal of a sweep: its rows are used again, an incomplete last line is removed, and other damage is an error."""

import json
from pathlib import Path
from typing import Any

import pytest

import ruckle
from program import swinging
from ruckle import FormatError
from ruckle.experiments.sweeps.table import Row
from sweeping import Here

pytest.importorskip("pyarrow", reason="tables of sweeps need pyarrow")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    ruckle.sweep(swinging(), tmp_path, executor=Here(), seed=[0, 1])
    return tmp_path / "journal.jsonl"


def reused(journal: Path) -> int:
    """Run a sweep in the folder of a journal, and return the number of rows that it reads from the journal."""
    return ruckle.sweep(swinging(), journal.parent, executor=Here(), seed=[0, 1]).reused


def change(journal: Path, **values: Any) -> None:
    first, second = journal.read_text().splitlines()
    journal.write_text(f"{first}\n{json.dumps({**json.loads(second), **values})}\n")


@pytest.mark.parametrize("cut", [1, 40, 500])
def test_degenerate_a_torn_line_is_cut_off(journal: Path, cut: int) -> None:
    journal.write_bytes(journal.read_bytes()[:-cut])
    assert (reused(journal), len(journal.read_text().splitlines()), reused(journal)) == (1, 2, 2)


@pytest.mark.parametrize(
    "content",
    [b"the diary of a tailor", b"[" * 100_000, b"\xff\xfe", b'{"run": "a", "state": "done"}\nhow it went on',
     b'{"run": "a", "state": "perhaps"}'],
)  # fmt: skip
def test_reject_another_file_and_leave_it(tmp_path: Path, content: bytes) -> None:
    path, line, content = tmp_path / "journal.jsonl", len(content.splitlines()), content + b"\n"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"journal\.jsonl: line {line} is no record of a run \(.{{1,100}}\)$"):
        ruckle.sweep(swinging(), tmp_path, executor=Here())
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"tau": "x"}, "tau: expected float, got 'x'"), ({"tau": float("nan")}, "tau: expected float, got nan"),
        ({"frames": 1.5}, "frames: expected int, got 1.5"),
        ({"animation": "\ud800"}, r"animation: expected str, got '\\ud800'"),
        ({"method": [[[[]]]]}, "method: expected str, got list"),
    ],
)  # fmt: skip
def test_reject_rows_of_wrong_types(journal: Path, values: Row, reason: str) -> None:
    change(journal, **values)
    before = journal.read_bytes()
    with pytest.raises(FormatError, match=rf"line 2 is no record of a run \({reason}\)"):
        reused(journal)
    assert journal.read_bytes() == before


def test_exact_rows_with_other_columns_stay_and_are_not_used(journal: Path) -> None:
    change(journal, hue="red")
    assert reused(journal) == 1
    assert "hue" in journal.read_text()
    assert reused(journal) == 2
