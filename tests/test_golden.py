"""The results of each sample do not change: hashes of its wrinkles and fine meshes are equal to stored hashes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from program import invoke
from ruckle import _core
from ruckle.experiments.bench import bits
from ruckle.experiments.bench.bits import Setting, hash_sample, published, settings

KEPT = published()


@pytest.mark.parametrize("setting", list(settings()), ids=str)
def test_exact_samples_give_the_hashes_of_the_table(setting: Setting) -> None:
    assert hash_sample(*setting) == KEPT[str(setting)]


def test_exact_threads_change_no_bit() -> None:
    setting = Setting("sawing", 1.4, "0.5%")
    assert hash_sample(*setting, threads=3) == KEPT[str(setting)]


def test_exact_the_baseline_instruction_set_changes_no_bit() -> None:
    setting = Setting("chopping", 1.25, "0.5%")
    code = (
        "from ruckle.experiments.bench.bits import hash_sample; from ruckle import _core\n"
        f"print(_core.instruction_set(), *hash_sample(*{tuple(setting)}).values())"
    )
    environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": "baseline", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert _core.instruction_set() in ("baseline", "x86-64-v3", "x86-64-v4")
    assert child.stdout.split() == ["baseline", *KEPT[str(setting)].values()]


def test_exact_the_command_compares_with_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    few = [Setting("sawing", 1.4, "0.5%"), Setting("chopping", 1.4, "0.5%")]
    given = {str(setting): hash_sample(*setting) for setting in few}
    monkeypatch.setattr(bits, "settings", lambda: few)
    monkeypatch.setattr(bits, "published", lambda: given)
    same = invoke("bench", "bits", "--record", tmp_path / "hashes.json")
    assert (same.exit_code, same.stdout.splitlines()[-1]) == (0, "all 2 are the published ones")
    assert json.loads((tmp_path / "hashes.json").read_text()) == bits.published()
    given[str(few[1])]["meshes"] = "0" * 16
    other = invoke("bench", "bits", "--threads", "2")
    *_, row, sentence = other.stdout.splitlines()
    assert (other.exit_code, sentence) == (1, "1 of 2 differ from the published ones on this machine")
    assert row.endswith("  differs")
