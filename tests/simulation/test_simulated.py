"""Simulated cloth at run time: positions from bone matrices, equal in Python and C, and layers on this cloth."""

import pickle
from ctypes import POINTER, byref, c_float, c_void_p
from typing import Any

import numpy as np
import pytest

import ruckle
from c_library import LIBRARY, STRUCTS, address, call
from ruckle.mesh.rotation import rotation_matrices
from ruckle.simulation import Body, Sheet, Simulated, grid_sheet, pose_cones, smooth_attachment
from ruckle.simulation.material import coarse_material
from sheets import motion_of_arm

FRAMES, DT = 24, 1 / 60
CONES = np.float32([[0, 0, 0, 0.055, 0.3, 0, 0, 0.05], [0.3, 0, 0, 0.05, 0.6, 0, 0, 0.04]])
CONE_BONES = np.int32([0, 1])


def around(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    angle, radius = 2 * np.pi * u, 0.08 - 0.01 * v
    return np.stack([0.05 + 0.5 * v, radius * np.cos(angle), radius * np.sin(angle)], 1)


def sleeve() -> Sheet:
    rest, faces = grid_sheet(12, 16, around, closed=True, inside_out=True)
    weights = np.zeros((len(rest), 3), np.float32)
    weights[:, 0] = np.clip((0.35 - rest[:, 0]) / 0.1, 0, 1)
    weights[:, 1] = 1 - weights[:, 0]
    return Sheet(rest, faces, smooth_attachment(rest[:, 0] - 0.05, 0.03), weights)


def arm() -> Body:
    points, faces = grid_sheet(10, 8, lambda u, v: around(u, v) * [1, 0.6, 0.6], closed=True, inside_out=True)
    weights = np.zeros((len(points), 3), np.float32)
    weights[:, 0] = points[:, 0] < 0.3
    weights[:, 1] = 1 - weights[:, 0]
    return Body(points, faces, weights)


def bones(frame: int) -> np.ndarray:
    motion = motion_of_arm()
    turn = np.radians(2.0 * frame)
    local = rotation_matrices(np.array([[0, 0, 0], [0, 0, turn], [0, 0, 0]]))
    return motion.pose(local, (0.0, 0.002 * frame, 0.0)).astype(np.float32)


def test_exact_cloth_is_where_the_simulator_has_it_for_pins_and_cones_posed_by_hand() -> None:
    sheet, body = sleeve(), arm()
    simulated = Simulated(sheet, CONES, CONE_BONES, body, margin=0.003)
    by_hand = ruckle.ClothSimulation(
        sheet.rest, sheet.faces, sheet.attachment, material=coarse_material("cotton"), substeps=8, strain_sweeps=1,
        compression=0.05, margin=0.003,
    )  # fmt: skip
    by_hand.collide_with(body.faces, len(body.positions))
    by_hand.place(sheet.pins(bones(0)))
    for frame in range(FRAMES):
        found = simulated.step(bones(frame), DT, wind=[0, 0, 1])
        posed = pose_cones(CONES, CONE_BONES, bones(frame))
        inputs = {"pins": sheet.pins(bones(frame)), "cones": posed, "body": body.posed(bones(frame)), "wind": [0, 0, 1]}
        # `simulated` computes the skin in single precision, `by_hand` in double precision. Contact increases this
        # difference over time.
        off = np.abs(found - by_hand.step(DT, **inputs).positions)
        assert off.max() < (1e-4 if frame < 8 else 3e-3)
    assert simulated.frame_count == FRAMES
    assert simulated.stats["largest_edge_stretch"] < 1.2
    assert simulated.timings["bodies"] > 0.0
    assert repr(simulated) == f"Simulated({len(sheet.rest)} vertices, 3 bones, {FRAMES} frames)"


def test_exact_worn_cloth_goes_on_from_a_state() -> None:
    simulated = Simulated(sleeve(), CONES, CONE_BONES, arm(), margin=0.003, self_distance=0.004)
    begun = simulated.state()
    first = [simulated.step(bones(frame), DT) for frame in range(5)]
    state, copied = simulated.state(), pickle.loads(pickle.dumps(simulated))
    later = [simulated.step(bones(frame), DT) for frame in range(5, 9)]
    for each in (simulated, copied):
        each.restore(state)
        np.testing.assert_array_equal([each.step(bones(frame), DT) for frame in range(5, 9)], later)
    # after the first state is restored, the next step places the cloth by its bones again
    copied.restore(begun)
    np.testing.assert_array_equal([copied.step(bones(frame), DT) for frame in range(5)], first)
    with pytest.raises(ValueError, match="got one with another margin"):
        Simulated(sleeve(), CONES, CONE_BONES, arm()).restore(state)


def test_exact_after_a_reset_frames_equal_those_of_a_new_simulation() -> None:
    sheet = sleeve()
    simulated = Simulated(sheet, CONES, CONE_BONES)
    first = [simulated.step(bones(frame), DT) for frame in range(6)]
    simulated.step(bones(20), DT)
    simulated.reset()
    np.testing.assert_array_equal([simulated.step(bones(frame), DT) for frame in range(6)], first)


def stepped_by_c(sheet: Sheet, body: Body) -> list[np.ndarray]:
    options, cloth = STRUCTS["ruckle_cloth_options"](), c_void_p()
    LIBRARY.ruckle_cloth_default_options(byref(options))
    options.material.least_stretch, options.material.largest_stretch = 0.0, 1.1
    options.material.bend_damping, options.material.edge_damping = 1.0, 0.1
    options.material.bend_friction = 100.0 * 1.2e-5
    options.substeps, options.strain_sweeps, options.compression, options.margin = 8, 1, 0.05, 0.003
    options.contact_spacing = 0.03
    wearer = STRUCTS["ruckle_wearer"](
        3, address(sheet.weights), 2, CONES.ctypes.data, address(CONE_BONES), len(body.positions), len(body.faces),
        address(body.positions), address(body.faces), address(body.weights),
    )  # fmt: skip
    call(
        "ruckle_cloth_create_worn", address(sheet.rest), len(sheet.rest), address(sheet.faces), len(sheet.faces),
        address(sheet.attachment), byref(wearer), byref(options), byref(cloth),
    )  # fmt: skip
    LIBRARY.ruckle_cloth_positions.restype = POINTER(c_float)
    wind, frames = np.float32([0, 0, 1]), []
    try:
        for frame in range(FRAMES):
            matrices = np.ascontiguousarray(bones(frame))
            call("ruckle_cloth_step_posed", cloth, address(matrices), 3, c_float(DT), address(wind))
            positions = LIBRARY.ruckle_cloth_positions(cloth)
            frames.append(np.ctypeslib.as_array(positions, (len(sheet.rest), 3)).copy())
    finally:
        LIBRARY.ruckle_cloth_destroy(cloth)
    return frames


def test_exact_c_gives_the_same_bits() -> None:
    sheet, body = sleeve(), arm()
    simulated = Simulated(sheet, CONES, CONE_BONES, body, margin=0.003, contact_spacing=0.03)
    ours = [simulated.step(bones(frame), DT, wind=[0, 0, 1]) for frame in range(FRAMES)]
    np.testing.assert_array_equal(stepped_by_c(sheet, body), ours)


def test_exact_layers_wrinkle_what_is_simulated() -> None:
    sheet = sleeve()
    simulated = Simulated(sheet, CONES, CONE_BONES)
    wrinkler = ruckle.Wrinkler(sheet.faces, len(sheet.rest), rest=sheet.rest, r_min=0.004)
    counts = [len(wrinkler.step(simulated.step(bones(frame), DT), DT).wrinkles) for frame in range(45)]
    assert counts[0] == 0
    assert max(counts) > 2


def test_reject_wearers_and_bones() -> None:
    sheet, body = sleeve(), arm()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"cone_bones": [0]}, r"cone_bones: expected an array of shape \(C = 2,\)"),
        ({"cone_bones": [0, 3]}, "cone_bones: expected bones below 3, got 3"),
        ({"cones": np.zeros((2, 7))}, r"cones: expected an array of shape \(C, 8\)"),
        ({"body": Body(body.positions, body.faces, body.weights[:, :2])}, r"body_weights: .*B = 3"),
        (
            {"body": Body(body.positions, body.faces, -body.weights)},
            "body_weights: expected finite shares",
        ),
        ({"substeps": 0}, "substeps: expected an integer"),
    ]
    for change, message in wrong:
        with pytest.raises(ValueError, match=message):
            Simulated(sheet, **{"cones": CONES, "cone_bones": CONE_BONES, **change})
    simulated = Simulated(sheet, CONES, CONE_BONES)
    with pytest.raises(ValueError, match=r"bones: expected an array of shape \(B = 3, 3, 4\), got \(2, 3, 4\)"):
        simulated.step(bones(0)[:2])
    broken = bones(0).copy()
    broken[1, 0, 0] = np.nan
    with pytest.raises(ruckle.MeshError, match="frame 0: pins of attached"):
        simulated.step(broken)
    with pytest.raises(ValueError, match="dt: expected a finite number above 0"):
        simulated.step(bones(0), 0.0)
    assert simulated.frame_count == 0
