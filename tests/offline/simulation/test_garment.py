"""Garments of users: pinned vertices, bones for the cloth, and pairs of coarse and fine cloth from the command."""

import json
from pathlib import Path

import numpy as np
import pytest

import ruckle
from meshes import sphere
from program import invoke, refusal
from ruckle.offline.simulation import GarmentMesh, load_garment_mesh, own_scene, parted, pinned_vertices
from ruckle.simulation import Body, Motion, grid_sheet
from sheets import motion_of_arm

COLUMNS, ROWS = 12, 8


def tube(radius: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and faces of a tube around the y axis with a height of 0.4 m."""

    def around(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.stack([radius * np.cos(2 * np.pi * u), 0.4 * v, radius * np.sin(2 * np.pi * u)], 1)

    return grid_sheet(COLUMNS, ROWS, around, closed=True)


def garment(**groups: np.ndarray) -> GarmentMesh:
    return GarmentMesh("tube", *tube(), None, groups)


def body(motion: Motion, radius: float = 0.05) -> Body:
    """Return a ball on the axis of the tube as a body.

    Its lower half follows the second joint, its upper half the first.
    """
    ball = sphere(2)
    points = (radius * ball.positions + [0, 0.2, 0]).astype(np.float32)
    weights = np.zeros((len(points), len(motion.names)), np.float32)
    weights[np.arange(len(points)), (points[:, 1] < 0.2).astype(int)] = 1
    return Body(points, ball.faces, weights)


def test_exact_pins_are_loops_by_height_or_size_and_groups() -> None:
    spot = np.arange(COLUMNS * ROWS) == 30
    cloth = garment(spot=spot)
    top, bottom = cloth.rest[:, 1] > 0.39, cloth.rest[:, 1] < 0.01
    np.testing.assert_array_equal(pinned_vertices(cloth, ["loop:highest"]), top)
    np.testing.assert_array_equal(pinned_vertices(cloth, ["loop:lowest", "spot"]), bottom | spot)
    np.testing.assert_array_equal(pinned_vertices(cloth, ["loop:0", "loop:1"]), top | bottom)
    assert not pinned_vertices(cloth, []).any()
    with pytest.raises(ValueError, match="pin: expected one of spot, loop:0, loop:1, loop:lowest, loop:highest, got"):
        pinned_vertices(cloth, ["waist"])


def test_exact_both_resolutions_are_held_at_the_same_rim_and_follow_the_nearest_skin() -> None:
    motion = motion_of_arm()
    skin = body(motion)
    scene = own_scene(garment(), motion, skin, pins=["loop:highest"], fine_count=600)
    assert scene.body is skin
    assert len(scene.coarse.rest) == COLUMNS * ROWS
    assert 400 < len(scene.fine.rest) < 800
    for sheet in (scene.coarse, scene.fine):
        heights = sheet.rest[:, 1]
        np.testing.assert_array_equal(sheet.attachment == 1.0, heights > 0.4 - 1e-6)
        # vertices more than 3 cm below the pinned boundary are not attached
        np.testing.assert_array_equal(sheet.attachment[heights < 0.36], 0.0)
        np.testing.assert_allclose(sheet.weights[heights > 0.3], np.float32([[1, 0, 0]] * (heights > 0.3).sum()))
        np.testing.assert_allclose(sheet.weights[heights < 0.1], np.float32([[0, 1, 0]] * (heights < 0.1).sum()))


def test_exact_garments_that_begin_inside_are_refused_or_pushed_out() -> None:
    motion = motion_of_arm()
    wide = body(motion, 0.11)
    with pytest.raises(ValueError, match=r"garment: vertex \d+ at \(.*\) lies \d+.\d mm inside the body at rest"):
        own_scene(garment(), motion, wide, fine_count=600)
    scene = own_scene(garment(), motion, wide, fit=True, fine_count=600)
    assert scene.clearance() > 0.002
    # vertices far from the body keep their positions
    apart = np.abs(scene.coarse.rest[:, 1] - 0.2) > 0.12
    np.testing.assert_array_equal(scene.coarse.rest[apart], tube()[0][apart])


def test_reject_scenes_without_what_they_need() -> None:
    motion = motion_of_arm()
    for given, message in (
        ((None, body(motion)), "motion: the body needs a motion"),
        ((motion, None), "body: the garment has no skin_weights"),
    ):
        with pytest.raises(ValueError, match=message):
            own_scene(garment(), *given, fine_count=600)
    few = GarmentMesh("tube", *tube(), np.ones((COLUMNS * ROWS, 2), np.float32), {})
    with pytest.raises(ValueError, match="motion: has 3 bones, but the weights are for 2 bones"):
        own_scene(few, motion, fine_count=600)
    with pytest.raises(ValueError, match="fine_count: expected an integer"):
        own_scene(garment(), fine_count=5)


def test_exact_limbs_that_lie_in_the_body_are_turned_off_it() -> None:
    motion, ball = motion_of_arm(), sphere(2)
    # two balls that intersect, far from the garment; the first follows the second joint, the second follows the first
    halves = [0.04 * ball.positions + [0.55, y, 0.0] for y in (0.0, 0.07)]
    weights = np.repeat(np.eye(2, 3, dtype=np.float32)[::-1], len(ball.positions), axis=0)
    faces = np.concatenate([ball.faces, ball.faces + len(ball.positions)]).astype(np.int32)
    skin = Body(np.concatenate(halves).astype(np.float32), faces, weights)
    plain, off = (own_scene(garment(), motion, skin, fine_count=600, limbs=limbs) for limbs in ([], ["b"]))
    np.testing.assert_array_equal(off.motion.bones, parted(plain.motion, skin, ["b"]).bones)
    assert np.abs(off.motion.bones - plain.motion.bones).max() > 0.02
    with pytest.raises(ValueError, match="joints: 'c' has no joint below it"):
        own_scene(garment(), motion, skin, limbs=["c"])
    with pytest.raises(ValueError, match="body: limbs are rotated away from the body; give the file of"):
        own_scene(garment(), limbs=["b"])


def write_garment(path: Path) -> None:
    rest, faces = tube()
    np.savez(path, positions=rest[None], faces=faces, fps=30.0, group_rail=(rest[:, 1] > 0.39).astype(np.float32))


def test_exact_groups_of_an_obj_file_are_the_vertices_of_their_faces(tmp_path: Path) -> None:
    vertices = "".join(f"v {x} {y} 0\n" for y in range(3) for x in range(2))
    text = "f 1 2 4\ng hem seam\nf 1/1 \\\n4/1 3/1\ng seam\nf -4 -3 -1\ng empty\n"
    (tmp_path / "patch.obj").write_text(vertices + "vt 0 0\n" + text + "o patch\ng\nf 3 6 5\n")
    read = load_garment_mesh(tmp_path / "patch.obj")
    assert {name: np.flatnonzero(members).tolist() for name, members in read.groups.items()} == {
        "hem": [0, 2, 3], "seam": [0, 2, 3, 5],
    }  # fmt: skip
    assert np.flatnonzero(pinned_vertices(read, ["hem"])).tolist() == [0, 2, 3]


def test_exact_the_command_simulates_files_by_as_many_processes_as_one_likes(tmp_path: Path) -> None:
    write_garment(tmp_path / "shade.npz")
    options = ["--pin", "rail", "--frames", "1", "--substeps", "1", "--tests", "8", "--json"]
    alone, pool = (["simulate", tmp_path / "shade.npz", *options, "-o", tmp_path / name] for name in ("alone", "pool"))
    [report] = json.loads(invoke(*alone).stdout)
    assert (report["scene"], report["motion"]) == ("shade", "")
    invoke(*pool, "--workers", "2")
    [apart] = json.loads(invoke(*alone, "--self-distance", "0.004").stdout)
    assert (apart["folder"], apart["self_distance"]) == (str(tmp_path / "alone" / "shade_apart_cotton"), 0.004)
    fine = [ruckle.load(tmp_path / name / "shade_cotton" / "fine.npz").positions for name in ("alone", "pool")]
    np.testing.assert_array_equal(*fine)
    assert refusal(*alone[:2], "--pin", "door", "-o", tmp_path / "refused").startswith("pin: expected one of rail, ")
