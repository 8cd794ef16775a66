"""The command `ruckle sweep`: options, errors, and sweeps whose process is killed."""

import csv
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ruckle
from program import PATIENCE, PROGRAM, command_line, invoke, refusal, spawn, swinging, value_of
from ruckle.cli import sweep as command
from ruckle.experiments import sweeps
from sweeping import Here, timeless

pytest.importorskip("pyarrow", reason="tables of sweeps need pyarrow")


@pytest.fixture
def folder(animation_file: Path) -> Path:
    swinging(9).save(animation_file.with_name("short.npz"))
    return animation_file.parent


in_proc = pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task").exists(), reason="looks for processes in /proc")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the command run the sweep in this process, without worker processes."""
    monkeypatch.setattr(command, "sweep_opened", lambda *a, **o: sweeps.sweep_opened(*a, **{**o, "executor": Here()}))


@pytest.mark.usefixtures("here")
def test_sweep_exact_table_and_files(folder: Path) -> None:
    command = ("sweep", "swinging.npz", "short.npz", "--r-min", "1%,2%", "--tau", "1.1:1.3:3", "-o", "a/out")
    result = invoke(*command)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert (lines[0], lines[1].split()[:4]) == ("12 runs", ["animation", "r_min_percent", "tau", "coverage"])
    assert [line.split()[:3] for line in lines[3:15]] == [
        [name, share, tau] for name in ("swinging.npz", "short.npz") for share in "12" for tau in ("1.1", "1.2", "1.3")
    ]
    assert lines[-2:] == ["table    a/out/runs.parquet, .csv", "picture  a/out/heat_map.png"]
    names = ["heat_map.png", "journal.jsonl", "runs.csv", "runs.parquet"]
    assert sorted(path.name for path in Path("a/out").iterdir()) == names
    assert Path("a/out/heat_map.png").read_bytes().startswith(b"\x89PNG")
    assert invoke(*command).stdout.startswith("12 runs, 12 of them done before\n")


@pytest.mark.usefixtures("here")
def test_sweep_exact_every_parameter_reaches_the_runs(folder: Path) -> None:
    given = {
        "tau": [1.2], "r_min": ["1%"], "seed": [7], "grow_tau": [1.1], "least_aspect": [2.0], "path_alpha": [0.9],
        "straightness": [0.5], "length_change": [0.3], "aspect": [1.0], "fade_in": [0.1], "fade_out": [0.2],
        "coherent": ["false"], "sigma": [0.2], "alpha": [2.0], "beta": [20.0], "method": ["swap"], "relaxation": [0.5],
        "threads": [2], "amplitude": [0.5],
    }  # fmt: skip
    assert set(given) == set(command.SWEPT)
    options = [f"--{name.replace('_', '-')}={values[0]}" for name, values in given.items()]
    value = value_of("sweep", "swinging.npz", "-o", "out", "--no-picture", *options)
    [row] = value["rows"]
    expected = {name: values[0] for name, values in given.items()} | {"coherent": False}
    assert row["r_min_percent"] == 1
    expected["r_min"] = 0.02
    assert {name: row[name] for name in expected} == pytest.approx(expected)


@pytest.mark.usefixtures("here")
def test_sweep_exact_json_and_options(folder: Path) -> None:
    value = value_of(
        "sweep", "swinging.npz", "sawing", "-o", "out", "--frames", "2:6", "--height", "1.5", "--fps", "25",
        "--every", "2", "--metric", "wrinkles", "--metric", "label_p50",
    )  # fmt: skip
    assert (value["runs"], value["reused"], value["failed"], value["axes"]) == (2, 0, 0, ["animation"])
    assert [(row["animation"], row["frames"], row["fps"], row["height"]) for row in value["rows"]] == [
        ("swinging", 4, 25, 1.5), ("sawing", 4, 25, 1.5),
    ]  # fmt: skip
    assert (value["csv"], value["picture"]) == ("out/runs.csv", "out/heat_map.png")
    quiet = invoke("sweep", "swinging.npz", "-o", "out", "--no-picture", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--taus", "1.2"], "no option is called '--taus'; did you mean --tau? parameters are --r-min, "),
        (["--brew", "1"], "no option is called '--brew'; did you mean --beta? parameters are --r-min, "),
        (["--tau", "1:2"], "tau: expected FIRST:LAST:COUNT of two numbers and a count of at least 2, got '1:2'"),
        (["--coherent", "maybe"], "coherent: expected true or false, got 'maybe'"),
        (["--metric", "beauty"], "Invalid value for '--metric': 'beauty' is not one of 'coverage', "),
        (["--workers", "0"], "Invalid value for '--workers': 0 is not in the range x>=1"),
        (["--frames", "9:5"], "frames: 9:5 selects none of the 12 frames"),
        (["--mesh", "0"], "mesh: unknown option for NPZ, allowed are fps, name, height"),
    ],
)
def test_sweep_reject(folder: Path, arguments: list[str], sentence: str) -> None:
    said = refusal("sweep", "swinging.npz", "-o", "out", *arguments)
    assert said.startswith(sentence)
    assert said.endswith(" (see ruckle sweep --help)\n") or not arguments[0].startswith(("--taus", "--metric"))
    assert not Path("out").exists()


@pytest.mark.usefixtures("here")
def test_sweep_exact_a_file_that_cannot_be_read_is_a_failed_row(folder: Path) -> None:
    (folder / "torn.npz").write_bytes((folder / "swinging.npz").read_bytes()[:-100])
    files = ["torn.npz", "swinging.npz", "none.npz"]
    result = invoke("sweep", *files, "-o", "out", "--tau", "1.2,1.3", "--r-min", "1%", "--no-picture")
    assert (result.exit_code, result.stderr) == (1, "")
    with Path("out/runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["animation"], row["tau"], row["r_min_percent"], row["state"]) for row in rows] == [
        ("torn.npz", "1.2", "1.0", "failed"), ("torn.npz", "1.3", "1.0", "failed"),
        ("swinging", "1.2", "1.0", "done"), ("swinging", "1.3", "1.0", "done"),
        ("none.npz", "1.2", "1.0", "failed"), ("none.npz", "1.3", "1.0", "failed"),
    ]  # fmt: skip
    assert rows[0]["problem"].startswith("torn.npz: is not an NPZ archive")
    assert rows[4]["problem"].startswith("none.npz: no such file")
    assert len({row["run"] for row in rows}) == 6
    assert "2 failed: none.npz: no such file" in result.stdout
    # the damaged file is replaced by a valid one, which the second sweep can read
    swinging(9).save("torn.npz")
    again = invoke("sweep", *files[:2], "-o", "out", "--tau", "1.2,1.3", "--r-min", "1%", "--no-picture", "--json")
    value = json.loads(again.stdout)
    assert (again.exit_code, value["failed"], value["runs"]) == (0, 0, 4)


def test_sweep_reject_files_none_of_which_can_be_read(folder: Path) -> None:
    said = refusal("sweep", "none.npz", "nor.npz", "-o", "out")
    assert said == "none.npz: no such file\n"
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("module", "extra", "options"),
    [("pyarrow", "sweep", []), ("matplotlib", "plot", []), ("distributed", "dask", ["--dask", "tcp://localhost:1"])],
)
def test_sweep_reject_without_what_it_needs(folder: Path, module: str, extra: str, options: list[str]) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; {PROGRAM}"
    result = spawn("sweep", "swinging.npz", "-o", "out", *options, code=code)
    assert (result.returncode, result.stdout) == (2, "")
    sentence = rf'ruckle: .* needs? {module}, which is not installed: pip install "ruckle\[{extra}\]"\n'
    assert re.fullmatch(sentence, result.stderr)
    assert not Path("out").exists()


RUNS = 60
SEEDS = range(1, RUNS + 1)


def start(folder: Path) -> subprocess.Popen[bytes]:
    arguments = ["sweep", "swinging.npz", "-o", "out", "--seed", f"1:{RUNS}:{RUNS}", "--workers", "2", "--no-picture"]
    return subprocess.Popen(
        command_line(*arguments), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def journal(folder: Path) -> list[dict[str, Any]]:
    """Return the rows in the journal of a sweep. A last line without a line break is skipped."""
    path = folder / "out" / "journal.jsonl"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def wait_for_runs(process: subprocess.Popen[bytes], folder: Path, count: int) -> None:
    while len(journal(folder)) < count:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.005)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    """Return True if a process runs. A zombie process (ended, but not yet removed) counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@in_proc
def test_sweep_exact_killed_twice_and_resumed(folder: Path) -> None:
    before: list[dict[str, Any]] = []
    for _ in range(2):
        process = start(folder)
        wait_for_runs(process, folder, len(before) + 4)
        workers = children(process.pid)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # the worker processes end after their parent; wait for them, because they must not write into the journal later
        while any(alive(worker) for worker in workers):
            time.sleep(0.005)
        before = journal(folder)
        assert 4 <= len(before) < RUNS
        assert not (folder / "out" / "runs.csv").exists()
    process = start(folder)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")
    assert output.startswith(f"{RUNS} runs, {len(before)} of them done before\n".encode())
    after = journal(folder)
    # finished runs have the same rows, including times, so they are not lost and not repeated
    assert after[: len(before)] == before
    assert sorted(row["seed"] for row in after) == list(SEEDS)
    rows, whole = (ruckle.sweep("swinging.npz", output, seed=SEEDS, executor=Here()).rows for output in ("out", None))
    assert sorted(rows, key=lambda row: row["seed"]) == sorted(after, key=lambda row: row["seed"])
    assert timeless(whole) == timeless(rows)


@in_proc
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["the sweep", "and its workers"])
def test_sweep_exact_interrupted(folder: Path, send: Callable[[int, int], None]) -> None:
    process = start(folder)
    wait_for_runs(process, folder, 2)
    workers = children(process.pid)
    send(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output, errors.strip()) == (130, b"", b"")
    assert 2 <= len(journal(folder)) < RUNS
    assert [alive(worker) for worker in workers] == [False, False]


@in_proc
def test_sweep_exact_dying_workers_are_replaced(folder: Path) -> None:
    process = start(folder)
    wait_for_runs(process, folder, 2)
    for worker in children(process.pid):
        if b"ruckle.experiments.sweeps.worker" in Path(f"/proc/{worker}/cmdline").read_bytes():
            os.kill(worker, signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")
    assert sorted(row["seed"] for row in journal(folder)) == list(SEEDS)
    assert {row["state"] for row in journal(folder)} == {"done"}
