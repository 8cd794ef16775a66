"""Let waves of folds follow the frames of an animation: the stateful object of this room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import choice, number, state_bytes
from ruckle.arrays import Float32, Int32, float32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import Topology, weld
from ruckle.parameters import Parameter, with_parameters
from ruckle.pickling import PickledLayer
from ruckle.waves.frame import WaveFrame
from ruckle.waves.parameters import DEFAULTS, PARAMETERS, AnimationWaves, Preset, WaveParameters, wave_options

__all__ = ["WaveField"]


@with_parameters(PARAMETERS, {name: parameter.default for name, parameter in PARAMETERS.items()})
class WaveField(PickledLayer[_core.WaveField]):
    """Folds as a field of waves that covers the cloth, flows with it and never pops.

    Each coarse vertex has a covector, two phases and an amplitude, six numbers. Heights between vertices are blended
    waves. The lost length of the cloth, from its rest pose, says how steep folds are; its axis, which way they run.

    Parameters
    ----------
    topology : Topology
        Fields that are given the same one share it.
    rest : (V, 3) float, mesh units
        Pose in which the cloth lies as it was made, such as a bind pose.
    preset : {"skinned", "simulated"}
        Defaults for garments that a skeleton moves, or for coarse cloth that was simulated.
    paint : (V,) float, in [0, 1], optional
        Multiplies the amplitudes, such as 0 where seams are stiff; see `ruckle.load_paint`.
    **parameters
        Those of `WaveField.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        What there is to know about each parameter.

    Raises
    ------
    MeshError
        A rest pose of another mesh, or one that is not finite.
    ValueError
        A parameter out of its range.
    TypeError
        A parameter that does not exist, or one of another type.

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
        self.topology = topology if isinstance(topology, Topology) else Topology(topology.faces, topology.vertex_count)
        painted = None if paint is None else float32("paint", paint).copy()
        self._given = (float32("rest", rest).copy(), painted, options)
        self._faces: Int32 | None = None
        self._make_core()

    def _make_core(self) -> None:
        self._core = _core.WaveField(self.topology, *self._given)
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
        """Make a WaveField for an animation's mesh, joining vertices that UV seams have split.

        Parameters
        ----------
        animation : Animation
        rest : (V, 3) float, mesh units, or "bind" or "first", optional
            Pose in which the cloth lies as it was made. When not given, the bind pose of the animation, and the first
            frame if it has none.
        preset : {"skinned", "simulated"}
            Defaults for garments that a skeleton moves, or for coarse cloth that was simulated.
        paint : (V,) float, in [0, 1], optional
            Multiplies the amplitudes.
        **parameters
            Those of `WaveField.parameters`. A wavelength may be a multiple of the least radius, such as "9 r_min".

        Raises
        ------
        ValueError
            An animation that has no bind pose; and as for a WaveField.
        """
        options = wave_options(preset, parameters, height=require_animation(animation).height)
        field = cls.__new__(cls)
        topology = Topology(weld(animation.positions[0], animation.faces), animation.vertex_count)
        field._make(topology, _rest_of(animation, rest), paint, options)
        field._faces = animation.faces
        return field

    @property
    def rest(self) -> Float32:
        """(V, 3) float32, mesh units: the cloth at rest."""
        return self._core.rest

    @property
    def frame_count(self) -> int:
        """Steps done since the start or the last reset."""
        return self._core.frame_count

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0, *, remaining: ArrayLike | None = None) -> WaveFrame:
        """Advance to the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous frame, above 0; means nothing on the first one.
        remaining : (T,) float, in (0, 1], optional
            What other layers leave of each triangle, flat area over raised area; see `ruckle.Stack`. Compression is
            smaller by this factor.

        Returns
        -------
        WaveFrame

        Raises
        ------
        MeshError
            A position that is not finite, or another number of vertices; the state is then unchanged.
        ValueError
            `dt` or shares of another shape or out of their range.
        TypeError
            `dt` is no number.
        """
        points, index = float32("positions", positions), self._core.frame_count
        left = None if remaining is None else float32("remaining", remaining)
        found = self._core.step(points, number("dt", dt), left)
        return WaveFrame(found, points, self, faces=self._faces, index=index)

    def reset(self) -> None:
        """Forget every frame: the next step is the first."""
        self._core.reset()

    def state(self) -> bytes:
        """Return all that has been made of the frames so far, for `restore`.

        Returns
        -------
        bytes
            What the next step starts from; not mesh, rest pose and parameters, which pickling a WaveField adds. The same
            frames give the same bytes.
        """
        return self._core.state()

    def restore(self, state: bytes | bytearray | memoryview) -> None:
        """Go on from a state, with the same bits as after the frames of which it was made.

        Parameters
        ----------
        state : bytes
            Of this WaveField, or of another one with the same mesh, rest pose, paint and parameters except `threads`.

        Raises
        ------
        ValueError
            Bytes that are no state, are cut or changed, or belong to another version, mesh, rest pose or set of
            parameters. The WaveField is then unchanged.
        TypeError
            Something else than bytes.
        """
        self._core.restore(state_bytes(state))

    def __repr__(self) -> str:
        return (
            f"WaveField({self.topology.face_count} faces, wavelength {self.options['wavelength']:.3g}, "
            f"{self.frame_count} frames done)"
        )


def _rest_of(animation: Animation, rest: ArrayLike | None) -> ArrayLike:
    if isinstance(rest, str):
        bound = choice("rest", rest, ["bind", "first"]) == "bind"
        if bound and animation.rest_positions is None:
            raise ValueError(f'rest: "bind" asks for a bind pose, and {animation.name or "the animation"} has none')
        return animation.rest_positions if bound else animation.positions[0]
    if rest is not None:
        return rest
    return animation.positions[0] if animation.rest_positions is None else animation.rest_positions
