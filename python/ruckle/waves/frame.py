"""One frame of wrinkle waves, and its heights at any point of the cloth."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.surface.frame import Details
from ruckle.surface.layers import HeightFrame

if TYPE_CHECKING:
    from ruckle.waves.wave_field import WaveField

__all__ = ["WaveFrame", "WaveStats", "WaveTimings"]

# Share of its area that a face must gain for its folds to be seen: slopes of 0.06.
VISIBLE_GAIN = 0.002


class WaveTimings(TypedDict):
    """Milliseconds per stage of one step, in order."""

    field: float
    direction: float
    phase: float
    pull: float
    amplitude: float
    total: float


class WaveStats(TypedDict):
    """Counts of one step: vertices that moved as far as `calm` allows; faces that have collapsed at rest."""

    limited: int
    degenerate: int


class WaveFrame(HeightFrame):
    """What one step of a `WaveField` found. Its arrays are read-only and stay valid after later steps.

    Attributes
    ----------
    vertices : (V, 6) float32
        What shaders read of each vertex: covector, phase, fine phase, amplitude.
    rest : (V, 3) float32, mesh units
        The cloth at rest.
    """

    shader = "waves.glsl"

    def __init__(
        self,
        found: tuple[Float32, WaveTimings, WaveStats],
        positions: ArrayLike,
        field: WaveField,
        *,
        faces: Int32 | None,
        index: int,
    ) -> None:
        super().__init__(positions, field.topology, faces=faces, length_unit=field.length_unit, index=index)
        self.vertices, self._timings, self._stats = found
        self.vertices.flags.writeable = False
        self.rest = field.rest
        self._options = field.options
        self._waves = field.wave_heights

    @property
    def vertex_covectors(self) -> Float32:
        """(V, 3) float32, radians per mesh unit: W, in the tangent planes of the cloth at rest; crests are across it."""
        return self.vertices[:, :3]

    @property
    def vertex_phases(self) -> Float32:
        """(V, 2) float32, radians in [-π, π]: those of the wave and of the finer one."""
        return self.vertices[:, 3:5]

    @property
    def vertex_amplitudes(self) -> Float32:
        """(V,) float32, mesh units: half of the height of a fold."""
        return self.vertices[:, 5]

    def heights(self, faces: ArrayLike, barycentric: ArrayLike) -> tuple[Float32, Float32]:
        """Return heights (N,), mesh units, and gradients (N, 3) of the waves at points of the cloth.

        Parameters
        ----------
        faces : (N,) int
            Coarse faces.
        barycentric : (N, 3) float
            Weights of their vertices, which sum to 1.
        """
        return self._source.heights(int32("faces", faces), float32("barycentric", barycentric))

    @property
    def edge_length(self) -> float:
        """Length of the fine edges that show the waves, mesh units: six to a wave of the finer kind."""
        return self._waves.edge_length

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: by what share of its flat area the waves enlarge each face, from their mean square slope."""
        return self._source.area_gains()

    @property
    def highest(self) -> float:
        """Largest height or depth that a wave can have, mesh units."""
        o = self._options
        return float(self.vertex_amplitudes.max(initial=0.0)) * (1 + 2 * o["sharpness"] + o["sag"] + o["detail"])

    @cached_property
    def details(self) -> Details:
        """The middle of every face that folds enlarge, and the area that they add."""
        return Details.of_faces(self, self.area_gains, VISIBLE_GAIN)

    def core_source(
        self, kept: _core.HeightSource | None, *, edge_length: float | None, threads: int
    ) -> _core.WaveHeights:
        """Return the waves' heights as the core evaluates them; see `HeightFrame.core_source`."""
        source = kept if isinstance(kept, _core.WaveHeights) and kept.shares_rest(self._waves) else self._waves.copy()
        source.update(self.positions, self.vertices, edge_length=edge_length or 0.0)
        return source

    @cached_property
    def _source(self) -> _core.WaveHeights:
        return self.core_source(None, edge_length=None, threads=1)

    @property
    def timings(self) -> WaveTimings:
        """Milliseconds per stage."""
        return self._timings

    @property
    def stats(self) -> WaveStats:
        """Counts of vertices and triangles."""
        return self._stats

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_waves"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        options = {name: value for name, value in self._options.items() if value is not None}
        self._waves = _core.WaveHeights(_core.WaveField(self.topology, self.rest, None, options))

    def __repr__(self) -> str:
        moving = int(np.count_nonzero(self.area_gains > VISIBLE_GAIN))
        return (
            f"WaveFrame({self.index}: folds on {moving} of {self.topology.face_count} triangles, "
            f"up to {self.highest:.3g} high, {self._stats['limited']} vertices at the limit)"
        )
