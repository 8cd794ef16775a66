"""Pictures of plots: directions in space, camera, choice of frames, colours, and contents of figures."""

from itertools import islice
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from meshes import Float64, rotation
from ruckle import Animation, Frame, Topology, edge_matrices, run, sample, stretch
from ruckle.experiments import plot
from ruckle.experiments.plot.colors import LABELS
from ruckle.experiments.plot.ribbons import ribbon

SCALENE = np.array([[0.2, -0.1, 0.4], [1.3, 0.2, 0.1], [0.5, 1.1, -0.3]])
FACE = np.array([[0, 1, 2]])
UP = np.array([0.0, 0.0, 1.0])
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])

corners = hnp.arrays(np.float64, (3, 3), elements=st.floats(-2, 2, width=32)).filter(
    lambda p: bool(np.linalg.norm(np.cross(p[1] - p[0], p[2] - p[0])) > 0.1)
)
angles = st.floats(0, 2 * np.pi)


def pixels(figure: Figure) -> Float64:
    """Return the pixels of a figure: RGB values from 0 to 1, (height, width, 3)."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3] / 255.0


def blank(inches: tuple[int, int], ylim: tuple[int, int]) -> tuple[Figure, Axes]:
    """Return a figure and its axes. The axes are invisible and fill the whole figure."""
    figure = Figure(figsize=inches, dpi=50)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-1, 1), ylim=ylim)
    axes.set_axis_off()
    return figure, axes


def painted(positions: ArrayLike, faces: ArrayLike, colors: ArrayLike, **options: object) -> Float64:
    """Draw a mesh in a front view of x and y from -1 to 1, and return the pixels."""
    figure, axes = blank((2, 2), ylim=(-1, 1))
    plot.paint_mesh(axes, positions, faces, colors, projection=plot.Projection(0, 0), **options)  # type: ignore[arg-type]
    return pixels(figure)


def sheet(frames: int = 8) -> Animation:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float64)
    moves = np.arange(frames)[:, None, None] * np.array([3.0, 0, 0])
    return Animation(square + moves, [[0, 1, 2], [0, 2, 3]], fps=10, name="sheet $1$")


def test_axes_exact_right_triangle() -> None:
    # the first edge is along y, and vertex 2 is in direction z from vertex 0
    positions = np.array([[5, 5, 5], [5, 7, 5], [5, 5, 8]], np.float64)
    axis = np.array([[1, 0], [0, 1], [0.6, -0.8]])
    found = plot.axes_in_space(positions, np.repeat(FACE, 3, axis=0), axis)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[0, 1, 0], [0, 0, 1], [0, 0.6, -0.8]], atol=1e-7)


@given(corners, angles, corners, angles, st.floats(0.3, 0.8), st.floats(0.95, 1.6))
def test_axes_property_find_the_direction_of_squeezing(
    flat: Float64, turn: float, about: Float64, angle: float, least: float, most: float
) -> None:
    flat = flat * [1, 1, 0]
    if abs(np.cross(flat[1] - flat[0], flat[2] - flat[0])[2]) < 0.1:
        flat = SCALENE * [1, 1, 0]
    # compress along the direction `turn` in the plane of the reference, then move rigidly: the axis on the current
    # surface is known
    spin, motion = rotation(UP, turn), rotation(np.cross(*about[1:] - about[0]), angle)
    deform = motion @ spin @ np.diag([least, most, 1.0]) @ spin.T
    current = flat @ deform.T + [1.0, -2.0, 0.5]
    found = stretch(edge_matrices(flat, FACE), edge_matrices(current, FACE))
    direction = plot.axes_in_space(current, FACE, found.axis)[0]
    expected = motion @ spin @ [1.0, 0.0, 0.0]
    assert abs(direction @ expected) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    "positions", [np.zeros((3, 3)), [[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 0, 0], [0, 0, 0], [1, 0, 0]]]
)
def test_axes_degenerate_triangle_has_none(positions: ArrayLike) -> None:
    assert not plot.axes_in_space(positions, FACE, [[0.6, 0.8]]).any()
    assert np.isfinite(plot.ticks_in_space(positions, FACE, [[0.6, 0.8]])).all()


@given(corners, angles)
def test_ticks_property_lie_inside_their_triangle_along_the_axis(positions: Float64, angle: float) -> None:
    axis = np.array([[np.cos(angle), np.sin(angle)]])
    tick = plot.ticks_in_space(positions, FACE, axis)[0]
    edges = positions[1:] - positions[0]
    shares = np.linalg.lstsq(edges.T, (tick - positions[0]).T, rcond=None)[0].T
    np.testing.assert_allclose(shares @ edges, tick - positions[0], atol=1e-6)
    assert 0 < shares.min() < shares.sum(axis=1).max() < 1
    length, width = tick[1] - tick[0], tick[3] - tick[0]
    np.testing.assert_allclose(np.cross(length, plot.axes_in_space(positions, FACE, axis)[0]), 0, atol=1e-5)
    assert np.linalg.norm(length) > 3 * np.linalg.norm(width)


@pytest.mark.parametrize(
    ("camera", "seen"),
    [
        (plot.Projection(0, 0), np.eye(3)),
        (plot.Projection(90, 0), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
        (plot.Projection(0, 90), [[1, 0, 0], [0, 0, 1], [0, -1, 0]]),
    ],
)
def test_camera_exact_looks_from_azimuth_and_elevation(camera: plot.Projection, seen: ArrayLike) -> None:
    np.testing.assert_allclose(camera.project(np.eye(3)), seen, atol=1e-12)


@given(st.floats(-180, 180), st.floats(-90, 90))
def test_camera_property_keeps_lengths_and_handedness(azimuth: float, elevation: float) -> None:
    axes = plot.Projection(azimuth, elevation).project(np.eye(3))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_shade_exact_sides_and_range() -> None:
    front = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float64)
    outer, inner = plot.shade(front, FACE), plot.shade(front, FACE[:, ::-1])
    assert (outer[1].tolist(), inner[1].tolist()) == ([False], [True])
    assert 0 < inner[0][0] < outer[0][0] <= 1
    # the light is at the upper left; a face turned toward the light is brighter than a face turned away
    toward, away = (plot.shade(front @ rotation(np.array([1.0, 1.0, 0.0]), turn).T, FACE)[0][0] for turn in (-0.7, 0.7))
    assert away < toward <= 1


def test_shade_property_does_not_see_seams() -> None:
    # two triangles with an angle between them: first with shared vertices on the common edge, then with separate copies
    shared = np.array([[0, 0, 0], [0, 1, 0], [-1, 0, -1], [1, 0, -1]], np.float64)
    joined = plot.shade(shared, [[0, 1, 2], [1, 0, 3]])[0]
    split = plot.shade(shared[[0, 1, 2, 1, 0, 3]], [[0, 1, 2], [3, 4, 5]])[0]
    np.testing.assert_allclose(split, joined, atol=1e-12)


def test_choose_frames_exact() -> None:
    assert plot.choose_frames([0, 3, 1, 0, 0, 5], 2) == [1, 5]
    assert (plot.choose_frames([1, 1, 1, 1], 2), plot.choose_frames([7], 6)) == ([0, 2], [0])
    assert plot.choose_frames([], 2) == []
    # the peaks of both curves are in adjacent frames, so the second choice is the best frame at some distance
    assert plot.choose_frames([0, 0, 0, 9, 9, 0, 4, 0], 2) == [3, 6]


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=st.floats(0, 1)), st.integers(1, 12))
def test_choose_frames_property_spread(values: Float64, count: int) -> None:
    chosen = plot.choose_frames(values, count)
    spans = min(count, len(values))
    assert len(chosen) == spans
    assert all(len(values) * k // spans <= frame < len(values) * (k + 1) // spans for k, frame in enumerate(chosen))
    assert (np.diff(chosen) >= max(1, len(values) // (2 * spans))).all()
    assert plot.choose_frames(values, 1) == [int(np.argmax(values))]


def test_activity_exact() -> None:
    np.testing.assert_allclose(plot.activity([0.0, 0.2, 0.1], [0.0, 0.5, 1.0]), [0, 0.75, 0.75])
    np.testing.assert_allclose(plot.activity([0.0, 0.0], [0.0, 2.0]), [0, 0.5])


def test_label_colors_exact_and_apart_for_the_colour_blind() -> None:
    colors = plot.label_colors([0, 1, 2])
    assert colors.argmax(axis=1).tolist() == [2, 1, 0]
    # Many readers cannot distinguish red and green, so the lightness of green must differ from red and from blue.
    blue, green, red = colors @ LUMINANCE
    assert min(abs(green - red), abs(green - blue)) > 0.3


def test_compression_colors_property_darken_from_none_to_the_top_and_end_there() -> None:
    colors = plot.compression_colors([0.5, *np.linspace(1, 2, 50), 9.0], top=2.0)
    assert (np.diff(colors[1:-1] ** 2.2 @ LUMINANCE) < 0).all()
    np.testing.assert_array_equal(colors[[0, -1]], colors[[1, -2]])


TRIANGLE = np.array([[-0.9, -0.9, 0.0], [0.9, -0.9, 0.0], [0.0, 0.9, 0.0]])
NEARER = TRIANGLE + np.array([0.0, 0.0, 1.0])
GREEN, RED = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_paint_exact_nearer_triangle_hides(order: tuple[int, int]) -> None:
    positions = np.concatenate([TRIANGLE, NEARER])  # the green triangle is behind the red one
    faces, colors = np.array([[0, 1, 2], [3, 4, 5]])[list(order)], np.array([GREEN, RED])[list(order)]
    centre = painted(positions, faces, colors)[55, 50]
    assert centre[0] > 0.5 > 0.05 > centre[1]


def test_paint_exact_tick_lies_along_the_axis_and_is_hidden_with_its_triangle() -> None:
    white, pale = (1.0, 1.0, 1.0), (0.9, 0.9, 0.9)
    plain = painted(TRIANGLE, FACE, [pale])
    ticked = painted(TRIANGLE, FACE, [pale], axis=[[1.0, 0.0]])
    # compare only inside of the triangle, because matplotlib draws borders of a single polygon slightly differently
    rows, columns = np.nonzero(np.abs(ticked - plain)[60:80, 24:77].max(axis=2) > 0.1)
    assert np.ptp(columns) > 3 * np.ptp(rows) > 0  # the tick is long in x
    np.testing.assert_array_equal(painted(TRIANGLE, FACE, [pale], axis=[[0.0, 0.0]]), plain)
    both = np.concatenate([TRIANGLE, NEARER])
    hidden = painted(both, [[0, 1, 2], [3, 4, 5]], [pale, white], axis=[[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_array_equal(hidden, painted(both, [[0, 1, 2], [3, 4, 5]], [pale, white]))


def frames_of(animation: Animation, indices: list[int], labels: ArrayLike = (0, 2), most: float = 2.0) -> list[Frame]:
    """Return frames without wrinkles. Each triangle is compressed to 1 / `most` along its first edge."""
    topology = Topology(animation.faces, animation.vertex_count)
    squeezed = np.array([[most, 1.0], [most, 1.0]]).T
    found, labels = [], np.resize(labels, animation.face_count)
    for index in indices:
        pose = animation.positions[index]
        reference = squeezed * edge_matrices(pose, animation.faces)
        found.append(Frame.of(pose, topology, r_min=0.1, labels=labels, reference=reference, index=index))
    return found


def draw(animation: Animation, indices: list[int], **found: Any) -> Figure:
    return plot.draw_strip(animation, frames_of(animation, indices, **found), wrinkles=False)


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]  # type: ignore[attr-defined]


def test_strip_exact_size_titles_and_label_colours(tmp_path: Path) -> None:
    figure = draw(sheet(), [0, 3, 7])
    figure.savefig(tmp_path / "strip.png")
    picture = matplotlib.image.imread(tmp_path / "strip.png")  # type: ignore[attr-defined]
    assert picture.shape[1] == 1600 > picture.shape[0] > 400
    written = texts(figure)
    assert {"frame 0", "frame 3", "frame 7", "0.00 s", "0.30 s", "0.70 s", "sheet $1$", "50.0%  "} <= set(written)
    shifted = plot.draw_strip(sheet(), frames_of(sheet(), [2]), first_frame=100)
    assert {"frame 102", "10.20 s"} <= set(texts(shifted))
    # the most saturated pixels to the left of the legend have the hues of the labels, independently of shading
    panels = pixels(figure)[:, :1400].reshape(-1, 3)
    panels /= np.maximum(panels.max(axis=1, keepdims=True), 1e-9)
    for name, color in LABELS.items():
        wanted = np.array(to_rgb(color))
        near = np.abs(panels - wanted / wanted.max()).max(axis=1)
        assert ((near < 0.04).sum() > 500) == (name != "rest"), name


@pytest.mark.parametrize(
    ("second", "third"),
    [([1, 0, 0], [0, 1, 0]), ([1, 0, 0], [0, 0, 1]), ([0, 1, 0], [0, 2, 0]), ([0, 0, 0], [0, 0, 0])],
    ids=["one triangle", "lying flat", "without area", "in one point"],
)
def test_strip_degenerate_meshes_are_drawn(second: list[int], third: list[int]) -> None:
    animation = Animation(np.array([[[0, 0, 0], second, third]] * 2, np.float64), [[0, 1, 2]], height=1.0)
    assert pixels(draw(animation, [0, 1], labels=[1])).shape[1] == 1600


@pytest.fixture(scope="module")
def sawing() -> Frame:
    frame = next(islice(run(sample("sawing"), tau=1.25), 59, None))
    assert len(frame.wrinkles) > 5
    return frame


def test_ribbon_exact_width_and_position(sawing: Frame) -> None:
    for wrinkle in sawing.wrinkles:
        band = ribbon(wrinkle, sawing)
        width = np.linalg.norm(band.left - band.right, axis=1)
        # the ribbon has width 0 at both tips; its largest width is near the full width of the wrinkle times its size
        np.testing.assert_allclose(width[[0, -1]], 0.0, atol=1e-6)
        assert 0.8 * wrinkle.full_width * wrinkle.size < width.max() < 1.5 * wrinkle.full_width * wrinkle.size
        np.testing.assert_allclose((band.left + band.right) / 2, band.middle, atol=1e-9)
        # the centre line has the same ends as the path, and all its points are on the cloth
        np.testing.assert_allclose(band.middle[[0, -1]], wrinkle.points[[0, -1]], atol=1e-5)
        corners = sawing.positions[sawing.topology.faces[band.faces]].astype(np.float64)
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        height = np.einsum("nk,nk->n", band.middle - corners[:, 0], normal) / np.linalg.norm(normal, axis=1)
        np.testing.assert_allclose(height, 0.0, atol=1e-4)


def test_hidden_exact_in_front_behind_and_beside() -> None:
    view = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], np.float64)
    points = [[0, 0, 1], [0, 0, -1], [0.9, 0.9, -1], [0, -0.5, 0], [0, -0.5, -1e-4]]
    np.testing.assert_array_equal(plot.hidden_points(points, view, FACE), [False, True, False, False, False])
    np.testing.assert_array_equal(plot.hidden_points(points, view, FACE[:, ::-1]), [False, True, False, False, False])


def wrinkle_pixels(frame: Frame, azimuth: float = 0.0) -> Float64:
    """Draw only the wrinkles, and return the pixels. The cloth is not painted, but hides wrinkles behind it."""
    figure, axes = blank((3, 3), ylim=(0, 2))
    plot.paint_wrinkles(axes, frame, projection=plot.Projection(azimuth, 0))
    return pixels(figure)


def test_wrinkles_exact_are_seen_from_the_side_they_are_on(sawing: Frame) -> None:
    corners = sawing.positions[sawing.topology.faces].astype(np.float64)
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0
    front = [wrinkle for wrinkle in sawing.wrinkles if facing[wrinkle.faces].all()]
    assert front
    frame = Frame.of(sawing.positions, sawing.topology, front, r_min=sawing.length_unit)
    assert (wrinkle_pixels(frame) < 0.7).any()
    np.testing.assert_array_equal(wrinkle_pixels(frame, 180.0), 1.0)


def test_strip_exact_wrinkles_lie_over_the_compression(sawing: Frame) -> None:
    animation = sample("sawing")
    known = {"labels": sawing.labels, "reference": sawing.reference, "index": 59}
    smooth = Frame.of(sawing.positions, sawing.topology, r_min=0.1, **known)
    without, within = (pixels(plot.draw_strip(animation, [frame])) for frame in (smooth, sawing))
    changed = np.argwhere((np.abs(without - within) > 0.01).any(axis=2))
    assert len(changed)
    assert changed[:, 0].min() > len(within) / 2  # the upper row, the labels, is unchanged
