"""An animation and its run, which starts again in the background whenever a parameter changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ruckle.mesh.animation import Animation
from ruckle.stack import Layer, Stack, step_frame
from ruckle.surface.frame import LayerFrame
from ruckle.view.outfit import Outfit

__all__ = ["Session"]


class Session:
    """The frames of a run, computed by a separate thread, for a viewer to show.

    A change of a parameter begins a new run from the first frame. Until the new run has reached the shown frame, the
    old run's frame is given. So a picture never waits and never returns to an unwrinkled start.

    Parameters
    ----------
    animation : Animation
    layers : callable, optional
        Takes the parameters and returns the layers to step, such as an `Outfit`; wrinkle paths when not given.
    **parameters
        Parameters of `Wrinkler.for_animation`, or those of `layers`.

    Raises
    ------
    ValueError, MeshError
        As `Wrinkler.for_animation`.
    """

    def __init__(
        self,
        animation: Animation,
        layers: Callable[[Mapping[str, Any]], Sequence[Layer]] | None = None,
        **parameters: Any,
    ) -> None:
        self.animation = animation
        self._parameters = parameters
        self._layers = layers or Outfit(animation)
        # made here, so that errors of the mesh are reported at once
        self._layer = self._made(parameters)
        self._frames: list[LayerFrame] = []
        self._shown: list[LayerFrame] = []
        self._error: str | None = None
        self._pending: dict[str, Any] | None = None
        # a layer has refused a frame: the run ends before it
        self._stopped = False
        self._runs = 1
        self._closed = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="ruckle session", daemon=True)
        self._thread.start()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that were given last, whether or not they have been run."""
        with self._change:
            return dict(self._pending if self._pending is not None else self._parameters)

    @property
    def error(self) -> str | None:
        """The reason why the last parameters or a frame cannot be run; the frames found so far remain visible."""
        with self._change:
            return self._error

    @property
    def progress(self) -> float:
        """Share of the animation that the present run has passed, 0 to 1."""
        with self._change:
            return len(self._frames) / self.animation.frame_count

    @property
    def is_running(self) -> bool:
        """True while frames remain to be computed; false at the end and after a layer has rejected a frame."""
        with self._change:
            is_unfinished = not self._stopped and len(self._frames) < self.animation.frame_count
            return self._pending is not None or is_unfinished

    @property
    def runs(self) -> int:
        """How many runs have begun."""
        with self._change:
            return self._runs

    def set(self, name: str, value: Any) -> None:
        """Change a parameter."""
        self.update({name: value})

    def update(self, changes: Mapping[str, Any]) -> None:
        """Change parameters; the new run begins when the background is ready for it."""
        with self._change:
            known = self._pending if self._pending is not None else self._parameters
            changed = {**known, **changes}
            if changed != known:
                self._pending = changed
                self._change.notify_all()

    def frame(self, index: int) -> LayerFrame | None:
        """Return the best known version of a frame: of this run, else of the old run, else the nearest earlier one.

        Parameters
        ----------
        index : int

        Returns
        -------
        LayerFrame or None
            None before the first frame of the first run. `index` is the number of the returned frame.
        """
        with self._change:
            if index < len(self._frames):
                # the present run has caught up
                self._shown = []
                return self._frames[index]
            known = self._shown or self._frames
            return known[min(index, len(known) - 1)] if known else None

    def wait(self, index: int, timeout: float | None = None) -> LayerFrame:
        """Return a frame of the run with the parameters given last, once it is there.

        Parameters
        ----------
        index : int
        timeout : float, seconds, optional

        Raises
        ------
        ValueError
            The parameters, or a frame, cannot be run.
        TimeoutError
            It has not come in time.
        """

        def settled() -> bool:
            return self._pending is None and (self._error is not None or index < len(self._frames))

        with self._change:
            if not self._change.wait_for(settled, timeout):
                raise TimeoutError(f"frame {index} has not been reached within {timeout} s")
            if self._error is not None:
                raise ValueError(self._error)
            return self._frames[index]

    def close(self) -> None:
        """End the background thread's work."""
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
                # a step releases the interpreter's lock, so that drawing continues meanwhile
                frame = step_frame(self._layer, self.animation, index)
            except Exception as refused:
                # an exception raised here would end this thread silently, and waiting callers would wait for ever
                with self._change:
                    self._error, self._stopped = f"frame {index}: {_reason(refused)}", True
                    self._change.notify_all()
                continue
            with self._change:
                self._frames.append(frame)
                self._change.notify_all()

    def _ready(self) -> bool:
        """Wait for work; False when the session has ended."""
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
        """Return the layer to step, reset to its first frame."""
        layers = self._layers(parameters)
        for layer in layers:
            # reused layers are still at the last frame of the previous run
            layer.reset()
        return Stack(layers) if len(layers) > 1 else layers[0]

    def _begin(self, parameters: dict[str, Any]) -> None:
        try:
            layer, error = self._made(parameters), None
        except Exception as refused:
            layer, error = None, _reason(refused)
        with self._change:
            # set only now: a waiting caller must not mistake the old run for the new one
            if self._pending is parameters:
                self._pending = None
            self._parameters, self._error = parameters, error
            if layer is not None:
                # keep showing the longest run
                self._shown = max(self._shown, self._frames, key=len)
                self._layer, self._frames, self._stopped = layer, [], False
                self._runs += 1
            self._change.notify_all()


def _reason(error: Exception) -> str:
    """Format an error: the message alone for user errors, with the exception type otherwise."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
