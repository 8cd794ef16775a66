"""What every sample gives is what it gave before: hashes of wrinkles and fine meshes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from golden.record import TABLE, hash_mathematics, hash_sample, row_name, settings
from ruckle import _core

KEPT = json.loads(TABLE.read_text())
CHANGED_MATHEMATICS = "this machine's C library or NumPy rounds otherwise than those of the table"

needs_the_same_mathematics = pytest.mark.skipif(
    hash_mathematics() != KEPT["mathematics"], reason=CHANGED_MATHEMATICS
)  # fmt: skip


@needs_the_same_mathematics
@pytest.mark.parametrize("setting", list(settings()), ids=lambda setting: row_name(*setting))
def test_exact_samples_give_the_hashes_of_the_table(setting: tuple[str, float, str]) -> None:
    assert hash_sample(*setting) == KEPT["hashes"][row_name(*setting)]


@needs_the_same_mathematics
def test_exact_threads_change_no_bit() -> None:
    assert hash_sample("sawing", 1.4, "0.5%", threads=3) == KEPT["hashes"][row_name("sawing", 1.4, "0.5%")]


@needs_the_same_mathematics
def test_exact_the_baseline_instruction_set_changes_no_bit() -> None:
    code = "from golden.record import hash_sample; from ruckle import _core; " + (
        "print(_core.instruction_set(), *hash_sample('chopping', 1.25, '0.5%').values())"
    )
    tests = str(Path(__file__).parent)
    child = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "RUCKLE_INSTRUCTION_SET": "baseline", "PYTHONPATH": os.pathsep.join([tests, *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert _core.instruction_set() in ("baseline", "x86-64-v3")
    assert child.stdout.split() == ["baseline", *KEPT["hashes"][row_name("chopping", 1.25, "0.5%")].values()]
