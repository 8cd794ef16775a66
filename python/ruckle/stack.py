"""Stacks of layers. A layer adds detail to coarse cloth; a stack applies several layers in order."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ruckle import _core
from ruckle.arguments import instance, mistyped
from ruckle.arrays import Float32, Labels
from ruckle.field.stretch import Stretch
from ruckle.mesh.animation import Animation
from ruckle.mesh.topology import same_mesh
from ruckle.surface.frame import Details, LayerFrame
from ruckle.surface.layers import HeightFrame, ShapeFrame, shapes_of

__all__ = ["Layer", "Stack", "StackFrame", "StackState", "step_frame"]


@runtime_checkable
class Layer(Protocol):
    """Protocol of layers, which add detail to animated cloth frame by frame: `Wrinkler`, `Stack`, or your own class.

    If `step` has a parameter named ``bones``, it receives the posed bone matrices. If it has one named ``remaining``,
    it receives the share of area that earlier layers leave for its folds (see `Stack`).
    """

    def step(self, positions: ArrayLike, dt: float = ...) -> LayerFrame:
        """Compute the next frame from positions (V, 3), mesh units, and `dt`, seconds since the previous frame."""

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next step is the first."""


class StackFrame(LayerFrame):
    """One frame of several layers.

    Attributes
    ----------
    layers : tuple of LayerFrame
        The frame of each layer, in order.
    """

    def __init__(self, layers: Sequence[LayerFrame], names: Sequence[str], index: int) -> None:
        for number, layer in enumerate(layers if isinstance(layers, Sequence) else [layers]):
            instance(f"layers[{number}]", layer, LayerFrame)
        if not layers:
            raise ValueError("layers: expected at least one frame of a layer, got none")
        first = layers[0]
        units = [part.length_unit for layer in layers for part in layer.parts if part.length_unit > 0.0]
        super().__init__(
            first.positions, first.topology, faces=first.faces, length_unit=min(units, default=0.0), index=index
        )
        self.layers = tuple(layers)
        self.mask = next((layer.mask for layer in layers if layer.mask is not None), None)
        self._names = tuple(names)

    @property
    def parts(self) -> tuple[LayerFrame, ...]:
        """The frames of all single layers, in order. Stacks in the stack are replaced by their layers."""
        return tuple(part for layer in self.layers for part in layer.parts)

    @property
    def details(self) -> Details:
        """The details of all layers, concatenated."""
        every = [layer.details for layer in self.layers]
        return Details(*(np.concatenate(arrays) for arrays in zip(*every, strict=True)))

    @property
    def labels(self) -> Labels | None:
        """Labels of the first layer that has labels; None if no layer has labels."""
        return next((layer.labels for layer in self.layers if layer.labels is not None), None)

    @property
    def stretch(self) -> Stretch | None:
        """Stretch of the first layer that has a stretch; None if no layer has a stretch."""
        return next((layer.stretch for layer in self.layers if layer.stretch is not None), None)

    @cached_property
    def timings(self) -> Mapping[str, Any]:
        """Milliseconds per stage, with keys such as "Wrinkler.label", in the order of the layers."""
        return {f"{name}.{stage}": ms for name, layer in self._named() for stage, ms in layer.timings.items()}

    @cached_property
    def stats(self) -> Mapping[str, Any]:
        """Counts of all layers, with keys such as "Wrinkler.born"."""
        return {f"{name}.{what}": count for name, layer in self._named() for what, count in layer.stats.items()}

    def _named(self) -> Sequence[tuple[str, LayerFrame]]:
        return list(zip(self._names, self.layers, strict=True))

    def __repr__(self) -> str:
        return f"StackFrame({self.index}: {', '.join(map(repr, self.layers))})"


@dataclass(frozen=True)
class StackState:
    """States of the layers of a `Stack`.

    The state can be pickled if the state of every layer can be pickled. This is true for ruckle's own layers.

    Attributes
    ----------
    frame_count : int
        Number of steps before the state was saved.
    layers : tuple
        The state of each layer, in order.
    """

    frame_count: int
    layers: tuple[Any, ...]


class Stack:
    """A sequence of layers that is also a layer: each layer adds detail to the result of the earlier layers.

    At most one layer may have a shape: a fine mesh that replaces the coarse mesh. Any number of layers may have
    heights. The stack adds the heights to each other and to the shape.

    Compression takes area from a face, and folds restore it; two layers must not restore the same area. A `step` with a
    parameter `remaining` therefore receives, for each coarse face, the share of this area that earlier layers do not
    use: (T,) float32 in (0, 1], or None if the share is 1 for every face. The share is the product of 1 / (1 + gain)
    over the earlier layers. The gain is the relative growth of the coarse face's area by the layer (`area_gains` of its
    frame). A layer multiplies the length or area of its folds by the share.

    Parameters
    ----------
    layers : sequence of Layer
        Layers in order; the first one is nearest to the coarse cloth.

    Raises
    ------
    TypeError
        An element is not a layer.
    ValueError
        There is no layer, or the layers belong to different meshes.

    Examples
    --------
    >>> animation = ruckle.sample("sawing")
    >>> wrinkler = ruckle.Wrinkler.for_animation(animation)
    >>> patterns = ruckle.animation_patterns(animation, "noise", wavelength="5%")
    >>> stack = ruckle.Stack([wrinkler, ruckle.Modulator.for_animation(animation, patterns)])
    >>> for positions in animation.positions[:60]:
    ...     frame = stack.step(positions, 1 / animation.fps)
    >>> [type(layer).__name__ for layer in frame.layers]
    ['Frame', 'Modulation']
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        if not isinstance(layers, Sequence):
            raise mistyped("layers", "a sequence of layers", layers)
        for number, layer in enumerate(layers):
            if not isinstance(layer, Layer):
                raise mistyped(f"layers[{number}]", "a layer, with step and reset", layer)
        if not layers:
            raise ValueError("layers: expected at least one, got none")
        meshes = [(number, layer.topology) for number, layer in enumerate(layers) if hasattr(layer, "topology")]
        for number, mesh in meshes[1:]:
            _require_same_mesh(number, mesh, *meshes[0])
        self.layers: tuple[Layer, ...] = tuple(layers)
        self._wants = [frozenset(inspect.signature(layer.step).parameters) for layer in self.layers]
        self._names = _names(self.layers)
        self.frame_count = 0

    def step(
        self,
        positions: ArrayLike,
        dt: float = 1.0 / 30.0,
        *,
        bones: ArrayLike | None = None,
        remaining: Float32 | None = None,
    ) -> StackFrame:
        """Advance all layers to the next frame.

        Parameters
        ----------
        positions : (V, 3) float, mesh units
            Positions of the coarse mesh.
        dt : float, seconds
            Time since the previous frame.
        bones : array, optional
            Posed bone matrices, for layers whose `step` has this parameter.
        remaining : (T,) float32, in (0, 1], optional
            Share of each face's area that layers before this stack do not use; default: 1 for every face.

        Returns
        -------
        StackFrame

        Raises
        ------
        TypeError
            The step of a layer does not return a frame.
        ValueError
            The frames belong to different meshes, or two of them have a shape.

        Notes
        -----
        If a layer raises an error, the layers before it have already stepped. `Stack.state` can save the state before.
        """
        frames: list[LayerFrame] = []
        for number, (layer, wants) in enumerate(zip(self.layers, self._wants, strict=True)):
            needs: dict[str, Any] = {"bones": bones} if "bones" in wants else {}
            if "remaining" in wants:
                needs["remaining"] = _left_by(frames, remaining)
            frames.append(self._checked(number, layer.step(positions, dt, **needs), frames))
        self.frame_count += 1
        return StackFrame(frames, self._names, self.frame_count - 1)

    def reset(self) -> None:
        """Delete the memory of earlier frames in all layers: the next step is the first."""
        for layer in self.layers:
            layer.reset()
        self.frame_count = 0

    def state(self) -> StackState:
        """Return the states of all layers after the last step, for `restore`.

        Raises
        ------
        TypeError
            A layer does not have `state` and `restore`.
        """
        return StackState(self.frame_count, tuple(layer.state() for layer in self._layers_with_state()))

    def restore(self, state: StackState) -> None:
        """Continue from a saved state. Later steps give the same bits as in the stack that saved the state.

        Parameters
        ----------
        state : StackState
            State of this stack, or of a stack with equal layers.

        Raises
        ------
        ValueError
            The number of layers differs, or a layer rejects its state. All layers are then unchanged.
        TypeError
            The argument is not a StackState, or a layer does not have `state` and `restore`.
        """
        instance("state", state, StackState, "Stack.state makes one")
        layers = self._layers_with_state()
        if len(state.layers) != len(layers):
            raise ValueError(f"state: expected the state of {len(layers)} layers, got that of {len(state.layers)}")
        before = [layer.state() for layer in layers]
        try:
            for layer, kept in zip(layers, state.layers, strict=True):
                layer.restore(kept)
        except Exception:
            for layer, kept in zip(layers, before, strict=True):
                layer.restore(kept)
            raise
        self.frame_count = state.frame_count

    def _layers_with_state(self) -> Sequence[Any]:
        for number, layer in enumerate(self.layers):
            if not (hasattr(layer, "state") and hasattr(layer, "restore")):
                raise mistyped(f"layers[{number}]", "a layer that can go back, with state and restore", layer)
        return self.layers

    def _checked(self, number: int, frame: object, before: Sequence[LayerFrame]) -> LayerFrame:
        name = f"layers[{number}]"
        if not isinstance(frame, LayerFrame):
            raise mistyped(name, "a layer whose step returns a LayerFrame", frame)
        if before:
            _require_same_mesh(number, frame.topology, 0, before[0].topology)
        shapes = [part for other in (*before, frame) for part in shapes_of(other)]
        if len(shapes) > 1:
            raise ValueError(
                f"{name}: gives a second shape, {type(shapes[1]).__name__} after {type(shapes[0]).__name__}; "
                "a stack has at most one"
            )
        return frame

    def __repr__(self) -> str:
        return f"Stack({', '.join(self._names)}; {self.frame_count} frames done)"


def _require_same_mesh(number: int, mesh: _core.Topology, first: int, other: _core.Topology) -> None:
    if not same_mesh(mesh, other):
        raise ValueError(
            f"layers[{number}]: is of another mesh than layers[{first}], {mesh.vertex_count} vertices and "
            f"{mesh.face_count} triangles instead of {other.vertex_count} and {other.face_count}, or other ones"
        )


def step_frame(layer: Layer, animation: Animation, index: int) -> LayerFrame:
    """Step a layer to one frame of an animation. Pass the animation's bones if `layer.step` has this parameter."""
    needs: dict[str, Any] = {}
    if animation.bones is not None and "bones" in inspect.signature(layer.step).parameters:
        needs["bones"] = animation.bones[index]
    return layer.step(animation.positions[index], 1.0 / animation.fps, **needs)


def _left_by(frames: Sequence[LayerFrame], remaining: Float32 | None) -> Float32 | None:
    """Return the share of each coarse face's area that the layers of `frames` do not use; None means 1 everywhere.

    The share is `remaining` divided by the product of (1 + area gain) over the layers.
    """
    for frame in frames:
        for part in frame.parts:
            if isinstance(part, HeightFrame | ShapeFrame):
                # a shape can be smaller than the coarse cloth, but the share must not exceed 1
                left = np.float32(1.0) / (np.float32(1.0) + np.maximum(part.area_gains, np.float32(0.0)))
                remaining = left if remaining is None else remaining * left
    return remaining


def _names(layers: Sequence[Layer]) -> tuple[str, ...]:
    """Return the class names of the layers. Repeated names get a number: "Wrinkler", "Wrinkler2", "Wrinkler3"."""
    kinds = [type(layer).__name__ for layer in layers]
    counts = [kinds[: number + 1].count(kind) for number, kind in enumerate(kinds)]
    return tuple(kind if count == 1 else f"{kind}{count}" for kind, count in zip(kinds, counts, strict=True))
