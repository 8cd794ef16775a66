"""Wrinkle waves over the frames of an animation. `WaveField` is the stateful class of this package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import Float32, Int32, float32, int32
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.mesh.animation import Animation, require_animation, rest_pose
from ruckle.mesh.mask import Mask
from ruckle.mesh.topology import Topology, mesh_topology, topology_of
from ruckle.parameters import Parameter, with_parameters
from ruckle.pickling import PickledLayer
from ruckle.surface.frame import Details, LayerFrame
from ruckle.surface.layers import HeightFrame
from ruckle.waves.parameters import (
    DEFAULTS,
    PARAMETERS,
    AnimationWaves,
    WaveParameters,
    WaveStats,
    WaveTimings,
)
from ruckle.waves.presets import Preset, wave_options

__all__ = ["WaveField", "WaveFrame"]

# Relative gain in area from which the folds of a face are visible; it corresponds to slopes of 0.06.
VISIBLE_GAIN = 0.002


class WaveFrame(HeightFrame):
    """Result of one step of a `WaveField`. Its arrays are read-only and remain valid after later steps.

    Attributes
    ----------
    vertices : (V, 6) float32
        Values of each vertex for the shaders: covector (3 numbers), phase, phase of the finer wave, amplitude.
    rest : (V, 3) float32, mesh units
        Positions of the undeformed cloth.
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
        instance("field", field, WaveField)
        super().__init__(positions, field.topology, faces=faces, length_unit=field.length_unit, index=index)
        self.vertices, self._timings, self._stats = found
        self.vertices.flags.writeable = False
        self.rest = field.rest
        self._options = field.options
        self._waves = field.wave_heights
        # set only in an interpolated frame: the vertex values of the later frame, and the weight of that frame
        self._later: tuple[Float32, float] | None = None

    @cached_property
    def stretch(self) -> Stretch:
        """Stretch from the rest pose to this frame."""
        faces = self.topology.faces
        return stretch(edge_matrices(self.rest, faces), edge_matrices(self.positions, faces))

    @property
    def vertex_covectors(self) -> Float32:
        """(V, 3) float32, radians per mesh unit: wave vector in the rest tangent plane, perpendicular to the crests."""
        return self.vertices[:, :3]

    @property
    def vertex_phases(self) -> Float32:
        """(V, 2) float32, radians in [-π, π]: phases of the main wave and of the finer wave."""
        return self.vertices[:, 3:5]

    @property
    def vertex_amplitudes(self) -> Float32:
        """(V,) float32, mesh units: half the height of a fold, from valley to crest."""
        return self.vertices[:, 5]

    def heights(self, faces: ArrayLike, barycentric: ArrayLike) -> tuple[Float32, Float32]:
        """Return heights (N,), mesh units, and gradients (N, 3) of the waves at points of the cloth.

        Parameters
        ----------
        faces : (N,) int
            Coarse faces.
        barycentric : (N, 3) float
            Barycentric coordinates of each point in its face.

        Raises
        ------
        ValueError
            A face does not exist, or an array has a wrong shape.
        """
        return self._source.heights(int32("faces", faces), float32("barycentric", barycentric))

    @property
    def edge_length(self) -> float:
        """Edge length of a fine mesh that shows the waves, mesh units: a sixth of the finer wavelength."""
        return self._waves.edge_length

    @cached_property
    def area_gains(self) -> Float32:
        """(T,) float32: relative growth of each face's area by the waves, computed from their mean square slope."""
        return self._source.area_gains()

    @property
    def highest(self) -> float:
        """Upper bound of the absolute heights of the waves, mesh units."""
        o = self._options
        offset = o["lift"] * abs(1 - 2 * o["sharpness"] + o["detail"])
        highest: float = float(self.vertex_amplitudes.max(initial=0.0))
        highest *= 1 + 2 * o["sharpness"] + o["sag"] + o["detail"] + offset
        return highest

    @cached_property
    def details(self) -> Details:
        """Midpoints of the faces whose area grows visibly, and the added areas."""
        return Details.of_faces(self, self.area_gains, VISIBLE_GAIN)

    def core_source(
        self, kept: _core.HeightSource | None, *, edge_length: float | None, threads: int
    ) -> _core.WaveHeights:
        """Return the object of the core that evaluates the heights; `kept` if it can be reused. See `HeightFrame`."""
        source = kept if isinstance(kept, _core.WaveHeights) and kept.shares_rest(self._waves) else self._waves.copy()
        # use at most twelve edges per wavelength of the finer wave; shorter edges would not be visible
        source.update(self.positions, self.vertices, edge_length=max(edge_length or 0.0, 0.5 * self.edge_length))
        if self._later is not None:
            source.mix(*self._later)
        return source

    def toward(self, later: WaveFrame, share: float, positions: ArrayLike) -> WaveFrame:
        """Return a frame between this frame and a later one, if the field steps less often than frames are displayed.

        Only heights are interpolated. `vertices` and `highest` remain those of this frame.

        Parameters
        ----------
        later : WaveFrame
            Later frame of the same field.
        share : float, in [0, 1]
            Weight of the later frame.
        positions : (V, 3) float, mesh units
            Positions of the cloth in the interpolated frame.
        """
        frame = self.changed()
        LayerFrame.__init__(
            frame, positions, self.topology, faces=self.faces, length_unit=self.length_unit, index=self.index
        )
        frame._later = (instance("later", later, WaveFrame).vertices, number("share", share))
        return frame

    def scaled(self, share: float) -> WaveFrame:
        """Return a frame whose heights are `share` (0 to 1) times the heights of this frame."""
        later = self._later and (_with_amplitudes(self._later[0], share), self._later[1])
        return self.changed(vertices=_with_amplitudes(self.vertices, share), _later=later)

    @cached_property
    def _source(self) -> _core.WaveHeights:
        return self.core_source(None, edge_length=self.edge_length, threads=1)

    @property
    def timings(self) -> WaveTimings:
        """Milliseconds per stage of the step that computed this frame."""
        return self._timings

    @property
    def stats(self) -> WaveStats:
        """Counts of vertices and triangles in this step; see `WaveStats`."""
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


def _with_amplitudes(vertices: Float32, share: float) -> Float32:
    """Return a copy of vertex values (V, 6) with amplitudes multiplied by `share`."""
    scaled = vertices.copy()
    scaled[:, 5] *= np.float32(share)
    return scaled


@with_parameters(PARAMETERS, {name: parameter.default for name, parameter in PARAMETERS.items()})
class WaveField(PickledLayer[_core.WaveField]):
    """Folds as waves that cover the whole cloth, move with the cloth and never change suddenly.

    Each coarse vertex has six numbers: a covector (3), two phases and an amplitude. The heights inside a face are
    blended from the waves of its vertices. The share of length that the cloth has lost since its rest pose determines
    the slope of the folds, and the axis of this compression determines their direction.

    Parameters
    ----------
    topology : Topology
        Connectivity of the mesh. Several fields may share one topology.
    rest : (V, 3) float, mesh units
        Pose of the undeformed cloth, such as a bind pose.
    preset : {"skinned", "simulated"}
        Set of default values: "skinned" if a skeleton moves the garment, "simulated" if the coarse cloth is simulated.
    paint : (V,) float, in [0, 1], optional
        Factor of the amplitudes at each vertex, for example 0 at stiff seams; see `ruckle.load_paint`.
    **parameters
        Parameters in `WaveField.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        Description of each parameter.

    Raises
    ------
    MeshError
        The rest pose is not finite, or its shape does not match the mesh.
    ValueError
        A parameter is out of its range.
    TypeError
        A parameter does not exist or has a wrong type.

    Examples
    --------
    >>> animation = ruckle.sample("sawing")
    >>> waves = ruckle.WaveField.for_animation(animation)
    >>> for positions in animation.positions[:91]:
    ...     frame = waves.step(positions, dt=1 / animation.fps)
    >>> frame.vertex_covectors.shape == positions.shape
    True
    """

    parameters: ClassVar[tuple[Parameter, ...]] = tuple(PARAMETERS.values())
    _made_anew = frozenset({"wave_heights", "options", "length_unit"})
    _height: float | None = None

    def __init__(
        self,
        topology: _core.Topology,
        rest: ArrayLike,
        *,
        preset: Preset = "skinned",
        paint: ArrayLike | None = None,
        **parameters: Unpack[WaveParameters],
    ) -> None:
        self._make(topology, rest, paint, wave_options(preset, parameters))

    def _make(
        self, topology: _core.Topology, rest: ArrayLike, paint: ArrayLike | None, options: dict[str, Any]
    ) -> None:
        mesh = mesh_topology(topology)
        self.topology = mesh if isinstance(mesh, Topology) else Topology(mesh.faces, mesh.vertex_count)
        painted = None if paint is None else float32("paint", paint).copy()
        self._given = (float32("rest", rest).copy(), painted, options)
        self._faces: Int32 | None = None
        self._make_core()

    def _make_core(self) -> None:
        self._core = _core.WaveField(self.topology, *self._given)
        self._read_core()

    def _read_core(self) -> None:
        self.wave_heights = _core.WaveHeights(self._core)
        self.options: Mapping[str, Any] = self._core.options
        self.length_unit: float = self.options["r_min"]

    @classmethod
    @with_parameters(PARAMETERS, DEFAULTS, percentages=True)
    def for_animation(
        cls,
        animation: Animation,
        *,
        rest: ArrayLike | None = None,
        preset: Preset = "skinned",
        paint: ArrayLike | None = None,
        **parameters: Unpack[AnimationWaves],
    ) -> WaveField:
        """Make a WaveField for an animation's mesh; vertices that UV seams have split are joined.

        Heights are also multiplied by the animation's mask.

        Parameters
        ----------
        animation : Animation
        rest : (V, 3) float, mesh units, or "bind" or "first", optional
            Pose of the undeformed cloth. Default: the animation's bind pose; the first frame if there is no bind pose.
        preset : {"skinned", "simulated"}
            Set of default values: "skinned" if a skeleton moves the garment, "simulated" if the coarse cloth is
            simulated.
        paint : (V,) float, in [0, 1], optional
            Factor of the amplitudes at each vertex.
        **parameters
            Parameters in `WaveField.parameters`. A wavelength may be a multiple of `r_min`, the least radius: "9
            r_min".

        Raises
        ------
        ValueError
            `rest` is "bind" and the animation does not have a bind pose; or `WaveField` raises an error.
        """
        options = wave_options(preset, parameters, height=require_animation(animation).height)
        field = cls.__new__(cls)
        topology = topology_of(animation)
        pose = rest_pose(animation, rest)
        mask = Mask.of(animation.mask, animation.faces, topology.faces)
        if mask is not None:
            # set the amplitude of masked cloth to 0 by paint, because amplitudes spread over the edge of the mask
            paint = mask.painted(paint)
        field._make(topology, animation.positions[0] if pose is None else pose, paint, options)
        field._faces = animation.faces
        field._mask = mask
        field._height = animation.height
        return field

    def _values(self) -> Mapping[str, Any]:
        return self.options

    def change(self, **parameters: Unpack[AnimationWaves]) -> None:
        """Change parameters between two steps. Heights then change gradually; `calm` limits their speed.

        ``waves.gain = 0.8`` changes one parameter in the same way. A state that is saved after the change can be
        restored only by a WaveField with the new parameters.

        Parameters
        ----------
        **parameters
            Parameters in `WaveField.parameters`, except `threads` and the parameters of the profile: `sharpness`,
            `detail`, `sag`, `lift`. Percentages are allowed only if `for_animation` made the WaveField.

        Raises
        ------
        ValueError, TypeError
            Raised as by the constructor, and for a parameter that cannot change. The field is then unchanged.
        """
        rest, paint, options = self._given
        changed = wave_options("skinned", {"r_min": self.length_unit, **options, **parameters}, height=self._height)
        self._core.set_options(changed)
        self._given = (rest, paint, changed)
        self._read_core()

    @property
    def paint(self) -> Float32 | None:
        """(V,) float32, in [0, 1]: factor of the amplitudes, with 0 where the animation's mask is 0; None means 1.

        After a change, `calm` limits how fast heights change.
        """
        return self._given[1]

    @paint.setter
    def paint(self, paint: ArrayLike | None) -> None:
        painted = None if paint is None else float32("paint", paint).copy()
        if self._mask is not None:
            painted = self._mask.painted(painted)
        self._core.set_paint(painted)
        self._given = (self._given[0], painted, self._given[2])
        self._read_core()

    @property
    def rest(self) -> Float32:
        """(V, 3) float32, mesh units: positions of the undeformed cloth."""
        return self._core.rest

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0, *, remaining: ArrayLike | None = None) -> WaveFrame:
        """Compute the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous frame, above 0; ignored in the first frame.
        remaining : (T,) float, in (0, 1], optional
            Flat area / raised area of each triangle, from other layers; see `ruckle.Stack`. This factor multiplies the
            compression.

        Returns
        -------
        WaveFrame

        Raises
        ------
        MeshError
            A position is not finite, or the number of vertices differs; the state is then unchanged.
        ValueError
            `dt` or `remaining` is out of its range, or `remaining` has a wrong shape.
        TypeError
            `dt` is not a number.
        """
        points, index = float32("positions", positions), self._core.frame_count
        found = self._core.step(points, number("dt", dt), self._left(remaining))
        return self._masked(WaveFrame(found, points, self, faces=self._faces, index=index))

    def __repr__(self) -> str:
        return (
            f"WaveField({self.topology.face_count} faces, wavelength {self.options['wavelength']:.3g}, "
            f"{self.frame_count} frames done)"
        )
