"""Simulated scenes: fit of garments, fine cloth that tracks coarse cloth with limited strain, files, the command."""

import json
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ruckle
from program import invoke
from ruckle.experiments.metrics import depths_inside, find_crossings, poke_through
from ruckle.offline.simulation import SCENES, Fit, Scene, garment_fit, gusty_wind, scene_named, simulate_pair
from ruckle.offline.simulation.coarse import simulate_coarse
from ruckle.offline.simulation.fit import measured_fit, nearest_part
from ruckle.offline.simulation.pair import edge_strains
from ruckle.offline.simulation.planned import PlannedPair
from ruckle.offline.simulation.scenes import STANDING, without_arms
from ruckle.simulation import Body, load_body, load_motion
from ruckle.simulation.body import clearance, mesh_clearance
from shared_data import MISSING, shared_files
from sheets import motion_of_arm


@cache
def scene(name: str) -> Scene:
    if name in STANDING:
        return scene_named(name)
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    return scene_named(name, load_motion(files[0]), load_body(files[1]))


@pytest.mark.parametrize("name", SCENES)
def test_exact_scenes_fit_their_bodies_and_match_at_both_resolutions(name: str) -> None:
    made = scene(name)
    assert made.clearance() > 0.0
    assert 100 <= len(made.coarse.rest) <= 400
    assert 5000 <= len(made.fine.rest) <= 10000
    for sheet in (made.coarse, made.fine):
        assert sheet.attachment.max() == 1.0
        assert sheet.weights.shape == (len(sheet.rest), len(made.motion.names))
        # raises an error if the mesh is not a manifold surface
        ruckle.Topology(sheet.faces, len(sheet.rest))
    assert np.abs(made.coarse.rest.min(axis=0) - made.fine.rest.min(axis=0)).max() < 0.02


@pytest.mark.parametrize("name", ["flag", "skirt", "trousers"])
def test_exact_pairs_track_stay_within_their_strain_and_outside_of_the_body(name: str) -> None:
    made = scene(name)
    made = replace(made, warm=10, motion=replace(made.motion, bones=made.motion.bones[:40]))
    done: list[int] = []
    pair = simulate_pair(made, frames=24, progress=done.append)
    assert done == list(range(1, 35))
    report = pair.report
    assert report.tracking_residual < 1e-6
    assert report.contact_residual < 1e-3
    assert 0.9 < report.edge_strain[0] < report.edge_strain[1] < 1.06
    assert report.edge_strain[3] < 1.3
    assert report.edge_strain == edge_strains(made.fine.rest, made.fine.faces, pair.fine.positions)
    for index in range(0, 24, 8) if len(made.cones) else ():
        assert clearance(pair.fine.positions[index], made.cones_at(made.warm + index)).min() > 0.003
    # no skin is visible in front of the cloth; `poke_through` also tests the faces between vertices
    for index in range(0, 24, 8) if made.body else ():
        body = made.body_at(made.warm + index), made.body.faces
        assert poke_through(pair.fine.positions[index], made.fine.faces, *body).counts.sum() == 0
    again = simulate_pair(made, frames=3)
    np.testing.assert_array_equal(again.fine.positions, pair.fine.positions[:3])


def test_exact_layers_of_a_curtain_and_of_what_it_follows_stay_apart() -> None:
    made = scene("curtain")
    # the ball flies through the cloth in these frames
    made = replace(made, warm=100, motion=replace(made.motion, bones=made.motion.bones[:120]))
    # soft cloth, which makes folds that touch each other
    soft = replace(ruckle.MATERIALS["jacket"], bending=2e-7, bend_damping=0.0)
    crossed = simulate_pair(made, material=soft)
    pair = simulate_pair(made, material=soft, self_distance=0.006)
    assert (crossed.report.self_distance, pair.report.self_distance) == (0.0, 0.006)
    assert len(find_crossings(crossed.fine.positions[-1], made.fine.faces)) > 100
    for run, sheet in ((pair.fine, made.fine), (pair.coarse, made.coarse)):
        assert all(len(find_crossings(frame, sheet.faces)) == 0 for frame in run.positions)
    assert pair.report.crossings == 0
    assert pair.report.contact_residual < 1e-4


# only the first frames, in which both arms are bent
@pytest.mark.filterwarnings("ignore:the garment is too small")
def test_exact_no_skin_is_seen_at_a_cuff_where_the_skin_of_a_wrist_folds() -> None:
    files = [*shared_files("sequences/shirt_punch.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    made = scene_named("shirt", load_motion(files[0]), load_body(files[1]))
    pair = simulate_pair(made, frames=6)
    assert made.body is not None
    for index in range(6):
        body = made.body_at(made.warm + index), made.body.faces
        assert poke_through(pair.fine.positions[index], made.fine.faces, *body).counts.sum() == 0


def test_exact_no_skin_is_seen_of_a_runner_whose_hands_were_in_the_trunk() -> None:
    files = [*shared_files("sequences/jeans_run.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    body = load_body(files[1])
    made = scene_named("shirt", load_motion(files[0]), body)
    pair = simulate_pair(made, frames=19)
    assert pair.report.fits
    assert pair.report.edge_strain[3] < 1.25
    assert pair.report.contact_residual < 1e-4
    for index in range(0, 19, 3):
        # the original body of the sample, whose thumbs end in a point
        skin = body.posed(made.motion.bones[made.warm + index])
        assert poke_through(pair.fine.positions[index], made.fine.faces, skin, body.faces).counts.sum() == 0
        assert depths_inside(pair.fine.positions[index], skin, body.faces).max() < 0.001
        depths = -mesh_clearance(pair.fine.positions[index], skin, body.faces)[0]
        assert depths[made.fine.attachment < 1.0].max() < 1e-3


def test_exact_legs_do_not_come_between_the_vertices_of_a_coarse_skirt() -> None:
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    motion, body = load_motion(files[0]), load_body(files[1])
    made = scene_named("skirt", motion, body).against_mesh(without_arms(body, motion))
    run = simulate_coarse(made, substeps=16, frames=20)
    for frame in (2, 11, 19):
        corners = run.positions[frame][made.coarse.faces]
        middles = np.concatenate([corners.mean(axis=1), *(corners[:, [k, k - 1]].mean(axis=1) for k in range(3))])
        # without contact of whole faces, a thigh moves 32 mm through the faces and tears the fine cloth
        assert mesh_clearance(middles, made.body_at(made.warm + frame), made.body.faces)[0].min() > 0.0


def test_exact_a_skirt_stays_outside_of_the_body_s_mesh() -> None:
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    motion, body = load_motion(files[0]), load_body(files[1])
    skin = without_arms(body, motion)
    assert 0.3 < len(skin.positions) / len(body.positions) < 0.9
    made = scene_named("skirt", motion, body).against_mesh(skin)
    assert made.clearance() > 0.0
    assert made.cones_at(0) is None
    made = replace(made, warm=4, motion=replace(made.motion, bones=made.motion.bones[:16]))
    pair = simulate_pair(made, substeps=8, tests=20)
    for frame in (0, 6, 11):
        distances, _ = mesh_clearance(pair.fine.positions[frame], made.body_at(made.warm + frame), skin.faces)
        assert distances[made.fine.attachment < 1].min() > -5e-4
    with pytest.raises(ValueError, match=r"garment: vertex \d+ at \(.*\) lies \d+.\d mm inside the body at rest"):
        scene_named("sleeve", motion, body).against_mesh(body)


def test_exact_a_skirt_s_cones_hold_the_skin_of_legs_and_feet() -> None:
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    motion, body, made = load_motion(files[0]), load_body(files[1]), scene("skirt")
    owners = body.weights.argmax(axis=1)
    for bone, most in (
        ("LeftUpLeg", 0.001),
        ("LeftLeg", 0.001),
        ("RightLeg", 0.001),
        ("LeftFoot", 0.012),
        ("RightFoot", 0.012),
    ):
        own = owners == motion.index(bone)
        assert own.any()
        # the cones (rounded capsules) contain all skin except the tips of the toes
        for frame in (0, 150, 180):
            skin = body.posed(made.motion.bones[frame])[own]
            assert clearance(skin, made.cones_at(frame)).max() < most


def test_exact_faster_bodies_get_more_substeps() -> None:
    still, walking = scene("flag"), scene("skirt")
    assert still.substeps() == 16
    assert walking.substeps() == 32
    slow = replace(walking, motion=replace(walking.motion, bones=walking.motion.bones[:2]))
    assert slow.substeps() == 16
    twice = replace(walking, motion=replace(walking.motion, bones=walking.motion.bones[::4]))
    assert twice.substeps() == 64


def narrow_skirt() -> Scene:
    """Return the skirt's scene with few frames. The skirt is 20 % too narrow for its wearer."""
    made = scene("skirt")
    made = replace(made, warm=2, motion=replace(made.motion, bones=made.motion.bones[:10]))
    return replace(made, coarse=replace(made.coarse, rest=made.coarse.rest * np.float32([0.8, 1, 0.8])))


def test_exact_garments_that_are_too_small_are_told_before_their_fine_cloth() -> None:
    small = narrow_skirt()
    wide = replace(small, coarse=scene("skirt").coarse)
    told = garment_fit(small, substeps=8)
    assert not told.fits
    assert told.tightness > 1.05
    assert 1.08 < told.stretch < 1.35
    assert told.part in {"Hips", "LeftUpLeg", "RightUpLeg"}
    assert 0 <= told.frame < 8
    x, y, z = told.place
    assert np.abs(small.coarse.rest - [x, y, z]).sum(axis=1).min() < 1e-6
    assert told.sentence.startswith(f"the garment is too small near {told.part}: its coarse cloth at ({x:.3f}, {y:.3f}")
    assert f"stretched to {told.stretch:.2f} of its length from frame {told.frame} on" in told.sentence
    done: list[int] = []
    with pytest.warns(UserWarning, match="the garment is too small near"):
        report = simulate_pair(small, tests=0, substeps=8, progress=done.append).report
    assert (report.fits, report.tight_place, report.tightness) == (False, told.sentence, told.tightness)
    assert done

    class TooSmallError(Exception):
        pass

    def refuse(fit: Fit) -> None:
        assert fit == told
        raise TooSmallError

    done.clear()
    with pytest.raises(TooSmallError):
        simulate_pair(small, tests=0, substeps=8, progress=done.append, check=refuse)
    assert not done
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = simulate_pair(wide, tests=0, substeps=8).report
    assert report.fits
    assert report.tight_place == garment_fit(wide, substeps=8).sentence == ""


def test_exact_bodies_that_leave_a_garment_no_room_are_told() -> None:
    made = scene("shirt")
    still = replace(made, warm=0, motion=replace(made.motion, bones=made.motion.bones[:1].repeat(24, axis=0)))
    body, worn = still.body, still.coarse.pins(still.motion.bones[0])
    assert body is not None
    distances, outward = mesh_clearance(worn, still.body_at(0), body.faces)
    # In frame 6, which is the second measured frame, move three vertices 2 cm into the body. Such vertices occur
    # between limbs that intersect.
    sunk = np.argsort(worn[:, 0])[:3]
    frames = worn[None].repeat(8, axis=0)
    frames[6, sunk] -= ((distances + 0.02)[:, None] * outward)[sunk].astype(np.float32)
    told = measured_fit(still, frames)
    assert told.sunk == 3 / (2 * len(worn))
    assert told.frame == 6
    assert 0.015 < told.depth < 0.0201
    assert np.abs(still.coarse.rest[sunk] - told.place).sum(axis=1).min() < 1e-6
    assert told.is_wide
    assert not told.fits
    assert "the body intersects itself near RightForeArm and leaves" in told.sentence
    assert f"is {1000 * told.depth:.0f} mm inside the body in frame 6" in told.sentence
    # one deep vertex in one measured frame is ignored
    frames[6, sunk[1:]] = worn[sunk[1:]]
    assert measured_fit(still, frames.repeat(3, axis=0)).fits


def test_exact_tight_places_are_where_cloth_stays_stretched() -> None:
    cloth = scene("flag")
    rest, swung = cloth.coarse.rest, 30
    frames = np.repeat(rest[None], 40, axis=0)
    # stretch the whole flag in three frames, and one corner in ten frames
    frames[5:8] *= 1.5
    corner = int(np.argmax(rest @ [1, 1, 0]))
    frames[20:swung, corner] += np.float32([0.05, 0.05, 0])
    found = measured_fit(cloth, frames)
    assert found.frame == 20
    assert np.linalg.norm(np.array(found.place) - rest[corner]) < 0.2
    assert found.part == ""
    # without a wearer, as for the flag, there is no message
    assert replace(found, tightness=1.2).sentence == ""
    assert "too small near hips: its coarse cloth" in replace(found, tightness=1.2, part="hips").sentence
    still = measured_fit(cloth, rest[None])
    assert (still.tightness, still.stretch, still.sentence) == (1.0, 1.0, "")


def test_exact_wind_depends_on_place_and_time_alone() -> None:
    points = np.random.default_rng(0).random((50, 3))
    wind = gusty_wind(points, 1.3, (6.0, 0.0, 0.8), 0.5)
    assert wind.shape == (50, 3)
    np.testing.assert_array_equal(wind[::7], gusty_wind(points[::7], 1.3, (6.0, 0.0, 0.8), 0.5))
    np.testing.assert_array_equal(gusty_wind(points, 4.0, (1.0, 2.0, 3.0), 0.0), [[1, 2, 3]] * 50)


def test_reject_scenes() -> None:
    for name, message in (("tent", 'scene: expected one of "skirt"'), ("skirt", "motion: 'skirt' needs a wearer")):
        with pytest.raises(ValueError, match=message):
            scene_named(name)
    with pytest.raises(ValueError, match="frames: expected an integer"):
        simulate_pair(scene_named("flag"), frames=10**6)
    with pytest.raises(ruckle.FormatError):
        load_motion(Path(__file__))
    nobody = Body(np.zeros((0, 3), "f4"), np.zeros((0, 3), "i4"), np.zeros((0, 3), "f4"))
    with pytest.raises(ValueError, match="joint: expected one of a, b, c, got 'LowerBack'"):
        scene_named("skirt", motion_of_arm(), nobody)


def test_reject_a_sleeve_on_a_mesh_without_arms() -> None:
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    if not files:
        pytest.skip(MISSING)
    planned = PlannedPair(Path("nowhere"), "sleeve", files[0], files[1], contact="mesh")
    with pytest.raises(ValueError, match="contact: the mesh of the body has no arms, on which a sleeve is worn"):
        planned.open()


def test_exact_the_command_writes_pairs_that_others_read_and_makes_each_once(tmp_path: Path) -> None:
    options = ["--frames", "2", "--substeps", "2", "--material", "jacket", "--json"]
    arguments = ["simulate", "curtain", *options, "-o", tmp_path]
    first, folder = invoke(*arguments), tmp_path / "curtain_jacket"
    [report] = json.loads(first.stdout)
    assert (report["scene"], report["material"]) == ("curtain", "jacket")
    coarse, fine = ruckle.load(folder / "coarse.npz"), ruckle.load(folder / "fine.npz")
    assert coarse.positions.shape[0] == fine.positions.shape[0] == 2
    cached = ruckle.load(folder / "fine.pc2")
    np.testing.assert_array_equal(cached.positions, fine.positions)
    written = (folder / "fine.npz").stat().st_mtime_ns
    assert json.loads(invoke(*arguments).stdout) == [report]
    assert (folder / "fine.npz").stat().st_mtime_ns == written


def test_exact_the_command_says_what_does_not_fit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = narrow_skirt()
    monkeypatch.setattr(PlannedPair, "open", lambda _: small)
    arguments = ["simulate", "flag", "--frames", "2", "--substeps", "8", "--tests", "0", "-o", folder / "out"]
    first = invoke(*arguments)
    [note] = first.stderr.splitlines()
    assert note.startswith(f"ruckle: {folder / 'out' / 'flag_cotton'}: the garment is too small near ")
    assert first.stdout.splitlines()[1].split()[:5] == ["folder", "coarse", "ms", "fine", "ms"]
    # the folder is complete, so the command does not simulate it again, but it prints the note again
    assert invoke(*arguments).stderr.splitlines()[1:] == [note]
    assert invoke(*arguments, "--quiet").stderr == ""


def test_exact_the_nearest_part_of_a_body_is_named() -> None:
    worn = scene("skirt")
    knee = worn.motion.joints[worn.motion.index("LeftLeg")]
    assert nearest_part(worn, knee + np.array([0, 0.1, 0.1])) == "LeftUpLeg"
    files = [*shared_files("sequences/trousers_walk.npz"), *shared_files("sequences/body_male.npz")]
    over_mesh = worn.against_mesh(without_arms(load_body(files[1]), worn.motion))
    assert nearest_part(over_mesh, knee + np.array([0, 0.1, 0.1])) == "LeftUpLeg"


def test_exact_a_pulse_swells_and_fades_everywhere_at_once() -> None:
    blown = scene("banner")
    points = blown.coarse.rest
    period = round(blown.motion.fps / blown.pulse_rate)
    calm = gusty_wind(points, 0.0, blown.wind, 0.0)
    np.testing.assert_allclose(blown.wind_at(points, period), calm, atol=1e-5)
    np.testing.assert_allclose(blown.wind_at(points, period // 4), calm * (1 + blown.pulse), rtol=1e-5)
    np.testing.assert_allclose(blown.wind_at(points, 3 * period // 4), calm * (1 - blown.pulse), rtol=1e-5)


def test_property_another_start_ends_elsewhere_but_follows_as_well() -> None:
    blown = scene("flag")
    blown = replace(blown, warm=10, motion=replace(blown.motion, bones=blown.motion.bones[:16]))
    plain, shaken = (simulate_pair(blown, substeps=8, start_noise=noise) for noise in (0.0, 0.002))
    np.testing.assert_array_equal(shaken.coarse.positions, plain.coarse.positions)
    assert np.abs(shaken.fine.positions - plain.fine.positions).max() > 1e-4
    assert shaken.report.tracking_residual < 1e-6
    # the edge that is attached to the pole is not moved
    held = blown.fine.attachment == 1.0
    np.testing.assert_allclose(shaken.fine.positions[:, held], plain.fine.positions[:, held], atol=1e-6)


def test_property_a_smoothed_motion_keeps_poses_that_do_not_change_and_calms_noise() -> None:
    motion = motion_of_arm()
    still = replace(motion, bones=np.repeat(motion.bones[:1], 6, axis=0))
    np.testing.assert_allclose(still.smoothed(0.7).bones, still.bones, atol=1e-6)
    noise = np.random.default_rng(2).normal(scale=0.01, size=(60, 1, 3))
    shaken = replace(motion, bones=np.repeat(motion.bones[:1], 60, axis=0))
    shaken.bones[:, :, :, 3] += noise
    left = shaken.smoothed(0.7).bones[..., 3] - motion.bones[0, :, :, 3]
    assert left.std() < 0.75 * noise.std()


def test_reject_a_body_with_numbers_beyond_float32(tmp_path: Path) -> None:
    arrays = {"faces": [[0, 1, 2]], "skin_weights": np.ones((3, 1)), "rest_positions": np.eye(3)}
    np.savez(tmp_path / "a.npz", **(arrays | {"rest_positions": 1e39 * np.eye(3)}))
    with pytest.raises(ruckle.FormatError, match=r"'rest_positions' .* is not one of shape .* and finite"):
        load_body(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", **arrays)
    np.testing.assert_array_equal(load_body(tmp_path / "a.npz").positions, np.eye(3))
