"""Computes wrinkle paths over the frames of an animation."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any, ClassVar, Unpack
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import mistyped, number, whole_number
from ruckle.arrays import Float32, Labels, float32, labels_uint8, triangles
from ruckle.field.label import PAIRWISE, solve_labels
from ruckle.field.stretch import Stretch, edge_matrices, stretch
from ruckle.loop import Loop, looped
from ruckle.mesh.animation import Animation, require_animation, rest_pose
from ruckle.mesh.mask import Mask
from ruckle.mesh.topology import Topology, topology_of
from ruckle.parameters import Parameter, options_of, with_parameters
from ruckle.paths.frame import Frame
from ruckle.paths.parameters import DEFAULTS, PARAMETERS, AnimationParameters, WrinklerParameters
from ruckle.pickling import PickledLayer
from ruckle.stack import Layer, step_frame

__all__ = ["Costs", "Wrinkler", "resolved", "run"]

# Seconds in which the paint of a vertex changes from 0 to 1. Must equal RUCKLE_PAINT_TIME of the C interface.
PAINT_TIME = 0.4

Costs = Callable[[Stretch, float], ArrayLike]
"""Function that returns labeling costs (T, 3) from the stretch since the previous frame and the seconds since then."""


def resolved(parameters: Mapping[str, Any], *, height: float | None = None) -> dict[str, Any]:
    """Return all parameters of a `Wrinkler` in mesh units. The core computes missing parameters from the others.

    Parameters
    ----------
    parameters : mapping from names to values
    height : float, mesh units, optional
        Height of the character, of which lengths may be percentages.

    Raises
    ------
    TypeError, ValueError
        Raised as by `Wrinkler` with these parameters.
    """
    return _core.resolved_options(options_of(PARAMETERS, parameters, height=height))


@with_parameters(PARAMETERS, {name: parameter.default for name, parameter in PARAMETERS.items()})
class Wrinkler(PickledLayer[_core.Wrinkler]):
    """Computes the wrinkles of a garment frame by frame, and stores the state of the wrinkles between frames.

    Parameters
    ----------
    faces : (T, 3) int
        Vertex indices of a manifold triangle mesh, with or without boundary, counterclockwise seen from outside. If all
        faces of an open garment have the opposite winding, its wrinkles point inward. Neighbouring faces with opposite
        windings cause a UserWarning. For meshes that are split at UV seams see `for_animation`. Or a `ruckle.Topology`:
        several Wrinklers can share one, which saves memory and time.
    vertex_count : int
        Number of vertices V of every frame. If `faces` is a Topology: None, or the number of its vertices.
    rest : (V, 3) float, mesh units, optional
        Pose of the undeformed cloth, such as a bind pose, at any position in space. Where the cloth is shorter in the
        first frame than in this pose, the first frame has full-grown wrinkles, for example at bent elbows. Default: the
        first frame, which then has no compression.
    paint : (V,) float, in [0, 1], optional
        Factor of the drawn heights at each vertex, for example 0 at stiff seams; see `ruckle.load_paint`.
    **parameters
        Parameters in `Wrinkler.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        Description of each parameter.

    Raises
    ------
    MeshError
        The faces do not form a manifold mesh, or `rest` does not match its vertices or is not finite.
    ValueError
        A parameter is out of its range, or `paint` is not one number in [0, 1] per vertex.
    TypeError
        A parameter has a wrong type, such as a percentage, which only `for_animation` accepts.

    Examples
    --------
    >>> animation = ruckle.sample("sawing")
    >>> wrinkler = ruckle.Wrinkler.for_animation(animation, r_min="0.5%", tau=1.4)
    >>> for positions in animation.positions[:91]:
    ...     frame = wrinkler.step(positions, dt=1 / animation.fps)
    >>> len(frame.wrinkles) > 20
    True
    """

    parameters: ClassVar[tuple[Parameter, ...]] = tuple(PARAMETERS.values())
    _height: float | None = None

    def __init__(
        self,
        faces: ArrayLike | _core.Topology,
        vertex_count: int | None = None,
        *,
        rest: ArrayLike | None = None,
        paint: ArrayLike | None = None,
        **parameters: Unpack[WrinklerParameters],
    ) -> None:
        options = options_of(PARAMETERS, parameters)
        self._topology = _shared_topology(faces, vertex_count)
        self._options = copy.deepcopy(options)
        self._rest = None if rest is None else float32("rest", rest).copy()
        self._make_core()
        self._faces = self.topology.faces
        self._paint = self._next_paint = None if paint is None else painted(paint, self.topology.vertex_count)
        if options.get("r_min") != 0.0 and (pair := _wound_against(self.topology)):
            warnings.warn(
                f"{pair}, so wrinkles rise on both sides of the cloth; make all faces consistent", stacklevel=2
            )

    def _make_core(self) -> None:
        self._core = _core.Wrinkler(self._topology, self._options)
        self._core.set_rest(self._rest)

    def _values(self) -> Mapping[str, Any]:
        return _core.resolved_options(self._options)

    def change(self, **parameters: Unpack[AnimationParameters]) -> None:
        """Change parameters between two steps. The wrinkles then change gradually.

        ``wrinkler.tau = 1.2`` changes one parameter in the same way. A state that is saved after the change can be
        restored only by a Wrinkler with the new parameters.

        Parameters
        ----------
        **parameters
            Parameters in `Wrinkler.parameters`, except `threads`. `r_min` cannot change if it is 0. Percentages are
            allowed only if `for_animation` made the Wrinkler.

        Raises
        ------
        ValueError, TypeError
            Raised as by the constructor, and for a parameter that cannot change. The Wrinkler is then unchanged.
        """
        options = options_of(PARAMETERS, {**self._options, **parameters}, height=self._height)
        self._core.set_options(options)
        self._options = options

    @property
    def paint(self) -> Float32 | None:
        """(V,) float32, in [0, 1]: factor of the drawn heights at each vertex; None means 1 everywhere.

        After a new paint is set, heights change gradually; a change from 0 to 1 lasts 0.4 s.
        """
        return self._next_paint

    @paint.setter
    def paint(self, paint: ArrayLike | None) -> None:
        count = self.topology.vertex_count
        self._next_paint = None if paint is None else painted(paint, count)
        if self.frame_count == 0:
            self._paint = self._next_paint

    def _approach_paint(self, dt: float) -> None:
        """Move the factors of the heights toward the paint that was set last, by at most `dt` / `PAINT_TIME`."""
        if self._paint is self._next_paint:
            return
        ones = np.ones(self.topology.vertex_count, np.float32)
        before, after = (ones if paint is None else paint for paint in (self._paint, self._next_paint))
        change = np.clip(after - before, -dt / PAINT_TIME, dt / PAINT_TIME).astype(np.float32)
        shown = before + change
        shown.flags.writeable = False
        self._paint = self._next_paint if np.array_equal(shown, after) else shown

    @classmethod
    @with_parameters(PARAMETERS, DEFAULTS, percentages=True)
    def for_animation(
        cls,
        animation: Animation,
        *,
        rest: ArrayLike | None = None,
        paint: ArrayLike | None = None,
        **parameters: Unpack[AnimationParameters],
    ) -> Wrinkler:
        """Make a Wrinkler for an animation's mesh; vertices that UV seams have split are joined.

        Vertices are joined if their distance is at most 1e-4 of the mesh's extent in every frame. Positions and results
        keep the animation's vertex order.

        Lengths may be percentages of the character's height. `Animation.height` may be a guess from the garment alone
        (`Animation.height_is_guess`). Percentages are then too small; set ``Animation(height=)`` or
        ``ruckle.load(height=)``.

        Heights are also multiplied by the animation's mask. Faces get no new wrinkles if the mask is 0 at all corners.

        Parameters
        ----------
        animation : Animation
        rest : (V, 3) float, mesh units, "bind" or "first", optional
            Pose without wrinkles: an array of positions, the animation's bind pose (`Animation.rest_positions`), or its
            first frame. Default: the bind pose; the first frame if the animation does not have a bind pose.
        paint : (V,) float, in [0, 1], optional
            Factor of the drawn heights at each vertex.
        **parameters
            Parameters in `Wrinkler.parameters`.

        Raises
        ------
        ValueError
            `rest` is "bind" and the animation does not have a bind pose; or `Wrinkler` raises an error.
        """
        options = options_of(PARAMETERS, parameters, height=require_animation(animation).height)
        pose = rest_pose(animation, rest)
        wrinkler = cls(topology_of(animation), rest=pose, paint=paint, **options)
        wrinkler._faces = animation.faces
        wrinkler._mask = Mask.of(animation.mask, animation.faces, wrinkler.topology.faces)
        wrinkler._height = animation.height
        return wrinkler

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self._topology

    def step(
        self,
        positions: ArrayLike,
        dt: float = 1.0 / 30.0,
        *,
        remaining: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> Frame:
        """Compute the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous frame, above 0; ignored in the first frame.
        remaining : (T,) float, in (0, 1], optional
            Flat area / raised area of each triangle, from other layers; see `ruckle.Stack`. This factor multiplies the
            compression.
        labels : (T,) int, optional
            Labels (0 compression, 1 rest, 2 stretch) that replace the computed labels. The label of a triangle decides
            how its reference triangle changes.

        Returns
        -------
        Frame

        Raises
        ------
        MeshError
            A position is not finite, or the number of vertices differs. The message contains the frame and the vertex.
        ValueError
            `dt`, `remaining` or `labels` has a wrong shape or is out of its range.
        TypeError
            `dt` is not a number.

        Notes
        -----
        After an error the state is unchanged.
        """
        seconds = dt if type(dt) is float else number("dt", dt)
        points, index = float32("positions", positions), self._core.frame_count
        left = self._left(remaining)
        given = None if labels is None else labels_uint8("labels", labels)
        found = self._core.step(points, seconds, left, given)
        self._approach_paint(seconds)
        frame = Frame(
            found, points, self.topology, faces=self._faces, length_unit=found.r_min, index=index, paint=self._paint
        )
        return self._masked(frame)

    def __repr__(self) -> str:
        topology = self.topology
        return (
            f"Wrinkler({topology.face_count} faces, {topology.vertex_count} vertices, {self.frame_count} frames done)"
        )


def _shared_topology(faces: ArrayLike | _core.Topology, vertex_count: int | None) -> Topology:
    if not isinstance(faces, _core.Topology):
        if vertex_count is None:
            raise TypeError("vertex_count: expected an integer beside faces, got None")
        return Topology(triangles("faces", faces), whole_number("vertex_count", vertex_count))
    if vertex_count not in (None, faces.vertex_count):
        raise ValueError(
            f"vertex_count: expected None or {faces.vertex_count}, that of the topology, got {vertex_count}"
        )
    # copy the topology of a grid or a refinement: it would be freed together with its owner
    return faces if isinstance(faces, Topology) else Topology(faces.faces, faces.vertex_count)


def painted(paint: ArrayLike, vertex_count: int) -> Float32:
    """Return a paint map as read-only float32. Raise ValueError if it is not one number in [0, 1] per vertex."""
    values = np.array(float32("paint", paint))
    if values.shape != (vertex_count,) or not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError(f"paint: expected a number in [0, 1] for each of {vertex_count} vertices, got {values.shape}")
    values.flags.writeable = False
    return values


def _wound_against(topology: _core.Topology) -> str:
    """Return a message about two neighbouring faces with opposite windings; "" if there are none.

    The message is stored per topology. In a crowd, repeated searches would take longer than making the Wrinklers.
    """
    if (found := _WOUND.get(topology)) is None:
        found = _WOUND[topology] = _find_wound_against(topology)
    return found


_WOUND: WeakKeyDictionary[_core.Topology, str] = WeakKeyDictionary()


def _find_wound_against(topology: _core.Topology) -> str:
    [edges] = np.nonzero(topology.edge_faces[:, 1] >= 0)
    pairs = topology.edge_faces[edges]
    sides = np.argmax(topology.face_edges[pairs] == edges[:, None, None], axis=2)
    starts = topology.faces[pairs, sides]
    [alike] = np.nonzero(starts[:, 0] == starts[:, 1])
    if not alike.size:
        return ""
    (one, other), (low, high) = pairs[alike[0]].tolist(), topology.edges[edges[alike[0]]].tolist()
    return f"faces: faces {one} and {other} have opposite orientations at edge ({low}, {high})"


def run(
    animation: Animation,
    *,
    rest: ArrayLike | None = None,
    progress: Callable[[int, int], object] | None = None,
    costs: Costs | None = None,
    edge_weights: ArrayLike | None = None,
    loop: Loop = "no",
    **parameters: Unpack[AnimationParameters],
) -> Iterator[Frame]:
    """Compute the wrinkles of an animation; yields one `Frame` per frame.

    Parameters
    ----------
    animation : Animation
    rest : (V, 3) float, mesh units, "bind" or "first", optional
        See `Wrinkler.for_animation`.
    progress : callable, optional
        Called after each frame with two numbers: finished frames and all frames.
    costs : callable, optional
        Function that replaces `ruckle.label_costs`. It is called for each frame with a `Stretch` from the previous
        frame and the seconds since that frame. It returns the costs (T, 3) of compression, rest and stretch. `pairwise`
        and `method` still apply.
    edge_weights : (E,) float, >= 0, optional
        Edge weights for the labels from `costs`, see `ruckle.solve_labels`.
    loop : {"auto", "yes", "no"}
        "auto": if the animation repeats, its wrinkles also repeat. Two repetitions are computed; the second one is
        shown, and its end is blended into the end of the first. "yes": repeat in any case; if the animation does
        not repeat, all of it is one repetition. "no": do not repeat.
    **parameters
        Parameters of `Wrinkler.for_animation`.

    Raises
    ------
    MeshError, TypeError, ValueError
        The mesh cannot be used, a parameter does not exist or is out of its range, `edge_weights` are given without
        `costs`, or `costs` together with a loop. These errors occur when the function is called, not with the first
        frame. Errors of `costs` occur with the frame for which it is called.

    Examples
    --------
    >>> animation = ruckle.sample("sawing").cut(0, 60)
    >>> counts = [len(frame.wrinkles) for frame in ruckle.run(animation, tau=1.3)]
    >>> counts[0], counts[-1] > 20
    (0, True)
    """
    wrinkler = Wrinkler.for_animation(animation, rest=rest, **parameters)
    if progress is not None and not callable(progress):
        raise mistyped("progress", "a function of two numbers", progress)
    if costs is not None and not callable(costs):
        raise mistyped("costs", "a function of a stretch and of seconds", costs)
    weights = None if edge_weights is None else float32("edge_weights", edge_weights)
    if weights is not None and costs is None:
        raise ValueError("edge_weights: used only together with costs, which are not given")
    layer = looped(wrinkler, animation, loop)
    if layer is not wrinkler:
        if costs is not None:
            raise ValueError("loop: cannot be combined with costs")
        return _looped_frames(layer, animation, progress)
    labeler = None if costs is None else _labeler(wrinkler, costs, weights, parameters)
    return _frames(wrinkler, animation, progress, labeler)


def _labeler(
    wrinkler: Wrinkler, costs: Costs, edge_weights: Float32 | None, parameters: Mapping[str, Any]
) -> Callable[[Frame, Float32, float], Labels]:
    """Return a function (previous frame, positions, seconds) that computes the labels of a frame from custom costs."""
    method = parameters.get("method", DEFAULTS["method"] if edge_weights is None else None)
    pairwise, topology = parameters.get("pairwise", PAIRWISE), wrinkler.topology

    def labels(frame: Frame, positions: Float32, dt: float) -> Labels:
        unary = costs(stretch(frame.current, edge_matrices(positions, topology.faces)), dt)
        weighted: dict[str, Any] = {"edge_weights": edge_weights, "method": method}
        return solve_labels(unary, topology, previous=frame.labels, pairwise=pairwise, **weighted).labels

    return labels


def _looped_frames(
    layer: Layer, animation: Animation, progress: Callable[[int, int], object] | None
) -> Iterator[Frame]:
    for index in range(animation.frame_count):
        frame = step_frame(layer, animation, index)
        if progress is not None:
            progress(index + 1, animation.frame_count)
        yield reduce(Frame.joined, (part for part in frame.parts if isinstance(part, Frame)))


def _frames(
    wrinkler: Wrinkler,
    animation: Animation,
    progress: Callable[[int, int], object] | None,
    labeler: Callable[[Frame, Float32, float], Labels] | None,
) -> Iterator[Frame]:
    """Step the Wrinkler through all frames. `labeler` (see `_labeler`) replaces its labels from the second frame on."""
    dt, frame = 1.0 / animation.fps, None
    for done, positions in enumerate(animation.positions, start=1):
        # without a previous frame there is no motion, so the first frame is not labeled
        labels = None if labeler is None or frame is None else labeler(frame, positions, dt)
        frame = wrinkler.step(positions, dt, labels=labels)
        if progress is not None:
            progress(done, animation.frame_count)
        yield frame
