"""Files of pose databases: writing, reading, and one error line for every kind of damage."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from posed_arm import database, elbow_database
from ruckle import FormatError, load_poses

Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> Arrays:
    file = tmp_path_factory.mktemp("poses") / "arm.poses.npz"
    database().save(file)
    with np.load(file) as archive:
        return dict(archive)


def test_exact_loaded_databases_equal_saved_ones(tmp_path: Path) -> None:
    file = tmp_path / "arm.poses.npz"
    database().save(file)
    found, whole = load_poses(file), database()
    assert found.skeleton.names == whole.skeleton.names
    assert found.unit == "metre"
    assert found.notes == whole.notes
    assert_array_equal(found.faces, whole.faces)
    assert_array_equal(found.rest_details, whole.rest_details)
    assert_array_equal(found.binding.barycentric, whole.binding.barycentric)
    for a, b in zip(found.joints, whole.joints, strict=True):
        assert (a.name, a.kind, a.parent_bone, a.child_bone, a.step) == (
            b.name,
            b.kind,
            b.parent_bone,
            b.child_bone,
            b.step,
        )
        for name in ("axes", "vertices", "weights", "details"):
            assert_array_equal(getattr(a, name), getattr(b, name))
        for one, other in zip(a.angles, b.angles, strict=True):
            assert_array_equal(one, other)
    assert repr(found) == repr(whole)


def test_exact_files_are_plain_archives_of_steps(arrays: Arrays) -> None:
    assert arrays["format"] == "ruckle poses"
    assert arrays["version"] == 1
    assert arrays["joint_0_details"].dtype == np.int16
    assert arrays["joint_0_weights"].dtype == np.uint16
    assert arrays["barycentric"].dtype == np.uint16
    assert not any(array.dtype.hasobject for array in arrays.values())


def test_property_rounding_steps_are_small() -> None:
    for joint in database().joints:
        assert joint.step < 1e-5
        assert np.abs(joint.details).max() == 32767


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[Arrays], Arrays]:
    return lambda arrays: {**arrays, name: np.asarray(change(arrays[name]))}


def without(name: str) -> Callable[[Arrays], Arrays]:
    return lambda arrays: {key: value for key, value in arrays.items() if key != name}


def contents(**changes: Callable[[Any], Any]) -> Callable[[Arrays], Arrays]:
    """Return a function that changes entries of the JSON part of a file."""

    def change(text: Any) -> Any:
        value = json.loads(str(text))
        return json.dumps(value | {name: new(value[name]) for name, new in changes.items()})

    return changed("contents", change)


def joint(number: int, **values: Any) -> Callable[[Arrays], Arrays]:
    """Return a function that changes values in the entry of one joint."""
    return contents(joints=lambda joints: [j | values if k == number else j for k, j in enumerate(joints)])


def at(array: Any, index: Any, value: Any) -> Any:
    copy = np.array(array)
    copy[index] = value
    return copy


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (without("format"), "is no database of poses; it has no format"),
        (without("faces"), "is no database of poses; it has no faces"),
        (changed("format", lambda _: "ruckle waves"), "is no database of poses; its format is another"),
        (changed("version", lambda _: np.int32(2)), "has format version 2; this ruckle reads up to 1"),
        (changed("coarse", lambda a: at(a, (0, 0), 9999)), "is damaged"),
        (changed("coarse_rest", lambda a: at(a, (0, 0), np.nan)), "is damaged"),
        (changed("coarse_rest", lambda a: a[:, :2]), "is damaged .coarse_rest: has shape"),
        (changed("coarse_faces", lambda a: at(a, 3, 100000)), "coarse_faces: vertex 3 names face 100000"),
        (changed("coarse_faces", lambda a: at(a, 3, -1)), "coarse_faces: vertex 3 names face -1"),
        (changed("barycentric", lambda a: at(a, 0, 65535)), "barycentric: expected weights that sum to 1 at most"),
        (changed("barycentric", lambda a: a[:5]), "is damaged"),
        (changed("faces", lambda a: at(a, (0, 0), 99999)), "faces: expected triangles of the"),
        (changed("rest_details", lambda a: a[:-1]), "rest_details: expected finite numbers of shape"),
        (changed("rest_details", lambda a: at(a, (1, 1), np.inf)), "rest_details: expected finite numbers"),
        (changed("joint_parents", lambda a: at(a, 0, 1)), "parents: some joints form a cycle"),
        (contents(joints=lambda joints: 33 * joints), "joints: expected at most 64, got 66"),
        (contents(joints=lambda joints: 2 * joints), "holds no array 'joint_2_details'"),
        (changed("contents", lambda _: "{"), "contents: are no JSON"),
        (changed("contents", lambda _: "[1]"), "contents: expected a unit, notes and joints"),
        (contents(notes=lambda _: []), "contents: expected a unit, notes and joints"),
        (contents(notes=lambda _: {"a": [1]}), "notes: expected numbers and texts by name"),
        (contents(joints=lambda _: [1]), "joints: entry 0 is incomplete"),
        (joint(1, kind="screw"), "joint 'elbow': kind: expected one of"),
        (joint(0, bones=[0, 7]), "joint 'arm': expected bones below 3"),
        (joint(0, bones=[0]), "joints: entry 0 is incomplete"),
        (joint(0, bones=[0.5, 1]), "joints: entry 0 is incomplete"),
        (joint(0, axes=[[2, 0, 0], [0, 1, 0], [0, 0, 1]]), "joint 'arm': expected three orthonormal axes"),
        (joint(0, angles=[[1, 0, -1], [0], [0]]), "angles: axis 0: expected finite angles that strictly increase"),
        (joint(0, angles=[[0]]), "joint 'arm': a ball has 3 axes of angles, got 1"),
        (joint(0, angles=[[-1, 0], [0], [0, 1]]), "expected int16 details of shape"),
        (changed("joint_0_vertices", lambda a: a[::-1]), "expected vertices that strictly increase"),
        (changed("joint_0_vertices", lambda a: a[0]), "expected vertices that strictly increase"),
        (changed("joint_0_vertices", lambda a: at(a, -1, 99999)), "joint 'arm': expected vertices below"),
        (changed("joint_0_weights", lambda a: a[:-1]), "joint 'arm': weights: expected a number in"),
        (changed("joint_0_details", lambda a: a.astype(np.int32)), "expected int16 details of shape"),
        (changed("joint_0_details", lambda a: a[:-1]), "expected int16 details of shape"),
        (joint(0, step=0.0), "joint 'arm': step: expected a finite number above 0"),
        (joint(0, step=np.nan), "joint 'arm': step: expected a finite number above 0"),
        (joint(1, name="arm"), "joints: expected each joint once"),
    ],
)
def test_reject_damage(arrays: Arrays, tmp_path: Path, damage: Callable[[Arrays], Arrays], said: str) -> None:
    file = tmp_path / "damaged.poses.npz"
    np.savez(file, **damage(arrays))
    with pytest.raises(FormatError, match=said) as caught:
        load_poses(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_reject_files_that_are_none_truncated_or_pickled(arrays: Arrays, tmp_path: Path) -> None:
    file = tmp_path / "arm.poses.npz"
    with pytest.raises(FileNotFoundError):
        load_poses(file)
    np.savez(file, **{**arrays, "contents": np.array([{}], object)})
    with pytest.raises(FormatError, match="contents"):
        load_poses(file)
    elbow_database().save(file)
    whole = file.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 30):
        file.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=r"arm\.poses\.npz"):
            load_poses(file)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(FormatError, match="is no database of poses"):
        load_poses(file)


def test_reject_more_details_than_allowed(tmp_path: Path) -> None:
    file = tmp_path / "arm.poses.npz"
    database().save(file)
    with pytest.raises(FormatError, match="MB of details, more than 0 MB"):
        load_poses(file, limit=1000)
