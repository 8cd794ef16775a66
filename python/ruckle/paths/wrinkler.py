"""The stateful heart of ruckle: feed it the frames of an animation, one step each."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import LARGEST_SEED, MOST_THREADS, flag, length, mesh_length, number, require_known, whole_number
from ruckle.arrays import float32, triangles
from ruckle.field.label import PAIRWISE, Method, method_name
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import weld
from ruckle.paths.frame import Frame

__all__ = ["Wrinkler", "growing_threshold", "run"]

# How far between no compression and tau wrinkles go on: half way. At 1, the thesis's rule, four wrinkles in five are
# shorter than three widths and a third are fading at any time; below a third, folds run far into cloth that lies flat.
GROWING_SHARE = 0.5


# Length from which wrinkles are born, in least radii: three least widths. Shorter ones look like pimples.
LEAST_LENGTH = 6.0


def growing_threshold(tau: float) -> float:
    """Return the compression above which a wrinkle goes on, once begun, unless `grow_tau` is given."""
    return 1.0 + GROWING_SHARE * (tau - 1.0)


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
        self._r_min = r_min
        self._faces = self.topology.faces
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
        wrinkler = cls(
            weld(animation.positions[0], animation.faces),
            animation.vertex_count,
            r_min=length(r_min, animation.height, "r_min"),
            least_length=None if least_length is None else length(least_length, animation.height, "least_length"),
            **parameters,
        )
        wrinkler._faces = animation.faces
        return wrinkler

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
        points, index = float32("positions", positions), self._core.frame_count
        found = self._core.step(points, seconds)
        return Frame(found, points, self.topology, faces=self._faces, length_unit=self._r_min, index=index)

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
