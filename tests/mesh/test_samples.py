"""The packaged garments: what Table 8.1 and the pipeline require of them, in every frame."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ruckle.mesh.animation import Animation
from ruckle.samples import sample, samples

TRIANGLES = {
    "sawing": 734,
    "chopping": 602,
    "fist_pumping": 534,
    "stretching": 628,
    "jumping_jack": 356,
    "shoveling": 602,
}
# boundary loops: hem, neck and cuffs; hem and waist; neck, armholes and ankles
OPENINGS = {"sawing": 4, "chopping": 4, "fist_pumping": 4, "stretching": 4, "jumping_jack": 2, "shoveling": 5}
SKINNED = [name for name in TRIANGLES if name != "jumping_jack"]
GENERATOR = Path(__file__).resolve().parents[2] / "python"

FloatArray = NDArray[np.float64]

every_sample = pytest.mark.parametrize("name", TRIANGLES)


@cache
def loaded(name: str) -> Animation:
    """Return a sample, read once for all tests."""
    return sample(name)


def packaged(name: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a packaged file."""
    with (resources.files("ruckle") / "garments" / f"{name}.npz").open("rb") as file, np.load(file) as arrays:
        return dict(arrays)


def directed_edges(faces: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Return the three directed edges of every face."""
    return [(a, b) for face in faces.tolist() for a, b in zip(face, [*face[1:], face[0]], strict=True)]


def boundary_successors(faces: NDArray[np.int32]) -> dict[int, int]:
    """Return the next vertex along the boundary of each boundary vertex."""
    edges = set(directed_edges(faces))
    rim = [(a, b) for a, b in edges if (b, a) not in edges]
    successors = dict(rim)
    assert len(successors) == len(rim), "the boundary touches itself at a vertex"
    return successors


def loops(successors: dict[int, int]) -> list[list[int]]:
    """Return the boundary loops."""
    found, left = [], dict(successors)
    while left:
        loop = [next(iter(left))]
        while (following := left.pop(loop[-1])) != loop[0]:
            loop.append(following)
        found.append(loop)
    return found


def areas(positions: FloatArray, faces: NDArray[np.int32]) -> FloatArray:
    """Return the triangle areas (..., T), square metres."""
    corners = positions[..., faces, :]
    sides = corners[..., 1:, :] - corners[..., :1, :]
    normals = np.cross(sides[..., 0, :], sides[..., 1, :])
    result: FloatArray = 0.5 * np.linalg.norm(normals, axis=-1)
    return result


def edge_lengths(positions: FloatArray, faces: NDArray[np.int32]) -> FloatArray:
    """Return the lengths of the three edges of every triangle (T, 3), metres."""
    corners = positions[faces]
    result: FloatArray = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    return result


def enclosed_volume(positions: FloatArray, faces: NDArray[np.int32]) -> float:
    """Return the volume inside the garment with every opening closed by a fan around its centre."""
    volume = np.linalg.det(positions[faces]).sum()
    for loop in loops(boundary_successors(faces)):
        centre = positions[loop].mean(axis=0)
        for a, b in zip(loop, [*loop[1:], loop[0]], strict=True):
            # the lid runs against the garment's own edge
            volume += np.linalg.det(np.stack([centre, positions[b], positions[a]]))
    return float(volume) / 6.0


def test_exact_names_in_the_order_of_the_table() -> None:
    assert samples() == list(TRIANGLES)


@pytest.mark.parametrize("name", ["", "Sawing", "../secrets", "sawing.npz"])
def test_reject_unknown_name(name: str) -> None:
    with pytest.raises(ValueError, match=r'^name: expected one of "sawing", .*, "shoveling", got "'):
        sample(name)


@every_sample
def test_exact_rate_height_and_name(name: str) -> None:
    animation = loaded(name)
    assert (animation.fps, animation.height, animation.name) == (60.0, 1.75, name)
    assert 3.0 <= len(animation.positions) / animation.fps <= 4.5


@every_sample
def test_property_manifold_with_consistent_winding(name: str) -> None:
    edges = directed_edges(loaded(name).faces)
    # an edge used twice in one direction is non-manifold or has two faces of opposite winding
    assert len(set(edges)) == len(edges)


@every_sample
def test_property_one_component_of_disc_with_holes(name: str) -> None:
    animation = loaded(name)
    faces, vertex_count = animation.faces, animation.positions.shape[1]
    assert np.array_equal(np.unique(faces), np.arange(vertex_count))
    component = np.arange(vertex_count)
    for _ in range(vertex_count):
        smallest = component[faces].min(axis=1, keepdims=True)
        before = component.copy()
        np.minimum.at(component, faces, smallest)
        if np.array_equal(before, component):
            break
    assert np.all(component == 0)
    edge_count = len({(min(a, b), max(a, b)) for a, b in directed_edges(faces)})
    # a sphere with k openings: V - E + T = 2 - k
    assert vertex_count - edge_count + len(faces) == 2 - OPENINGS[name]
    assert len(loops(boundary_successors(faces))) == OPENINGS[name]


@every_sample
def test_property_winding_is_outward_in_every_tenth_frame(name: str) -> None:
    animation = loaded(name)
    for positions in animation.positions[::10].astype(np.float64):
        assert enclosed_volume(positions, animation.faces) > 0.02


@every_sample
def test_property_no_fold_in_frame_0(name: str) -> None:
    animation = loaded(name)
    corners = animation.positions[0].astype(np.float64)[animation.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    owner = {edge: index // 3 for index, edge in enumerate(directed_edges(animation.faces))}
    middle = np.abs(animation.positions[0, :, 0]) < 1e-6
    folds = [
        float(normals[face] @ normals[owner[b, a]])
        for (a, b), face in owner.items()
        # under the crotch the inner thighs do face each other
        if (b, a) in owner and not (name == "shoveling" and middle[a] and middle[b])
    ]
    # the deepest crease is the armpit, where arm and side meet at 45 degrees
    assert min(folds) > np.cos(np.radians(180.0 - 45.0))


@every_sample
def test_property_even_triangles_in_frame_0(name: str) -> None:
    animation = loaded(name)
    lengths = edge_lengths(animation.positions[0].astype(np.float64), animation.faces)
    assert 0.05 < np.median(lengths) < 0.09
    assert lengths.min() > 0.03
    assert lengths.max() < 0.13
    # smallest angle over all triangles by the law of cosines: it lies opposite to the shortest edge
    short, middle, long = np.sort(lengths, axis=1).T
    cosines = (middle**2 + long**2 - short**2) / (2.0 * middle * long)
    assert np.degrees(np.arccos(cosines.max())) > 15.0


@every_sample
def test_property_fits_a_person(name: str) -> None:
    animation = loaded(name)
    rest = animation.positions[0]
    # left and right are mirror images: the skirt's only as far as its contacts let it hang so
    mirrored = rest * np.array([-1.0, 1.0, 1.0], dtype=np.float32)
    distance = np.linalg.norm(rest[:, None] - mirrored[None], axis=2).min(axis=1).max()
    assert distance < (0.005 if name == "jumping_jack" else 1e-5)
    assert rest[:, 1].min() > 0.1
    assert 1.0 < rest[:, 1].max() < 1.6
    assert 0.2 < np.ptp(rest[:, 2]) < 0.6


@every_sample
def test_degenerate_triangles_in_no_frame(name: str) -> None:
    animation = loaded(name)
    share = areas(animation.positions.astype(np.float64), animation.faces)
    assert (share / share[0]).min() > 0.1
    assert (share / share[0]).max() < 6.0


@every_sample
def test_property_moves_smoothly_from_a_standing_start(name: str) -> None:
    animation = loaded(name)
    positions = animation.positions.astype(np.float64)
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=2) * animation.fps
    # from standing still, metres per second
    assert speeds[0].max() < 0.15
    assert 1.0 < speeds.max() < 12.0
    # every vertex travels, and the one that travels farthest comes back
    assert np.ptp(positions, axis=0).max(axis=1).min() > 0.02
    farthest = np.unravel_index(np.ptp(positions, axis=0).argmax(), positions.shape[1:])
    path = positions[:, farthest[0], farthest[1]]
    turns = np.count_nonzero(np.diff(np.sign(path - 0.5 * (path.min() + path.max()))))
    assert turns >= 2


@every_sample
def test_property_compresses_where_wrinkles_belong(name: str) -> None:
    animation = loaded(name)
    positions = animation.positions.astype(np.float64)
    corners = positions[:, animation.faces]
    sides = corners[:, :, 1:] - corners[:, :, :1]
    gram = np.einsum("ftia,ftja->ftij", sides, sides)
    # eigenvalues of gram[0]^-1 gram are the squared principal stretches from frame 0
    change = np.linalg.solve(np.broadcast_to(gram[0], gram.shape), gram)
    trace, determinant = np.trace(change, axis1=2, axis2=3), np.linalg.det(change)
    largest = 0.5 * (trace + np.sqrt(np.maximum(trace**2 - 4.0 * determinant, 0.0)))
    compression = np.sqrt(largest / determinant)
    share = (compression > 1.4).mean(axis=1)
    # tau of the thesis; at least a few triangles, for a good part of the motion, never most of the garment
    assert np.count_nonzero(share > 0.01) > 0.1 * len(share)
    assert share.max() < 0.6


@pytest.mark.parametrize("name", SKINNED)
def test_exact_bones_are_rigid_and_weights_sum_to_one(name: str) -> None:
    arrays = packaged(name)
    turns = arrays["bone_matrices"][..., :3].astype(np.float64)
    np.testing.assert_allclose(turns @ np.swapaxes(turns, -1, -2), np.broadcast_to(np.eye(3), turns.shape), atol=1e-6)
    assert np.linalg.det(turns).min() > 0.999
    np.testing.assert_allclose(arrays["joint_weights"].sum(axis=1), 1.0, atol=1e-6)
    assert arrays["joint_weights"].min() >= 0.0


@every_sample
def test_property_texture_coordinates_lie_flat(name: str) -> None:
    animation = loaded(name)
    assert animation.uv is not None
    assert animation.uv_faces is not None
    assert animation.uv.min() >= 0.0
    assert animation.uv.max() <= 1.0
    first, second, third = np.moveaxis(animation.uv[animation.uv_faces].astype(np.float64), 1, 0)
    # mirrored like the garment, with the winding kept: every triangle faces up in the pattern
    assert np.linalg.det(np.stack([second - first, third - first], axis=1)).min() > 1e-5
    # a texture coordinate belongs to one vertex
    owners = set(zip(animation.uv_faces.ravel().tolist(), animation.faces.ravel().tolist(), strict=True))
    assert len(owners) == len(animation.uv)


def weights_per_joint(arrays: Mapping[str, NDArray[Any]]) -> FloatArray:
    """Return how much each vertex follows each joint (V, J): equal weights have no order that travels."""
    joints = arrays["joint_indices"].astype(np.intp)
    result = np.zeros((len(joints), arrays["bone_matrices"].shape[1]))
    np.add.at(result, (np.arange(len(joints))[:, None], joints), arrays["joint_weights"])
    return result


@pytest.mark.parametrize("name", ["fist_pumping", "shoveling"])
def test_property_script_makes_the_packaged_file(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "samples", name, "--output", str(tmp_path)]
    subprocess.run(command, cwd=GENERATOR, check=True, capture_output=True)
    with np.load(tmp_path / f"{name}.npz") as made:
        arrays = packaged(name)
        assert set(made) == set(arrays)
        for key in set(arrays) - {"joint_indices"}:
            np.testing.assert_allclose(made[key], arrays[key], rtol=0.0, atol=1e-5, err_msg=key)
        np.testing.assert_allclose(weights_per_joint(made), weights_per_joint(arrays), rtol=0.0, atol=1e-5)
