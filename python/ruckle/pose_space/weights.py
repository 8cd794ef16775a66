"""Weights of the joints' details: regions of bones, weights from distances along the mesh, and rules for merging."""

from __future__ import annotations

import heapq
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import choice, whole_number
from ruckle.arrays import Float32, Int32, finite_rows, float32, float64, int32, shaped, triangles_of
from ruckle.mesh.geometry import edge_lengths
from ruckle.mesh.skeleton import Skeleton
from ruckle.pose_space.binding import MOST_PASSES, vertex_means
from ruckle.pose_space.parameters import MergeRule

__all__ = ["MergeRule", "bone_regions", "merge", "nearest_bones", "region_weights"]

# Number of passes that average weights over neighbouring vertices. The passes make weights continuous between adjacent
# regions without a common joint, as at the armpit.
SMOOTHING = 10

Float64 = NDArray[np.float64]


def nearest_bones(points: ArrayLike, skeleton: Skeleton) -> Int32:
    """Return the index (V,) of the joint whose bone at rest is nearest to each point (V, 3), mesh units.

    A bone is the straight line from a joint to a child joint. For a joint without a child, the line continues the line
    from its parent by the same length. A joint without parent and children is its own bone: a point.
    """
    given, joints = float64("points", points), skeleton.rest_joints
    least, owner = np.full(len(given), np.inf), np.zeros(len(given), np.int32)
    for joint in range(skeleton.joint_count):
        ends = joints[skeleton.parents == joint]
        before = skeleton.parents[joint] if skeleton.parents[joint] >= 0 else joint
        for end in ends if len(ends) else [2 * joints[joint] - joints[before]]:
            way = end - joints[joint]
            share = np.clip((given - joints[joint]) @ way / max(float(way @ way), 1e-300), 0.0, 1.0)
            gaps = np.linalg.norm(given - joints[joint] - share[:, None] * way, axis=1)
            closer = gaps < least
            least[closer], owner[closer] = gaps[closer], joint
    return owner


def bone_regions(skeleton: Skeleton, child_bones: ArrayLike) -> Int32:
    """Return the region of each bone, (B,) int32: the nearest bone in `child_bones` among itself and its ancestors.

    The region is -1 if none of these bones is in `child_bones`.
    """
    cuts = set(int32("child_bones", child_bones).tolist())
    regions = np.full(skeleton.joint_count, -1, np.int32)
    for bone in skeleton.order:
        above = skeleton.parents[bone]
        regions[bone] = bone if bone in cuts else -1 if above < 0 else regions[above]
    return regions


def region_weights(
    rest: ArrayLike, faces: ArrayLike, regions: ArrayLike, joints: ArrayLike, *, smoothing: int = SMOOTHING
) -> Float64:
    """Return the weight of each joint at each vertex by equation 4 of the paper, for any number of joints.

    w_j = (1 / d_j) / Σ_k (1 / d_k), with a sum over the joints of the vertex's region. d_j is the distance along the
    mesh to the region on the other side of joint j, minus the least such distance in the vertex's region. In the row of
    vertices next to the other region, d_j is therefore 0, and w_j is 1. **Departs from the paper:** distances are
    measured along the mesh, not straight, and weights are averaged over neighbours. Without averaging, weights jump by
    up to 1 between adjacent regions without a common joint.

    Parameters
    ----------
    rest : (V, 3) float, mesh units
    faces : (T, 3) int
    regions : (V,) int
    joints : (J, 2) int
        The two regions that each joint connects.
    smoothing : int
        Number of passes that average weights over neighbours.

    Returns
    -------
    (V, J) float64
        The sum of each row is 1, or 0 if no joint is near.

    Raises
    ------
    ValueError
        An array has a wrong shape, or a number is out of its range.
    """
    points = finite_rows("rest", rest, ("V", 3))
    corners = triangles_of("faces", faces, len(points))
    owners = shaped("regions", int32("regions", regions), (len(points),))
    pairs = shaped("joints", int32("joints", joints), ("J", 2))
    edges = np.unique(np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    ways = {region: _ways(points, edges, owners == region) for region in np.unique(owners).tolist()}
    # 1e3 extents replace an infinite distance, as to a region without vertices
    far = np.full(len(points), 1e3 * float(np.ptp(points, axis=0).max()))
    weights = np.zeros((len(points), len(pairs)))
    for region in ways:
        own = owners == region
        mine = np.flatnonzero((pairs == region).any(axis=1))
        if not len(mine):
            continue
        across = np.where(pairs[mine, 0] == region, pairs[mine, 1], pairs[mine, 0]).tolist()
        distances = np.stack([np.minimum(ways.get(other, far)[own], far[own]) for other in across], axis=1)
        # measure distances from the region's first ring of vertices, so that the weight at the border is 1
        weights[np.ix_(own, mine)] = _shares(np.maximum(distances - distances.min(axis=0), 0.0))
    for _ in range(whole_number("smoothing", smoothing, 0, MOST_PASSES)):
        weights = vertex_means(weights, corners)
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


def merge(details: ArrayLike, weights: ArrayLike, *, rule: MergeRule = "energy") -> Float64:
    """Merge the details of several joints: Σ s_j details_j. A rule computes the factors s from the weights w.

    Parameters
    ----------
    details : (J, V, 3) float, mesh units
        Details of the joints, minus the details at rest.
    weights : (V, J) float, in [0, 1]
    rule : {"energy", "paper", "window", "fitted"}
        "energy": s = w / sqrt(Σ w²), which preserves the energy of the wrinkles. "paper": s = w. "window": s = min(1, 2
        w). "fitted": s = w, for weights from a fit.

    Returns
    -------
    (V, 3) float64, mesh units

    Raises
    ------
    ValueError
        An array has a wrong shape, a number is not finite, weights are out of range, or the rule does not exist.
    """
    shares: Float32 = _core.merge_shares(float32("weights", weights), choice("rule", rule, get_args(MergeRule)))
    of_joints = finite_rows("details", details, (*shares.shape[::-1], 3))
    return np.asarray(np.einsum("vj,jvc->vc", shares.astype(np.float64), of_joints))


def _shares(distances: Float64) -> Float64:
    """Return 1/d for distances d (n, K), divided by the row sum. Distances of 0 share all the weight of a row."""
    seams = distances == 0
    inverse = np.where(seams.any(axis=1, keepdims=True), seams, 1.0 / np.where(seams, 1.0, distances))
    result: Float64 = inverse / inverse.sum(axis=1, keepdims=True)
    return result


def _ways(points: Float64, edges: Int32, sources: NDArray[np.bool_]) -> Float64:
    """Return each vertex's distance from the nearest source along edges (Dijkstra); infinite if there is no path."""
    lengths = edge_lengths(points, edges)
    ends, starts = np.concatenate([edges[:, 1], edges[:, 0]]), np.concatenate([edges[:, 0], edges[:, 1]])
    order = np.argsort(starts, kind="stable")
    offsets = np.searchsorted(starts[order], np.arange(len(points) + 1)).tolist()
    neighbors, steps = ends[order].tolist(), np.tile(lengths, 2)[order].tolist()
    found = np.where(sources, 0.0, np.inf).tolist()
    queue = [(0.0, vertex) for vertex in np.flatnonzero(sources).tolist()]
    while queue:
        way, vertex = heapq.heappop(queue)
        if way > found[vertex]:
            continue
        for i in range(offsets[vertex], offsets[vertex + 1]):
            longer, other = way + steps[i], neighbors[i]
            if longer < found[other]:
                found[other] = longer
                heapq.heappush(queue, (longer, other))
    return np.asarray(found)
