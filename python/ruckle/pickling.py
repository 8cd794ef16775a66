"""State of layers and simulations between frames: it can be saved, restored, and pickled for other processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from numpy.typing import ArrayLike

from ruckle.arguments import state_bytes
from ruckle.arrays import Float32, float32, make_read_only
from ruckle.parameters import Parameter

__all__ = ["Pickled", "PickledLayer"]


class HasState(Protocol):
    def state(self) -> bytes: ...
    def restore(self, state: bytes, /) -> None: ...


class HasFrames(HasState, Protocol):
    @property
    def frame_count(self) -> int: ...
    def reset(self) -> None: ...


class HasMask(Protocol):
    mask: Float32 | None


class LayerMask(Protocol):
    """Protocol of `ruckle.mesh.mask.Mask`, without an import of that module."""

    @property
    def vertices(self) -> Float32: ...
    def left(self, remaining: ArrayLike | None) -> Float32: ...
    def painted(self, paint: ArrayLike | None) -> Float32: ...


Core = TypeVar("Core", bound=HasState)
LayerCore = TypeVar("LayerCore", bound=HasFrames)
MaskedFrame = TypeVar("MaskedFrame", bound=HasMask)


class Pickled(Generic[Core]):
    """Base class of objects with a compiled core. Unpickling makes a new core and restores its state."""

    # attributes that are not pickled: `_make_core` makes them, or they are computed from its results
    _made_anew: ClassVar[frozenset[str]] = frozenset()
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    _core: Core
    _faces: Any

    def _make_core(self) -> None:
        raise NotImplementedError

    def _values(self) -> Mapping[str, Any]:
        """Return the parameter values by name, which `__getattr__` returns as attributes; empty in this class."""
        return {}

    def __setattr__(self, name: str, value: object) -> None:
        # before the core exists (in the constructor), or for other names, set a normal attribute
        if "_core" not in vars(self) or all(name != parameter.name for parameter in type(self).parameters):
            object.__setattr__(self, name, value)
            return
        change: Callable[..., None] | None = getattr(self, "change", None)
        if change is None:
            raise AttributeError(f"{name}: cannot be set; make a {type(self).__name__} with another {name}")
        change(**{name: value})

    if not TYPE_CHECKING:  # otherwise type checkers would accept any name

        def __getattr__(self, name: str) -> Any:
            if any(name == parameter.name for parameter in type(self).parameters) and name in (found := self._values()):
                return found[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name not in self._made_anew}
        return kept | {"_core": self._core.state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept.pop("_core")
        vars(self).update(kept)
        make_read_only(self._faces)
        self._make_core()
        self._core.restore(state)

    def state(self) -> bytes:
        """Return the state after the last step, for `restore`.

        Returns
        -------
        bytes
            The constructor arguments are not included; pickling includes them. Equal frames give equal bytes.
        """
        return self._core.state()

    def restore(self, state: bytes | bytearray | memoryview) -> None:
        """Continue from a saved state. Later steps give the same bits as in the object that saved the state.

        Parameters
        ----------
        state : bytes
            State of this object, or of an object with the same arguments. The arguments `threads`, `record_substeps`
            and, in a cloth simulation, the cones of the body may differ. The state may come from another process or
            machine with this version of ruckle and the same byte order.

        Raises
        ------
        ValueError
            The bytes are not a state, are incomplete or changed, or come from another version or other arguments. The
            object is then unchanged.
        TypeError
            The state is not bytes.
        """
        self._core.restore(state_bytes(state))


class PickledLayer(Pickled[LayerCore]):
    """Base class of layers with a compiled core, which counts the steps."""

    _mask: LayerMask | None = None

    def _left(self, remaining: ArrayLike | None) -> Float32 | None:
        """Return, per face, the share of length or area that folds may still use after earlier layers and the mask."""
        if self._mask is not None:
            return self._mask.left(remaining)
        return None if remaining is None else float32("remaining", remaining)

    def _masked(self, frame: MaskedFrame) -> MaskedFrame:
        """Attach the mask of the animation to a frame, and return the frame."""
        if self._mask is not None:
            frame.mask = self._mask.vertices
        return frame

    @property
    def frame_count(self) -> int:
        """Number of steps since the construction or the last reset."""
        return self._core.frame_count

    def reset(self) -> None:
        """Delete the memory of earlier frames: the next step is the first."""
        self._core.reset()
