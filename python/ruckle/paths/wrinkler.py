"""The stateful heart of ruckle: feed it the frames of an animation, one step each."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ruckle import _core
from ruckle.arguments import LARGEST_SEED, MOST_THREADS, flag, length, mesh_length, number, require_known, whole_number
from ruckle.arrays import float32, triangles
from ruckle.field.label import PAIRWISE, Method, method_name
from ruckle.field.stretch import Stretch
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import weld

__all__ = [
    "SCALARS",
    "Frame",
    "Stats",
    "Timings",
    "Wrinkle",
    "WrinkleColumns",
    "Wrinkler",
    "growing_threshold",
    "run",
]

# How far between no compression and tau wrinkles go on: half way. At 1, the thesis's rule, four wrinkles in five are
# shorter than three widths and a third are fading at any time; below a third, folds run far into cloth that lies flat.
GROWING_SHARE = 0.5


# Length from which wrinkles are born, in least radii: three least widths. Shorter ones look like pimples.
LEAST_LENGTH = 6.0


def growing_threshold(tau: float) -> float:
    """Return the compression above which a wrinkle goes on, once begun, unless `grow_tau` is given."""
    return 1.0 + GROWING_SHARE * (tau - 1.0)


class Timings(TypedDict):
    """Milliseconds per stage of one step, in pipeline order."""

    stretch: float
    label: float
    reference: float
    persist: float
    trace: float
    shape: float
    total: float


class Stats(TypedDict):
    """Counts of one frame: triangles, then wrinkles.

    `slid`, `rebuilt`, `clamped` are neighbourhoods of mesh vertices that paths passed over, were rebuilt around, and
    could not be rebuilt around; `extended`, `trimmed` are segments gained and lost at the ends; `tried` are seeds
    traced, `refused` is 1 where there was no room for another wrinkle.
    """

    compression_labels: int
    rest_labels: int
    stretch_labels: int
    label_changes: int
    degenerate: int
    wrinkles: int
    fading: int
    born: int
    died: int
    slid: int
    rebuilt: int
    clamped: int
    extended: int
    trimmed: int
    tried: int
    refused: int


@dataclass(frozen=True, slots=True, eq=False)
class Wrinkle:
    """One wrinkle of a frame: a polyline with vertices on mesh edges, its widths and heights. Arrays are read-only.

    Attributes
    ----------
    id : int
        Counts from 0 in order of birth; the same wrinkle keeps it as long as it lives.
    age : float, seconds
    fading : bool
        It has lost its compression and fades away.
    edges : (n,) int32
        Mesh edge of each vertex.
    t : (n,) float32, in [0, 1]
        Vertex = lower edge vertex * t + higher edge vertex * (1 - t) (thesis 5.1).
    faces : (n - 1,) int32
        Triangle of each segment.
    points : (n, 3) float32, mesh units
    width : (n,) float32, mesh units
        Full width of the cross-section: 2r in the middle of the wrinkle, the perimeter at its ends.
    height : (n,) float32, mesh units
        Zero at and beyond the ends.
    perimeter : float, mesh units
        Length of the cloth across the wrinkle.
    cuts : (2,) float32
        Shares of the first and the last segment that lie beyond the wrinkle's ends.
    extent : (2,) float32, mesh units
        The wrinkle's ends as length along the polyline.
    kappa : float
        Share of its length that the cloth has lost across the wrinkle, smoothed in time.
    size, fade : float, in [0, 1]
        Factor of all measures because the wrinkle is short; factor of its height because it is young or fading.
    crest : float, mesh units
        Largest height, in the middle of the wrinkle.
    full_width : float, mesh units
        Width in the middle before the factor `size`.
    """

    id: int
    age: float
    fading: bool
    edges: NDArray[np.int32]
    t: NDArray[np.float32]
    faces: NDArray[np.int32]
    points: NDArray[np.float32]
    width: NDArray[np.float32]
    height: NDArray[np.float32]
    perimeter: float
    cuts: NDArray[np.float32]
    extent: NDArray[np.float32]
    kappa: float
    size: float
    fade: float
    crest: float
    full_width: float

    @property
    def length(self) -> float:
        """Length between the wrinkle's ends, mesh units."""
        return float(self.extent[1] - self.extent[0])

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        return (
            f"Wrinkle({self.id}: {len(self)} vertices, age {self.age:.3g} s, length {self.length:.3g}, "
            f"width {self.full_width * self.size:.3g}, crest {self.crest:.3g}{', fading' if self.fading else ''})"
        )


SCALARS = (
    "age", "kappa", "size", "fade", "crest", "width", "perimeter", "full_width",
    "first_cut", "last_cut", "begin", "end", "fading",
)  # fmt: skip
"""Columns of `WrinkleColumns.scalars`."""


class WrinkleColumns(NamedTuple):
    """All wrinkles of a frame, oldest first; vertices of wrinkle i are [offsets[i], offsets[i + 1]).

    Attributes
    ----------
    ids : (W,) int64
    scalars : (W, 13) float32
        The numbers named in `SCALARS`.
    offsets : (W + 1,) int32
    edges, t, faces, points, widths, heights : (n, ...)
        Of all `Wrinkle`, one after the other; the face of a wrinkle's last vertex is -1.
    """

    ids: NDArray[np.int64]
    scalars: NDArray[np.float32]
    offsets: NDArray[np.int32]
    edges: NDArray[np.int32]
    t: NDArray[np.float32]
    faces: NDArray[np.int32]
    points: NDArray[np.float32]
    widths: NDArray[np.float32]
    heights: NDArray[np.float32]


class Frame:
    """What one step found. Its arrays are read-only and stay valid after later steps.

    Attributes
    ----------
    index : int
        0 for the first frame since the start or the last reset.
    """

    def __init__(self, snapshot: _core.Snapshot, index: int) -> None:
        self._snapshot = snapshot
        self.index = index

    @cached_property
    def labels(self) -> NDArray[np.uint8]:
        """(T,) uint8: 0 compression, 1 rest, 2 stretch."""
        return self._snapshot.labels

    @cached_property
    def motion(self) -> Stretch:
        """Stretch from the previous frame to this one: what the labels are made from. Its axis is all zero."""
        maximum, compression, degenerate = self._snapshot.motion
        minimum = 1.0 / compression
        axis = np.zeros((len(compression), 2), np.float32)
        for array in (minimum, axis):
            array.flags.writeable = False
        return Stretch(minimum, maximum, compression, axis, degenerate)

    @cached_property
    def stretch(self) -> Stretch:
        """Stretch from the reference to the current triangles: the wrinkling field."""
        return Stretch(*self._snapshot.field)

    @property
    def compression(self) -> NDArray[np.float32]:
        """(T,) float32, `stretch.compression`: 1 is none, grows with compression."""
        return self.stretch.compression

    @cached_property
    def current(self) -> NDArray[np.float32]:
        """(T, 2, 2) float32, mesh units: edge matrices of the current triangles."""
        return self._snapshot.current

    @cached_property
    def reference(self) -> NDArray[np.float32]:
        """(T, 2, 2) float32, mesh units: edge matrices of the reference triangles."""
        return self._snapshot.reference

    @property
    def columns(self) -> WrinkleColumns:
        """The wrinkles as flat arrays, from which `wrinkles` is made."""
        return WrinkleColumns(*self._snapshot.wrinkles)

    @cached_property
    def wrinkles(self) -> list[Wrinkle]:
        """Living wrinkles, oldest first."""
        ids, scalars, offsets, edges, t, faces, points, widths, heights = self.columns
        result = []
        for i, row in enumerate(scalars.tolist()):
            at = slice(offsets[i], offsets[i + 1])
            age, kappa, size, fade, crest, _, perimeter, full_width, *_, fading = row
            result.append(
                Wrinkle(
                    id=int(ids[i]),
                    age=age,
                    fading=bool(fading),
                    edges=edges[at],
                    t=t[at],
                    faces=faces[at][:-1],
                    points=points[at],
                    width=widths[at],
                    height=heights[at],
                    perimeter=perimeter,
                    cuts=scalars[i, 8:10],
                    extent=scalars[i, 10:12],
                    kappa=kappa,
                    size=size,
                    fade=fade,
                    crest=crest,
                    full_width=full_width,
                )
            )
        return result

    @cached_property
    def timings(self) -> Timings:
        """Milliseconds per stage."""
        return self._snapshot.timings

    @cached_property
    def stats(self) -> Stats:
        """Counts of triangles."""
        return self._snapshot.stats

    def __repr__(self) -> str:
        stats = self.stats
        return (
            f"Frame({self.index}: {stats['compression_labels']} compression, {stats['rest_labels']} rest, "
            f"{stats['stretch_labels']} stretch, largest compression {self.compression.max():.3g}, "
            f"{stats['wrinkles']} wrinkles)"
        )


class Wrinkler:
    """Follows a garment through its animation and keeps the state that wrinkles need.

    Parameters
    ----------
    faces : (T, 3) int
        Vertex indices of a triangle mesh, manifold with boundary, counterclockwise seen from outside: an open garment
        that is wound the other way throughout is taken as it is, and wrinkles inward; faces that are wound against
        each other get a UserWarning. See `for_animation` for meshes split at UV seams.
    vertex_count : int
        Number of vertices V of every frame.
    sigma, alpha, beta : float
        Label costs, see `ruckle.label_costs`.
    pairwise, method
        Labeling, see `ruckle.solve_labels`.
    r_min : float, mesh units
        Least radius of a wrinkle: one of largest compression is a half circle of this radius. 0 for no wrinkles, only
        the compression field.
    tau : float, > 1
        Compression above which wrinkles form: smaller for thin fabrics, larger for stiff ones.
    seed : int
        Of the random points where wrinkles begin. The same seed gives the same wrinkles on any machine.
    grow_tau : float, in (1, tau], optional
        Compression above which a wrinkle goes on, once begun. Half way between 1 and `tau` when not given, which makes
        wrinkles twice as long and half as many to come and go; `tau` for the thesis's rule.
    least_length : float, mesh units, optional
        Shorter wrinkles are not born; `6 r_min`, three least widths, when not given, and 0 in the thesis.
    path_alpha : float
        How much paths follow the field, per 1/30 s (the α of thesis 5.2).
    straightness : float
        How much paths straighten, per 1/30 s; 0 in the thesis, whose old paths become ragged.
    length_change : float
        Largest share by which a wrinkle grows or shrinks per 1/30 s.
    aspect : float
        Length, in widths, from which a wrinkle has its full size; shorter ones are smaller in proportion.
    fade_in, fade_out : float, seconds
        Time in which a new wrinkle rises and one that has lost its compression sinks.
    coherent : bool
        False: trace anew in every frame, at full height: what the thesis's figure 5.2 warns of.
    relaxation : float, in [0, 1]
        Reference update per 1/30 s, see `ruckle.update_reference`.
    threads : int
        Threads that share a step; more than one helps from some ten thousand triangles. The result is the same bits
        for any number.

    Raises
    ------
    MeshError
        Faces that are no manifold mesh.
    ValueError
        A parameter out of its range.
    TypeError
        A parameter of another type, such as a percentage without a height to take it of.
    """

    def __init__(
        self,
        faces: ArrayLike,
        vertex_count: int,
        *,
        r_min: float,
        tau: float = 1.4,
        seed: int = 0,
        grow_tau: float | None = None,
        least_length: float | None = None,
        path_alpha: float = 0.4,
        straightness: float = 1.5,
        length_change: float = 0.15,
        aspect: float = 3.0,
        fade_in: float = 0.4,
        fade_out: float = 0.4,
        coherent: bool = True,
        sigma: float = 0.05,
        alpha: float = 9.0,
        beta: float = 90.0,
        pairwise: ArrayLike = PAIRWISE,
        method: Method = "exact",
        relaxation: float = 0.05,
        threads: int = 1,
    ) -> None:
        r_min, tau = mesh_length("r_min", r_min), number("tau", tau)
        # 0 is a number that the core takes for "not given"
        if grow_tau is not None and not 1.0 < number("grow_tau", grow_tau) <= tau:
            raise ValueError(f"grow_tau: expected a number above 1 and at most tau = {tau}, got {grow_tau}")
        self._core = _core.Wrinkler(
            triangles("faces", faces),
            whole_number("vertex_count", vertex_count),
            sigma=number("sigma", sigma),
            alpha=number("alpha", alpha),
            beta=number("beta", beta),
            pairwise=float32("pairwise", pairwise),
            method=method_name(method),
            relaxation=number("relaxation", relaxation),
            r_min=r_min,
            tau=tau,
            grow_tau=growing_threshold(tau) if grow_tau is None else number("grow_tau", grow_tau),
            seed=whole_number("seed", seed, 0, LARGEST_SEED),
            least_length=LEAST_LENGTH * r_min if least_length is None else mesh_length("least_length", least_length),
            path_alpha=number("path_alpha", path_alpha),
            straightness=number("straightness", straightness),
            length_change=number("length_change", length_change),
            aspect=number("aspect", aspect),
            fade_in=number("fade_in", fade_in),
            fade_out=number("fade_out", fade_out),
            coherent=flag("coherent", coherent),
            threads=whole_number("threads", threads, 1, MOST_THREADS),
        )
        if r_min > 0.0 and (pair := _wound_against(self.topology)):
            warnings.warn(f"{pair}, so that wrinkles rise on both sides of the cloth", stacklevel=2)

    @classmethod
    def for_animation(
        cls,
        animation: Animation,
        *,
        r_min: float | str = "0.5%",
        least_length: float | str | None = None,
        **parameters: Any,
    ) -> Wrinkler:
        """Make a Wrinkler for an animation's mesh, joining vertices that UV seams have split.

        Vertices that coincide in the first frame count as one; positions and results keep the animation's order.

        Parameters
        ----------
        animation : Animation
        r_min, least_length : float or str
            Mesh units, or a percentage of the character's height such as ``"0.5%"``. Where `Animation.height` is a
            guess from the garment alone (`Animation.height_is_guess`), a percentage means less than on its wearer:
            give ``Animation(height=)`` or ``ruckle.load(height=)``.
        **parameters
            Those of `Wrinkler`.
        """
        require_animation(animation)
        require_known(parameters, PARAMETER_NAMES)
        return cls(
            weld(animation.positions[0], animation.faces),
            animation.vertex_count,
            r_min=length(r_min, animation.height, "r_min"),
            least_length=None if least_length is None else length(least_length, animation.height, "least_length"),
            **parameters,
        )

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the mesh."""
        return self._core.topology

    @property
    def frame_count(self) -> int:
        """Steps done since the start or the last reset."""
        return self._core.frame_count

    def step(self, positions: ArrayLike, dt: float = 1.0 / 30.0) -> Frame:
        """Advance to the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
        dt : float, seconds
            Time since the previous frame, above 0; means nothing on the first one.

        Returns
        -------
        Frame

        Raises
        ------
        MeshError
            A position that is not finite, or another number of vertices; names frame and vertex. The state is then
            unchanged.
        """
        seconds = dt if type(dt) is float else number("dt", dt)
        index = self._core.frame_count
        return Frame(self._core.step(float32("positions", positions), seconds), index)

    def reset(self) -> None:
        """Forget every frame: the next step is the first."""
        self._core.reset()

    def __repr__(self) -> str:
        topology = self.topology
        return (
            f"Wrinkler({topology.face_count} faces, {topology.vertex_count} vertices, {self.frame_count} frames done)"
        )


def _wound_against(topology: _core.Topology) -> str:
    """Return which two faces run along their edge the same way, so that one is turned inside out; "" where none do."""
    [edges] = np.nonzero(topology.edge_faces[:, 1] >= 0)
    pairs = topology.edge_faces[edges]
    sides = np.argmax(topology.face_edges[pairs] == edges[:, None, None], axis=2)
    starts = topology.faces[pairs, sides]
    [alike] = np.nonzero(starts[:, 0] == starts[:, 1])
    if not alike.size:
        return ""
    (one, other), (low, high) = pairs[alike[0]].tolist(), topology.edges[edges[alike[0]]].tolist()
    return f"faces: faces {one} and {other} run along edge ({low}, {high}) the same way"


PARAMETER_NAMES = tuple(
    name for name in inspect.signature(Wrinkler).parameters if name not in ("faces", "vertex_count")
)
"""What `Wrinkler.for_animation` and all that build on it take by keyword."""


def run(animation: Animation, **parameters: Any) -> Iterator[Frame]:
    """Step through an animation, one `Frame` for each of its frames.

    Parameters
    ----------
    animation : Animation
    **parameters
        Those of `Wrinkler.for_animation`.

    Raises
    ------
    MeshError, TypeError, ValueError
        At once, not with the first frame: an unusable mesh, a parameter that does not exist or is out of its range.
    """
    wrinkler = Wrinkler.for_animation(animation, **parameters)
    dt = 1.0 / animation.fps
    return (wrinkler.step(positions, dt) for positions in animation.positions)
