"""Figure 3.4: on coarse meshes, averaging the tensors at the vertices loses details that wrinkles depend on.

The tensors are averaged in 3D space, weighted by area, and interpolated linearly over each triangle. Compared with the
tensor per triangle, peaks of compression are lower, and some are below the threshold for wrinkles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ruckle.experiments.figures.clips import RATE, Clip, play_sample
from ruckle.experiments.figures.drawing import Drawing, canvas, listed, panels, share, show_cloth, window_around
from ruckle.experiments.figures.regions import regions
from ruckle.experiments.plot.colors import compression_colors
from ruckle.experiments.plot.space import Projection
from ruckle.field.axes import axes_in_space
from ruckle.field.stretch import Stretch
from ruckle.mesh.geometry import face_crosses, triangle_areas, unit
from ruckle.mesh.topology import Topology

__all__ = ["Peaks", "averaged_compression", "draw", "measure"]

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Peaks:
    """Local maxima of compression in one frame.

    Attributes
    ----------
    faces : (n,) int
        Triangles with compression above τ and at least as high as in all neighbours.
    sharp : (n,) float64
        Compression of these triangles without averaging.
    smooth : (n,) float64
        Largest compression in each of these triangles after averaging, over its centre and its corners.
    tau : float
    """

    faces: NDArray[np.intp]
    sharp: Float64
    smooth: Float64
    tau: float

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Mask (n,) of peaks that averaging lowers to τ or less, so that a wrinkle would not begin there."""
        return self.smooth <= self.tau


def averaged_compression(positions: NDArray[np.float32], topology: Topology, field: Stretch) -> Float64:
    """Average the left stretch tensors A Σ Aᵀ at the vertices, and interpolate them over the triangles.

    Parameters
    ----------
    positions : (V, 3) float, mesh units
    topology : Topology
    field : Stretch
        Stretch from the reference triangles to the current triangles.

    Returns
    -------
    (T, 4) float64
        Compression of the interpolated tensor in the plane of each triangle: at its centre and its three corners.
    """
    faces = topology.faces
    corners = positions[faces].astype(np.float64)
    normal = unit(face_crosses(positions, faces))
    axis = axes_in_space(positions, faces, field.axis).astype(np.float64)
    plain = ~axis.any(axis=1)
    axis[plain] = unit(corners[plain, 1] - corners[plain, 0])
    across = np.cross(normal, axis)
    tensors = field.min[:, None, None] * _outer(axis) + field.max[:, None, None] * _outer(across)
    # the stretch along the normal is 1; without this term, bending the cloth would look like compression
    tensors = tensors + _outer(normal)
    weights = triangle_areas(positions, faces)
    at_vertices, totals = np.zeros((topology.vertex_count, 3, 3)), np.zeros(topology.vertex_count)
    for corner in range(3):
        np.add.at(at_vertices, faces[:, corner], weights[:, None, None] * tensors)
        np.add.at(totals, faces[:, corner], weights)
    at_vertices /= np.maximum(totals, 1e-30)[:, None, None]
    at_corners = at_vertices[faces]
    sampled = np.concatenate([at_corners.mean(axis=1, keepdims=True), at_corners], axis=1)
    frame = np.stack([axis, across], axis=2)
    in_plane = np.einsum("tki,tpkl,tlj->tpij", frame, sampled, frame)
    return np.asarray(1.0 / np.maximum(np.linalg.eigvalsh(in_plane)[..., 0], 1e-6))


def measure(clip: Clip, frame: int) -> Peaks:
    """Find the peaks of compression in a frame, and their compression after averaging at the vertices."""
    found = clip.frames[frame]
    compression = found.compression.astype(np.float64)
    neighbors = clip.topology.face_neighbors
    around = np.where(neighbors >= 0, compression[neighbors], 0.0).max(axis=1)
    faces = np.flatnonzero((compression > clip.tau) & (compression >= around))
    smooth = averaged_compression(clip.animation.positions[frame], clip.topology, found.stretch)
    return Peaks(faces, compression[faces], smooth[faces].max(axis=1), clip.tau)


def draw(sample: str = "chopping") -> Drawing:
    """Draw the compression per triangle and averaged, with the peaks that are lost."""
    clip = play_sample(sample)
    every = [measure(clip, frame) for frame in range(len(clip))]
    frame = int(np.argmax([peaks.lost.sum() for peaks in every]))
    peaks = every[frame]
    positions, faces = clip.animation.positions[frame], clip.topology.faces
    smooth = averaged_compression(positions, clip.topology, clip.frames[frame].stretch)[:, 0]
    projection, top = Projection(), 2.0
    centres = projection.project(positions[faces].mean(axis=1))[:, :2]
    figure = canvas(9.0, 4.4)
    grid = panels(figure, 1, 2)[0]
    window = window_around(positions, projection)
    front = _faces_viewer(projection.project(positions), faces)
    for axes, values, title in (
        (grid[0], clip.frames[frame].compression, "one tensor per triangle"),
        (grid[1], smooth, "averaged at the vertices"),
    ):
        show_cloth(axes, positions, faces, projection=projection, colors=compression_colors(values, top), window=window)
        axes.set_title(title)
        for group, color in ((peaks.lost, "#2f6db5"), (~peaks.lost, "white")):
            at = peaks.faces[group & front[peaks.faces]]
            axes.plot(*centres[at].T, "o", mfc="none", mec=color, ms=8, mew=1.3)
    named = regions(clip.animation)
    lost = [name for name, inside in named.items() if inside[peaks.faces[peaks.lost]].any()]
    share_lost = sum(int(p.lost.sum()) for p in every) / sum(len(p.faces) for p in every)
    return Drawing(
        figure,
        seen="Darker triangles are more compressed. Rings mark triangles at peaks above τ; they are blue if the "
        f"average at the vertices is below τ, so that no wrinkle would begin. In this frame {int(peaks.lost.sum())} "
        f"of {len(peaks.faces)} peaks are lost, at the {listed(lost)}; over the clip {share(share_lost)}.",
        parameters=f"sample {sample} at {RATE:g} fps, frame {frame}, τ = {clip.tau:g}; averages weighted by area",
    )


def _faces_viewer(view: Float64, faces: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return a mask (T,) of triangles that face the viewer."""
    a, b, c = (view[faces[:, k], :2] for k in range(3))
    return np.asarray((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0] > 0)


def _outer(vectors: Float64) -> Float64:
    outer: Float64 = vectors[:, :, None] * vectors[:, None, :]
    return outer
