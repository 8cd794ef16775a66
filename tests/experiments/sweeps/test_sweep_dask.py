"""Sweeps on a Dask cluster: a scheduler and two workers, which are three processes on this machine."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

import ruckle
from program import PROGRAM, spawn, swinging
from sweeping import Here, timeless

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="a Dask cluster needs distributed")

WORKERS = 2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a scheduler and two workers.

    Return the address of the scheduler, and kill the processes after the tests.
    """
    folder = tmp_path_factory.mktemp("dask")
    processes: list[subprocess.Popen[bytes]] = []

    def start(part: str, *options: object) -> None:
        words = [sys.executable, "-m", f"distributed.cli.dask_{part}", *options, "--no-dashboard"]
        with (folder / "log").open("a") as log:
            processes.append(subprocess.Popen(list(map(str, words)), stdout=log, stderr=log))

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", folder / "scheduler.json")
        while (address := published(folder / "scheduler.json")) is None:
            assert processes[0].poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
        for number in range(WORKERS):
            start("worker", address, "--nthreads", 1, "--no-nanny", "--local-directory", folder / str(number))
        yield address
    finally:
        # a worker whose scheduler has ended would wait for it for a long time, so all processes are killed
        for process in processes:
            process.kill()
            process.wait()


def published(contact: Path) -> str | None:
    """Return the address that a scheduler has written to its file; None if the file is missing or incomplete."""
    # for a moment, the file exists but is empty
    try:
        return str(json.loads(contact.read_text())["address"])
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def test_dask_exact_the_same_table_as_here(cluster: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="tables of sweeps need pyarrow")
    # the command runs in its own process, because the cluster client starts threads
    swinging().save(tmp_path / "swinging.npz")
    options = ["--tau", "1.2,1.4", "--seed", "0:2:3", "--grow-tau", "none,1.3", "--no-picture", "--json"]
    command = ["sweep", tmp_path / "swinging.npz", "sawing", "--frames", ":6", "-o", tmp_path / "out", *options]
    result = spawn(*command, "--dask", cluster)
    assert (result.returncode, result.stderr) == (1, "")
    value = json.loads(result.stdout)
    part = [replace(whole, positions=whole.positions[:6]) for whole in (swinging(), ruckle.sample("sawing"))]
    here = ruckle.sweep(part, tau=[1.2, 1.4], seed=range(3), grow_tau=[None, 1.3], executor=Here())
    assert len(here.rows) == value["runs"] == 24
    assert timeless(value["rows"]) == timeless(here.rows)
    assert value["failed"] == 6
    again = spawn(*command, "--dask", cluster)
    assert json.loads(again.stdout)["reused"] == 18


def test_dask_reject_an_address_without_a_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = f"from ruckle.experiments.sweeps import executors\nexecutors.DASK_PATIENCE = 1\n{PROGRAM}"
    result = spawn("sweep", "sawing", "-o", tmp_path / "out", "--dask", "tcp://127.0.0.1:1", code=code)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == "ruckle: dask: no scheduler answers at 'tcp://127.0.0.1:1'"
    assert not (tmp_path / "out").exists()
