"""Computes a fine mesh from each frame of coarse cloth: the stateful class of this package."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, number
from ruckle.arrays import Float32, Int32, float32
from ruckle.mesh.animation import Animation, require_animation
from ruckle.mesh.topology import topology_of
from ruckle.parameters import Parameter, options_of, with_parameters
from ruckle.pickling import PickledLayer
from ruckle.surface.layers import FineShape, ShapeFrame
from ruckle.upsampling.model import UpsamplingModel
from ruckle.upsampling.parameters import DEFAULTS, PARAMETERS, UpsamplerParameters, UpsamplerTimings

__all__ = ["UpsampledFrame", "Upsampler", "UpsamplerTimings"]

# A frame causes a warning if its distance from the training data (`UpsamplingModel.strangeness`) is above this number.
# Usual motions that were not in the training data have distances below 3.
STRANGE = 6.0


class UpsampledFrame(ShapeFrame):
    """The fine mesh of one frame. Its arrays are read-only and remain valid after later steps.

    Attributes
    ----------
    fine_positions : (N, 3) float32, mesh units
    model : UpsamplingModel
        Model of the Upsampler.
    is_product : bool
        True if the positions are only the product with the operator: no network, oscillations or pins were added.
    """

    def __init__(
        self,
        found: tuple[Float32, UpsamplerTimings],
        positions: ArrayLike,
        model: UpsamplingModel,
        *,
        faces: Int32 | None,
        index: int,
        is_product: bool = True,
    ) -> None:
        model = instance("model", model, UpsamplingModel)
        super().__init__(positions, model.topology, faces=faces, length_unit=model.edge_length, index=index)
        self.fine_positions, self._timings = found
        self.fine_positions.flags.writeable = False
        self.model, self.is_product = model, is_product

    @property
    def shape(self) -> FineShape:
        """The fine mesh and the positions of its vertices."""
        return FineShape(self.fine_positions, self.model.mesh)

    @property
    def timings(self) -> UpsamplerTimings:
        """Milliseconds per stage of the step that computed this frame."""
        return self._timings

    def __repr__(self) -> str:
        return f"UpsampledFrame({self.index}: {len(self.fine_positions)} vertices over {len(self.positions)})"


@with_parameters(PARAMETERS, DEFAULTS)
class Upsampler(PickledLayer[_core.Upsampler]):
    """Computes a fine mesh from coarse cloth with one constant trained matrix (Kavan et al. 2011).

    Parameters
    ----------
    model : UpsamplingModel
        Model from `ruckle.load_model` or from training.
    **parameters
        Parameters in `Upsampler.parameters`.

    Attributes
    ----------
    parameters : tuple of Parameter
        Description of each parameter.

    Raises
    ------
    ValueError
        A parameter is out of its range, or half precision cannot represent the operator.
    TypeError
        `model` is not an `UpsamplingModel`, or a parameter has a wrong type.

    Examples
    --------
    >>> upsampler = ruckle.Upsampler(ruckle.load_model("skirt.upsampling.npz"))  # doctest: +SKIP
    >>> for positions in coarse.positions:  # doctest: +SKIP
    ...     fine = upsampler.step(positions, 1 / coarse.fps).fine_positions
    """

    parameters: ClassVar[tuple[Parameter, ...]] = tuple(PARAMETERS.values())

    def __init__(self, model: UpsamplingModel, **parameters: Unpack[UpsamplerParameters]) -> None:
        self.model = instance("model", model, UpsamplingModel, "ruckle.load_model reads one from a file")
        self._options = options_of(PARAMETERS, parameters)
        self._make_core()
        self._faces: Int32 | None = None

    def _make_core(self) -> None:
        model = self.model
        self._core = _core.Upsampler(
            model.operator,
            model.fine_faces,
            model.attachment,
            model.oscillation_shapes,
            model.frequencies,
            self._options,
            model.core_detail,
        )

    @classmethod
    @with_parameters(PARAMETERS, DEFAULTS)
    def for_animation(
        cls, animation: Animation, model: UpsamplingModel, **parameters: Unpack[UpsamplerParameters]
    ) -> Upsampler:
        """Make an Upsampler for an animation whose mesh is the coarse mesh of the model.

        Parameters
        ----------
        animation : Animation
        model : UpsamplingModel
        **parameters
            Parameters in `Upsampler.parameters`.

        Raises
        ------
        ValueError
            The animation has another mesh.

        Warns
        -----
        UserWarning
            The cloth moves very differently from the training data.
        """
        upsampler = cls(model, **parameters)
        faces = require_animation(animation).faces
        welded = topology_of(animation).faces
        if animation.vertex_count != model.coarse_count or not np.array_equal(welded, model.coarse_faces):
            raise ValueError(
                f"model: was learnt for another mesh, of {model.coarse_count} vertices and {len(model.coarse_faces)} "
                f"faces; the animation has {animation.vertex_count} and {len(faces)}"
            )
        upsampler._faces = faces
        strangeness = model.strangeness(animation.positions)
        frame = int(strangeness.argmax())
        if strangeness[frame] > STRANGE:
            warnings.warn(
                f"frame {frame}: the cloth differs from the training data {strangeness[frame]:.0f} times as much as "
                "usual training frames; train with more motions",
                stacklevel=2,
            )
        return upsampler

    @property
    def topology(self) -> _core.Topology:
        """Connectivity of the coarse mesh."""
        return self.model.topology

    @property
    def operator_bytes(self) -> int:
        """Size of the operator (the trained matrix) in bytes. Every step reads the whole operator."""
        return self._core.operator_bytes

    def step(
        self, positions: ArrayLike, dt: float = 1.0 / 30.0, *, gain: float = 1.0, pins: ArrayLike | None = None
    ) -> UpsampledFrame:
        """Compute the next frame.

        Parameters
        ----------
        positions : (M, 3) float, mesh units
            Positions of the coarse mesh.
        dt : float, seconds
            Time since the previous frame, above 0; ignored in the first frame.
        gain : float
            Factor of the oscillations, for example the strength of the wind. 0 switches the oscillations off.
        pins : (N, 3) float, mesh units, optional
            Positions of the fine vertices as a skin of the character. The model's `attachment` is the weight of a
            vertex's pin; rows with weight 0 are not read. Default: no pins.

        Returns
        -------
        UpsampledFrame

        Raises
        ------
        MeshError
            A position is not finite, or the number of vertices differs; the state is then unchanged.
        ValueError
            A number is out of its range, or `pins` has a wrong shape.
        """
        points, index = float32("positions", positions), self._core.frame_count
        strength = number("gain", gain)
        if not np.isfinite(strength):
            raise ValueError(f"gain: expected a finite number, got {strength:g}")
        held = None if pins is None else float32("pins", pins)
        found: Any = self._core.step(points, number("dt", dt), strength, held)
        is_product = held is None and not self.model.detail and (strength == 0.0 or not self.model.oscillation_count)
        return UpsampledFrame(found, points, self.model, faces=self._faces, index=index, is_product=is_product)

    def __repr__(self) -> str:
        return f"Upsampler({self.model!r}, {self.frame_count} frames done)"
