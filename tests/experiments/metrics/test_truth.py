"""The score that compares folds with true folds: waves with known values, and controls with a bad score."""

from functools import cache, partial

import numpy as np
import pytest

import ruckle
from ruckle.experiments.bench.methods import CONTROLS, METHODS, inflated
from ruckle.experiments.bench.truth import is_met, rows_of
from ruckle.experiments.metrics.truth import Fidelity, Truth, bare_surfaces, layer_surfaces
from ruckle.offline.simulation.truth_scene import TruthScene
from truth_scenes import COMPRESSION, FRAMES, HEIGHT, WAVE, flat_scene, waves


@cache
def scene() -> TruthScene:
    return flat_scene()


@cache
def truth() -> Truth:
    return Truth(scene(), every=10)


def score(heights: object) -> Fidelity:
    return truth().measure(flat_scene(heights=heights).positions)  # type: ignore[arg-type]


def test_exact_the_truth_agrees_with_itself() -> None:
    same = truth().measure(scene().positions)
    assert (same.recall, same.precision) == (1.0, 1.0)
    assert (same.slope, same.length) == (1.0, 1.0)
    assert (same.space, same.time) == (pytest.approx(1.0), pytest.approx(1.0))
    assert same.angle == pytest.approx(0.0, abs=0.1)
    assert same.wavelength == pytest.approx(WAVE, rel=0.06)
    assert same.outward == pytest.approx(0.0, abs=2e-4)
    # along the crest of a straight wave, the height 40 mm away is the same
    assert same.along > 0.9
    assert is_met(same)


def test_exact_lower_waves_lose_slope_and_length() -> None:
    low = score(lambda rest, frame: 0.5 * waves(rest, frame))
    # the tolerance is for the noise of the normals of a slanted mesh
    assert low.slope == pytest.approx(0.5, rel=3e-3)
    # expected gain of length: √(c⁻² + s²) - 1/c with the compression c and the mean square slope s²
    chord, steep = 1 / COMPRESSION, 0.5 * (2 * np.pi * HEIGHT / WAVE) ** 2
    gained = [np.sqrt(chord**2 + share * steep) - chord for share in (0.25, 1.0)]
    assert low.length == pytest.approx(gained[0] / gained[1], rel=0.1)


def test_exact_crossed_waves_have_other_directions_and_give_no_length_back() -> None:
    crossed = score(partial(waves, axis=1))
    assert crossed.angle > 80
    assert crossed.length < 0.1
    assert not is_met(crossed)


def test_exact_missing_folds_lower_recall_and_added_folds_lower_precision() -> None:
    half = score(lambda rest, frame: waves(rest, frame) * (rest[:, 0] > 0.4))
    assert half.precision > 0.99
    assert 0.4 < half.recall < 0.65
    everywhere = score(
        lambda rest, frame: HEIGHT * np.sin(2 * np.pi * rest[:, 0] / WAVE) * (1.0 + 0.5 * np.sin(frame / 20))
    )
    assert everywhere.recall > 0.99
    assert everywhere.precision < 0.85
    assert everywhere.space < 0.5


def test_exact_autocorrelation_of_moving_and_of_alternating_waves() -> None:
    # if waves move by the phase ω per frame, the changes of consecutive frames have the correlation cos ω
    drift = 2 * np.pi * 0.01 / WAVE
    moved = score(lambda rest, frame: HEIGHT * np.sin(2 * np.pi * rest[:, 0] / WAVE - drift * frame))
    assert moved.autocorrelation == pytest.approx(np.cos(drift), abs=0.02)
    assert moved.change == pytest.approx(2 * np.sin(drift / 2), rel=0.03)
    boiling = score(lambda rest, frame: waves(rest, 0) * (1 + 0.3 * (-1) ** frame))
    assert boiling.autocorrelation == pytest.approx(-1.0, abs=0.01)


def test_exact_outward_is_the_volume_over_the_area() -> None:
    assert score(lambda rest, frame: waves(rest, frame) + 0.003).outward == pytest.approx(0.003, rel=0.1)


def test_property_offsets_of_the_whole_surface_change_only_outward() -> None:
    moved = score(lambda rest, frame: waves(rest, frame) + 1e-4 * (frame % 7))
    same = truth().measure(scene().positions)
    for name in ("recall", "precision", "slope", "length", "space", "time", "angle", "wavelength", "along"):
        assert getattr(moved, name) == pytest.approx(getattr(same, name), rel=0.02, abs=0.1), name
    assert moved.outward > 2e-4


def test_property_lengths_scale_with_the_wearer() -> None:
    large, known = scene(), truth().measure(inflated(scene()))
    coarse = ruckle.Animation(
        2 * large.coarse.positions, large.coarse.faces, fps=60.0, rest_positions=2 * large.coarse_rest, height=3.5
    )
    twice = TruthScene(
        coarse, 2 * large.rest, large.faces, large.coarse_faces, large.barycentric, large.attachment,
        2 * large.positions,
    )  # fmt: skip
    found = Truth(twice, every=10).measure(2 * surface for surface in inflated(scene()))
    assert found.recall == pytest.approx(known.recall, abs=0.01)
    assert found.angle == pytest.approx(known.angle, abs=0.2)
    assert found.outward == pytest.approx(2 * known.outward, rel=1e-3)


def test_property_another_mesh_passes_and_controls_fail() -> None:
    names = ("coarse mesh, bare", "tension map")
    rows = {
        row.surface: row
        for row in rows_of(scene(), {name: METHODS[name] for name in names}, seconds=[flat_scene(columns=71)])
    }
    assert is_met(rows["second simulation"].folds)
    assert set(rows) == {"second simulation", *names, *CONTROLS, "truth, turned by 90°"}
    for name in (*names, *CONTROLS, "truth, turned by 90°"):
        assert not is_met(rows[name].folds), name
    assert rows["truth, turned by 90°"].folds.angle > 85
    assert rows["truth, turned by 90°"].folds.recall == 1.0
    assert rows["inflated"].folds.outward > 2e-3


def test_degenerate_flat_cloth_has_no_direction() -> None:
    flat = truth().measure(bare_surfaces(scene()))
    assert flat.recall == 0.0
    assert np.isnan(flat.precision)
    assert flat.slope < 0.01


def test_property_a_layer_without_heights_is_the_bare_mesh() -> None:
    class Bare:
        def step(self, positions: object, dt: float = 1 / 30) -> ruckle.CoarseFrame:
            return ruckle.CoarseFrame(positions, ruckle.Topology(scene().coarse.faces, scene().coarse.vertex_count))  # type: ignore[arg-type]

        def reset(self) -> None:
            pass

    for mine, bare in zip(layer_surfaces(scene(), Bare()), bare_surfaces(scene()), strict=True):
        np.testing.assert_allclose(mine, bare, atol=1e-6)


def test_reject_scenes_and_surfaces_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="begin: expected a time at least three frames before"):
        Truth(scene(), begin=2.0)
    with pytest.raises(ValueError, match="expected shape"):
        truth().measure(np.zeros((FRAMES, 5, 3)))
    with pytest.raises(ValueError, match=f"expected {FRAMES} frames"):
        truth().measure(scene().positions[:45])
    with pytest.raises(ValueError, match="threshold"):
        Truth(scene(), threshold=0.0)
