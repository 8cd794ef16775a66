"""Guarantees of the simulator: equal bits, symmetries, error messages; rejected frames do not change the state."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from meshes import sphere
from ruckle import MATERIALS, ClothSimulation
from sheets import by_baseline, sheet

COLUMNS = 9
# a cone that enters the sheet from below
LIMB = np.array([[0.3, -0.35, 0.5, 0.1, 0.7, -0.35, 0.4, 0.06]])


def curtain(**options: Any) -> ClothSimulation:
    rest, faces = sheet(COLUMNS, COLUMNS)
    pinned = np.zeros(len(rest))
    pinned[:COLUMNS], pinned[COLUMNS : 2 * COLUMNS] = 1.0, 0.5
    return ClothSimulation(rest, faces, pinned, **options)


def swing(cloth: ClothSimulation, first: int, last: int, move: Any = lambda x: x) -> np.ndarray:
    """Return frames with swaying pins, wind, and a rising limb. `move` transforms points of the whole scene rigidly."""
    rest, frames = sheet(COLUMNS, COLUMNS)[0], []
    for frame in range(first, last):
        limb = (LIMB + [0, 0.01 * frame, 0, 0] * 2).reshape(2, 4)
        cones = np.c_[move(limb[:, :3]), limb[:, 3]].reshape(1, 8)
        pins = rest + np.array([0.05 * np.sin(frame / 5), 0, 0])
        wind = move(np.array([[0.5, 0.2, 1.0]])) - move(np.zeros((1, 3)))
        frames.append(cloth.step(pins=move(pins), wind=wind, cones=cones).positions)
    return np.array(frames)


def test_property_threads_and_instruction_sets_give_the_same_bits() -> None:
    reference = swing(curtain(), 0, 20)
    np.testing.assert_array_equal(swing(curtain(threads=2), 0, 20), reference)
    assert by_baseline(__file__, "swing(curtain(), 0, 20)") == reference.tobytes()


def test_exact_saved_states_go_on_with_the_same_bits() -> None:
    cloth = curtain()
    swing(cloth, 0, 7)
    state = cloth.state()
    copied = pickle.loads(pickle.dumps(cloth))
    assert not copied.faces.flags.writeable
    expected = swing(cloth, 7, 15)
    for restored in (cloth, curtain(), curtain(threads=2), copied):
        restored.restore(state)
        assert (restored.frame_count, restored.state()) == (7, state)
        np.testing.assert_array_equal(swing(restored, 7, 15), expected)


def test_exact_pickled_cloth_keeps_tests_body_and_layers() -> None:
    rest, faces = sheet(8, 8)
    cloth = ClothSimulation(rest, faces, material="jacket", self_distance=0.01, substeps=4)
    ball = sphere(2)
    points = 0.25 * ball.positions - np.array([0, 0.3, 0])
    cloth.collide_with(ball.faces, len(points))
    tests = np.ones((1, len(rest)), np.float32)
    cloth.track(tests)
    targets = np.tile(tests @ rest, (4, 1, 1))
    cloth.step(body=points, targets=targets)
    copied = pickle.loads(pickle.dumps(cloth))
    for each in (cloth, copied):
        each.step(body=points, targets=targets)
    assert copied.state() == cloth.state()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"pins": np.full((81, 3), np.nan)}, "frame 3: pins of attached"),
        ({"wind": [np.inf, 0, 0]}, "frame 3: pins of attached"),
        ({"cones": [[0, 0, 0, -1, 1, 1, 1, 1]]}, "radii at least 0"),
        ({"cones": np.zeros((2, 8))}, "frame 3: cones: expected as many"),
        ({"pins": np.zeros((4, 3))}, r"pins: expected an array of shape \(V = 81, 3\), got \(4, 3\)"),
        ({"wind": np.zeros((4, 3))}, "wind: expected 1 or 81 vectors, got 4"),
        ({"dt": 0.0}, "dt: expected a finite number above 0, got 0.0"),
        ({"pins": 1e4 * np.ones((81, 3))}, "frame 3: the cloth explodes at vertex"),
        ({"pins": 1e4 * np.ones((81, 3)), "cones": np.zeros((3, 8))}, "frame 0: the cloth explodes"),
    ],
)
def test_reject_bad_frames_and_leave_the_state_as_it_was(inputs: dict[str, Any], message: str) -> None:
    first = 0 if "frame 0" in message else 3
    cloth, other = curtain(), curtain()
    for each in (cloth, other):
        swing(each, 0, first)
    with pytest.raises(ValueError, match=message):
        cloth.step(**{"cones": LIMB, **inputs})
    np.testing.assert_array_equal(swing(cloth, first, 9), swing(other, first, 9))


ROTATION = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], float)


@pytest.mark.parametrize(
    ("matrix", "shift"),
    [(np.eye(3), [100.0, 3.0, -20.0]), (ROTATION, [0, 0, 0]), (np.diag([1.0, 1.0, -1.0]), [0, 0, 0])],
    ids=["translation", "rotation", "mirror"],
)
def test_property_rigid_motions_carry_over(matrix: np.ndarray, shift: list[float]) -> None:
    rest, faces = sheet(COLUMNS, COLUMNS)
    pinned = np.arange(len(rest)) < COLUMNS
    plain = ClothSimulation(rest, faces, pinned)
    moved = ClothSimulation(rest @ matrix.T + shift, faces, pinned, gravity=matrix @ [0, -9.81, 0])
    expected = swing(plain, 0, 12) @ matrix.T + shift
    # the tolerance includes rounding errors, which are larger far from the origin
    np.testing.assert_allclose(swing(moved, 0, 12, lambda x: x @ matrix.T + shift), expected, atol=5e-4)


def test_property_units_do_not_matter() -> None:
    # lengths times 4, times times 2, masses times 16: gravity does not change, and forces are multiplied by 16
    rest, faces = sheet(COLUMNS, COLUMNS)
    pinned = np.arange(len(rest)) < COLUMNS
    m = replace(MATERIALS["cotton"], damping=0.3, air_drag=0.0, bend_friction=1e-4)
    # effect on units: kg/m² is unchanged; N/m = kg/s²: 16 / 4; N m = kg m²/s²: 16 · 16 / 4; N: 16 · 4 / 4
    large = replace(
        m, stretch=m.stretch * 4, bending=m.bending * 64, damping=m.damping / 2, bend_damping=2 * m.bend_damping,
        bend_friction=16 * m.bend_friction,
    )  # fmt: skip
    small = ClothSimulation(rest, faces, pinned, material=m)
    big = ClothSimulation(4 * rest, faces, pinned, material=large)
    for _ in range(15):
        expected, found = small.step(1 / 60).positions, big.step(2 / 60).positions
    np.testing.assert_allclose(found / 4, expected, atol=2e-4)


def test_property_the_order_of_faces_and_vertices_matters_little() -> None:
    rest, faces = sheet(COLUMNS, COLUMNS)
    pinned = np.arange(len(rest)) < COLUMNS
    order = np.random.default_rng(0).permutation(len(rest))
    inverse = np.argsort(order)
    shuffled = inverse[faces][np.random.default_rng(1).permutation(len(faces))]
    plain = ClothSimulation(rest, faces, pinned, substeps=32)
    other = ClothSimulation(rest[order], shuffled, pinned[order], substeps=32)
    for _ in range(20):
        expected, found = plain.step().positions, other.step().positions
    # the order of the constraints differs, so results differ slightly before they converge
    np.testing.assert_allclose(found[inverse], expected, atol=5e-3)


def test_exact_pins_are_where_they_should_be_and_cones_stay_empty() -> None:
    cloth = curtain(substeps=8, record_substeps=True)
    rest = sheet(COLUMNS, COLUMNS)[0]
    for frame in range(60):
        limb = LIMB + [0, 0.005 * frame, 0, 0] * 2
        positions = cloth.step(pins=rest + np.array([0, 0.001 * frame, 0]), cones=limb).positions
        np.testing.assert_allclose(positions[:COLUMNS, 1], 0.001 * frame, atol=1e-6)
        assert cone_distance(positions, limb[0]).min() > MATERIALS["cotton"].thickness - 1e-5
    assert cloth.substep_positions.shape == (8, 81, 3)
    np.testing.assert_array_equal(cloth.substep_positions[-1], cloth.positions)
    assert abs(positions[:, 1].max()) > 0.05


def cone_distance(points: np.ndarray, cone: np.ndarray) -> np.ndarray:
    """Return the distance of points to a rounded cone: the smallest distance to 2,001 spheres along its axis."""
    t = np.linspace(0, 1, 2001)[:, None, None]
    centers, radii = cone[:3] + t * (cone[4:7] - cone[:3]), cone[3] + t[..., 0] * (cone[7] - cone[3])
    return (np.linalg.norm(points[None] - centers, axis=2) - radii).min(axis=0)


def test_degenerate_cones_within_each_other_are_their_larger_sphere() -> None:
    ball = [0.5, 0.02, 0.5, 0.05, 0.5, 0.01, 0.5, 0.2]
    for cone in (ball, ball[4:] + ball[:4], [*ball[4:], *ball[4:]]):
        rest, faces = sheet(COLUMNS, COLUMNS)
        cloth = ClothSimulation(rest + np.array([0, 0.3, 0]), faces)
        for _ in range(40):
            positions = cloth.step(cones=[cone]).positions
        distance = np.linalg.norm(positions - ball[4:7], axis=1) - 0.2
        assert distance.min() == pytest.approx(MATERIALS["cotton"].thickness, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"substeps": 0}, r"substeps: expected an integer in \[1, 256\], got 0"),
        ({"compression": 1.5}, r"compression: expected a number in \[0, 1\], got 1.5"),
        ({"gravity": [0, 1]}, r"gravity: expected an array of shape \(3,\)"),
        ({"attachment": [2.0] * 4}, r"attachment: expected numbers in \[0, 1\], got 2.0"),
        ({"material": "steel"}, 'material: expected one of "cotton"'),
        *(
            ({"material": replace(MATERIALS["jacket"], **{name: value})}, f"^{name}: expected")
            for name, value in {"density": 0, "stretch": -1, "dynamic_friction": 1, "least_stretch": 1.1}.items()
        ),
    ],
)
def test_reject_options(options: dict[str, Any], message: str) -> None:
    rest, faces = sheet(2, 2)
    with pytest.raises(ValueError, match=message):
        ClothSimulation(rest, faces, **options)


def test_reject_places_and_states_of_other_cloth() -> None:
    cloth, other = curtain(), ClothSimulation(*sheet(20, 20))
    state, (rest, faces) = cloth.state(), sheet(COLUMNS, COLUMNS)
    same = "expected the state of a ClothSimulation with the same options, got one with another "
    refused = {
        "expected the state of a mesh of": other.state(),
        "expected bytes saved by a ClothSimulation, got 5 other bytes": b"other",
        "expected all": state[:-1],
        "expected the bytes that were saved, got some that have changed since": state[:-1] + b"!",
        "expected version 2, got version 33": state[:8] + b"!" + state[9:],
        f"{same}density": curtain(material="jacket").state(),
        f"{same}substeps": curtain(substeps=3).state(),
        f"{same}gravity": curtain(gravity=(0, 0, 0)).state(),
        f"{same}rest pose": ClothSimulation(1.01 * rest, faces).state(),
        f"{same}attachment": ClothSimulation(rest, faces).state(),
    }
    for message, bad in refused.items():
        with pytest.raises(ValueError, match=f"state: {message}"):
            cloth.restore(bad)
        assert cloth.state() == state
    with pytest.raises(TypeError, match="state: expected bytes, as state"):
        cloth.restore("yesterday's")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="positions"):
        cloth.place(other.positions)
    with pytest.raises(ValueError, match="positions: expected coordinates of at most 1e15 m"):
        cloth.place(1e16 + 0 * cloth.positions)
    with pytest.raises(TypeError, match="material: expected a Material"):
        curtain(material=3)


def test_degenerate_cloth_without_weight_stays_and_has_a_state() -> None:
    cloth = curtain(material=replace(MATERIALS["jacket"], density=1e-38))
    before = cloth.step().positions
    state = cloth.state()
    np.testing.assert_array_equal(cloth.step().positions, before)
    cloth.restore(state)
    assert cloth.state() == state


def test_degenerate_a_single_triangle_and_unused_vertices() -> None:
    rest = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [5, 5, 5]], float)
    cloth = ClothSimulation(rest, [[0, 2, 1]])
    for _ in range(10):
        frame = cloth.step()
    np.testing.assert_array_equal(frame.positions[3], [5, 5, 5])
    assert frame.positions[:3, 1].max() < -0.1
    assert "4 vertices" in repr(cloth)
    assert "ClothFrame(9: 4 vertices" in repr(frame)


@pytest.mark.parametrize("dt", [1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9])
@pytest.mark.parametrize("jump", [0.02, 0.2, 2.0])
def test_property_frames_of_microseconds_poison_no_later_frame(dt: float, jump: float) -> None:
    rest, faces = sheet(COLUMNS, COLUMNS)
    cloth = ClothSimulation(rest, faces, np.arange(len(rest)) < COLUMNS)
    pins = rest + np.array([0, 0, 0])
    for _ in range(5):
        cloth.step(1 / 60, pins=pins)
    before = cloth.state()
    moved = pins + np.array([0, jump, 0])
    try:
        cloth.step(dt, pins=moved)
    except ValueError:
        assert cloth.state() == before  # a jump that is too large for a frame of any length is rejected
        moved = pins
    assert np.isfinite(cloth.velocities).all()
    assert np.linalg.norm(cloth.velocities, axis=1).max() <= 1001
    cloth.restore(cloth.state())
    for _ in range(60):
        cloth.step(1 / 60, pins=moved)
    assert np.linalg.norm(cloth.velocities, axis=1).max() < 20


@pytest.mark.parametrize("dt", [1e-10, 1e-20, 1e-38])
def test_reject_frames_shorter_than_a_nanosecond(dt: float) -> None:
    cloth = curtain()
    before = cloth.state()
    with pytest.raises(ValueError, match="dt: expected a finite number of seconds of at least 1e-9, got"):
        cloth.step(dt)
    assert cloth.state() == before
