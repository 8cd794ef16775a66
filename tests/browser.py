"""Headless Chromium, controlled through a pipe: opens pages, evaluates JavaScript, and takes screenshots."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self

__all__ = ["Browser", "Site", "chromium"]


def chromium() -> str | None:
    """Return the command that starts Chromium; None if it is missing."""
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


class Site:
    """Context manager that serves the files of a folder over HTTP on this machine. `with` returns the address (URL)."""

    def __init__(self, folder: Path) -> None:
        handler = partial(QuietHandler, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)

    def __enter__(self) -> str:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without printing a line for each request."""

    def log_message(self, format: str, *values: Any) -> None:
        """Print nothing."""


class Browser:
    """A headless browser with one page.

    `complaints` lists all warnings, errors and exceptions of the page until now.
    """

    def __init__(self, folder: Path, width: int, height: int, *flags: str) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        command = [
            *(chromium() or "", "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"),
            *("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"),
            *("--mute-audio", f"--window-size={width},{height}", f"--user-data-dir={folder}", *flags, "about:blank"),
        ]
        # The browser reads commands from file descriptor 3 and writes answers to 4. Some shells can redirect only
        # descriptors up to 9.
        start = ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", *command]
        self._process = subprocess.Popen(
            start, pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(commands)
        os.close(answers)
        self._number = 0
        self._session: str | None = None
        self._rest = b""
        self.complaints: list[str] = []
        page = next(t for t in self._call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._write)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)

    def open(self, address: str) -> None:
        """Go to an address, and return after the page has loaded."""
        self._call("Page.navigate", url=address)
        self._message(lambda message: message.get("method") == "Page.loadEventFired")

    def ask(self, expression: str) -> Any:
        """Return the value of a JavaScript expression. If the value is a promise, wait for its result."""
        answer = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"].get("exception", {}).get("description")
        return answer["result"].get("value")

    def touch(self, *moves: list[tuple[float, float]]) -> None:
        """Emulate fingers that touch the page, move and lift.

        Each move lists one position (x, y) in pixels per finger.
        """
        for kind, places in (("touchStart", moves[0]), *(("touchMove", move) for move in moves[1:]), ("touchEnd", [])):
            points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
            self._call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def click(self, x: float, y: float) -> None:
        """Press and release the left mouse button at a position (x, y) in pixels."""
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def press(self, key: str) -> None:
        """Press and release a key, for example "ArrowLeft"."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, text=key if len(key) == 1 else "")

    def resemble(self, width: int, height: int, *, touch: bool) -> None:
        """Emulate a screen with this width and height in pixels, with or without touch input."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self._call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=2 if touch else 1)

    def _call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        answer = self._message(lambda message: message.get("id") == self._number)
        assert "error" not in answer, answer
        return answer["result"]

    def _message(self, is_wanted: Any) -> dict[str, Any]:
        """Return the next message for which `is_wanted` is True. Record the complaints in all messages until then."""
        while True:
            while b"\0" not in self._rest:
                read = os.read(self._read, 1 << 16)
                assert read, "the browser has ended"
                self._rest += read
            text, self._rest = self._rest.split(b"\0", 1)
            message: dict[str, Any] = json.loads(text)
            about = message.get("params", {})
            match message.get("method"):
                case "Runtime.exceptionThrown":
                    self.complaints.append(about["exceptionDetails"]["exception"].get("description", ""))
                case "Runtime.consoleAPICalled" if about["type"] in ("error", "warning", "assert"):
                    self.complaints.append(json.dumps(about["args"]))
                case "Log.entryAdded" if about["entry"]["level"] in ("error", "warning"):
                    self.complaints.append(about["entry"]["text"])
            if is_wanted(message):
                return message
