"""The npm package in Node: poses, waves, options and the search for cloth have the same results as in Python."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ruckle
from cloth_meshes import grid
from ruckle.mesh import roles
from ruckle.mesh.skinning import blend
from ruckle.surface.raised import RaisedMesh
from test_loop import clip

FRAMES = 40
KIT = Path(__file__).parents[2] / "examples" / "web" / "kit"
START = """
import { readFileSync } from "node:fs";
const { loadCore } = await import(`${kit}/core.mjs`), { Workshop } = await import(`${kit}/workshop.mjs`);
const workshop = new Workshop(await loadCore(readFileSync(new URL(`${kit}/ruckle.wasm`))));
const { faces, rest, joints, weights, morphs = [], waves, paths = null } = given;
const floats = (values) => Float32Array.from(values);
const description = { faces: Int32Array.from(faces), rest: floats(rest), bind: floats(rest), morphs: morphs.map(floats),
  joints: Uint16Array.from(joints), weights: floats(weights), waves, paths };
"""

ROLE_NAMES = [
    *["N00_002_01_Tops_01_CLOTH", "N00_000_00_Body_00_SKIN (Instance)", "Wolf3D_Outfit_Footwear", "Mage_Cape"],
    *["mixamorig:LeftHand_01", "Cube.157", "", "Spellbook_open", "armchair", "upperarm.l", "HairBack", "T-Shirt"],
    *[
        "fox_material",
        "Xbot",
        "b_Tail01_012",
        "mannequiny",
        "bears",
        "Beard",
        "Jupe",
        "tête",
        "右手首",
        "スカート",
        "SpaceSuit_Body",
    ],
]
BONE_NAMES = ["Hips", "mixamorig:LeftHand", "LeftFingerBase", "Finger_end", "spine.006", "ring_01.l", "J_Sec_Skirt"]


def described(animation: ruckle.Animation) -> dict[str, Any]:
    """Return the description of a mesh for the npm package. All vertices are skinned to one joint."""
    faces = ruckle.weld(animation.positions[0], animation.faces)
    count = animation.vertex_count
    return {
        "faces": faces.ravel().tolist(),
        "rest": animation.positions[0].ravel().tolist(),
        "joints": [0] * (4 * count),
        "weights": [1, 0, 0, 0] * count,
    }


def test_exact_waves_have_the_bits_of_the_package(node: Callable[..., Any]) -> None:
    animation = ruckle.sample("jumping_jack")
    r_min = float(np.float32(0.005 * animation.height))
    frames = animation.positions[:FRAMES]
    found = node(
        START
        + """
        workshop.handle({ do: "kind", kind: 1, description });
        // the second garment is a clone with the same initial state
        [2, 3].forEach((garment) => workshop.handle({ do: "garment", garment, kind: 1 }));
        const last = [];
        for (const positions of given.frames) {
          const poses = [2, 3].map((garment) => ({ garment, matrices: [], morphs: [], positions: floats(positions) }));
          last[0] = workshop.handle({ do: "step", dt: given.dt, poses }).reply.frames;
        }
        console.log(JSON.stringify(last[0].map((frame) => [...frame.texels])));
        """,
        **described(animation),
        waves={"r_min": r_min},
        frames=[frame.ravel().tolist() for frame in frames],
        dt=1 / animation.fps,
    )
    topology = ruckle.Topology(ruckle.weld(animation.positions[0], animation.faces), animation.vertex_count)
    field = ruckle.WaveField(topology, animation.positions[0], r_min=r_min)
    for positions in frames:
        frame = field.step(positions, 1 / animation.fps)
    texels = np.array(found, np.uint32).reshape(2, -1, 4)[:, : animation.vertex_count]
    np.testing.assert_array_equal(texels[0], texels[1])
    np.testing.assert_array_equal(texels[0, :, 2:].copy().view(np.float32), frame.vertex_phases)
    halves = texels[0, :, :2].copy().view(np.float16).astype(np.float32)
    # the core replaces subnormal float16 numbers by 0
    amplitudes = frame.vertex_amplitudes.astype(np.float16)
    assert amplitudes.max() > 1e-3
    is_normal = amplitudes >= np.finfo(np.float16).smallest_normal
    np.testing.assert_array_equal(halves[:, 3], np.where(is_normal, amplitudes, 0))


def layered() -> tuple[Any, Any, Any]:
    """Return a sheet, a smaller one over it that is closer at one end, and frames in which both are compressed."""
    points, faces = grid(12, 8)
    lower = 0.1 * points.astype(np.float32)
    upper = 0.8 * lower + np.float32([0.1, 0.05, 0.01])
    upper[:, 2] += 0.05 * upper[:, 0]
    rest = np.concatenate([lower, upper])
    frames = [rest * np.float32([1.0 - 0.012 * k, 1.0, 1.0]) for k in range(FRAMES // 2)]
    return rest, np.concatenate([faces, faces + len(points)]).astype(np.int32), frames


@pytest.mark.parametrize(("paths", "late"), [(False, False), (True, False), (False, True)])
def test_exact_heights_end_before_the_next_layer_as_in_the_package(
    node: Callable[..., Any], *, paths: bool, late: bool
) -> None:
    rest, faces, frames = layered()
    mask = (rest[:, 1] < 0.7).astype(np.float32)
    r_min = float(np.float32(0.02))
    found = node(
        START
        + """
        const mask = floats(given.mask);
        workshop.handle({ do: "kind", kind: 1, description: { ...description, mask: given.late ? null : mask } });
        workshop.handle({ do: "garment", garment: 2, kind: 1 });
        if (given.late) {
          workshop.handle({ do: "mask", garment: 2, mask });
        }
        let frame;
        for (const positions of given.frames) {
          const pose = { garment: 2, matrices: [], morphs: [], positions: floats(positions) };
          [frame] = workshop.handle({ do: "step", dt: given.dt, poses: [pose] }).reply.frames;
        }
        const all = new Float32Array(frame.texels.buffer).subarray(4 * frame.firstLimit);
        console.log(JSON.stringify([...all.subarray(0, (4 * rest.length) / 3)].map((value) => value || 0)));
        """,
        faces=faces.ravel().tolist(),
        rest=rest.ravel().tolist(),
        joints=[0] * (4 * len(rest)),
        weights=[1, 0, 0, 0] * len(rest),
        waves={"r_min": r_min},
        paths={"r_min": r_min, "tau": 1.05} if paths else None,
        mask=mask.tolist(),
        late=late,
        frames=[frame.ravel().tolist() for frame in frames],
        dt=1 / 30,
    )
    crowding = np.array(found).reshape(-1, 4)[:, :2]
    field = ruckle.WaveField(ruckle.Topology(faces, len(rest)), rest, r_min=r_min)
    for positions in frames:
        frame = field.step(positions, 1 / 30)
    if not paths:
        # the mesh description of the package contains this mask
        frame = frame.changed(mask=mask)
    raised = RaisedMesh(frame.topology, 1)
    raised.update(frame, edge_length=None, curved=False, base_level=1)
    expected = raised.core.crowding
    assert (expected > 0).any(axis=0).all()
    if paths:
        # paths and waves together are higher than waves alone, so their heights are limited more
        assert (crowding >= expected).all()
        assert (crowding < 3.0 * expected)[expected > 5.0].all()
    else:
        np.testing.assert_array_equal(crowding, expected)


def test_exact_a_mesh_with_one_layer_has_no_limits(node: Callable[..., Any]) -> None:
    animation = ruckle.sample("jumping_jack")
    found = node(
        START
        + """
        workshop.handle({ do: "kind", kind: 1, description });
        workshop.handle({ do: "garment", garment: 2, kind: 1 });
        const pose = { garment: 2, matrices: [], morphs: [], positions: description.rest };
        console.log(workshop.handle({ do: "step", dt: 0.1, poses: [pose] }).reply.frames[0].firstLimit);
        """,
        **described(animation),
        waves={"r_min": 0.01},
    )
    assert found == -1


def test_exact_skins_and_morphs_pose_as_the_package(node: Callable[..., Any]) -> None:
    random = np.random.default_rng(3)
    animation = ruckle.sample("jumping_jack")
    rest, count = animation.positions[0], animation.vertex_count
    joints = random.integers(0, 5, (count, 4))
    weights = random.random((count, 4)).astype(np.float32)
    weights /= weights.sum(axis=1, keepdims=True)
    matrices = np.tile(np.eye(4, dtype=np.float32), (5, 1, 1))
    matrices[:, :3] += 0.05 * random.standard_normal((5, 3, 4)).astype(np.float32)
    offsets = 0.02 * random.standard_normal((2, count, 3)).astype(np.float32)
    given = described(animation) | {"joints": joints.ravel().tolist(), "weights": weights.ravel().tolist()}
    found = node(
        START
        + """
        workshop.handle({ do: "kind", kind: 1, description });
        workshop.handle({ do: "garment", garment: 2, kind: 1 });
        const pose = { garment: 2, matrices: Float32Array.from(given.matrices), morphs: [0.25, -0.5], positions: null };
        const [frame] = workshop.handle({ do: "step", dt: 0.1, poses: [pose] }).reply.frames;
        // in the table of paths, the positions follow a header of 12 words
        const vertices = new Float32Array(frame.texels.buffer, 4 * 12, 4 * given.rest.length / 3);
        console.log(JSON.stringify([...vertices].map((value) => value || 0)));
        """,
        **given,
        morphs=[offset.ravel().tolist() for offset in offsets],
        matrices=matrices.transpose(0, 2, 1).ravel().tolist(),
        waves=None,
        paths={"r_min": 0.01},
    )
    morphed = rest + 0.25 * offsets[0] - 0.5 * offsets[1]
    expected = blend(morphed, joints, weights, matrices[None, :, :3].astype(np.float64))[0]
    np.testing.assert_allclose(np.array(found, np.float64).reshape(-1, 4)[:, :3], expected, atol=2e-6)


def test_exact_word_lists_are_those_of_the_package(build: ModuleType) -> None:
    # each line is a comment or "export const NAME = VALUE;"
    found = dict(re.findall(r"^export const (\w+) = (.*);$", build.role_words(), re.MULTILINE))
    words = {name: json.loads(value) for name, value in found.items()}
    assert words["VENDORS"] == list(roles.VENDORS)
    assert set(words["RULES"]["LIMBS"]) == roles.LIMBS
    assert set(words["RULES"]["TORSO"]) == roles.TORSO
    assert {role: set(names) for role, names in words["ROLES"].items()} == {
        role: set(names.split()) for role, names in roles.ROLES.items()
    }
    imported = re.search(r"import \{([^}]*)\} from \"./role_words.mjs\"", (KIT / "roles.mjs").read_text())
    assert imported is not None
    assert set(words) == set(re.findall(r"\w+", imported[1]))


def test_exact_names_have_the_roles_of_the_package(node: Callable[..., Any]) -> None:
    program = """
        const { boneRoles, roleOf } = await import(`${kit}/roles.mjs`);
        const { CREATURES } = await import(`${kit}/role_words.mjs`);
        const roles = given.names.map((name) => [roleOf([name]), roleOf([name], Object.keys(CREATURES))]);
        console.log(JSON.stringify({ roles, bones: boneRoles(given.bones, given.parents) }));
        """
    parents = [-1, 0, 1, 2, 0, 4, 0]
    answer = node(program, names=ROLE_NAMES, bones=BONE_NAMES, parents=parents)
    assert answer["bones"] == roles.bone_roles(BONE_NAMES, parents)
    found = answer["roles"]
    expected = [[roles.role_of(name), roles.role_of(name, roles=tuple(roles.CREATURES))] for name in ROLE_NAMES]
    assert found == expected
    assert found[0] == ["cloth", None]


@pytest.mark.parametrize(
    ("layer", "options", "message"),
    [
        ("waves", {"gian": 1}, "gian: no such option; expected one of r_min, wavelength, gain"),
        ("waves", {"gain": "1"}, 'gain: expected a number, got "1"'),
        ("waves", {"gain": -1}, "gain: expected a number in [0, 10], got -1"),
        ("paths", {"tau": 1.2, "coherent": 1}, "coherent: expected a boolean, got 1"),
    ],
)
def test_reject_options(node: Callable[..., Any], layer: str, options: dict[str, Any], message: str) -> None:
    program = """
        try {
          workshop.handle({ do: "kind", kind: 1, description });
          workshop.handle({ do: "garment", garment: 2, kind: 1 });
          console.log('"none"');
        } catch (error) {
          console.log(JSON.stringify(error.message));
        }
        """
    given = {"waves": None, "paths": None} | {layer: {"r_min": 0.01} | options}
    assert node(START + program, **described(ruckle.sample("jumping_jack")), **given).startswith(message)


@pytest.mark.parametrize("length", ["5", "half", -1, 0, None, "5 %%"])
def test_reject_lengths(node: Callable[..., Any], length: Any) -> None:
    program = """
        const { lengthOf } = await import(`${kit}/lengths.mjs`);
        try {
          console.log(lengthOf("r_min", given.length, 1.8, 0.01));
        } catch (error) {
          console.log(JSON.stringify(error.message));
        }
        """
    assert node(program, length=length).startswith("r_min: expected a length above 0")


def test_exact_lengths(node: Callable[..., Any]) -> None:
    program = """
        const { lengthOf } = await import(`${kit}/lengths.mjs`);
        const lengths = [0.02, "0.5%", "0.5 %", "9 r_min"].map((length) => lengthOf("r_min", length, 2, 0.01));
        console.log(JSON.stringify(lengths));
        """
    assert node(program) == pytest.approx([0.02, 0.01, 0.01, 0.09])


def test_degenerate_a_frame_that_is_not_finite_keeps_the_garment(node: Callable[..., Any]) -> None:
    found = node(
        START
        + """
        workshop.handle({ do: "kind", kind: 1, description });
        workshop.handle({ do: "garment", garment: 2, kind: 1 });
        const pose = { garment: 2, matrices: [], morphs: [] };
        const step = (positions) => workshop.handle({ do: "step", dt: 0.1, poses: [{ ...pose, positions }] }).reply;
        const replies = [description.rest, description.rest.map(() => NaN), description.rest].map(step);
        console.log(JSON.stringify(replies.map(({ frames, failures }) => [frames.length, failures.length])));
        """,
        **described(ruckle.sample("jumping_jack")),
        waves={"r_min": 0.01},
    )
    assert found == [[1, 0], [0, 1], [1, 0]]


def test_property_any_triangles_become_a_mesh_that_the_core_takes(node: Callable[..., Any]) -> None:
    # three triangles share an edge, one triangle is repeated, one has two equal corners; a seam has doubled vertices
    positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    faces = [[0, 1, 2], [1, 0, 3], [0, 1, 4], [0, 1, 2], [0, 0, 1], [2, 5, 6]]
    found = node(
        """
        import { BufferGeometry, BufferAttribute } from "three";
        import { readFileSync } from "node:fs";
        const { joined } = await import(`${kit}/cloth.mjs`), { loadCore, Waves } = await import(`${kit}/core.mjs`);
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(Float32Array.from(given.positions.flat()), 3));
        geometry.setIndex(given.faces.flat());
        const cloth = joined(geometry);
        const core = await loadCore(readFileSync(new URL(`${kit}/ruckle.wasm`)));
        const rest = Float32Array.from([...cloth.sources].flatMap((vertex) => given.positions[vertex]));
        new Waves(core, cloth.faces, rest, { r_min: 0.01 }).step(rest, 0.1);
        console.log(JSON.stringify([...cloth.faces]));
        """,
        positions=positions,
        faces=faces,
    )
    welded = np.array(found).reshape(-1, 3)
    assert len(welded) == len(faces)
    # the vertices at the seam are joined, so that triangles 0 and 5 share an edge
    assert len({*welded[0]} & {*welded[5]}) == 2
    assert all(len({*face}) == 3 for face in welded)


@pytest.mark.parametrize(
    ("turns", "drift", "stop", "expected"),
    [
        (1.0, 0.0, 1.0, 1.0),
        (1.0, 0.7, 1.0, 1.0),
        (2.0, 0.0, 1.0, 0.5),
        (0.6, 0.0, 1.0, 0.0),
        (1.0, 0.0, 0.97, 0.97),
        # a longer take that does not end where it began contains a period
        (1.0, 0.0, 2.4, 1.0),
        (1.5, 0.3, 2.5, 2 / 3),
        (1.0, 0.0, 1.4, 0.0),
        (0.0, 0.4, 2.0, 2.0),
    ],
)
def test_exact_periods_of_clips(
    node: Callable[..., Any], turns: float, drift: float, stop: float, expected: float
) -> None:
    program = """
        const { periodOf, pointsOf } = await import(given.page);
        // two joints rotate while the whole character moves forward
        const poseAt = (time) => pointsOf([{ positions: null, matrices: Float32Array.from([0.3, 0.5].flatMap((most) => {
            const angle = most * Math.sin(2 * Math.PI * given.turns * time), c = Math.cos(angle), s = Math.sin(angle);
            return [c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, given.drift * time, 1, 0, 1];
        })) }], 1.7);
        console.log(JSON.stringify(periodOf(poseAt, given.stop, 1.7)));
        """
    page = (Path(__file__).parents[2] / "examples/web/page/loop.mjs").as_uri()
    assert node(program, turns=turns, drift=drift, stop=stop, page=page) == pytest.approx(expected)


LAPS = 4


@pytest.mark.parametrize("layer", ["waves", "paths", "both"])
def test_property_wrinkles_of_a_loop_have_no_seam(node: Callable[..., Any], layer: str) -> None:
    animation = clip(24)
    lap = animation.positions[:-1]
    r_min = float(np.float32(0.005 * animation.height))
    program = """
        workshop.handle({ do: "kind", kind: 1, description });
        workshop.handle({ do: "garment", garment: 2, kind: 1 });
        // heights at the points of a displaced mesh: texels of waves, and heights of paths at their vertices
        const rows = [];
        for (let k = 0; k < given.laps * given.frames.length; ++k) {
          const positions = floats(given.frames[k % given.frames.length]);
          const pose = { garment: 2, matrices: [], morphs: [], positions };
          const [frame] = workshop.handle({ do: "step", dt: given.dt, poses: [pose] }).reply.frames;
          const { texels, firstWave, wrinkles } = frame;
          rows.push([wrinkles, ...texels.subarray(4 * firstWave, 4 * (firstWave + rest.length / 3))]);
        }
        console.log(JSON.stringify(rows));
        """
    given = {
        "waves": {"r_min": r_min} if layer != "paths" else None,
        "paths": {"r_min": r_min, "tau": 1.1} if layer != "waves" else None,
    }
    found = node(
        START + program,
        **described(animation),
        **given,
        frames=[frame.ravel().tolist() for frame in lap],
        dt=1 / animation.fps,
        laps=LAPS,
    )
    count = len(lap)
    wrinkles = np.array([row[0] for row in found])
    if layer != "paths":
        texels = np.array([row[1:] for row in found], np.uint32).reshape(len(found), -1, 4)
        values = texels[..., :2].copy().view(np.float16)[..., 3].astype(float)
        change = np.abs(np.diff(values, axis=0)).max(axis=1)
        inside = np.delete(change, np.arange(count - 1, len(change), count))[count:]
        # the change from the last frame of a lap to the first frame of the next lap is as small as other changes
        assert values.max() > 1e-3
        assert change[2 * count - 1 :: count].max() <= inside.max()
    if layer != "waves":
        steps, seams = np.abs(np.diff(wrinkles)), np.arange(count - 1, len(found) - 1, count)
        assert wrinkles.max() > 3
        assert steps[seams[1:]].max() <= max(1, np.delete(steps, seams).max())
        # also the first frame of a later lap has wrinkles
        assert wrinkles[count::count].min() > 0
