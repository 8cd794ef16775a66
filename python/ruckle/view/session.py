"""An animation with its frames, which a background thread computes again after each change of a parameter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ruckle.arguments import mapping, number, whole_number
from ruckle.mesh.animation import Animation, require_animation
from ruckle.stack import Layer, Stack, step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.view.outfit import Outfit

__all__ = ["Session"]


class Session:
    """The frames of an animation for a viewer, computed by a background thread.

    After a change of a parameter, all frames are computed again from the first frame. Until the new run reaches the
    displayed frame, the old result is shown. So the display never waits and never shows cloth without wrinkles.

    Parameters
    ----------
    animation : Animation
    layers : callable, optional
        Function from parameters to layers, such as an `Outfit`; default: wrinkle paths.
    **parameters
        Parameters of `Wrinkler.for_animation`, or of `layers` if given.

    Raises
    ------
    ValueError, MeshError
        See `Wrinkler.for_animation`.
    """

    def __init__(
        self,
        animation: Animation,
        layers: Callable[[Mapping[str, Any]], Sequence[Layer]] | None = None,
        **parameters: Any,
    ) -> None:
        self.animation = require_animation(animation)
        self._parameters = parameters
        self._layers = layers or Outfit(animation)
        # create the layers here instead of in the thread, so that the constructor raises errors of the mesh
        self._layer = self._made(parameters)
        self._frames: list[LayerFrame] = []
        self._shown: list[LayerFrame] = []
        self._error: str | None = None
        self._pending: dict[str, Any] | None = None
        # True if a layer has raised an error for a frame; the run then ends before this frame
        self._stopped = False
        self._runs = 1
        self._closed = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="ruckle session", daemon=True)
        self._thread.start()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that were set last, even if their run has not started yet."""
        with self._change:
            return dict(self._pending if self._pending is not None else self._parameters)

    @property
    def layers(self) -> Sequence[Layer]:
        """The layers of the current run."""
        with self._change:
            return self._layer.layers if isinstance(self._layer, Stack) else (self._layer,)

    @property
    def error(self) -> str | None:
        """Message about an error in the last parameters or in a frame; None without an error.

        Earlier frames remain visible.
        """
        with self._change:
            return self._error

    @property
    def progress(self) -> float:
        """Computed fraction of the animation in the current run, 0 to 1."""
        with self._change:
            return len(self._frames) / self.animation.frame_count

    @property
    def is_running(self) -> bool:
        """True while frames remain to be computed; False at the end, and after a layer has raised an error."""
        with self._change:
            is_unfinished = not self._stopped and len(self._frames) < self.animation.frame_count
            return self._pending is not None or is_unfinished

    @property
    def runs(self) -> int:
        """Number of runs over the animation that have started, also those that were replaced."""
        with self._change:
            return self._runs

    def set(self, name: str, value: Any) -> None:
        """Change one parameter, see `update`."""
        self.update({name: value})

    def update(self, changes: Mapping[str, Any]) -> None:
        """Change parameters; the background thread then starts a new run if a value differs.

        Invalid values do not raise an error here; `error` is set later, and the old run continues.
        """
        with self._change:
            known = self._pending if self._pending is not None else self._parameters
            changed = {**known, **mapping("changes", changes)}
            if changed != known:
                self._pending = changed
                self._change.notify_all()

    def frame(self, index: int) -> LayerFrame | None:
        """Return a frame of the current run, otherwise of the old run, otherwise the nearest earlier frame.

        Parameters
        ----------
        index : int
            Number of a frame, at least 0.

        Returns
        -------
        LayerFrame or None
            None if no frame has been computed yet. `index` of the returned frame is its actual number.

        Raises
        ------
        ValueError, TypeError
            `index` is not an integer of at least 0.
        """
        index = whole_number("index", index)
        with self._change:
            if index < len(self._frames):
                # the current run has reached this frame, so the old result is deleted
                self._shown = []
                return self._frames[index]
            known = self._shown or self._frames
            return known[min(index, len(known) - 1)] if known else None

    def wait(self, index: int, timeout: float | None = None) -> LayerFrame:
        """Wait for a frame of the run with the last parameters; return the frame.

        Parameters
        ----------
        index : int
            Number of a frame of the animation.
        timeout : float, seconds, optional
            Default: no limit.

        Raises
        ------
        ValueError
            The animation has no frame `index`, the parameters or a frame cannot be computed, or the session is closed.
        TypeError
            `index` is not an integer, or `timeout` is not a number.
        TimeoutError
            The frame was not computed in time.
        """
        index = whole_number("index", index, 0, self.animation.frame_count - 1)
        seconds = None if timeout is None else number("timeout", timeout)

        def settled() -> bool:
            is_done = self._error is not None or index < len(self._frames)
            return self._closed or (self._pending is None and is_done)

        with self._change:
            if not self._change.wait_for(settled, seconds):
                raise TimeoutError(f"frame {index} has not been reached within {timeout} s")
            if self._error is not None:
                raise ValueError(self._error)
            if self._pending is not None or index >= len(self._frames):
                raise ValueError(f"frame {index} has not been computed, and the session is closed")
            return self._frames[index]

    def close(self) -> None:
        """End the background thread and wait for its end."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._thread.join()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self) -> None:
        while self._ready():
            index = len(self._frames)
            try:
                # a step releases the GIL, so drawing can continue
                frame = step_frame(self._layer, self.animation, index)
            except Exception as refused:
                # an unhandled exception would end this thread, and callers of `wait` would wait forever
                with self._change:
                    self._error, self._stopped = f"frame {index}: {_reason(refused)}", True
                    self._change.notify_all()
                continue
            with self._change:
                self._frames.append(frame)
                self._change.notify_all()

    def _ready(self) -> bool:
        """Wait for work, and start a new run if parameters have changed; return False when the session is closed."""
        while True:
            with self._change:
                self._change.wait_for(self._has_work)
                if self._closed:
                    return False
                if self._pending is None:
                    return True
                wanted = self._pending
            self._begin(wanted)

    def _has_work(self) -> bool:
        return self._closed or self.is_running

    def _made(self, parameters: Mapping[str, Any]) -> Layer:
        """Create the layers for the parameters, reset them, and return them as one layer."""
        layers = self._layers(parameters)
        for layer in layers:
            # a reused layer is still at the last frame of the previous run
            layer.reset()
        return Stack(layers) if len(layers) > 1 else layers[0]

    def _begin(self, parameters: dict[str, Any]) -> None:
        try:
            layer, error = self._made(parameters), None
        except Exception as refused:
            layer, error = None, _reason(refused)
        with self._change:
            # reset `_pending` only now: until here, `wait` must not return frames of the old run
            if self._pending is parameters:
                self._pending = None
            self._parameters, self._error = parameters, error
            if layer is not None:
                # of the two old results, the displayed one and the unfinished run, show the longer one
                self._shown = max(self._shown, self._frames, key=len)
                self._layer, self._frames, self._stopped = layer, [], False
                self._runs += 1
            self._change.notify_all()


def _reason(error: Exception) -> str:
    """Return an error as text: only the message for a ValueError, otherwise with the exception type."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
