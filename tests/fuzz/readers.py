"""The list of readers that the fuzzer tests, and the valid files from which it starts.

One of the readers does not read a file format: it calls public functions with random arguments (calls.py).
"""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import OpenEXR
from PIL import Image

import ruckle
from fuzz.calls import CALL_REFUSALS, call, new_call
from fuzz.mutation import mutated
from fuzz.stages import REFUSALS, archives, draw, load_and_draw, load_stage, pictures_of, stages, textured
from gltf_writer import Writer, skinned_triangle, still_triangle, with_draco, with_meshopt
from learning import random_model
from ruckle.experiments.sweeps.journal import Journal
from ruckle.experiments.sweeps.table import COLUMNS, IDENTITY
from ruckle.io.npz_body import read_body
from ruckle.io.results import RunWriter, load_run
from ruckle.mesh.animation import Animation
from ruckle.offline.simulation.pair import PairReport, TrainingPair, load_pair
from ruckle.patterns.files import load_patterns, save_patterns
from ruckle.patterns.grid import PatternGrid
from ruckle.patterns.images import load_grey_image
from ruckle.patterns.pattern import function_pattern
from ruckle.simulation.body import load_body, load_motion
from ruckle.surface.layers import FineShape, RefinedMesh
from ruckle.upsampling.model import load_model
from upsampler_in_c import UpsamplerInC

__all__ = ["READERS", "Reader"]


@dataclass(frozen=True)
class Reader:
    """A file format for the fuzzer: functions that read a file, create valid files and damage them; allowed errors."""

    name: str  # name of the file, whose extension selects the changes that follow the format
    read: Callable[[Path], object]
    seeds: Callable[[Path], list[bytes]]  # returns valid files; writes other files that they need to the given folder
    refusals: tuple[type[Exception], ...] = REFUSALS  # errors that `read` may raise
    mutate: Callable[[bytes, str, list[bytes], Random], bytes] = mutated  # returns a damaged copy of a file


def garment() -> Animation:
    """Return an animation: three frames of two triangles, with texture coordinates that have separate indices."""
    positions = np.random.default_rng(0).normal(size=(3, 4, 3))
    uv = np.random.default_rng(1).random((5, 2))
    return Animation(positions, [[0, 1, 2], [2, 1, 3]], fps=24, uv=uv, uv_faces=[[0, 1, 2], [2, 1, 4]], name="shirt")


def written(path: Path, write: Callable[[Path], object]) -> bytes:
    """Let a function write a file, and return the bytes of the file."""
    write(path)
    return path.read_bytes()


def archive(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def animations(folder: Path) -> list[bytes]:
    cloth = garment()
    others = {"fps": 24.0, "name": "shirt", "up": "z", "height": 1.7, "uv": cloth.uv, "uv_faces": cloth.uv_faces}
    sample = ruckle.sample("fist_pumping")
    return [
        written(folder / "shirt.npz", cloth.save),
        archive(positions=cloth.positions, faces=cloth.faces, joints=np.ones((3, 2, 3)), **others),
        written(folder / "sample.npz", replace(sample, positions=sample.positions[:6]).save),
    ]


def runs(folder: Path) -> list[bytes]:
    sheet = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)
    squeezed = sheet * np.linspace(1.0, 0.6, 6)[:, None, None] ** [1, 0, 0]
    animation = Animation(squeezed, [[0, 1, 2], [2, 1, 3]], fps=24, height=2.0)
    parameters = {"tau": 1.1, "r_min": 0.02}
    with RunWriter(folder / "sound_run.npz", animation, parameters, everything=True) as writer:
        for frame in ruckle.run(animation, **parameters):
            writer.append(frame)
        writer.finish()
    fine = FineShape(sheet, RefinedMesh(animation.faces, np.zeros(4, np.int32), np.eye(4, 3)))
    with RunWriter(folder / "fine_run.npz", animation, parameters) as writer:
        for frame in ruckle.run(animation, **parameters):
            writer.append(frame, fine)
        writer.finish()
    return [(folder / name).read_bytes() for name in ("sound_run.npz", "fine_run.npz")]


WEIGHTS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]], np.float32)
BONES = np.tile(np.eye(4, dtype=np.float32)[:3], (3, 2, 1, 1))


def bodies(folder: Path) -> list[bytes]:
    (folder / "bones.npz").write_bytes(archive(bone_matrices=BONES, joint_names=["hip", "knee"]))
    still = {"rest_positions": garment().positions[0], "faces": garment().faces, "skin_weights": WEIGHTS}
    return [archive(joint_names=["hip", "knee"], **still)]


def motions(_: Path) -> list[bytes]:
    joints = np.ones((3, 2, 3), np.float32)
    return [archive(bone_matrices=BONES, joints=joints, joint_parents=[-1, 0], joint_names=["hip", "knee"], fps=24.0)]


def character() -> Writer:
    """Return a skinned strip of triangles with a morph target, sparse positions, and animations of every kind."""
    writer = Writer()
    vertices = np.random.default_rng(2).normal(size=(5, 3))
    sparse = {
        "count": 1,
        "indices": {"bufferView": writer.view(np.array([1], "<u2").tobytes()), "componentType": 5123},
        "values": {"bufferView": writer.view(np.array([1, 2, 3], "<f4").tobytes())},
    }
    attributes = {
        "POSITION": writer.accessor(vertices, sparse=sparse),
        "TEXCOORD_0": writer.accessor(vertices[:, :2]),
        "JOINTS_0": writer.accessor([[0, 1, 0, 0]] * 5, "u1"),
        "WEIGHTS_0": writer.accessor([[128, 127, 0, 0]] * 5, "u1", normalized=True),
    }
    targets = [{"POSITION": writer.accessor(vertices)}]
    strip = {"attributes": attributes, "indices": writer.accessor(range(5), "u2"), "mode": 5, "targets": targets}
    writer.mesh(strip, name="shirt")
    writer.add("nodes", {"mesh": 0, "skin": 0, "name": "shirt"})
    writer.add("nodes", {"children": [2], "rotation": [0, 0, 0, 1]})
    writer.add("nodes", {"matrix": np.eye(4).ravel().tolist()})
    inverse = writer.accessor(np.eye(4).reshape(1, 16).repeat(2, 0))
    writer.add("skins", {"joints": [1, 2], "inverseBindMatrices": inverse})
    writer.add("scenes", {"nodes": [0, 1]})
    writer.animate(1, "rotation", [0.0, 0.1], [[0, 0, 0, 1], [0, 0.6, 0, 0.8]])
    writer.animate(1, "scale", [0.0, 0.1], np.ones((6, 3)), "CUBICSPLINE")
    writer.animate(0, "weights", [0.0, 0.1], [0.0, 1.0], "STEP")
    return writer


def scenes() -> list[Writer]:
    """Return glTF documents with skins, morph targets, chains of nodes, and copies of meshes."""
    chain = still_triangle(translation=[0, 1, 0])
    for k in range(1, 6):
        chain.add("nodes", {"mesh": 0, "rotation": [0, 0, 0.6, 0.8]})
        chain.root["nodes"][k - 1]["children"] = [k]
    chain.animate(2, "rotation", [0.0, 0.5, 1.0], [[0, 0, 0, 1], [0, 0.6, 0, 0.8], [0, 0, 0, 1]])
    skinned = skinned_triangle([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 1, 0, 0]])
    skinned.animate(1, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]])
    return [character(), chain, skinned, still_triangle()]


def compressed(folder: Path) -> list[bytes]:
    """Return GLB files whose arrays are compressed by Draco and by meshoptimizer."""
    return [with_draco().glb(), with_meshopt().glb()]


def borrowers(folder: Path) -> list[bytes]:
    """Return GLB files with animations, and write a character into the folder to which these animations are applied."""
    named = [character(), scenes()[2]]
    for writer in named:
        for number, node in enumerate(writer.root["nodes"]):
            node["name"] = f"joint {number}"
    (folder / "character.glb").write_bytes(named[0].glb())
    return [writer.glb() for writer in named]


def load_with_motion(path: Path) -> None:
    """Read the character in the folder with the motion of a file, then the file with the motion of the character."""
    character = path.with_name("character.glb")
    try:
        ruckle.load(character, motion=path)
    finally:
        ruckle.load(path, motion=character)


SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"


def meshes(folder: Path) -> list[bytes]:
    garment().save(folder / "shirt.pc2")
    return [
        (folder / "shirt.obj").read_bytes(),
        f"# a sheet\no a_sheet\n{SQUARE}f 1/1 2/2 3/3 4/4\n".encode(),
        f"{SQUARE}f -4 -3 \\\n-2\nf 1//1 3//1 4//1\ns off\n".encode(),
    ]


def polygons(_: Path) -> list[bytes]:
    header = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 2\n"
    header += "property list uchar int vertex_indices\nend_header\n"
    points, faces = np.array(garment().positions[0], "<f4"), garment().faces.astype("<i4")
    rows = "\n".join(" ".join(map(str, row)) for row in [*points.tolist(), *([3, *face] for face in faces.tolist())])
    packed = points.tobytes() + b"".join(b"\3" + face.tobytes() for face in faces)
    return [
        f"ply\nformat ascii 1.0\n{header}{rows}\n".encode(),
        f"ply\nformat binary_little_endian 1.0\n{header}".encode() + packed,
    ]


def settings(_: Path) -> list[bytes]:
    return [
        b'look = "shirt"\nlayers = ["paths"]\n[paths]\nr_min = "0.4%"\ntau = 1.2\n'
        b'[patterns]\npattern = ["noise"]\n[waves]\ngain = 1.5\n'
    ]


def journals(_: Path) -> list[bytes]:
    values: dict[type, object] = {str: "a", int: 3, float: 1.5, bool: True}
    rows = [{name: values[kind] for name, kind in COLUMNS.items()} | {"run": run, "state": "done"} for run in "ab"]
    failed = {name: values[kind] if name in IDENTITY else None for name, kind in COLUMNS.items()}
    rows.append(failed | {"run": "c", "state": "failed"})
    return [b"".join(json.dumps(row).encode() + b"\n" for row in rows)]


def sidecars(folder: Path) -> list[bytes]:
    (folder / "tall.npz").write_bytes(archive(positions=garment().positions, faces=garment().faces, fps=24.0))
    return [b'{"character_height_m": 1.75, "source": ["a", {"b": null}]}']


@cache
def grid() -> PatternGrid:
    cloth = garment()
    return PatternGrid(ruckle.Topology(cloth.faces, 4), cloth.positions[0], spacing=0.4)


def patterns(folder: Path) -> list[bytes]:
    waves = function_pattern(grid(), lambda points, _: np.sin(points[:, 0]))
    return [written(folder / "sound.pattern.npz", lambda path: save_patterns([waves], path))]


def pose_database() -> ruckle.PoseDatabase:
    """Return a pose database of a fine sheet on the garment: a hinge and a ball joint, with two samples per axis."""
    bound = ruckle.bind(garment().positions[0], garment().positions[0], garment().faces)
    skeleton = ruckle.Skeleton(["hip", "knee", "foot"], [-1, 0, 1], np.eye(3))
    common = (np.eye(3), np.arange(2, dtype=np.int32), np.array([0.5, 1.0], np.float32))
    steps = np.arange(12, dtype=np.int16).reshape(2, 2, 3)
    joints = tuple(
        ruckle.PoseJoint(name, child - 1, child, kind, common[0], angles, *common[1:], steps, 1e-4, fitted)
        for name, child, kind, angles, fitted in (
            ("knee", 1, "hinge", (np.array([0.0, 1.0]),), common[2]),
            ("foot", 2, "ball", (np.array([0.0]), np.array([-1.0, 0.0]), np.array([0.0])), None),
        )
    )
    return ruckle.PoseDatabase(skeleton, bound, garment().faces, np.zeros((4, 3), np.float32), joints, notes={"a": 1.5})


def databases(folder: Path) -> list[bytes]:
    return [written(folder / "sound.poses.npz", lambda path: pose_database().save(path))]


def plans(folder: Path) -> list[bytes]:
    grids = {"knee": [0, 30], "foot": [[0], [-20, 0], [0]]}
    made = ruckle.plan_poses(pose_database().skeleton, grids)
    return [written(folder / "sound.npz", lambda path: made.save(path, made.clip(hold=1, speed=60.0)))]


def skinned_animations(folder: Path) -> list[bytes]:
    skeleton = ruckle.Skeleton(["hip", "knee"], [-1, 0], np.eye(3)[:2])
    moving = replace(garment(), skeleton=skeleton, bones=BONES)
    joints = np.ones((3, 2, 3), np.float32)
    arrays = {"bone_matrices": BONES, "joint_names": ["hip", "knee"], "joint_parents": [-1, 0], "joints": joints}
    cloth = {"positions": garment().positions, "faces": garment().faces, "fps": 24.0}
    return [written(folder / "moving.npz", moving.save), archive(**cloth, **arrays)]


def reports(folder: Path) -> list[bytes]:
    cloth = garment()
    numbers = {"substeps": 1, "tests": 1, "tracking_residual": 0.1, "contact_residual": 0.0}
    times = {"edge_strain": (1.0, 1.0, 1.0, 1.0), "coarse_ms": 1.0, "fine_ms": 1.0}
    report = PairReport("a", "cotton", "", "", **numbers, **times)  # type: ignore[arg-type]
    rest = cloth.positions[0]
    TrainingPair("a", cloth, cloth, rest, rest, np.ones(4, np.float32), report).save(folder)
    return [(folder / "report.json").read_bytes()]


TEXELS = np.arange(64, dtype=np.float32).reshape(8, 8)


def pictures(folder: Path) -> list[bytes]:
    return [written(folder / "sound.png", Image.fromarray(TEXELS.astype(np.uint8)).save)]


def arrays(folder: Path) -> list[bytes]:
    return [written(folder / "sound.npy", lambda path: np.save(path, TEXELS))]


TILES = OpenEXR.TileDescription()
TILES.xSize = TILES.ySize = 4


def deep_pictures(folder: Path) -> list[bytes]:
    packings = (OpenEXR.NO_COMPRESSION, OpenEXR.ZIP_COMPRESSION, OpenEXR.PIZ_COMPRESSION, OpenEXR.B44_COMPRESSION)
    headers = [{"compression": packing, "type": OpenEXR.scanlineimage} for packing in packings]
    headers.append({"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.tiledimage, "tiles": TILES})
    files = [OpenEXR.File(header, {"Y": TEXELS}) for header in headers]
    return [written(folder / "sound.exr", lambda path, file=file: file.write(str(path))) for file in files]


def load_and_describe(path: Path) -> None:
    """Read an animation and check that it is finite; then list the contents of its file. The list reads every entry."""
    try:
        assert np.isfinite(ruckle.load(path).positions).all()
    finally:
        ruckle.describe(path)


def open_journal(path: Path) -> None:
    """Read the journal of a sweep. Assert that a rejected journal is not changed."""
    before = path.read_bytes()
    try:
        with Journal(path):
            pass
    except REFUSALS:
        assert path.read_bytes() == before
        raise


def load_own_patterns(path: Path) -> None:
    """Read patterns. The error for patterns of another mesh is ignored."""
    try:
        load_patterns(path, grid().topology)
    except ValueError as error:
        if "belong to another mesh" not in str(error):
            raise


def models(folder: Path) -> list[bytes]:
    """Return upsampling models with one oscillation in both precisions, as files."""
    model = random_model(pairs=1, report={"prior": "smooth"})
    seeds = []
    for precision in ("half", "single"):
        model.save(folder / "a.upsampling.npz", precision=precision)  # type: ignore[arg-type]
        seeds.append((folder / "a.upsampling.npz").read_bytes())
    return seeds


def load_in_c(path: Path) -> None:
    """Read an upsampling model through the C interface, and step once. A rejection raises FormatError."""
    try:
        upsampler = UpsamplerInC(path.read_bytes())
    except RuntimeError as refusal:
        raise ruckle.FormatError(f"{path}: {refusal}") from refusal
    coarse = np.zeros((upsampler.coarse_count, 3), np.float32)
    upsampler.step(coarse, 0.1, 1.0)


def garment_as(name: str) -> Callable[[Path], list[bytes]]:
    """Return a function that writes the garment to a file with this name, and returns its bytes.

    If the format is a cache, its OBJ file is also written.
    """
    return lambda folder: [written(folder / name, garment().save)]


READERS = {
    "npz": Reader("a.npz", load_and_describe, animations),
    "glb": Reader("a.glb", load_and_describe, lambda _: [scene.glb() for scene in scenes()]),
    "gltf": Reader("a.gltf", load_and_describe, lambda _: [scene.gltf() for scene in scenes()]),
    "obj": Reader("a.obj", load_and_describe, meshes),
    "ply": Reader("a.ply", load_and_describe, polygons),
    "settings": Reader("a.toml", ruckle.load_settings, settings),
    "pc2": Reader("shirt.pc2", load_and_describe, garment_as("shirt.pc2")),
    "mdd": Reader("shirt.mdd", load_and_describe, garment_as("shirt.mdd")),
    "height": Reader("tall.json", lambda path: load_and_describe(path.with_suffix(".npz")), sidecars),
    "run": Reader("run.npz", load_run, runs),
    "worn": Reader("body.npz", lambda path: read_body(path, path.with_name("bones.npz"), fps=24), bodies),
    "body": Reader("body.npz", load_body, bodies),
    "motion": Reader("motion.npz", load_motion, motions),
    "journal": Reader("journal.jsonl", open_journal, journals),
    "pattern": Reader("a.pattern.npz", load_own_patterns, patterns),
    "upsampling": Reader("a.upsampling.npz", load_model, models),
    "upsampling_c": Reader("a.upsampling.npz", load_in_c, models),
    "poses": Reader("a.poses.npz", ruckle.load_poses, databases),
    "plan": Reader("plan.npz", ruckle.load_plan, plans),
    "bones": Reader("moving.npz", load_and_describe, skinned_animations),
    "picture": Reader("a.png", load_grey_image, pictures),
    "array": Reader("a.npy", load_grey_image, arrays),
    "exr": Reader("a.exr", load_grey_image, deep_pictures),
    "pair": Reader("report.json", lambda path: load_pair(path.parent), reports),
    "usda": Reader("a.usda", load_stage, lambda folder: stages(folder, ".usda")),
    "abc": Reader("a.abc", load_stage, archives),
    "compressed": Reader("a.glb", load_and_describe, compressed),
    "borrowed": Reader("a.glb", load_with_motion, borrowers),
    "usdc": Reader("a.usdc", load_stage, lambda folder: stages(folder, ".usdc")),
    "texture": Reader("a.png", draw, pictures_of),
    "textured": Reader("a.glb", load_and_draw, textured),
    "call": Reader("call", call, lambda _: [bytes(8)], CALL_REFUSALS, new_call),
}
"""All readers, by their names on the command line."""
