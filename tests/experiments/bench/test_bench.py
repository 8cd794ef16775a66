"""`ruckle bench paths`: figures against known answers, and wrong results are refused. No test looks at a time."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pytest

from program import invoke
from ruckle import Frame, Wrinkle, run, sample
from ruckle.experiments.bench import growth, paths
from ruckle.experiments.metrics import measure_paths
from ruckle.mesh.topology import topology_of
from ruckle.paths import shape


@pytest.fixture(scope="module")
def wrinkles() -> list[Wrinkle]:
    return list(run(replace(sample("sawing"), positions=sample("sawing").positions[:40]), tau=1.25))[-1].wrinkles


def test_bench_exact_table_csv_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "COPIES", growth.COPIES[:2])
    monkeypatch.setattr(growth, "TAUS", growth.TAUS[:2])
    animation, short = replace(sample("sawing"), positions=sample("sawing").positions[:45]), tmp_path / "short.npz"
    replace(animation, name="short").save(short)
    table = invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 1, "--csv", tmp_path / "a.csv")
    assert (table.exit_code, table.stderr) == (0, "")
    assert "tau 1.2, r_min 0.5%" in table.stdout
    for word in ("short", "median", "goal", ">= 85%", "reached", "time ~ wrinkles^"):
        assert word in table.stdout
    with (tmp_path / "a.csv").open() as file:
        scene, median = csv.DictReader(file)
    assert (scene["scene"], median["scene"], float(scene["tau"])) == ("short", "median", 1.2)
    value = json.loads(invoke("bench", "paths", short, "--tau", 1.2, "--repeats", 1, "--json").stdout)
    assert list(value["rows"][0]) == ["tau", "scene", *paths.FIGURES]
    expected = measure_paths(paths.at_rate(animation, 30), tau=1.2)
    assert value["rows"][0]["coverage"] == pytest.approx(expected.coverage)
    assert value["rows"][0]["wrinkles"] == pytest.approx(expected.wrinkles)
    assert [load["copies"] for load in value["growth"]["copies"]] == list(growth.COPIES)
    assert [load["tau"] for load in value["growth"]["taus"]] == list(growth.TAUS)
    for name in ("coverage", "drift_p95", "rate_count"):
        assert float(scene[name]) == pytest.approx(value["rows"][0][name])


def test_bench_reject_profiles_of_another_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ruckle.cross_section", lambda u: 1.05 * shape.cross_section(u))
    with pytest.raises(click.ClickException, match=r"wrong result: at kappa 0\.\d+ the profile is .* long, not "):
        paths.check_profiles()


def test_bench_reject_wrong_wrinkles(wrinkles: list[Wrinkle]) -> None:
    def check(*some: Wrinkle) -> None:
        cloth = sample("sawing")
        paths.require_on_cloth(Frame.of(cloth.positions[39], topology_of(cloth), some, r_min=0.01), "sawing")

    check(*wrinkles)
    paths.require_equal(wrinkles, wrinkles, "sawing, frame 39")
    one = wrinkles[0]
    for wrong in (replace(one, points=one.points + np.float32(0.01)), replace(one, faces=one.faces[::-1] + 1)):
        with pytest.raises(click.ClickException, match=r"wrong result: sawing: Wrinkle\(.*\) does not lie"):
            check(wrong)
    for other in ([], [replace(one, id=one.id + 1)], [replace(one, t=one.t + np.float32(0.1))]):
        with pytest.raises(click.ClickException, match="wrong result: sawing, frame 39: a second run found other"):
            paths.require_equal([one], other, "sawing, frame 39")


def test_growth_exact_exponents() -> None:
    sizes = np.array([3.0, 5.0, 11.0])
    assert growth.exponent(sizes, 7.0 * sizes**1.5) == pytest.approx(1.5)
    assert all(math.isnan(growth.exponent(sizes, [1.0, 2.0])) for sizes in ([0.0, 1.0], [2.0, 2.0]))


def test_growth_exact_copies_keep_all_of_a_garment() -> None:
    garment = sample("sawing")
    garment = replace(garment, rest_positions=garment.positions[0])
    twice = growth.side_by_side(garment, 2)
    assert (twice.vertex_count, twice.face_count) == (2 * garment.vertex_count, 2 * garment.face_count)
    assert (twice.height, twice.name) == (garment.height, garment.name)
    first, second = np.split(twice.positions, 2, axis=1)
    np.testing.assert_array_equal(first, garment.positions)
    # apart from each other in every frame
    assert first[..., 0].max() < second[..., 0].min()
    assert twice.rest_positions is not None
    np.testing.assert_array_equal(twice.rest_positions, np.tile(garment.positions[0], (2, 1)))
