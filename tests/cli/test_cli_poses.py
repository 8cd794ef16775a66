"""The command `ruckle poses`: plans, pose databases, the layer in an export, simulated garments, error messages."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from posed_arm import animation, coarse_at, coarse_mesh, fine_at, fine_mesh, moving_arm, plan, sampled_angles
from program import invoke, refusal, value_of
from ruckle import PosePlan, PoseSynthesizer, Skeleton, displace, load_plan, load_poses, plan_poses
from ruckle.io.budget import Budget
from ruckle.io.obj import read_mesh
from ruckle.offline.pose_space import posed_garments
from ruckle.offline.pose_space.posed_garments import sleeve

JOINTS = ["-j", "arm=-30,0,30/0/-40:41:40", "-j", "elbow=0:91:30", "--axis", "elbow=0,-1,0"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    moving_arm().save("arm.npz")
    return tmp_path


def simulated(of_plan: PosePlan) -> None:
    """Write the fine garment in all sampled poses, and the coarse garment along the clip, as if they were simulated."""
    animation([fine_at(angles) for angles in sampled_angles(of_plan)], fine_mesh()[1]).save("fine.npz")
    clip = load_plan("plan.npz")[1]
    animation([coarse_at(bones) for bones in clip.bones], coarse_mesh()[1]).save("coarse.pc2")


def test_exact_from_a_plan_to_a_layer(folder: Path) -> None:
    value = value_of("poses", "plan", "arm.npz", *JOINTS, "-o", "plan.npz", "--clip", "clip.glb")
    assert Path("clip.glb").read_bytes()[:4] == b"glTF"
    assert (value["samples"], value["joints"]) == (13, ["arm", "elbow"])
    made, clip = load_plan("plan.npz")
    assert repr(made) == repr(plan())
    assert value["frames"] == len(clip.bones)
    simulated(made)
    built = value_of("poses", "build", "plan.npz", "fine.npz", "--coarse", "coarse.pc2", "-o", "arm.poses.npz")
    assert built["samples"] == 13
    told = value_of("poses", "info", "arm.poses.npz")
    assert [joint["degrees"] for joint in told["joints"]] == [[[-30, 0, 30], [0], [-40, 0, 40]], [[0, 30, 60, 90]]]
    assert told["bytes"] == load_poses("arm.poses.npz").size
    text = invoke("poses", "info", "arm.poses.npz").stdout
    assert "-30..30 (3) x 0..0 (1) x -40..40 (3)" in text
    # the layer of the command `export` is equal to the layer in Python
    exported = invoke("export", "arm.npz", "--poses", "arm.poses.npz", "--frames", "7:8", "-o", "fine")
    assert exported.exit_code == 0, exported.stderr
    layer = PoseSynthesizer.for_animation(moving_arm(), load_poses("arm.poses.npz"))
    fine = displace(layer.step(moving_arm().positions[7], bones=moving_arm().bones[7]))
    written = read_mesh(next(Path("fine").glob("*.obj")), Budget())
    # the first vertices of the file are the vertices of the layer's fine shape; further vertices divide its edges
    np.testing.assert_allclose(written.positions[: fine.vertex_count], fine.positions, atol=1e-5)


def test_exact_check_tells_what_is_left(folder: Path) -> None:
    value_of("poses", "plan", "arm.npz", *JOINTS, "-o", "plan.npz")
    simulated(plan())
    value_of("poses", "build", "plan.npz", "fine.npz", "--coarse", "coarse.pc2", "-o", "arm.poses.npz")
    angles = [{"elbow": [0.2]}, {"arm": [0.3, 0.0, 0.1]}]
    bones = moving_arm().skeleton.pose(np.array([plan().rotations(a) for a in angles]))  # type: ignore[union-attr]
    animation([fine_at(a) for a in angles], fine_mesh()[1]).save("true.npz")
    posed = [coarse_at(b) for b in bones]
    animation(posed, coarse_mesh()[1], skeleton=moving_arm().skeleton, bones=bones).save("posed.npz")
    value = value_of("poses", "check", "arm.poses.npz", "true.npz", "--coarse", "posed.npz")
    assert 0 < value["error"] < 0.5 * value["without"]
    assert value["repeatability"] == {}
    assert "of it are left" in invoke("poses", "check", "arm.poses.npz", "true.npz", "--coarse", "posed.npz").stdout


@pytest.mark.parametrize(
    ("joints", "said"),
    [
        (["-j", "elbow"], "joint: expected NAME=VALUE, got 'elbow'"),
        (["-j", "elbow=0:90"], "joint: 'elbow': expected START:STOP:STEP with a step above 0, got '0:90'"),
        (["-j", "elbow=0,x"], "joint: 'elbow': expected numbers, got '0,x'"),
        (["-j", "knee=0,30"], "knee: no such joint"),
        (["-j", "elbow=10,30", "--axis", "elbow=0,1,0"], "joints: 'elbow': expected the rest pose"),
        (["-j", "elbow=0,30", "--axis", "elbow=up"], "axis: 'elbow': expected numbers, got 'up'"),
    ],
)
def test_reject_plans(folder: Path, joints: list[str], said: str) -> None:
    assert refusal("poses", "plan", "arm.npz", *joints, "-o", "plan.npz").startswith(said)
    assert not Path("plan.npz").exists()


def test_reject_in_one_sentence(folder: Path) -> None:
    assert "is no plan of poses" in refusal(
        "poses", "build", "arm.npz", "arm.npz", "--coarse", "arm.npz", "-o", "a.npz"
    )
    assert "is no database of poses" in refusal("poses", "info", "arm.npz")
    assert "is no database of poses" in refusal("render", "arm.npz", "--poses", "arm.npz", "-o", "a.png")
    said = refusal("render", "arm.npz", "--poses", "arm.npz", "--upsample", "arm.npz", "-o", "a.png")
    assert said.startswith("upsample and poses: each gives a fine mesh; expected only one of them")


def test_exact_what_a_pose_differs_by_is_noted_and_shown(folder: Path) -> None:
    value_of("poses", "plan", "arm.npz", *JOINTS, "-o", "plan.npz")
    made, clip = load_plan("plan.npz")
    simulated(made)
    shapes = np.tile(fine_at({}), (len(clip.bones), 1, 1))
    shapes[clip.sample_frames] = [fine_at(angles) for angles in sampled_angles(made)]
    animation(list(shapes), fine_mesh()[1]).save("fine.npz")
    built = value_of("poses", "build", "plan.npz", "fine.npz", "--coarse", "coarse.pc2", "-o", "arm.poses.npz")
    assert built["notes"]["rest: a pose reached in two ways differs by, rms"] == 0.0
    coarse = animation([coarse_at(clip.bones[0])], coarse_mesh()[1], skeleton=plan().skeleton, bones=clip.bones[:1])
    coarse.save("posed.npz")
    animation([fine_at({})], fine_mesh()[1]).save("true.npz")
    checked = value_of("poses", "check", "arm.poses.npz", "true.npz", "--coarse", "posed.npz")
    assert checked["repeatability"] == {"rest: a pose reached in two ways differs by, rms": 0.0}


def test_exact_garments_of_ours_are_simulated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sleeve(8, 13)
    bent = plan_poses(whole.plan.skeleton, {"elbow": [0, 6]}, axes={"elbow": [0, -1, 0]})
    small = replace(whole, plan=bent, held_out=[[{"elbow": [3.0]}]])
    monkeypatch.setitem(posed_garments.GARMENTS, "sleeve", lambda: small)
    value = value_of("poses", "simulate", "sleeve", "--held-out", "truth.npz", "-o", "sleeve.poses.npz")
    assert value["samples"] == 2
    assert load_poses("sleeve.poses.npz").notes["command"] == "ruckle poses simulate sleeve"
    assert posed_garments.load_held_out("truth.npz").fine.shape == (1, 4 * 7, 3)


def test_exact_clips_without_marks_are_collected(folder: Path) -> None:
    invoke("poses", "plan", "arm.npz", *JOINTS, "-o", "plan.npz")
    angles = [*sampled_angles(plan()), {}]
    bones = np.array([plan().skeleton.pose(plan().rotations(a)) for a in angles])
    animation([fine_at(a) for a in angles], fine_mesh()[1]).save("fine.npz")
    coarse = animation([coarse_at(b) for b in bones], coarse_mesh()[1], skeleton=plan().skeleton, bones=bones)
    coarse.save("coarse.npz")
    built = value_of("poses", "build", "plan.npz", "fine.npz", "--coarse", "coarse.npz", "-o", "arm.poses.npz")
    assert built["samples"] == 13


def test_exact_garments_of_ours_are_planned_and_a_motion_dresses_in_them(folder: Path) -> None:
    bones = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"]
    joints = [
        [0, 1, 0],
        [0.1, 0.9, 0],
        [0.1, 0.5, 0.02],
        [0.1, 0.1, 0],
        [-0.1, 0.9, 0],
        [-0.1, 0.5, 0.02],
        [-0.1, 0.1, 0],
    ]
    skeleton = Skeleton(bones, [-1, 0, 1, 2, 0, 4, 5], joints)
    posed = np.tile(np.eye(3, 4), (2, 7, 1, 1))
    animation([coarse_mesh()[0]] * 2, coarse_mesh()[1], skeleton=skeleton, bones=posed).save("legs.npz")
    value = value_of("poses", "plan", "legs.npz", "--garment", "trousers", "-o", "plan.npz")
    assert value["joints"] == ["LeftUpLeg", "RightUpLeg", "LeftLeg", "RightLeg"]
    fewer = value_of("poses", "plan", "legs.npz", "--garment", "trousers", "-j", "LeftLeg=0,12", "-o", "plan.npz")
    assert (fewer["samples"], fewer["joints"]) == (2, ["LeftLeg"])
    value_of("poses", "plan", "arm.npz", *JOINTS, "-o", "plan.npz")
    simulated(plan())
    value_of("poses", "build", "plan.npz", "fine.npz", "--coarse", "coarse.pc2", "-o", "arm.poses.npz")
    assert value_of("poses", "wear", "arm.poses.npz", "arm.npz", "-o", "worn.npz")["frames"] == 20
    ran = invoke("run", "worn.npz", "--poses", "arm.poses.npz", "-o", "ran.npz", "--frames", "0:2")
    assert ran.exit_code == 0, ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["plan", "arm.npz", "-o", "p.npz"],
            "joint: expected at least one joint with its samples, or --garment",
        ),
        (["plan", "arm.npz", "--garment", "shirt", "-o", "p.npz"], "LeftForeArm: no such joint"),
        (["plan", "arm.npz", "--garment", "shirt", "--axis", "a=1,0,0", "-o", "p.npz"], "axis: a packaged garment has"),
        (["simulate", "shirt", "-o", "s.npz"], "motion, body: a shirt needs a wearer; give --motion FILE and --body"),
        (["simulate", "sleeve", "--body", "arm.npz", "-o", "s.npz"], "motion, body, joint: a sleeve has its own arm"),
        (
            ["simulate", "shirt", "--motion", "arm.npz", "--body", "arm.npz", "--held-out", "h.npz", "-o", "s.npz"],
            "held-out: only for a sleeve; for a shirt",
        ),
        (["wear", "arm.npz", "arm.npz", "-o", "w.npz"], "arm.npz: is no database of poses"),
    ],
)
def test_reject_garments(folder: Path, words: list[str], said: str) -> None:
    assert refusal("poses", *words).startswith(said)


def test_reject_builds_of_neither_files_nor_garments(folder: Path) -> None:
    value_of("poses", "plan", "arm.npz", *JOINTS, "-o", "plan.npz")
    for words in ([], ["arm.npz"], ["--garment", "shirt"], ["arm.npz", "--coarse", "arm.npz", "--garment", "shirt"]):
        said = refusal("poses", "build", "plan.npz", *words, "-o", "s.npz")
        assert said.startswith("build: expected CACHE and --coarse, or --garment and --body to simulate")
    said = refusal(
        "poses", "build", "plan.npz", "--garment", "shirt", "--body", "arm.npz", "--mirror", "a=b", "-o", "s.npz"
    )
    assert said.startswith("mirror: packaged garments are not symmetric")
