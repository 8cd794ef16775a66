"""How layers are pickled, for the processes of a sweep and what a game saves."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ruckle.arrays import make_read_only

__all__ = ["PickledLayer"]


class HasState(Protocol):
    def state(self) -> bytes: ...
    def restore(self, state: bytes, /) -> None: ...


Core = TypeVar("Core", bound=HasState)


class PickledLayer(Generic[Core]):
    """A layer whose core is made anew when it is unpickled, and goes on from its state."""

    # what `_make_core` makes beside the core, and what follows from that
    _made_anew: ClassVar[frozenset[str]] = frozenset()
    _core: Core
    _faces: Any

    def _make_core(self) -> None:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name not in self._made_anew}
        return kept | {"_core": self._core.state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept.pop("_core")
        vars(self).update(kept)
        make_read_only(self._faces)
        self._make_core()
        self._core.restore(state)
