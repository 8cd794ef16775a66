"""Worker processes of a sweep: every script can start them, their printed text is harmless, and they end."""

import os
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from program import PATIENCE, swinging
from ruckle.experiments.sweeps.workers import CallKilledError, LocalPool

SCRIPT = """
import ruckle
found = ruckle.sweep("swinging.npz", {output}, workers=2, seed="0:3:4")
print(found)
"""


@pytest.mark.parametrize("output", ["None", "'out'"])
def test_sweep_exact_a_script_needs_no_guard(tmp_path: Path, output: str) -> None:
    if output != "None":
        pytest.importorskip("pyarrow", reason="tables of sweeps need pyarrow")
    swinging().save(tmp_path / "swinging.npz")
    (tmp_path / "script.py").write_text(SCRIPT.format(output=output))
    # if a worker ran the script again, it would wait for ever or fail because the folder is locked
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Sweep(4 runs over seed, 0 failed)\n"


def test_pool_exact_answers_and_errors(capfd: pytest.CaptureFixture[str]) -> None:
    with LocalPool(2) as pool:
        squares = [pool.submit(pow, number, 2) for number in range(20)]
        assert [future.result() for future in squares] == [number * number for number in range(20)]
        assert pool.submit(print, "said").result() is None
        with pytest.raises(ValueError, match="invalid literal"):
            pool.submit(int, "x").result()
        assert pool.submit(os.getpid).result() != os.getpid()
    assert "said" not in capfd.readouterr().out


def test_pool_reject_a_call_that_ends_its_process_each_time() -> None:
    with LocalPool(1) as pool:
        for _ in range(2):
            with pytest.raises(CallKilledError, match="its process was killed 2 times, perhaps because of too little"):
                pool.submit(os._exit, 3).result()
            assert pool.submit(pow, 2, 2).result() == 4


def test_pool_exact_a_call_whose_process_died_once_is_repeated(tmp_path: Path) -> None:
    code = "import os, pathlib; mark = pathlib.Path({!r}); mark.exists() or (mark.touch(), os._exit(9))"
    with LocalPool(2) as pool:
        calls = [pool.submit(exec, code.format(str(tmp_path / str(k)))) for k in range(5)]
        assert [call.result() for call in calls] == [None] * 5
    assert len(list(tmp_path.iterdir())) == 5


def test_pool_exact_ends_in_the_middle_of_a_call() -> None:
    with LocalPool(1) as pool:
        waiting = pool.submit(time.sleep, 600), pool.submit(pow, 2, 2)
        [worker] = pool._workers
    assert worker._process.returncode is not None
    assert isinstance(waiting[0].exception(), BrokenExecutor)
    assert waiting[1].cancelled() or isinstance(waiting[1].exception(), BrokenExecutor)
