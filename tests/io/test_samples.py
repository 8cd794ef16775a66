"""The packaged garments: connectivity, winding, motion, compression, wearers, and the script that makes the files."""

import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ruckle import Animation, Topology, edge_matrices, sample, sample_body, samples, stretch
from ruckle.cli.connectivity import boundary_loop_count, component_count
from ruckle.io.samples import COLLARS, figure_faces, figure_positions, stored_sample, visible_faces
from ruckle.simulation.body import mesh_clearance

# Per garment: triangles, connected components, and boundary loops (hem, neck, waist, cuffs, armholes, ankles, face of a
# hood).
GARMENTS = {"sawing": (734, 1, 4), "chopping": (602, 1, 4), "fist_pumping": (534, 1, 4),
            "stretching": (628, 1, 4), "jumping_jack": (356, 1, 2), "shoveling": (602, 1, 5),
            "walking": (1338, 2, 7), "dancing": (632, 1, 4)}  # fmt: skip
LOOPS = {"walking"}
GENERATOR = Path(__file__).resolve().parents[2] / "python"


@pytest.fixture(scope="module", params=GARMENTS)
def garment(request: pytest.FixtureRequest) -> Animation:
    return sample(request.param)


@pytest.mark.parametrize("name", ["", "Sawing", "../secrets", "sawing.npz"])
def test_reject_unknown_name(name: str) -> None:
    assert samples() == list(GARMENTS)
    with pytest.raises(ValueError, match=r'^name: expected one of "sawing", .*, "dancing", got "'):
        sample(name)


def test_exact_manifold_pieces_with_their_openings(garment: Animation) -> None:
    assert (garment.fps, garment.height) == (60.0, 1.75)
    assert 3.0 <= garment.duration <= 4.5
    # neighbouring faces use their common edge in opposite directions, so no directed edge occurs twice
    directed = garment.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    assert len(np.unique(directed, axis=0)) == len(directed)
    topology = Topology(garment.faces, garment.vertex_count)
    triangles, pieces, openings = GARMENTS[garment.name]
    assert (component_count(topology), boundary_loop_count(topology)) == (pieces, openings)
    # a sphere with k openings has V - E + T = 2 - k; each vertex is used by a face
    assert garment.vertex_count - topology.edge_count + triangles == 2 * pieces - openings
    assert np.array_equal(np.unique(garment.faces), np.arange(garment.vertex_count))


def test_property_winding_is_outward_in_every_tenth_frame(garment: Animation) -> None:
    for positions in garment.positions[::10].astype(np.float64):
        a, b, c = np.moveaxis((positions - positions.mean(axis=0))[garment.faces], 1, 0)
        # six times the signed volume in cubic metres, without the flat lids of the openings; positive if faces point
        # outward
        assert (a * np.cross(b, c)).sum() > 0.12


def test_property_moves_smoothly_from_a_standing_start_or_in_a_loop(garment: Animation) -> None:
    positions = garment.positions.astype(np.float64)
    speeds = np.linalg.norm(np.diff(positions, axis=0), axis=2) * garment.fps
    if garment.name in LOOPS:
        # the motion is a loop: the step from the last frame to the first is similar to the other steps
        closing = np.linalg.norm(positions[0] - positions[-1], axis=1) * garment.fps
        assert abs(closing - speeds[0]).max() < 1.1 * abs(np.diff(speeds, axis=0)).max()
    else:
        # the garment is almost at rest in the first frame (speeds in metres per second)
        assert speeds[0].max() < 0.15
    assert 1.0 < speeds.max() < 12.0
    # every vertex moves by at least 2 cm, and the coordinate with the largest range passes its middle at least twice
    travel = np.ptp(positions, axis=0)
    assert travel.max(axis=1).min() > 0.02
    path = positions[(slice(None), *np.unravel_index(travel.argmax(), travel.shape))]
    assert np.count_nonzero(np.diff(np.sign(path - 0.5 * (path.min() + path.max())))) >= 2


def test_property_compresses_where_wrinkles_belong(garment: Animation) -> None:
    rest = garment.positions[0] if garment.rest_positions is None else garment.rest_positions
    reference = edge_matrices(rest, garment.faces)
    frames = (edge_matrices(positions, garment.faces) for positions in garment.positions[1:])
    found = [stretch(reference, current) for current in frames]
    assert not any(one.degenerate.any() for one in found)
    compression = np.array([one.compression for one in found])
    areas = np.array([one.min * one.max for one in found])
    # few triangles are compressed to almost zero area in the simulation
    assert (areas > 0.1).mean() > 0.999
    assert 0.01 < areas.min() < areas.max() < 6.0
    # with the tau of the thesis, some triangles are wrinkled in many frames, but never most of the garment
    share = (compression > 1.4).mean(axis=1)
    assert np.count_nonzero(share > 0.01) > 0.1 * len(share)
    assert share.max() < 0.6


def test_property_cloth_covers_the_skin_of_its_wearer(garment: Animation) -> None:
    body = sample_body(garment.name)
    assert (body.frame_count, body.fps) == (garment.frame_count, garment.fps)
    # height of the body in metres; the hood of "walking" covers the top of the head
    assert (1.745 if garment.name != "walking" else 1.5) < body.positions[0, :, 1].max() < 1.755
    assert body.colors is not None
    # in every 40th frame, the 5 % quantile of the distance from the skin's border to the cloth's vertices is 1 to 3 cm
    topology = Topology(body.faces, body.vertex_count)
    rim = np.unique(topology.edges[topology.edge_faces[:, 1] < 0])
    # the collar of a garment is part of the body's mesh; it may be above the cloth
    with stored_sample("wearer") as arrays:
        is_collar = arrays["parts"][visible_faces(arrays, garment.name)] == COLLARS
    bare = ~np.isin(rim, body.faces[is_collar])
    for frame in range(0, garment.frame_count, 40):
        cloth, skin = garment.positions[frame], body.positions[frame, rim]
        apart = np.linalg.norm(cloth[:, None] - skin[None], axis=2).min(axis=0)
        assert 0.01 < np.quantile(apart, 0.05) < 0.03
        # the border of the skin is below the cloth: all of it at rest, and more than 90 % in motion
        near = bare & (apart < 0.05)
        assert near.sum() > 100
        heights, _ = mesh_clearance(skin[near], cloth, garment.faces)
        assert (heights < 0.0).mean() > 0.9
        assert heights.max() < (0.0 if frame == 0 else 0.01)


def test_property_no_garment_is_inside_its_wearer_at_rest(garment: Animation) -> None:
    rest = garment.positions[0] if garment.rest_positions is None else garment.rest_positions
    with stored_sample("wearer") as arrays:
        points, faces, parts = figure_positions(arrays), figure_faces(arrays), arrays["parts"]
    # the surface of the trunk is closed, so its solid angle is 4π around points inside and 0 around points outside
    corners = points[faces[parts == 0]].astype(np.float64)
    solid_angles = np.zeros(len(rest))
    for some in np.array_split(corners, 40):
        a, b, c = np.moveaxis(some - rest[:, None, None].astype(np.float64), 2, 0)
        la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
        volume = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
        dots = [np.einsum("ijk,ijk->ij", *pair) for pair in ((a, b), (b, c), (c, a))]
        solid_angles += 2.0 * np.arctan2(volume, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb).sum(axis=1)
    assert abs(solid_angles).max() < 2.0 * np.pi


def weights_per_joint(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    """Return the skin weights (V, J) of each vertex, by joint.

    The order of joints with equal weights depends on the machine, so files are compared in this form.
    """
    joints = arrays["joint_indices"].astype(np.intp)
    result = np.zeros((len(joints), arrays["bone_matrices"].shape[1]))
    np.add.at(result, (np.arange(len(joints))[:, None], joints), arrays["joint_weights"])
    return result


@pytest.mark.parametrize("name", ["fist_pumping", "shoveling"])
def test_property_script_makes_the_packaged_file(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "samples", name, "--output", str(tmp_path)]
    subprocess.run(command, cwd=GENERATOR, check=True, capture_output=True)
    kept = resources.files("ruckle") / "garments" / f"{name}.npz"
    with np.load(tmp_path / f"{name}.npz") as made, kept.open("rb") as file, np.load(file) as arrays:
        assert set(made) == set(arrays)
        for key in set(arrays) - {"joint_indices"}:
            np.testing.assert_allclose(made[key], arrays[key], rtol=0.0, atol=1e-5, err_msg=key)
        np.testing.assert_allclose(weights_per_joint(made), weights_per_joint(arrays), rtol=0.0, atol=1e-5)
