"""Sweeps in Python: with each executor, each run happens exactly once, and no result is lost."""

import csv
import json
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import ruckle
from program import swinging
from ruckle.experiments import metrics
from ruckle.experiments.metrics import measure_paths
from ruckle.experiments.sweeps.journal import Journal
from ruckle.experiments.sweeps.measurement import measure_run
from ruckle.experiments.sweeps.plan import content_hash, plan_runs
from ruckle.experiments.sweeps.table import COLUMNS, METRICS, TIMES
from sweeping import GRID, Here, Scattering, clip, timeless

pytest.importorskip("pyarrow", reason="tables of sweeps need pyarrow")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[ruckle.Sweep, Path]:
    """Run a sweep over two animations with the default executor. Return the sweep and its folder.

    Check that the reported progress has nine steps with the sum 1.
    """
    folder = tmp_path_factory.mktemp("sweep") / "new" / "out"
    shares: list[float] = []
    result = ruckle.sweep([clip(), clip("jumping_jack")], folder, workers=2, advance=shares.append, **GRID)
    assert sum(shares) == pytest.approx(1)
    assert len(shares) == 1 + 8
    return result, folder


def test_sweep_exact_one_row_per_combination_in_order(found: tuple[ruckle.Sweep, Path]) -> None:
    rows = found[0].rows
    assert [(row["animation"], row["tau"], row["r_min_percent"]) for row in rows] == list(
        product(("sawing", "jumping_jack"), (1.2, 1.4), (0.5, 1.0))
    )
    assert [row["r_min"] for row in rows] == pytest.approx([0.00875, 0.0175] * 4)
    assert len({row["run"] for row in rows}) == 8
    assert found[0].axes == ["animation", "tau", "r_min_percent"]
    assert (found[0].reused, found[0].failed) == (0, [])
    assert repr(found[0]) == "Sweep(8 runs over animation, tau, r_min_percent, 0 failed)"


def test_sweep_exact_metrics_are_those_of_the_library(found: tuple[ruckle.Sweep, Path]) -> None:
    row, animation = found[0].rows[0], clip()
    paths = asdict(measure_paths(animation, tau=1.2, r_min="0.5%"))
    wrinkler = ruckle.Wrinkler.for_animation(animation, tau=1.2, r_min="0.5%")
    frames = [wrinkler.step(positions, 1 / animation.fps) for positions in animation.positions]
    labels = np.array([frame.labels for frame in frames])
    ours = {
        "compressed": (labels == 0).mean(), "stretched": (labels == 2).mean(),
        "label_changes": 10 * metrics.label_changes(labels), "energy_gap": 0.0, "perimeter_ratio": 1.0,
        "label_boundaries": metrics.label_boundaries(labels, wrinkler.topology),
    }  # fmt: skip
    assert min(row["wrinkles"] - 1, row["label_changes"]) > 0
    assert set(METRICS) == (set(paths) | set(ours)) - {"step_p50", "step_p95", "paths_p50"}
    for name, value in (paths | ours).items():
        if name in METRICS:
            assert row[name] == pytest.approx(value, rel=1e-2 if name == "perimeter_ratio" else 1e-9, abs=1e-12)
    assert (row["frames"], row["triangles"], row["fps"]) == (12, 734, 10.0)
    assert row["content"] == content_hash(animation)
    assert row["version"] == ruckle.__version__
    assert json.loads(row["pairwise"]) == [[0, 0.2, 0.4], [0.2, 0, 0.2], [0.4, 0.2, 0]]
    assert (row["grow_tau"], row["coherent"], row["method"], row["seed"]) == (None, True, "exact", 0)
    for stage in ("stretch", "label", "reference", "persist", "trace", "shape", "total"):
        assert 0 <= row[f"{stage}_p50"] <= row[f"{stage}_p95"] < 1000 * row["seconds"]


def test_sweep_exact_tables_read_back(found: tuple[ruckle.Sweep, Path]) -> None:
    from pyarrow import parquet

    result, folder = found
    assert sorted(path.name for path in folder.iterdir()) == ["journal.jsonl", "runs.csv", "runs.parquet"]
    table = parquet.read_table(folder / "runs.parquet")
    assert table.to_pylist() == result.rows
    assert table.column_names == list(COLUMNS)
    with (folder / "runs.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [list(line) for line in lines] == [list(COLUMNS)] * 8
    for line, row in zip(lines, result.rows, strict=True):
        assert line == {name: "" if value is None else str(value) for name, value in row.items()}


@pytest.mark.parametrize("executor", ["threads", "scattering"])
def test_sweep_property_the_same_table_whatever_the_executor(
    found: tuple[ruckle.Sweep, Path], tmp_path: Path, executor: str
) -> None:
    animations = [clip(), clip("jumping_jack")]
    if executor == "threads":
        with ThreadPoolExecutor(3) as pool:
            other = ruckle.sweep(animations, tmp_path, executor=pool, **GRID)
    else:
        place = Scattering()
        other = ruckle.sweep(animations, tmp_path, executor=place, **GRID)
        assert (len(place.calls), place.scattered) == (8, animations)
    assert timeless(other.rows) == timeless(found[0].rows)


def test_sweep_exact_animations_of_one_name_are_called_by_their_paths(tmp_path: Path) -> None:
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path, frames in zip(paths, (12, 9), strict=True):
        swinging(frames).save(path)
    result = ruckle.sweep(paths, executor=Here())
    assert [row["animation"] for row in result.rows] == list(map(str, paths))
    with pytest.raises(ValueError, match="animations: several are called 'swinging'; give each animation its own"):
        ruckle.sweep([swinging(12), swinging(9)], executor=Here())


def test_sweep_exact_one_failing_run_is_recorded_and_tried_again(tmp_path: Path) -> None:
    for _ in range(2):
        place = Here()
        result = ruckle.sweep(swinging(), tmp_path, executor=place, tau=[1.2, 0.5, 1.4], grow_tau=[None, 1.3])
        states = [(row["tau"], row["grow_tau"], row["state"]) for row in result.rows]
        assert states == [
            (1.2, None, "done"), (1.2, 1.3, "failed"), (0.5, None, "failed"), (0.5, 1.3, "failed"),
            (1.4, None, "done"), (1.4, 1.3, "done"),
        ]  # fmt: skip
        assert result.failed[0]["problem"] == "grow_tau: expected a number above 1 and at most tau = 1.2, got 1.3"
        assert result.failed[1]["problem"].startswith("tau: expected a finite number above 1")
        assert all(result.failed[0][name] is None for name in (*METRICS, *TIMES))
        assert result.rows[0]["problem"] is None
        assert result.reused + len(place.calls) == 6
    assert result.reused == 3


@pytest.mark.parametrize("error", [BrokenProcessPool("gone"), CancelledError()])
def test_sweep_reject_an_executor_that_breaks(tmp_path: Path, error: Exception) -> None:
    class Breaking(Here):
        def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
            if self.calls:
                return super().submit(Mock(side_effect=error))
            return super().submit(fn, *args)

    with pytest.raises(ChildProcessError, match=r"executor: a worker process has ended, .*; finished runs are kept"):
        ruckle.sweep(swinging(), tmp_path, executor=Breaking(), seed=[0, 1])
    place = Here()
    assert ruckle.sweep(swinging(), tmp_path, executor=place, seed=[0, 1]).reused == 1
    assert len(place.calls) == 1


def test_sweep_exact_runs_that_have_not_begun_are_cancelled(tmp_path: Path) -> None:
    futures: list[Future[Any]] = []

    class Waiting(Here):
        def submit(self, fn: Any, /, *args: Any) -> Future[Any]:
            futures.append(Future() if self.calls else super().submit(fn, *args))
            return futures[-1]

    def interrupt(share: float) -> None:
        if share:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ruckle.sweep(swinging(), tmp_path, executor=Waiting(), seed=[0, 1, 2], advance=interrupt)
    assert [future.cancelled() for future in futures] == [False, True, True]
    assert ruckle.sweep(swinging(), tmp_path, executor=Here(), seed=[0, 1, 2]).reused == 1


def test_sweep_exact_a_second_sweep_computes_only_new_runs(tmp_path: Path) -> None:
    first = ruckle.sweep(swinging(), tmp_path, executor=Here(), tau=[1.2, 1.3])
    place = Here()
    second = ruckle.sweep(swinging(), tmp_path, executor=place, tau=[1.1, 1.3, 1.2])
    assert (second.reused, len(place.calls)) == (2, 1)
    # measured times are equal, so these rows were read from the journal and not measured again
    assert second.rows[1:] == first.rows[::-1]
    assert len((tmp_path / "journal.jsonl").read_text().splitlines()) == 3


def test_sweep_exact_changed_input_is_done_again(tmp_path: Path) -> None:
    def reused(animation: ruckle.Animation, **options: Any) -> int:
        return ruckle.sweep(animation, tmp_path, executor=Here(), **{"r_min": 0.01} | options).reused

    plain, positions, faces = swinging(), 1.5 * swinging().positions, swinging().faces[::-1]
    assert reused(plain) == 0
    for change in ({"fps": 50.0}, {"height": 2.5}, {"positions": positions}, {"faces": faces}, {"name": "other"}):
        assert reused(replace(plain, **change)) == 0
    assert reused(plain, every=3) == 0
    assert reused(plain, r_min="0.5%") == 1


def test_sweep_exact_other_versions_are_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    [before] = plan_runs([swinging()], {})
    monkeypatch.setattr("ruckle.experiments.sweeps.plan.__version__", "9.9")
    [after] = plan_runs([swinging()], {})
    assert before.identity != after.identity
    assert before.content == after.content
    with pytest.raises(ValueError, match=rf"ruckle {ruckle.__version__} is installed on .*, the sweep needs 9\.9"):
        measure_run(swinging(), {}, 5, "9.9")


def test_journal_reject_two_sweeps_at_once(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.jsonl"), pytest.raises(BlockingIOError, match="another sweep is writing"):
        ruckle.sweep(swinging(), tmp_path, executor=Here())
    ruckle.sweep(swinging(), tmp_path, executor=Here())


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (["sawing"], {"taus": 1}, "taus: no such parameter; did you mean tau"),
        (["sawing"], {"tau": "1.2:1.4:100000000"}, "tau: expected at most 100,000 values, got '1.2:1.4:100000000'"),
        (["sawing"], {"seed": range(10**9)}, "seed: expected at most 100,000 values, got more"),
        (
            ["sawing"],
            {"tau": "1.2:1.4:1001", "seed": range(100)},
            "tau, seed: expected at most 100,000 runs, got 100,100",
        ),
        (["sawing"], {"every": 0}, "every: expected a whole number of at least 1, got 0"),
        ([[]], {}, r"animations: expected an animation, a sample's name, a path, or several, got \[\]"),
        (["none.npz"], {}, "none.npz"),
    ],
)
def test_sweep_reject(tmp_path: Path, arguments: list[Any], options: dict[str, Any], sentence: str) -> None:
    place = Here()
    with pytest.raises(ValueError, match=f"^{sentence}"):
        ruckle.sweep(*arguments, tmp_path / "out", executor=place, **options)
    assert (place.calls, list(tmp_path.iterdir())) == ([], [])


def test_sweep_exact_sweeping_labels_measures_their_energy() -> None:
    pairwise = np.array([[[0, 0.2, 0.4], [0.2, 0, 0.2], [0.4, 0.2, 0]], np.zeros((3, 3))])
    result = ruckle.sweep(clip(frames=30), executor=Here(), method=["exact", "independent"], pairwise=pairwise)
    gaps = {(row["method"], json.loads(row["pairwise"])[0][1]): row["energy_gap"] for row in result.rows}
    optimal = [gaps["exact", 0.2], gaps["exact", 0], gaps["independent", 0]]
    assert optimal == pytest.approx([0, 0, 0], abs=1e-6)
    assert gaps["independent", 0.2] > 1e-3
    assert result.axes == ["method", "pairwise"]


def test_sweep_exact_rows_of_another_mask_or_rest_pose_are_not_reused(tmp_path: Path) -> None:
    animation = swinging()
    ruckle.sweep(animation, tmp_path, executor=Here())
    masked = animation.with_mask(np.zeros(animation.vertex_count, np.float32))
    for other, reused in ((animation, 1), (masked, 0), (replace(animation, rest_positions=animation.positions[1]), 0)):
        assert ruckle.sweep(other, tmp_path, executor=Here()).reused == reused
