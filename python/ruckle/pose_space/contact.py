"""Moves vertices of fine cloth out of the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import float32, float64, triangles
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.geometry import vertex_normals
from ruckle.mesh.topology import topology_of
from ruckle.pose_space.binding import closest_triangles
from ruckle.pose_space.synthesizer import PoseFrame, PoseStats, PoseSynthesizer, PoseTimings
from ruckle.simulation.body import mesh_clearance
from ruckle.surface.frame import Details
from ruckle.surface.layers import FineShape, ShapeFrame

__all__ = ["KeptOutside", "OutsideFrame", "lower_skin", "push_out"]

# Distance of cloth from the body as a share of the character's height; about 5 mm. It must exceed the depth of chords:
# an edge of 20 mm cuts 1 mm into a limb with a radius of 50 mm.
ROOM = 0.003

# Number of passes that push vertices out of the body: a vertex pushed out of one limb may enter another. It is also the
# number of steps of `_first_contacts`.
PASSES = 6

# Lengths in units of the gap from the body. A vertex is tested if its distance from its point on the coarse cloth is
# more than FURTHER. Points at the shares WAY of the line between them are tested. The vertex is sunken if one of these
# points is deeper than SUNKEN inside the body. With SUNKEN 3, skin was visible at the sides of a knee.
SUNKEN, FURTHER = 1.0, 3.0
WAY = (0.25, 0.5, 0.75, 1.0)

# Shares of the character's height. Skin is covered if cloth is nearer than UNDER. Covered skin is moved inward by
# LOWERED.
UNDER, LOWERED = 0.06, 0.007


def push_out(
    positions: ArrayLike, body: ArrayLike, body_faces: ArrayLike, *, gap: float = 0.0, only: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Move vertices that are inside a body out of it, along the normal of the nearest triangle.

    Vertices never enter the body in sampled poses. Between samples they can enter, for example inside an elbow. As in
    the paper, a vertex is inside if it is behind the nearest triangle.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    body : (B, 3) float, mesh units
        The body in the same pose.
    body_faces : (T, 3) int
        Triangles whose normals point outward.
    gap : float, mesh units
        Distance from the body to which vertices are moved. A vertex that is nearer is moved, too.
    only : (V,) bool, optional
        Mask of vertices that may be moved, for example vertices that are outside in all samples; default: all.

    Returns
    -------
    (V, 3) float64, mesh units

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is not finite.
    """
    points, skin, distance = float64("positions", positions), float64("body", body), number("gap", gap)
    for name, array in (("positions", points), ("body", skin)):
        if array.ndim != 2 or array.shape[1] != 3 or not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite positions of shape (V, 3), got {array.shape}")
    faces = triangles("body_faces", body_faces)
    if not len(faces) or faces.min() < 0 or faces.max() >= len(skin):
        raise ValueError(f"body_faces: expected triangles of the {len(skin)} vertices of the body")
    chosen = np.ones(len(points), bool) if only is None else np.asarray(only, bool)
    if chosen.shape != (len(points),):
        raise ValueError(f"only: expected one flag for each of {len(points)} vertices, got {chosen.shape}")
    moved = points.copy()
    corners = skin[faces]
    found, weights = closest_triangles(points[chosen], corners)
    a, b, c = corners[found].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    nearest = weights[:, :1] * a + weights[:, 1:2] * b + weights[:, 2:] * c
    missing = distance - ((points[chosen] - nearest) * normals).sum(axis=1)
    moved[chosen] += np.maximum(missing, 0.0)[:, None] * normals
    return moved


def lower_skin(body: Animation, cloth: Animation, *, depth: float | None = None) -> Animation:
    """Return a body for drawing, with its skin moved inward under the cloth.

    Cloth that was pushed out touches the skin. The triangles of the cloth are flat, but limbs are round, so the skin
    would be visible through the cloth. Games also move hidden skin inward.

    Parameters
    ----------
    body : Animation
        Body whose face normals point outward. The cloth needs the same orientation.
    cloth : Animation
        Cloth in the same frames. The rest positions of body and cloth decide which skin is covered. If one of them does
        not have rest positions, the first frames decide.
    depth : float, mesh units, optional
        Distance by which covered skin is moved; default: 0.7 % of the body's height.

    Returns
    -------
    Animation
        The same mesh. A vertex is covered if the nearest point of the cloth is closer than 6 % of the body's height, at
        most 60 degrees from the skin's normal, above the inner side of the cloth, and on a triangle without boundary
        vertices. Covered vertices with only covered neighbours move against their normal in every frame. Rest positions
        do not change.

    Raises
    ------
    MeshError
        The body or the cloth is not a manifold mesh.
    TypeError
        An argument is not an Animation.
    """
    require_animation(body), require_animation(cloth)
    reach = UNDER * body.height
    deep = LOWERED * body.height if depth is None else number("depth", depth)
    if body.rest_positions is not None and cloth.rest_positions is not None:
        skin, over = body.rest_positions, cloth.rest_positions
    else:
        skin, over = body.positions[0], cloth.positions[0]
    is_rim = np.zeros(cloth.vertex_count, bool)
    topology = topology_of(cloth)
    is_rim[topology.edges[(topology.edge_faces < 0).any(axis=1)]] = True
    found, weights = closest_triangles(skin.astype(np.float64), over.astype(np.float64)[cloth.faces])
    ways = np.einsum("nk,nkx->nx", weights, over[cloth.faces[found]]) - skin
    lengths = np.linalg.norm(ways, axis=1)
    a, b, c = over[cloth.faces[found]].transpose(1, 0, 2)
    # Skin is covered only if the cloth is on its outer side, and the skin on the inner side of the cloth. A hand in
    # front of the cloth is therefore not covered.
    is_over = (ways * vertex_normals(skin, body.faces)).sum(axis=1) >= 0.5 * lengths
    is_inside = (ways * np.cross(b - a, c - a)).sum(axis=1) >= 0.0
    is_covered = (lengths < reach) & is_over & is_inside & ~is_rim[cloth.faces[found]].any(axis=1)
    lowered = is_covered.copy()
    for one, other in topology_of(body).edges.T, topology_of(body).edges.T[::-1]:
        np.logical_and.at(lowered, one, is_covered[other])
    moved = body.positions.copy()
    for shape in moved:
        shape[lowered] -= deep * vertex_normals(shape, body.faces)[lowered]
    return replace(body, positions=moved)


def bring_outside(
    points: NDArray[np.float64], homes: NDArray[np.float64], body: ArrayLike, body_faces: ArrayLike, gap: float
) -> int:
    """Move points (N, 3) that are inside a body or nearer than `gap` outward to this distance, in place.

    Return the number of moved points.

    `homes` (N, 3) are the points of the coarse cloth to which the vertices belong. If the line from its home to a
    vertex goes deeper into the body than `SUNKEN` gaps (`_goes_through`), the vertex is deep inside a limb or has left
    it on the far side. The shortest way could then lead to the wrong side, so the vertex is moved back along the line,
    to `gap` before the body. Then every vertex nearer than `gap` is moved along the shortest way, in up to `PASSES`
    passes.
    """
    sunken = np.flatnonzero(_goes_through(points, homes, body, body_faces, gap))
    points[sunken] = _first_contacts(homes[sunken], points[sunken], body, body_faces, gap)
    moved = np.zeros(len(points), bool)
    moved[sunken] = True
    left = np.arange(len(points))
    for _ in range(PASSES):
        distances, outward = mesh_clearance(points[left], body, body_faces)
        near = distances < gap
        left = left[near]
        if not len(left):
            break
        moved[left] = True
        points[left] += outward[near] * (gap - distances[near])[:, None]
    return int(moved.sum())


def _goes_through(
    points: NDArray[np.float64], homes: NDArray[np.float64], body: ArrayLike, body_faces: ArrayLike, gap: float
) -> NDArray[np.bool_]:
    """Return a mask (N,): True if the line from home to point is deeper inside the body than `SUNKEN` gaps.

    Points within `FURTHER` gaps of their home, and points whose home is inside the body, are False.
    """
    found = np.zeros(len(points), bool)
    far = np.flatnonzero(np.linalg.norm(points - homes, axis=1) > FURTHER * gap)
    if not len(far):
        return found
    far = far[mesh_clearance(homes[far], body, body_faces)[0] > 0.0]
    for share in WAY:
        between = homes[far] + share * (points[far] - homes[far])
        found[far] |= mesh_clearance(between, body, body_faces)[0] < -SUNKEN * gap
    return found


def _first_contacts(
    starts: NDArray[np.float64], ends: NDArray[np.float64], body: ArrayLike, body_faces: ArrayLike, gap: float
) -> NDArray[np.float64]:
    """Return, on each line from start to end, a point just before the line comes within `gap` of the body.

    If the line does not come so near, the point is its end. Sphere tracing in `PASSES` steps: each step is the distance
    to the body minus `gap`. If these steps are too few, the point is farther from the body.
    """
    ways = ends - starts
    lengths = np.maximum(np.linalg.norm(ways, axis=1), 1e-30)
    shares = np.zeros(len(starts))
    for _ in range(PASSES if len(starts) else 0):
        distances = mesh_clearance(starts + shares[:, None] * ways, body, body_faces)[0]
        shares = np.clip(shares + np.maximum(distances - gap, 0.0) / lengths, 0.0, 1.0)
    return starts + shares[:, None] * ways


class OutsideFrame(ShapeFrame):
    """One frame of a `KeptOutside` layer: cloth after it was moved out of the body.

    Attributes
    ----------
    inner : PoseFrame
        The frame of the `PoseSynthesizer`, before vertices were moved.
    moved : int
        Number of vertices that were inside the body or nearer than the gap.
    """

    def __init__(self, inner: PoseFrame, positions: NDArray[np.float64], moved: int) -> None:
        super().__init__(
            inner.positions, inner.topology, faces=inner.faces, length_unit=inner.length_unit, index=inner.index
        )
        self.inner, self.moved = inner, moved
        self._shape = FineShape(float32("positions", positions), inner.shape.mesh)

    @property
    def shape(self) -> FineShape:
        """The fine mesh and the positions of its vertices."""
        return self._shape

    @property
    def details(self) -> Details:
        """Details of `inner`."""
        return self.inner.details

    @property
    def timings(self) -> PoseTimings:
        """Timings of `inner`, in milliseconds."""
        return self.inner.timings

    @property
    def stats(self) -> PoseStats:
        """Counts of `inner`."""
        return self.inner.stats


class KeptOutside:
    """A layer that moves the fine cloth of a `PoseSynthesizer` out of a moving body.

    If several joints bend together, the blended examples may enter the body, for example between an arm and the trunk.
    The steps require scipy.

    Parameters
    ----------
    layer : PoseSynthesizer
    body : Animation
        The body in the frames of the steps, from frame 0 on. Its face normals point outward.
    gap : float, mesh units, optional
        Distance of the cloth from the body; default: 0.3 % of the body's height.

    Raises
    ------
    TypeError
        `layer` is not a PoseSynthesizer, or `body` is not an Animation.

    Examples
    --------
    >>> layer = ruckle.PoseSynthesizer.for_animation(garment, database)  # doctest: +SKIP
    >>> outside = ruckle.KeptOutside(layer, body)  # doctest: +SKIP
    """

    def __init__(self, layer: PoseSynthesizer, body: Animation, *, gap: float | None = None) -> None:
        self._layer, self._body = instance("layer", layer, PoseSynthesizer), require_animation(body)
        self._gap = ROOM * body.height if gap is None else number("gap", gap)

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the coarse mesh."""
        return self._layer.topology

    @property
    def frame_count(self) -> int:
        """Number of steps since the construction or the last reset."""
        return self._layer.frame_count

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0, *, bones: ArrayLike | None = None) -> OutsideFrame:
        """Compute the next frame, and move it out of the body; see `PoseSynthesizer.step`.

        Raises
        ------
        ValueError
            The body does not have this frame, or `PoseSynthesizer.step` raises an error.
        """
        number_of = self._layer.frame_count
        if number_of >= self._body.frame_count:
            raise ValueError(f"body: has {self._body.frame_count} frames, and no frame {number_of}")
        inner = self._layer.step(positions, dt, bones=bones)
        points, mesh = inner.shape.positions.astype(np.float64), inner.shape.mesh
        corners = inner.positions[inner.topology.faces[mesh.coarse_faces]].astype(np.float64)
        homes = np.einsum("nk,nkx->nx", mesh.barycentric, corners)
        moved = bring_outside(points, homes, self._body.positions[number_of], self._body.faces, self._gap)
        return OutsideFrame(inner, points, moved)

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next step is the first."""
        self._layer.reset()

    def state(self) -> bytes:
        """Return the state of the layer; see `PoseSynthesizer.state`."""
        return self._layer.state()

    def restore(self, state: bytes | bytearray | memoryview) -> None:
        """Continue from a saved state; see `PoseSynthesizer.restore`."""
        self._layer.restore(state)

    def __repr__(self) -> str:
        return f"KeptOutside({self._layer!r})"
