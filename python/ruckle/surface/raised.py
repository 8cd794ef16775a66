"""The core's surface of a frame with all its height layers; `ruckle.Surface` and the renderer share this code."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from ruckle import _core
from ruckle.arrays import Float32, Int32, float32
from ruckle.surface.frame import LayerFrame
from ruckle.surface.layers import FineShape, HeightFrame, sampled, shapes_of

__all__ = ["RaisedMesh"]


class RaisedMesh:
    """The coarse mesh, or the fine mesh (`FineShape`) that replaces it, raised by the heights of the current frame.

    Parameters
    ----------
    topology : Topology
        Topology of the coarse mesh, which is the same in all frames.
    threads : int

    Attributes
    ----------
    core : _core.Surface
        Surface on `topology`, or on the fine mesh of the frame's shape.
    sources : list of _core.HeightSource
        One height source per layer with heights, in the order of the layers.
    shape : FineShape, optional
        Shape of the last frame.
    """

    def __init__(self, topology: _core.Topology, threads: int) -> None:
        self._topology = topology
        self._threads = threads
        self._coarse = self.core = _core.Surface(topology, threads=threads)
        self._refinement: _core.Refinement | None = None
        self.sources: list[_core.HeightSource] = []
        self.shape: FineShape | None = None
        self._asked: list[HeightFrame] = []

    @property
    def topology(self) -> _core.Topology:
        """Topology of the mesh that is raised: the coarse mesh, or the fine mesh of a shape."""
        return self._topology if self._refinement is None else self._refinement.topology

    def update(
        self,
        frame: LayerFrame,
        *,
        edge_length: float | None,
        curved: bool,
        base_level: int,
        viewpoint: Float32 | None = None,
        edge_levels: Int32 | None = None,
    ) -> None:
        """Set the next frame; for the parameters see `ruckle.Surface` and `ruckle.scene.cloth.Division`."""
        layers = [part for part in frame.parts if isinstance(part, HeightFrame)]
        self.sources = [
            layer.core_source(kept, edge_length=edge_length, threads=self._threads)
            for layer, kept in zip_longest(layers, self.sources[: len(layers)])
        ]
        # layers without their own source in the core: Python calls their method `heights` for each surface point
        pairs = zip(layers, self.sources, strict=True)
        self._asked = [layer for layer, source in pairs if isinstance(source, _core.SampledHeights)]
        shapes = shapes_of(frame)
        self.shape = shapes[0].shape if shapes else None
        self._choose_mesh()
        lengths = [layer.edge_length for layer in layers if layer.edge_length > 0.0]
        self.core.update(
            frame.positions if self.shape is None else float32("positions", self.shape.positions),
            self.sources,
            edge_length=edge_length or min(lengths, default=0.0),
            curved=curved,
            base_level=base_level,
            viewpoint=viewpoint,
            edge_levels=edge_levels,
            coarse_positions=None if self.shape is None else frame.positions,
            mask=frame.mask,
        )

    def _choose_mesh(self) -> None:
        refinement = None if self.shape is None else self.shape.mesh.core(self._topology)
        if refinement is not self._refinement:
            self._refinement = refinement
            mesh = self._coarse if refinement is None else _core.Surface(refinement, threads=self._threads)
            self.core = mesh

    def displace(self) -> _core.FineMesh:
        """Return the surface of the current frame as a fine mesh."""
        if not self._asked:
            return self.core.displace()
        planned = self.core.plan()
        used = planned.coarse_faces >= 0
        heights, gradients = self._samples(planned.coarse_faces[used], planned.barycentric[used])
        # heights remain 0 at vertices without faces
        all_heights, all_gradients = np.zeros(len(used), np.float32), np.zeros((len(used), 3), np.float32)
        all_heights[used], all_gradients[used] = heights, gradients
        return self.core.displace(all_heights, all_gradients)

    def evaluate(self, faces: Int32, barycentric: Float32) -> tuple[Float32, Float32, Float32]:
        """Return positions (N, 3), normals (N, 3) and heights (N,) of the surface at points in faces of `topology`."""
        if not self._asked:
            return self.core.evaluate(faces, barycentric)
        return self.core.evaluate(faces, barycentric, *self._samples(*self.core.locate(faces, barycentric)))

    def _samples(self, faces: Int32, barycentric: Float32) -> tuple[Float32, Float32]:
        """Return heights (N,) and gradients (N, 3), summed over all layers without their own source in the core."""
        heights, gradients = np.zeros(len(faces), np.float32), np.zeros((len(faces), 3), np.float32)
        for layer in self._asked:
            own_heights, own_gradients = sampled(layer, faces, barycentric)
            heights += own_heights
            gradients += own_gradients
        return heights, gradients
