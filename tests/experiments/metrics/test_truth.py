"""Layers against the truth: waves whose every measure is known, the limits, the control, and the command."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ruckle
from ruckle.experiments.bench import bench
from ruckle.experiments.metrics import Fidelity, Truth
from ruckle.experiments.metrics.rest_surface import RestSurface, face_slopes
from ruckle.offline.simulation import scene_named, simulate_pair
from sheets import sheet

WAVE, HEIGHT, COMPRESSION, FRAMES, FPS = 0.08, 0.004, 1.1, 16, 30.0
FINE_SHEET, COARSE_SHEET = sheet(81, 41, 1.0, 0.5), sheet(11, 6, 1.0, 0.5)


def waves(axis: int = 0, height: float = HEIGHT, wave: float = WAVE, drift: float = 0.01) -> np.ndarray:
    """Return fine frames of waves that drift along an axis of a sheet, which is shorter along x than at rest."""
    rest = FINE_SHEET[0].astype(float)
    frames = []
    for frame in range(FRAMES):
        frames.append(rest / [COMPRESSION, 1, 1])
        frames[-1][:, 1] += height * np.sin(2 * np.pi * (rest[:, 2 * axis] - drift * frame) / wave)
    return np.array(frames, np.float32)


def truth_of(positions: np.ndarray) -> Truth:
    rest, faces = COARSE_SHEET
    coarse = np.repeat((rest / [COMPRESSION, 1, 1])[None], FRAMES, axis=0)
    animation = ruckle.Animation(coarse, faces, fps=FPS, height=1.0)
    return Truth(animation, positions, FINE_SHEET[1], rest, FINE_SHEET[0], r_min=0.02, begin=0.1)


def seen(wave: float) -> float:
    """Return by how much straight fine edges are less steep than a wave."""
    return float(np.sinc(1.0 / (80 * wave)))


@cache
def true_waves() -> Truth:
    return truth_of(waves())


def measured(positions: np.ndarray) -> Fidelity:
    truth = true_waves()
    return truth.compare(truth.folds_of(positions))


def test_exact_the_truth_is_true_and_its_measures_are_those_of_the_wave() -> None:
    same = measured(waves())
    assert (same.angle, same.precision, same.recall) == (pytest.approx(0.0, abs=0.1), 1.0, 1.0)
    assert (same.amplitude, same.amplitude_error, same.wavelength_error, same.change) == (1.0, 0.0, 0.0, 1.0)
    assert same.wavelength == pytest.approx(WAVE / seen(WAVE), rel=0.05)
    # ∫ √(1 + (A k cos)²) over a chord that has lost a tenth; less at the rim, where heights are over a one-sided mean
    k = 2 * np.pi / WAVE * COMPRESSION
    phases = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    gained = np.sqrt(1 + (HEIGHT * seen(WAVE) * k * np.cos(phases)) ** 2).mean() - 1
    assert same.length == pytest.approx(gained / (COMPRESSION - 1), rel=0.1)


def test_exact_lower_faster_shorter_and_crossed_waves_are_told() -> None:
    low = measured(waves(height=0.5 * HEIGHT))
    assert low.amplitude == pytest.approx(0.5, rel=1e-3)
    assert low.amplitude_error == pytest.approx(0.5, rel=0.01)
    assert low.angle < 0.1
    assert measured(waves(drift=0.02)).change == pytest.approx(np.sin(np.pi / 4) / np.sin(np.pi / 8), rel=0.06)
    short = measured(waves(wave=0.5 * WAVE))
    assert short.wavelength_error == pytest.approx(1.0 - np.log2(seen(WAVE) / seen(0.5 * WAVE)), abs=0.06)
    crossed = measured(waves(axis=1))
    assert crossed.angle > 80
    assert crossed.length < 0.05


def test_exact_places_without_folds_cost_recall_and_places_with_too_many_precision() -> None:
    half = waves()
    half[:, FINE_SHEET[0][:, 2] > 0.25, 1] = 0.0
    found = measured(half)
    assert found.precision == 1.0
    assert 0.45 < found.recall < 0.85
    truth = truth_of(half)
    back = truth.compare(truth.folds_of(waves()))
    assert back.recall == 1.0
    assert back.precision == pytest.approx(found.recall, abs=0.15)


def test_exact_flat_cloth_has_no_direction_and_the_control_every_other_one() -> None:
    flat = measured(waves(height=0.0))
    assert np.isnan(flat.angle)
    assert np.isnan(flat.precision)
    assert flat.recall == flat.amplitude == flat.change == 0.0
    truth = true_waves()
    control = truth.compare(truth.turned())
    assert control.angle == pytest.approx(90.0, abs=0.1)
    assert control.recall == 1.0
    back = truth.compare(truth.backwards())
    assert back.change == 1.0
    assert back.angle < 1.0
    assert truth.compare(truth.folds_of(truth.restricted())).amplitude < 1.0


class Waves(ruckle.HeightFrame):
    def heights(self, faces: Any, barycentric: Any) -> tuple[Any, Any]:
        x = self.points(faces, barycentric)[:, 0] * COMPRESSION
        phase = 2 * np.pi * (x - 0.01 * self.index) / WAVE
        slopes = HEIGHT * 2 * np.pi / WAVE * COMPRESSION * np.cos(phase)
        return HEIGHT * np.sin(phase), slopes[:, None] * [1.0, 0.0, 0.0]


class WavesLayer:
    def __init__(self, topology: Any) -> None:
        self.topology, self.index = topology, 0

    def step(self, positions: Any, dt: float = 1 / 30) -> Waves:
        self.index += 1
        return Waves(positions, self.topology, length_unit=0.02, index=self.index - 1)

    def reset(self) -> None:
        self.index = 0


class ShapeOf(ruckle.ShapeFrame):
    def __init__(self, positions: Any, topology: Any, shape: ruckle.FineShape) -> None:
        super().__init__(positions, topology, length_unit=0.02)
        self.given = shape

    @property
    def shape(self) -> ruckle.FineShape:
        return self.given


class ShapeLayer:
    def __init__(self, truth: Truth, count: int) -> None:
        self.truth, self.index = truth, 0
        faces, weights = ruckle.offline.simulation.tracking.closest_points(*COARSE_SHEET, FINE_SHEET[0])
        used = FINE_SHEET[1] if count == len(FINE_SHEET[0]) else FINE_SHEET[1][(FINE_SHEET[1] < count).all(axis=1)]
        self.mesh = ruckle.RefinedMesh(used, faces[:count].astype("i4"), weights[:count].astype("f4"))

    def step(self, positions: Any, dt: float = 1 / 30) -> ShapeOf:
        fine = self.truth.fine[self.index][: self.mesh.vertex_count]
        self.index += 1
        return ShapeOf(positions, self.truth.topology, ruckle.FineShape(fine, self.mesh))

    def reset(self) -> None:
        self.index = 0


def test_exact_layers_of_heights_and_of_shapes_are_sampled_at_the_fine_vertices() -> None:
    truth = true_waves()
    found = truth.compare(truth.folds_of(truth.positions_of(WavesLayer(truth.topology))))
    assert found.angle < 0.5
    assert found.amplitude == pytest.approx(1.0, abs=0.01)
    shaped = truth.positions_of(ShapeLayer(truth, len(FINE_SHEET[0])))
    np.testing.assert_allclose(shaped, truth.fine, atol=1e-6)
    with pytest.raises(ValueError, match="layer: expected a shape of 3321 vertices, those of the truth, got 3240"):
        truth.positions_of(ShapeLayer(truth, 3240))


def test_exact_slopes_and_averages_on_a_mesh() -> None:
    surface = RestSurface(*FINE_SHEET)
    rest = FINE_SHEET[0].astype(float)
    slopes, areas = face_slopes(rest @ [2.0, 0.0, -3.0], rest, surface.faces)
    np.testing.assert_allclose(slopes, np.tile([2.0, 0.0, -3.0], (len(areas), 1)), atol=1e-9)
    assert areas.sum() == pytest.approx(0.5)
    np.testing.assert_allclose(surface.average(0.05)(np.full((1, len(rest)), 3.0)), 3.0)
    # a bell curve of σ takes exp(-σ²k²/2) of a wave, far from the rim
    wave = np.cos(2 * np.pi * (rest[:, 0] - 0.5) / 0.2)
    middle = np.argmin(np.abs(rest - [0.5, 0, 0.25]).sum(axis=1))
    assert surface.average(0.02)(wave[None])[0, middle] == pytest.approx(
        np.exp(-0.5 * (0.02 * 2 * np.pi / 0.2) ** 2), rel=0.02
    )
    mask = np.zeros((1, len(rest)), bool)
    mask[0, middle] = True
    wide = surface.within(0.035)(mask)[0]
    np.testing.assert_array_equal(wide, np.linalg.norm(rest - rest[middle], axis=1) <= 0.035)
    faces, weights = surface.corners
    np.testing.assert_allclose(np.einsum("nk,nkx->nx", weights, rest[surface.faces[faces]]), rest)


def test_reject_frames() -> None:
    with pytest.raises(ValueError, match=r"fine_positions: expected shape \(16, 3321, 3\), got \(15, 3321, 3\)"):
        truth_of(waves()[:-1])
    rest, faces = COARSE_SHEET
    still = ruckle.Animation(np.repeat(rest[None], 3, axis=0), faces, fps=FPS, height=1.0)
    with pytest.raises(ValueError, match="begin: expected a time two frames before the end of 3, got 1"):
        Truth(still, np.repeat(FINE_SHEET[0][None], 3, axis=0), FINE_SHEET[1], rest, FINE_SHEET[0], r_min=0.02)


def test_exact_the_command_measures_layers_and_the_control_fails(tmp_path: Path) -> None:
    blown = scene_named("flag")
    blown = replace(blown, warm=24, motion=replace(blown.motion, bones=blown.motion.bones[:48]))
    simulate_pair(blown, substeps=6).save(tmp_path / "flag_cotton")
    result = CliRunner().invoke(bench, ["truth", str(tmp_path), "--json", "--csv", str(tmp_path / "rows.csv")])
    assert result.exit_code == 0, result.output
    rows = {row["surface"]: row for row in json.loads(result.stdout)["rows"]}
    assert list(rows)[:5] == [
        "truth, as wide as folds", "coarse mesh alone", "truth, backwards", "truth, turned by 90°", "paths",
    ]  # fmt: skip
    assert rows["truth, turned by 90°"]["angle"] > 80
    assert rows["coarse mesh alone"]["recall"] == 0.0
    assert rows["truth, as wide as folds"]["angle"] < 15
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == len(rows) + 1
    (tmp_path / "none").mkdir()
    refused = CliRunner().invoke(bench, ["truth", str(tmp_path / "none")])
    assert "holds no pair; 'ruckle simulate' makes some" in refused.output
