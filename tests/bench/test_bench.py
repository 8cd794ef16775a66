"""`ruckle bench paths`: figures against known answers, and wrong results are refused. No test looks at a time."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pytest

from program import invoke, swinging
from ruckle.bench import growth, paths
from ruckle.mesh.topology import topology_of
from ruckle.metrics import measure_paths
from ruckle.paths import shape
from ruckle.paths.frame import Frame, Wrinkle
from ruckle.paths.wrinkler import run
from ruckle.samples import sample, samples


@pytest.fixture(scope="module")
def wrinkles() -> list[Wrinkle]:
    """Return the wrinkles of one frame of a sample."""
    return list(run(replace(sample("sawing"), positions=sample("sawing").positions[:40]), tau=1.25))[-1].wrinkles


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """Return the file of a short part of a sample."""
    animation = sample("sawing")
    replace(animation, positions=animation.positions[:60], name="short").save(tmp_path / "short.npz")
    return tmp_path / "short.npz"


def test_bench_exact_table_csv_and_json(short: Path, tmp_path: Path) -> None:
    table = invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 2, "--csv", tmp_path / "a.csv")
    assert (table.exit_code, table.stderr) == (0, "")
    assert "tau 1.2, r_min 0.5%" in table.stdout
    for word in ("short", "median", "goal", ">= 85%", "reached", "time ~ wrinkles^"):
        assert word in table.stdout
    with (tmp_path / "a.csv").open() as file:
        scene, median = csv.DictReader(file)
    assert (scene["scene"], median["scene"], float(scene["tau"])) == ("short", "median", 1.2)
    value = json.loads(invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 1, "--json").stdout)
    assert list(value["rows"][0]) == ["tau", "scene", *paths.FIGURES]
    slow = paths.at_rate(replace(sample("sawing"), positions=sample("sawing").positions[:60]), 30)
    expected = measure_paths(slow, tau=1.2)
    assert value["rows"][0]["coverage"] == pytest.approx(expected.coverage)
    assert value["rows"][0]["wrinkles"] == pytest.approx(expected.wrinkles)
    neutral = json.loads(invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 1, "--thesis", "--json").stdout)
    assert neutral["rows"][0]["length"] == pytest.approx(
        measure_paths(slow, tau=1.2, grow_tau=1.2, least_length=0.0).length / slow.height
    )
    assert [load["copies"] for load in value["growth"]["copies"]] == list(growth.COPIES)
    assert [load["tau"] for load in value["growth"]["taus"]] == list(growth.TAUS)
    for name in ("coverage", "drift_p95", "rate_count"):
        assert float(scene[name]) == pytest.approx(value["rows"][0][name])


def test_bench_exact_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUCKLE_SHARED", raising=False)
    monkeypatch.chdir(tmp_path)
    assert paths.find_scenes(None) == samples()
    folder = tmp_path / "here" / "data" / "sequences"
    folder.mkdir(parents=True)
    with pytest.raises(ValueError, match=r"here: holds no garment, neither \*\.npz nor data/sequences/\*\.npz"):
        paths.find_scenes(tmp_path / "here")
    for name in ("b.npz", "a.npz", "body_c.npz", "a.json"):
        (folder / name).touch()
    expected = [str(folder / "a.npz"), str(folder / "b.npz")]
    assert paths.find_scenes(tmp_path / "here") == paths.find_scenes(folder) == expected
    monkeypatch.setenv("RUCKLE_SHARED", str(tmp_path / "here"))
    assert paths.find_scenes(None) == expected


@pytest.mark.parametrize(("fps", "rate", "step"), [(60, 30, 2), (30, 30, 1), (24, 30, 1), (120, 60, 2), (100, 30, 3)])
def test_bench_exact_rates(fps: float, rate: float, step: int) -> None:
    animation = replace(swinging(), fps=fps)
    found = paths.at_rate(animation, rate)
    assert found.fps == fps / step
    np.testing.assert_array_equal(found.positions, animation.positions[::step])


def test_bench_exact_matched_distances(wrinkles: list[Wrinkle]) -> None:
    np.testing.assert_allclose(paths.matched_distances(wrinkles, wrinkles), 0.0, atol=1e-6)
    assert len(paths.matched_distances(wrinkles, wrinkles)) == len(wrinkles) > 2
    one = wrinkles[0]
    far = np.array([0.0, 0.0, 100.0], np.float32)
    moved = replace(one, points=one.points + far)
    assert paths.matched_distances([one], [moved]) == pytest.approx(100.0 / one.full_width, rel=0.01)
    assert len(paths.matched_distances([one], [])) == 0


def test_bench_exact_profiles_are_as_long_as_stated() -> None:
    paths.check_profiles()


def test_bench_reject_profiles_of_another_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ruckle.cross_section", lambda u: 1.05 * shape.cross_section(u))
    with pytest.raises(click.ClickException, match=r"wrong result: at kappa 0\.\d+ the profile is .* long, not "):
        paths.check_profiles()


def test_bench_reject_wrong_wrinkles(wrinkles: list[Wrinkle]) -> None:
    animation = sample("sawing")
    topology = topology_of(animation)

    def check(*some: Wrinkle) -> None:
        paths.require_on_cloth(Frame.of(animation.positions[39], topology, some, r_min=0.01), "sawing")

    check(*wrinkles)
    paths.require_equal(wrinkles, wrinkles, "sawing, frame 39")
    one = wrinkles[0]
    for wrong in (replace(one, points=one.points + np.float32(0.01)), replace(one, faces=one.faces[::-1] + 1)):
        with pytest.raises(
            click.ClickException, match=r"wrong result: sawing: Wrinkle\(.*\) does not lie on the cloth"
        ):
            check(wrong)
    for other in ([], [replace(one, id=one.id + 1)], [replace(one, t=one.t + np.float32(0.1))]):
        with pytest.raises(click.ClickException, match="wrong result: sawing, frame 39: a second run found other"):
            paths.require_equal([one], other, "sawing, frame 39")


def test_growth_exact_copies_wrinkle_as_one_garment_does() -> None:
    animation = replace(sample("sawing"), positions=sample("sawing").positions[:60:2], fps=30.0)
    pair = growth.side_by_side(animation, 2)
    assert (pair.vertex_count, len(pair.faces)) == (2 * animation.vertex_count, 2 * len(animation.faces))
    one, other = np.split(pair.positions, 2, axis=1)
    assert one[..., 0].max() < other[..., 0].min()
    np.testing.assert_allclose(one - one[:, :1], other - other[:, :1], atol=1e-6)
    single, double = growth.measure_growth(animation, 1, 1.25, lambda tau: {"tau": tau}).copies[:2]
    assert double.wrinkles == pytest.approx(2 * single.wrinkles, rel=0.2)


def test_growth_exact_exponents() -> None:
    sizes = np.array([3.0, 5.0, 11.0])
    assert growth.exponent(sizes, 7.0 * sizes**1.5) == pytest.approx(1.5)
    assert math.isnan(growth.exponent([0.0, 1.0], [1.0, 2.0]))
    assert math.isnan(growth.exponent([2.0, 2.0], [1.0, 2.0]))
