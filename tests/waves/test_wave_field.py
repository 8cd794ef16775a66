"""Waves on moving cloth: exact on sheets and tubes, independent of position, unit and frame rate, limited in speed."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from meshes import Float64, Mesh, grid, mesh, strip, triangle, tube, two_components
from ruckle import MeshError, WaveField, WaveFrame
from shared_data import MISSING, sequence_files
from wave_cloth import PLAIN, R_MIN, anywhere, cylinder, settled, sheet, swinging, uneven, waves_on


def slope_of(lost: float, slack: float) -> float:
    """Return the slope of folds at a lost share of length, divided by twice the gain."""
    return float(np.sqrt(lost) * lost / (lost + slack))


def squeezed(cloth: Mesh, compression: float, angle: float = 0.0) -> Float64:
    """Return the positions of a sheet, compressed by the factor 1 / compression along a direction in its plane."""
    axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    return cloth.positions - np.outer(cloth.positions @ axis, axis) * (1 - 1 / compression)


def line_heights(frame: WaveFrame, cloth: Mesh, direction: Float64, count: int = 4000) -> tuple[Float64, Float64]:
    """Return distances and heights at points of a line through the middle of a sheet, in the shape at rest."""
    size = cloth.positions.max()
    along = np.linspace(-0.35, 0.35, count) * size
    points = 0.5 * size + np.outer(along, direction[:2])
    cells = round(np.sqrt(len(cloth.faces) / 2))
    place = points / size * cells
    column, row = np.floor(place).astype(int).T
    x, y = (place - np.floor(place)).T
    lower = x + y <= 1
    faces = 2 * (row * cells + column) + ~lower
    weights = np.where(lower[:, None], np.stack([1 - x - y, x, y], 1), np.stack([1 - y, x + y - 1, 1 - x], 1))
    heights, _ = frame.heights(faces, weights)
    return along, heights.astype(float)


@pytest.mark.parametrize("angle", [0.0, 0.6, np.pi / 2, 2.2])
@pytest.mark.parametrize("compression", [1.02, 1.05])
def test_exact_a_sheet_gets_one_plane_wave_that_restores_its_length(angle: float, compression: float) -> None:
    cloth = sheet()
    frame = settled(waves_on(cloth, **PLAIN), squeezed(cloth, compression, angle))
    axis = np.array([np.cos(angle), np.sin(angle), 0.0])
    covectors = frame.vertex_covectors / np.linalg.norm(frame.vertex_covectors, axis=1, keepdims=True)
    assert np.degrees(np.arccos(np.clip(abs(covectors @ axis), 0, 1))).max() < 0.1
    np.testing.assert_allclose(np.linalg.norm(frame.vertex_covectors, axis=1), 2 * np.pi / (7 * R_MIN), rtol=2e-3)
    along, heights = line_heights(frame, cloth, axis)
    chord = np.diff(along) / compression
    length = np.sqrt(chord**2 + np.diff(heights) ** 2).sum()
    assert length / chord.sum() == pytest.approx(compression, rel=0.01)
    # the heights of a plane wave are constant along its crests
    along, heights = line_heights(frame, cloth, np.array([-axis[1], axis[0], 0.0]))
    assert np.ptp(heights) < 0.05 * frame.highest


@pytest.mark.parametrize("lift", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("sharpness", [0.0, 0.2, 0.5])
def test_property_heights_are_within_the_stated_bound(sharpness: float, lift: float) -> None:
    cloth = sheet()
    field = waves_on(cloth, **PLAIN | {"sharpness": sharpness, "lift": lift})
    frame = settled(field, squeezed(cloth, 1.05, 0.6))
    heights = np.concatenate([line_heights(frame, cloth, axis)[1] for axis in np.eye(3)[:2]])
    assert 0.5 * frame.highest < np.abs(heights).max() <= frame.highest


def test_property_crests_of_horizontal_folds_lean_down() -> None:
    # y points up, and the sheet is compressed along y
    cloth, slopes = sheet(), []
    for sag in (0.0, 0.1, 0.25):
        frame = settled(waves_on(cloth, **PLAIN, sag=sag), squeezed(cloth, 1.05, np.pi / 2))
        along, heights = line_heights(frame, cloth, np.array([0.0, 1.0, 0.0]))
        rises = np.diff(heights) > 0
        crests, troughs = (along[1:-1][(rises[:-1] == rising) & (rises[1:] != rising)] for rising in (True, False))
        middle = crests[(crests > troughs[0]) & (crests < troughs[-1])]
        below, above = (troughs[np.searchsorted(troughs, middle) + shift] for shift in (-1, 0))
        assert len(middle) > 4
        slopes.append(((middle - below) / (above - below)).mean())
    # the share of a period from a trough up to the next crest
    assert slopes[0] == pytest.approx(0.5, abs=0.01)
    assert slopes[2] < slopes[1] - 0.03 < slopes[0] - 0.06


def test_exact_length_beyond_a_compression_of_two_and_a_half_does_not_count() -> None:
    cloth = sheet(8)
    heights = [
        settled(waves_on(cloth, **PLAIN), squeezed(cloth, compression)).vertex_amplitudes.max()
        for compression in (2.0, 2.5, 4.0, 8.0)
    ]
    assert heights[0] < 0.95 * heights[1]
    np.testing.assert_allclose(heights[2:], heights[1], rtol=1e-4)


@pytest.mark.parametrize("detail", [0.0, 0.5])
def test_exact_the_wavelength_is_what_was_asked(detail: float) -> None:
    cloth = sheet()
    field = waves_on(cloth, **PLAIN, wavelength=0.08, sharpness=0.0, sag=0.0, detail=detail)
    along, heights = line_heights(settled(field, squeezed(cloth, 1.05)), cloth, np.array([1.0, 0.0, 0.0]), 4096)
    spectrum = abs(np.fft.rfft((heights - heights.mean()) * np.hanning(len(heights)), 65536))
    peak = np.fft.rfftfreq(65536, along[1] - along[0])[spectrum.argmax()]
    assert 1 / peak == pytest.approx(0.08, rel=0.01)


def test_exact_a_twisted_cylinder_gets_diagonal_waves() -> None:
    cloth = cylinder()
    x, y, z = cloth.positions.T
    # a twisted tube has the shear γ = radius · angle / height; its axis of compression is at about 45° to the rings
    turn = 0.5 * y / 0.1
    twisted = np.stack([x * np.cos(turn) - z * np.sin(turn), y, x * np.sin(turn) + z * np.cos(turn)], axis=1)
    frame = settled(waves_on(cloth, **PLAIN), twisted)
    around = np.stack([-z, 0 * x, x], axis=1) / 0.1
    inner = (y > 0.1) & (y < 0.5)
    level, up = (frame.vertex_covectors * around).sum(1)[inner], frame.vertex_covectors[inner, 1]
    # C = [[1, γ], [γ, 1 + γ²]] has its axis of larger stretch at the angle β with tan 2β = 2γ / -γ²
    expected = np.degrees(0.5 * np.arctan2(2 * 0.5, -(0.5**2))) + 90.0
    assert np.degrees(np.arctan2(up, level) % np.pi) == pytest.approx(expected % 180.0, abs=3.0)
    assert frame.vertex_amplitudes[inner].min() > 0.1 * R_MIN


def test_exact_cloth_that_grows_or_rests_has_no_waves() -> None:
    cloth = sheet(8)
    for scale in (1.0, 1.3):
        assert settled(waves_on(cloth), cloth.positions * scale, 5).vertex_amplitudes.max() < 1e-3 * R_MIN


@pytest.mark.parametrize("hem", [0.0, 0.4])
def test_exact_folds_fade_toward_a_loose_hem_and_not_toward_the_held_one(hem: float) -> None:
    cloth = cylinder(49, 24, height=1.2)
    squat = cloth.positions * [1.0, 1 / 1.1, 1.0]
    faded, whole = (settled(waves_on(cloth, r_min=0.004, irregularity=0.0, hem=share), squat) for share in (hem, 1.0))
    shares = (faded.vertex_amplitudes / whole.vertex_amplitudes).reshape(49, 24)[:, 0]
    heights = np.linspace(0.0, 1.2, 49)
    # near the hem, folds fade over 0.7 times the difference between the girth of the tube (a polygon) and 50 r_min (a
    # sleeve)
    x = np.clip(heights / (0.7 * (24 * 0.2 * np.sin(np.pi / 24) - 50 * 0.004)), 0.0, 1.0)
    expected = hem + (1.0 - hem) * x * x * (3.0 - 2.0 * x)
    expected[-1] = 0.5 + 0.5 * hem
    np.testing.assert_allclose(shares, expected, atol=0.02)


def test_exact_a_narrow_hem_is_held_like_a_cuff() -> None:
    cloth = cylinder(49, 24, height=1.2)
    squat = cloth.positions * [1.0, 1 / 1.1, 1.0]
    faded, whole = (settled(waves_on(cloth, r_min=0.02, irregularity=0.0, hem=share), squat) for share in (0.0, 1.0))
    shares = (faded.vertex_amplitudes / whole.vertex_amplitudes).reshape(49, 24)[:, 0]
    np.testing.assert_allclose(shares, [0.5, *np.ones(47), 0.5], atol=0.02)


@pytest.mark.parametrize(("r_min", "turned"), [(0.004, 1.0), (0.02, 0.0)])
def test_exact_folds_of_loose_cloth_hang(r_min: float, turned: float) -> None:
    # compression by 10 % in height and 5 % in width gives horizontal folds; with hang = 2 on a wide tube, vertical
    # folds
    cloth = cylinder(49, 24, height=1.2)
    small = cloth.positions * [0.95, 0.9, 0.95]
    frame = settled(waves_on(cloth, r_min=r_min, irregularity=0.0, hang=2.0), small)
    up = np.abs(frame.vertex_covectors[:, 1]) / np.linalg.norm(frame.vertex_covectors, axis=1)
    inner = (cloth.positions[:, 1] > 0.3) & (cloth.positions[:, 1] < 0.9)
    assert np.degrees(np.arccos(np.clip(up[inner], 0.0, 1.0))) == pytest.approx(90.0 * turned, abs=5.0)


@pytest.mark.parametrize(("height", "turned"), [(0.3, 1.0), (0.5, 0.0)])
def test_exact_folds_run_around_the_end_of_a_short_sleeve(height: float, turned: float) -> None:
    # Compression by 10 % in width gives vertical folds. Near the lower end of a tube with a height of 30 r_min they
    # become rings, but not at 50 r_min.
    cloth = cylinder(round(80 * height) + 1, 24, radius=0.05, height=height)
    frame = settled(waves_on(cloth, irregularity=0.0), cloth.positions * [0.9, 0.95, 0.9])
    up = np.abs(frame.vertex_covectors[:, 1]) / np.linalg.norm(frame.vertex_covectors, axis=1)
    y = cloth.positions[:, 1]
    assert np.degrees(np.arcsin(np.clip(up[y < 0.08], 0.0, 1.0))) == pytest.approx(90.0 * turned, abs=10.0)
    assert up[y > 0.9 * height].max() < 0.2


@pytest.mark.parametrize("slack", [0.0, 0.15])
def test_exact_length_lost_along_a_fold_counts_half_with_slack(slack: float) -> None:
    # The tube becomes 10 % shorter. For horizontal folds, the lost length is across the crests; for vertical folds, it
    # is along the crests.
    cloth = cylinder(49, 24, height=1.2)
    short = cloth.positions * [1.0, 0.9, 1.0]
    level, hanging = (
        settled(waves_on(cloth, **{**PLAIN, "r_min": 0.004, "slack": slack, "hang": hang}), short).vertex_amplitudes
        for hang in (0.0, 2.0)
    )
    whole = 1 / 0.9 - 1
    counted = 0.5 * whole if slack else whole
    inner = (cloth.positions[:, 1] > 0.3) & (cloth.positions[:, 1] < 0.9)
    np.testing.assert_allclose((hanging / level)[inner], slope_of(counted, slack) / slope_of(whole, slack), rtol=0.02)


@pytest.mark.parametrize("slack", [0.0, 0.15])
@pytest.mark.parametrize(
    ("rise", "stretch", "share"), [(1.0, 1.0, 1.5), (0.6, 1.0, 1.3), (-1.0, 1.0, 0.5), (0.0, 1.2, 1 / 1.4)]
)
def test_exact_length_counts_less_on_hanging_and_on_taut_cloth(
    slack: float, rise: float, stretch: float, share: float
) -> None:
    # a sheet whose normal rises by the given sine, compressed along its level axis and stretched along the other
    cloth = sheet(12)
    level = np.sqrt(1 - rise**2)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, level, -rise], [0.0, rise, level]])
    turned = mesh("turned", cloth.positions @ turn, cloth.faces)
    options = {**PLAIN, "slack": slack}
    upright = settled(waves_on(cloth, **options), squeezed(cloth, 1.1)).vertex_amplitudes.mean()
    moved = squeezed(cloth, 1.1) * [1.0, stretch, 1.0] @ turn
    found = settled(waves_on(turned, **options), moved).vertex_amplitudes.mean()
    counted = 0.1 * share if slack else 0.1
    assert found / upright == pytest.approx(slope_of(counted, slack) / slope_of(0.1, slack), rel=0.01)


def test_exact_only_level_parts_of_an_outline_are_hems() -> None:
    # a hanging sheet: its boundary is one loop, but only the lower edge is a free hem
    cloth = sheet(20)
    squeezed_down = cloth.positions * [1.0, 1 / 1.1, 1.0]
    faded, whole = (settled(waves_on(cloth, irregularity=0.0, hem=share), squeezed_down) for share in (0.0, 1.0))
    share = (faded.vertex_amplitudes / whole.vertex_amplitudes).reshape(21, 21)
    x, y = (cloth.positions[:, k].reshape(21, 21) / cloth.positions.max() for k in (0, 1))
    assert share[y == 0.0].max() < 0.02
    inner = (x > 0.0) & (x < 1.0) & (y > 0.5) & (y < 1.0)
    assert share[inner].min() > 0.95
    assert share[(x == 0.0) & (y > 0.5)] == pytest.approx(0.5, abs=0.02)


def test_degenerate_cloth_without_a_boundary_and_with_two_components_has_waves() -> None:
    ball = mesh(
        "tetrahedron",
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) * 0.2,
        [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    )
    for cloth in (ball, two_components()):
        frame = settled(waves_on(cloth), cloth.positions * [1.0, 0.8, 1.0])
        assert np.isfinite(frame.vertices).all()
        assert frame.vertex_amplitudes.max() > 0.3 * R_MIN


def changes(frames: list[WaveFrame], cloth: Mesh) -> Float64:
    heights = np.stack([frame.heights(*anywhere(cloth))[0] for frame in frames])
    return heights.astype(float)


def run(field: WaveField, cloth: Mesh, move: Any = lambda p: p, frames: int = 30) -> list[WaveFrame]:
    return [field.step(move(swinging(cloth, frame / 30))) for frame in range(frames)]


def test_property_scaled_clips_have_scaled_waves() -> None:
    cloth = sheet(10)
    large = mesh("large", cloth.positions * 64, cloth.faces)
    small = changes(run(waves_on(cloth), cloth), cloth)
    field = WaveField(large.topology, large.positions, r_min=64 * R_MIN)
    np.testing.assert_allclose(changes(run(field, cloth, lambda p: 64 * p), cloth), 64 * small, atol=0.02 * 64 * R_MIN)


def test_property_rigid_motion_of_the_clip_does_not_change_waves() -> None:
    cloth = uneven(cylinder(10, 9))
    tilt, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    tilt *= np.sign(np.linalg.det(tilt))
    around = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]])
    # Noise depends on the position in space, so it is off. Hanging folds, free hems and slack depend on the direction
    # of gravity, so they are off if the clip is tilted.
    for turn, options in (
        (around, {"irregularity": 0.0}),
        (tilt, {"irregularity": 0.0, "sag": 0.0, "hang": 0.0, "hem": 1.0, "slack": 0.0}),
    ):
        still = changes(run(waves_on(cloth, **options), cloth), cloth)
        moved = mesh("moved", cloth.positions @ turn.T + [3, 1, -2], cloth.faces)
        found = changes(run(waves_on(moved, **options), cloth, lambda p, t=turn: p @ t.T + [3, 1, -2]), cloth)
        assert still.std() > 0.1 * R_MIN
        assert np.sqrt(((found - still) ** 2).mean()) < 0.02 * still.std()


def test_property_a_mirrored_clip_has_mirrored_waves() -> None:
    cloth = sheet(10)
    options = {"irregularity": 0.0}
    mirrored = mesh("mirrored", cloth.positions * [-1, 1, 1], cloth.faces[:, ::-1])
    faces, weights = anywhere(cloth)
    one = run(waves_on(cloth, **options), cloth)
    other = run(waves_on(mirrored, **options), cloth, lambda p: p * [-1, 1, 1])
    assert one[-1].highest > 0.3 * R_MIN
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(
            b.heights(faces, weights[:, ::-1].copy())[0], a.heights(faces, weights)[0], atol=0.03 * R_MIN
        )


def test_property_another_order_of_vertices_changes_waves_little() -> None:
    cloth = uneven(sheet(10))
    order = np.random.default_rng(8).permutation(cloth.vertex_count)
    rank = np.argsort(order)
    shuffled = mesh("shuffled", cloth.positions[order], rank[cloth.faces])
    still = changes(run(waves_on(cloth, hem=1.0), cloth), cloth)
    found = changes(run(waves_on(shuffled, hem=1.0), cloth, lambda p: p[order]), cloth)
    # The solver makes one sweep, colour by colour. The colours depend on the order of the vertices, so results differ.
    assert np.sqrt(((found - still) ** 2).mean()) < 0.3 * still.std()


def test_property_frame_rates_agree() -> None:
    cloth = sheet(12)
    rms = []
    for rate in (24, 30, 60):
        field = waves_on(cloth)
        frames = [field.step(swinging(cloth, frame / rate), 1 / rate) for frame in range(4 * rate)]
        rms.append(np.sqrt((changes(frames[rate:], cloth) ** 2).mean()))
    np.testing.assert_allclose(rms, rms[1], rtol=0.03)


@pytest.mark.parametrize("calm", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_property_no_height_changes_faster_than_calm(calm: float, noise: float) -> None:
    random = np.random.default_rng(1)
    limited, largest = 0, 0.0
    for cloth in (sheet(9), cylinder(10, 9)):
        field = waves_on(cloth, calm=calm, lift=0.5)
        before = None
        for frame in range(60):
            rate = (24, 30, 120)[frame % 3]
            moved = swinging(cloth, frame / 10) + noise * random.normal(size=cloth.positions.shape)
            found = field.step(moved, 1 / rate)
            heights, _ = found.heights(*anywhere(cloth, 4000))
            if before is not None:
                change = abs(heights - before).max() / (R_MIN * 30 / rate)
                assert change <= calm * 1.0001
                largest = max(largest, change)
            before, limited = heights, limited + found.stats["limited"]
    # the limit has an effect in this test
    assert limited > 0
    assert largest > 0.3 * calm


@pytest.mark.skipif(not sequence_files(), reason=MISSING)
@pytest.mark.parametrize("path", sequence_files(), ids=lambda path: path.stem)
def test_property_no_height_of_a_garment_changes_faster_than_calm(path: Any) -> None:
    animation = ruckle.load(path)
    field = WaveField.for_animation(animation)
    random = np.random.default_rng(2)
    faces = random.integers(0, field.topology.face_count, 3000).astype(np.int32)
    weights = random.dirichlet((0.6, 0.6, 0.6), 3000).astype(np.float32)
    before, largest = None, 0.0
    for positions in animation.positions:
        heights, _ = field.step(positions, 1 / animation.fps).heights(faces, weights)
        if before is not None:
            largest = max(largest, abs(heights - before).max())
        before = heights
    assert 0.0 < largest <= field.options["calm"] * field.length_unit * 30 / animation.fps * 1.0001


def test_property_the_bound_of_the_covector_holds() -> None:
    # the constants of the core, whose proof is in wave_field.h
    header = (Path(__file__).parents[2] / "cpp" / "src" / "waves" / "wave_limits.h").read_text()
    [(above, below, excess)] = re.findall(
        r"covector_reach = ([\d.]+)f / ([\d.]+)f, covector_excess = ([\d.]+)f", header
    )
    reach = float(above) / float(below)
    parts = 240
    i, j = np.meshgrid(np.arange(parts + 1), np.arange(parts + 1))
    inside = i + j <= parts
    b = np.stack([i[inside], j[inside], parts - (i + j)[inside]], axis=1) / parts
    w = b**2 / (b**2).sum(axis=1, keepdims=True)
    assert 1.04 < (w * np.maximum(1, (1 - b) / reach)).sum(axis=1).max() <= float(excess)


def test_exact_gradients_are_slopes_of_heights() -> None:
    cloth = cylinder(10, 9)
    frame = run(waves_on(cloth), cloth)[-1]
    faces, weights = anywhere(cloth, 300)
    corners = frame.positions[cloth.faces[faces]].astype(float)
    _, gradients = frame.heights(faces, weights)
    # slopes of the waves along two edges, by finite differences
    step = 2e-3
    for corner in (1, 2):
        toward = np.zeros(3)
        toward[[0, corner]] = -1.0, 1.0
        there, back = (frame.heights(faces, (weights + way * toward).astype(np.float32))[0] for way in (step, -step))
        slopes = (there.astype(float) - back) / (2 * step)
        expected = (gradients * (corners[:, corner] - corners[:, 0])).sum(axis=1)
        np.testing.assert_allclose(slopes, expected, atol=4e-3 * abs(expected).max())


def test_exact_both_faces_of_an_edge_agree_to_the_bit() -> None:
    cloth = cylinder(10, 9)
    frame = run(waves_on(cloth), cloth)[-1]
    topology = frame.topology
    inner = np.flatnonzero(topology.edge_faces[:, 1] >= 0)
    shares = np.linspace(0, 1, 9)[None, :]
    found = []
    for side in (0, 1):
        faces = topology.edge_faces[inner, side]
        weights = np.zeros((len(inner), shares.size, 3))
        for end, share in enumerate((1 - shares, shares)):
            corner = (topology.faces[faces] == topology.edges[inner, end : end + 1]).argmax(axis=1)
            weights[np.arange(len(inner)), :, corner] = share
        each = np.repeat(faces, shares.size)
        found.append(frame.heights(each, weights.reshape(-1, 3).astype(np.float32))[0])
    assert abs(found[0]).max() > 0
    np.testing.assert_array_equal(*found)


def test_exact_a_restored_field_goes_on_with_the_same_bits() -> None:
    cloth = cylinder(8, 9)
    field, other = waves_on(cloth), waves_on(cloth)
    run(field, cloth, frames=12)
    state = field.state()
    first = [frame.vertices for frame in run(field, cloth)]
    other.restore(state)
    copied = pickle.loads(pickle.dumps(other))
    assert copied.frame_count == 12
    assert other.state() == state
    for again in (other, copied):
        for one, two in zip(first, run(again, cloth), strict=True):
            np.testing.assert_array_equal(one, two.vertices)
    other.reset()
    np.testing.assert_array_equal(
        run(other, cloth, frames=1)[0].vertices, run(waves_on(cloth), cloth, frames=1)[0].vertices
    )


def test_reject_a_state_of_another_field() -> None:
    cloth = cylinder(8, 9)
    state = waves_on(cloth).state()
    for other in (
        waves_on(cloth, gain=2.0),
        waves_on(sheet(4)),
        waves_on(mesh("moved", cloth.positions + 1, cloth.faces)),
    ):
        before = other.state()
        with pytest.raises(ValueError, match="state: expected"):
            other.restore(state)
        assert other.state() == before
    with pytest.raises(ValueError, match="state: expected"):
        waves_on(cloth).restore(state[:-1])


def test_exact_threads_and_instruction_sets_change_no_bit() -> None:
    code = (
        "import hashlib, numpy as np\n"
        "from wave_cloth import *\n"
        "cloth = sheet(70)\n"
        "for threads in (1, 3):\n"
        "    field, digest = waves_on(cloth, threads=threads), hashlib.sha256()\n"
        "    for frame in range(4):\n"
        "        found = field.step(swinging(cloth, frame / 10))\n"
        "        digest.update(found.vertices.tobytes())\n"
        "        for part in found.heights(*anywhere(cloth)): digest.update(part.tobytes())\n"
        "    print(digest.hexdigest())\n"
    )
    found = set()
    for name in ("baseline", "x86-64-v3"):
        environment = {**os.environ, "RUCKLE_INSTRUCTION_SET": name, "PYTHONPATH": os.pathsep.join(sys.path)}
        found |= set(subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).split())
    assert len(found) == 1


def test_property_remaining_lowers_folds_and_frames_report_area_gains() -> None:
    cloth = sheet(12)
    pressed = squeezed(cloth, 1.2)
    full = settled(waves_on(cloth, **PLAIN), pressed)
    shares = np.full(len(cloth.faces), 1 / 1.1, np.float32)
    field = waves_on(cloth, **PLAIN)
    for _ in range(60):
        less = field.step(pressed, remaining=shares)
    alone = settled(waves_on(cloth, **PLAIN), squeezed(cloth, 1.2 / 1.1))
    np.testing.assert_allclose(less.vertex_amplitudes, alone.vertex_amplitudes, rtol=1e-3)
    sampled = super(WaveFrame, full).area_gains
    np.testing.assert_allclose(full.area_gains.mean(), sampled.mean(), rtol=0.2)
    stack = ruckle.Stack([waves_on(cloth), waves_on(cloth)])
    both = stack.step(pressed)
    assert both.layers[1].vertex_amplitudes.max() < both.layers[0].vertex_amplitudes.max()


@pytest.mark.parametrize(
    "cloth", [triangle(), strip(), grid(3, 3), tube(), two_components()], ids=lambda cloth: cloth.name
)
def test_degenerate_meshes_stay_finite(cloth: Mesh) -> None:
    random = np.random.default_rng(4)
    field = WaveField(cloth.topology, cloth.positions, r_min=0.1)
    for moved in (
        cloth.positions,
        cloth.positions * [0.6, 1, 1],
        cloth.positions * 0,
        random.normal(size=cloth.positions.shape),
    ):
        for _ in range(3):
            frame = field.step(moved)
            assert np.isfinite(frame.vertices).all()
            heights, gradients = frame.heights(*anywhere(cloth, 200))
            assert np.isfinite(heights).all()
            assert np.isfinite(gradients).all()
    unused = np.setdiff1d(np.arange(cloth.vertex_count), cloth.faces)
    assert (frame.vertex_amplitudes[unused] == 0).all()


def test_degenerate_faces_without_area_at_rest_are_counted_and_ignored() -> None:
    cloth = sheet(6)
    flat = cloth.positions.copy()
    flat[8] = flat[9]
    field = WaveField(cloth.topology, flat, r_min=R_MIN)
    frame = settled(field, squeezed(cloth, 1.3), 3)
    assert frame.stats["degenerate"] >= 2
    assert np.isfinite(frame.vertices).all()
    nothing = WaveField(cloth.topology, flat * 0, r_min=R_MIN)
    frame = settled(nothing, cloth.positions, 3)
    assert frame.stats["degenerate"] == len(cloth.faces)
    assert (frame.vertex_amplitudes == 0).all()


@pytest.mark.parametrize("size", [1e-15, 1e15])
def test_degenerate_sizes_stay_finite(size: float) -> None:
    cloth = sheet(6)
    field = waves_on(cloth)
    for _ in range(3):
        assert np.isfinite(field.step((squeezed(cloth, 1.3) * size).astype(np.float32)).vertices).all()


def test_reject_frames_and_leave_the_state() -> None:
    cloth = sheet(6)
    field = waves_on(cloth)
    run(field, cloth, frames=3)
    state = field.state()
    broken = cloth.positions.copy()
    broken[5, 1] = np.nan
    for positions, words in ((broken, "frame 3: vertex 5 lies at"), (broken[:-1], "expected 49 vertices")):
        with pytest.raises(MeshError, match=words):
            field.step(positions)
    with pytest.raises(ValueError, match="dt: expected"):
        field.step(cloth.positions, 0.0)
    with pytest.raises(ValueError, match="remaining: expected shares"):
        field.step(cloth.positions, remaining=np.zeros(len(cloth.faces), np.float32))
    assert field.state() == state


def test_reject_options_and_rest_poses() -> None:
    cloth = sheet(3)
    with pytest.raises(ValueError, match=r"gain: expected a number in \[0, 10\], got 11"):
        waves_on(cloth, gain=11.0)
    with pytest.raises(TypeError, match="no such parameter"):
        waves_on(cloth, height=1.0)
    with pytest.raises(ValueError, match="preset: expected one of"):
        waves_on(cloth, preset="knitted")
    with pytest.raises(ValueError, match="paint: expected a number in"):
        waves_on(cloth, paint=np.full(16, 2.0))
    with pytest.raises(MeshError, match="rest: every coordinate must be finite"):
        WaveField(cloth.topology, cloth.positions * np.nan)
    with pytest.raises(ValueError, match="needs a bind pose"):
        WaveField.for_animation(ruckle.sample("sawing"), rest="bind")


def test_exact_lengths_follow_from_the_rest_pose() -> None:
    cloth = sheet(3)
    assert WaveField(cloth.topology, cloth.positions).options["r_min"] == pytest.approx(0.003)
    animation = ruckle.sample("sawing")
    field = WaveField.for_animation(animation, r_min="1%", wavelength="9 r_min", preset="simulated")
    assert field.options["wavelength"] == pytest.approx(0.09 * animation.height)
    assert field.options["gain"] == 2.0
    assert "frames done" in repr(field)
    frame = field.step(animation.positions[0])
    again = pickle.loads(pickle.dumps(frame))
    np.testing.assert_array_equal(again.heights([0], [[1, 0, 0]])[0], frame.heights([0], [[1, 0, 0]])[0])
    assert "WaveFrame(0" in repr(again)
