"""Stages 1 to 4 of the pipeline together: a Wrinkler on whole animations."""

import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from meshes import MESHES, Mesh, bow_tie, grid, moving, scattered, strip, triangle
from playing import SECOND, assert_equal_frames, play
from ruckle.errors import MeshError
from ruckle.field.label import label_costs, solve_labels
from ruckle.field.reference import update_reference
from ruckle.field.stretch import edge_matrices, stretch
from ruckle.paths.wrinkler import Wrinkler
from ruckle.paths.wrinkles import CURVE_SAMPLE, WRINKLE

every_mesh = pytest.mark.parametrize("mesh", MESHES, ids=repr)


@every_mesh
def test_exact_a_step_is_its_stages_one_after_the_other(mesh: Mesh) -> None:
    topology = mesh.topology
    reference = previous = labels = None
    for index, (positions, frame) in enumerate(
        zip(moving(mesh, SECOND), play(mesh, moving(mesh, SECOND)), strict=True)
    ):
        current = edge_matrices(positions, mesh.faces)
        motion = stretch(current if previous is None else previous, current)
        labels = solve_labels(label_costs(motion), topology, previous=labels).labels
        reference = update_reference(current if reference is None else reference, current, labels)
        field = stretch(reference, current)
        np.testing.assert_array_equal(frame.labels, labels)
        np.testing.assert_array_equal(frame.current, current)
        np.testing.assert_array_equal(frame.reference, reference)
        np.testing.assert_array_equal(frame.motion.compression, motion.compression)
        np.testing.assert_array_equal(frame.motion.max, motion.max)
        # the step calculates the new stretch directly instead of measuring it again, so both differ by rounding
        np.testing.assert_allclose(frame.compression, field.compression, rtol=2e-5)
        np.testing.assert_allclose(frame.stretch.max, field.max, rtol=2e-5)
        assert frame.index == index
        previous = current


def test_exact_first_frame_rests() -> None:
    mesh = scattered()
    (frame,) = play(mesh, moving(mesh, [0.0]))
    assert (frame.labels == 1).all()
    np.testing.assert_array_equal(frame.reference, frame.current)
    np.testing.assert_allclose(frame.compression, 1, atol=1e-6)
    count = len(mesh.faces)
    triangles = {
        "compression_labels": 0,
        "rest_labels": count,
        "stretch_labels": 0,
        "label_changes": 0,
        "degenerate": 0,
    }
    assert {name: frame.stats[name] for name in triangles} == triangles
    assert repr(frame) == f"Frame(0: 0 compression, {count} rest, 0 stretch, largest compression 1, 0 wrinkles)"


def test_exact_a_squeezed_sheet_wrinkles_across_the_squeeze() -> None:
    mesh = grid()
    squeeze = np.array([np.diag([1 - 0.1 * k, 1.0, 1.0]) for k in range(4)])
    frames = play(mesh, np.einsum("fij,vj->fvi", squeeze, mesh.positions))
    assert (frames[-1].labels == 0).all()
    # relaxation lowers the compression, but most of the 30 % remains
    assert 1.3 < frames[-1].compression.min() <= frames[-1].compression.max() < 1 / 0.7
    # the axis of compression is x; in each triangle, it is stored relative to the first edge
    corners = mesh.positions[mesh.faces] * [0.7, 1, 1]
    first = corners[:, 1] - corners[:, 0]
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    axis = frames[-1].stretch.axis
    in_space = axis[:, :1] * first + axis[:, 1:] * np.cross([0, 0, 1], first)
    np.testing.assert_allclose(np.abs(in_space), [[1, 0, 0]] * len(corners), atol=1e-3)


def spoiled(positions: NDArray[Any], how: str) -> NDArray[Any]:
    """Return positions that every step rejects: too few vertices ("few"), or one coordinate that is not finite."""
    broken = positions.copy()
    if how == "few":
        return broken[:-1]
    broken[-1, 1] = {"nan": np.nan, "infinite": -np.inf}[how]
    return broken


@every_mesh
@pytest.mark.parametrize("how", ["nan", "infinite", "few"])
def test_degenerate_frames_are_refused_and_leave_the_state_as_it_was(mesh: Mesh, how: str) -> None:
    frames = moving(mesh, SECOND[:12])
    expected = play(mesh, frames)
    wrinkler = Wrinkler(mesh.faces, mesh.vertex_count, r_min=0.0)
    for index, positions in enumerate(frames):
        with pytest.raises(MeshError, match=f"frame {index}: "):
            wrinkler.step(spoiled(positions, how))
        with pytest.raises(ValueError, match="dt: expected"):
            wrinkler.step(positions, dt=0.0)
        assert wrinkler.frame_count == index
        assert_equal_frames(wrinkler.step(positions), expected[index])


@pytest.mark.parametrize("mesh", [triangle(), strip(), scattered()], ids=repr)
def test_degenerate_triangles_that_collapse_and_come_back(mesh: Mesh) -> None:
    frames = moving(mesh, SECOND).astype(np.float32)
    corner = mesh.faces[0]
    collapsed = frames.copy()
    collapsed[10:15, corner[1:]] = collapsed[10:15, corner[:1]]
    run, plain = play(mesh, collapsed), play(mesh, frames)
    for frame in run[10:15]:
        assert frame.stretch.degenerate[0]
        assert frame.compression[0] == 1
        assert (frame.stretch.axis[0] == 0).all()
        assert frame.stats["degenerate"] >= 1
        np.testing.assert_array_equal(frame.reference[0], run[9].reference[0])
    for frame in run:
        for result in (frame.stretch, frame.motion):
            assert all(np.isfinite(getattr(result, name)).all() for name in ("min", "max", "compression", "axis"))
        assert np.isfinite(frame.reference).all()
    assert run[15].stats["degenerate"] == 0
    assert not run[15].stretch.degenerate.any()
    for a, b in zip(run[:10], plain[:10], strict=True):
        assert_equal_frames(a, b)


@pytest.mark.parametrize("mesh", [triangle(), bow_tie(), scattered()], ids=repr)
def test_degenerate_first_frames_are_replaced_by_the_first_sound_frame(mesh: Mesh) -> None:
    frames = moving(mesh, SECOND[:8])
    frames[:3] = frames[:3, :1]  # all vertices have one position
    run = play(mesh, frames)
    for frame in run[:3]:
        assert frame.stats["degenerate"] == len(mesh.faces)
        np.testing.assert_array_equal(frame.reference, 0)
    assert run[3].stats["degenerate"] == 0
    np.testing.assert_array_equal(run[3].reference, run[3].current)


def test_degenerate_isolated_vertices_may_lie_anywhere() -> None:
    mesh = scattered()
    frames = moving(mesh, SECOND)
    far = np.concatenate([frames, np.full((len(frames), 1, 3), 1e30)], axis=1)
    wide = Mesh("wide", far[0], mesh.faces)
    for a, b in zip(play(wide, far), play(mesh, frames), strict=True):
        assert_equal_frames(a, b)


@pytest.mark.parametrize(
    ("positions", "dt", "error", "message"),
    [
        (np.zeros((4, 3)), 0.1, MeshError, "frame 1: expected 3 vertices, got 4"),
        ([[0, 0, 0], [1, np.nan, 0], [0, 1, 0]], 0.1, MeshError, "frame 1: vertex 1 lies at (1.000000, nan"),
        ([[0, 0, 0], [1, 1, 0], [0, 1, 1e39]], 0.1, MeshError, "frame 1: vertex 2 lies at (0.000000, 1.000000, inf)"),
        (np.zeros((3, 3)), 0.0, ValueError, "dt: expected a number of seconds in (0, 1e+06], got 0"),
        (np.zeros((3, 3)), np.nan, ValueError, "dt: expected a number of seconds in (0, 1e+06], got nan"),
        (np.zeros((3, 2)), 0.1, ValueError, "positions: expected an array of shape (V, 3), got (3, 2)"),
        (np.zeros((3, 3), bool), 0.1, ValueError, "positions: expected real numbers, got bool (3, 3)"),
    ],
)
def test_reject_steps(positions: Any, dt: float, error: type[ValueError], message: str) -> None:
    wrinkler = Wrinkler([[0, 1, 2]], 3, r_min=0.0)
    wrinkler.step(triangle().positions)
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        wrinkler.step(positions, dt)


def test_property_paths_take_only_what_other_layers_leave() -> None:
    animation = ruckle.sample("sawing")
    shares = (None, *(np.full(animation.face_count, share, np.float32) for share in (1.0, 0.8, 0.01)))
    wrinklers = [Wrinkler.for_animation(animation, tau=1.4) for _ in shares]
    for positions in animation.positions[:100]:
        frame, same, less, none = (
            wrinkler.step(positions, remaining=share) for wrinkler, share in zip(wrinklers, shares, strict=True)
        )
        np.testing.assert_array_equal(same.columns.heights, frame.columns.heights)
        np.testing.assert_array_equal(less.labels, frame.labels)
        taken = np.maximum(np.float32(0.8) * frame.compression, 1.0)
        np.testing.assert_allclose(less.compression, np.minimum(frame.compression, taken), rtol=1e-6)
        assert len(none.wrinkles) == 0
    assert 0.0 < less.highest < frame.highest


def test_reject_remaining_shares_outside_of_0_to_1() -> None:
    wrinkler = Wrinkler([[0, 1, 2]], 3, r_min=0.1)
    for wrong in (0.0, 1.5, np.nan):
        with pytest.raises(ValueError, match="remaining: expected shares above 0 and at most 1, got"):
            wrinkler.step(np.eye(3), remaining=[wrong])
    with pytest.raises(ValueError, match=r"remaining: expected an array of shape \(T = 1,\)"):
        wrinkler.step(np.eye(3), remaining=[0.5, 0.5])
    assert wrinkler.frame_count == 0


def test_exact_a_rest_pose_is_a_frame_before_the_first() -> None:
    animation = ruckle.sample("sawing")
    rest, pose = animation.positions[0], animation.positions[100]
    stepped = Wrinkler.for_animation(animation)
    stepped.step(rest)
    after = stepped.step(pose)
    wrinkler = Wrinkler.for_animation(animation, rest=rest)
    frame = wrinkler.step(pose, 7.0)
    for name in ("labels", "current", "reference", "compression"):
        np.testing.assert_array_equal(getattr(frame, name), getattr(after, name))
    np.testing.assert_array_equal(frame.rest, rest)
    assert frame.index == 0
    assert len(frame.wrinkles) == len(after.wrinkles) > 5
    # Wrinkles of the rest pose have their full height in the first frame. Wrinkles that start later start with height
    # 0.
    assert all(wrinkle.age == 0 and wrinkle.fade == 1 for wrinkle in frame.wrinkles)
    assert after.columns.curves["height"].max() < 0.2 * frame.columns.curves["height"].max()
    # both wrinklers trace the same paths
    for one, other in zip(frame.wrinkles, after.wrinkles, strict=True):
        np.testing.assert_array_equal(one.edges, other.edges)
        np.testing.assert_array_equal(one.points, other.points)
    # if the pose does not change, heights remain nearly equal, and those of the other wrinkler rise to them
    for _ in range(60):
        again, risen = wrinkler.step(pose), stepped.step(pose)
    heights, same, others = (one.columns.curves["height"] for one in (frame, again, risen))
    np.testing.assert_allclose(same, heights, atol=0.05 * heights.max())
    np.testing.assert_allclose(others, same, atol=1e-3 * heights.max())


def test_exact_a_rest_pose_lasts() -> None:
    animation = ruckle.sample("sawing")
    wrinkler = Wrinkler.for_animation(animation, rest=animation.positions[0])
    first, second = (wrinkler.step(positions) for positions in animation.positions[100:102])
    wrinkler.reset()
    copied = pickle.loads(pickle.dumps(wrinkler))
    for other in (wrinkler, copied):
        assert_equal_frames(first, other.step(animation.positions[100]))
        assert_equal_frames(second, other.step(animation.positions[101]))
    # the constructor copies its arrays, so that the caller may change them afterwards
    own = animation.positions[0].copy()
    other = Wrinkler.for_animation(animation, rest=own)
    own[:] = 0
    assert_equal_frames(first, other.step(animation.positions[100]))


def test_exact_the_bind_pose_is_the_rest_pose_by_default() -> None:
    sample = ruckle.sample("sawing").cut(100, 103)
    bound = replace(sample, rest_positions=ruckle.sample("sawing").positions[0])
    first, bind = (next(ruckle.run(bound, rest=rest)) for rest in ("first", "bind"))
    assert len(first.wrinkles) == 0 < len(bind.wrinkles)
    assert_equal_frames(next(ruckle.run(bound)), bind)
    assert_equal_frames(next(ruckle.run(sample)), first)


def test_reject_rest_poses() -> None:
    for wrong, message in (
        (np.zeros((4, 3)), "rest: expected 3 vertices, got 4"),
        ([[0, 0, 0], [1, np.nan, 0], [0, 1, 0]], "rest: vertex 1 lies at (1.000000, nan"),
        (np.zeros((3, 2)), "rest: expected an array of shape (V, 3), got (3, 2)"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            Wrinkler([[0, 1, 2]], 3, rest=wrong)
    with pytest.raises(ValueError, match='rest: "bind" needs a bind pose, and sawing does not have one'):
        Wrinkler.for_animation(ruckle.sample("sawing"), rest="bind")


def test_run_exact_progress_counts_frames() -> None:
    animation, calls = ruckle.sample("sawing").cut(0, 4), []
    frames = ruckle.run(animation, progress=lambda done, total: calls.append((done, total)))
    assert calls == []
    assert len(list(frames)) == 4
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(TypeError, match="progress: expected a function of two numbers, got 3"):
        ruckle.run(animation, progress=3)


def test_exact_wrinklers_of_one_topology_share_it_and_give_the_same_frames() -> None:
    mesh = strip()
    frames = moving(mesh, SECOND[:8])
    expected = play(mesh, frames)
    topology = ruckle.Topology(mesh.faces, mesh.vertex_count)
    crowd = [Wrinkler(topology, r_min=0.0), Wrinkler(topology, mesh.vertex_count, r_min=0.0)]
    assert all(wrinkler.topology is topology for wrinkler in crowd)
    for index, positions in enumerate(frames):
        for wrinkler in crowd:
            assert_equal_frames(wrinkler.step(positions), expected[index])


def test_reject_a_topology_of_another_vertex_count() -> None:
    topology = ruckle.Topology(strip().faces, strip().vertex_count)
    with pytest.raises(ValueError, match=r"vertex_count: expected None or \d+, that of the topology, got 3"):
        Wrinkler(topology, 3)
    with pytest.raises(TypeError, match="vertex_count: expected an integer beside faces, got None"):
        Wrinkler(strip().faces)


def test_exact_equal_frames_have_equal_bytes() -> None:
    def last_columns() -> bytes:
        animation = ruckle.sample("sawing")
        wrinkler = Wrinkler.for_animation(animation)
        frame = [wrinkler.step(positions) for positions in animation.positions[60:80]][-1]
        # fill freed memory with other bytes, so that results from uninitialized memory would differ
        junk = [np.full(size, 170, np.uint8) for size in range(1000, 5000, 8)]
        del junk
        columns = frame.columns
        assert len(columns.rows) > 0
        return pickle.dumps([array.copy() for array in columns])

    assert last_columns() == last_columns()
    for dtype in (WRINKLE, CURVE_SAMPLE):
        # NumPy does not copy padding bytes, so the rows must not contain any
        assert sum(dtype[name].itemsize for name in dtype.names) == dtype.itemsize
