"""The notebook view in headless Chromium: it draws, plays, turns, and requests fine meshes."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from browser import Browser, Site, chromium
from drawing import need_opengl
from program import PATIENCE

image_file = pytest.importorskip("PIL.Image")
pytest.importorskip("anywidget", reason="live views need the extra notebook")

SIZE = (320, 240)

# a minimal notebook page: a widget model with a saved state, and an output element
PAGE = """<!doctype html><link rel="icon" href="data:,"><body style="margin: 0"><script type="module">
import widget from "./widget.js";
const { state, buffers } = await (await fetch("state.json")).json(), listeners = {};
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer);
for (const { path, data } of buffers) {
  path.slice(0, -1).reduce((at, name) => at[name], state)[path.at(-1)] = bytes(data);
}
const tell = (name, ...values) => (listeners[name] ?? []).forEach((listener) => listener(...values));
const model = {
  get: (name) => state[name],
  set(name, value) { state[name] = value; tell(`change:${name}`); },
  on: (name, listener) => (listeners[name] ??= []).push(listener),
  off: (name, listener) => (listeners[name] = listeners[name].filter((one) => one !== listener)),
  save_changes() {},
  send: (message) => sent.push(message),
};
const sent = [], receive = (content, texts) => tell("msg:custom", content, texts.map(bytes));
const close = await widget.render({ model, el: document.body });
const count = () => Object.values(listeners).flat().length;
const next = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
Object.assign(window, { view: { model, sent, receive, close, next, count } });
</script>"""


@contextmanager
def opened(saved: dict[str, Any], program: Path, folder: Path) -> Iterator[Browser]:
    """Open a page that shows a view from its saved state. Yield the browser."""
    (folder / "state.json").write_text(json.dumps(saved))
    (folder / "index.html").write_text(PAGE)
    (folder / "widget.js").write_bytes(program.read_bytes())
    with Site(folder) as address, Browser(folder / "profile", 400, 400) as browser:
        browser.open(address)
        browser.ask(
            """new Promise((resolve) => {
              const wait = setInterval(() => window.view && (clearInterval(wait), resolve()), 50);
            })"""
        )
        yield browser


def saved_state(view: Any) -> dict[str, Any]:
    """Return the state of a view in the form in which notebooks save it."""
    from ipywidgets.widgets.widget import _remove_buffers

    state, paths, buffers = _remove_buffers({name: getattr(view, name) for name in ("scene", "frame", "playing")})
    pairs = zip(paths, buffers, strict=True)
    return {
        "state": state,
        "buffers": [{"path": path, "data": base64.b64encode(content).decode()} for path, content in pairs],
    }


def picture(browser: Browser) -> NDArray[np.int16]:
    """Draw the next picture, and return the pixels of the canvas."""
    browser.ask("view.next()")
    text = browser.ask("document.querySelector('canvas').toDataURL()")
    return np.asarray(image_file.open(BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGB"), np.int16)


def changed_share(one: NDArray[np.int16], other: NDArray[np.int16]) -> float:
    """Return the share of pixels that differ by more than 8 levels, which is more than rounding."""
    return float((np.abs(one - other).max(axis=2) > 8).mean())


def choose(browser: Browser, name: str, value: str) -> None:
    """Choose an option of a select element on the page."""
    browser.ask(f"(document.querySelector('{name}').value = '{value}', document.querySelector('{name}').onchange?.())")


@pytest.fixture
def show(program: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return `ruckle.view.notebook.show` with the JavaScript of this build, without still pictures."""
    if not chromium():
        pytest.skip("needs Chromium: apt install chromium")
    from ruckle.view import notebook, widget

    monkeypatch.setattr(widget, "PROGRAM", program)
    # still pictures take time, and other tests check them
    monkeypatch.setattr(notebook, "_still", lambda *_: b"")
    return notebook.show


def test_property_a_view_computes_plays_and_turns(show: Any, program: Path, tmp_path: Path) -> None:
    view = show(ruckle.sample("sawing"), frame=83, size=SIZE, body=ruckle.sample_body("sawing"), tau=1.3)
    with opened(saved_state(view), program, tmp_path) as browser:
        wrinkled = picture(browser)
        assert wrinkled.shape == (240, 320, 3)
        choose(browser, ".shown", "before")
        coarse = picture(browser)
        assert changed_share(wrinkled, coarse) > 0.005
        choose(browser, ".shown", "both")
        both = picture(browser)
        np.testing.assert_array_equal(both[:, :159], coarse[:, :159])
        np.testing.assert_array_equal(both[:, 161:], wrinkled[:, 161:])
        choose(browser, ".shown", "after")
        # after a jump to another frame and back, the picture is the same
        browser.ask("view.model.set('frame', 40)")
        assert changed_share(picture(browser), wrinkled) > 0.01
        browser.ask("view.model.set('frame', 83)")
        np.testing.assert_array_equal(picture(browser), wrinkled)
        browser.ask("document.querySelector('.play').click()")
        browser.ask("new Promise((resolve) => setTimeout(resolve, 700))")
        browser.ask("document.querySelector('.play').click()")
        assert browser.ask("view.model.get('frame')") != 83
        browser.ask("view.model.set('frame', 83)")
        key = "document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))"
        browser.ask(key)
        assert changed_share(picture(browser), wrinkled) > 0.01
        browser.ask("view.close()")
        assert browser.ask("view.count()") == 0
        assert browser.complaints == []


def test_property_frames_come_from_the_kernel(
    show: Any, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    animation = ruckle.sample("sawing")
    view = show(animation, list(ruckle.run(animation, tau=1.3)), frame=83, size=SIZE)
    answers: list[tuple[Any, Any]] = []
    monkeypatch.setattr(type(view), "send", lambda _, content, buffers: answers.append((content, buffers)))
    with opened(saved_state(view), program, tmp_path) as browser:
        empty = picture(browser)
        asked = browser.ask("view.sent.splice(0)")
        assert [request["frame"] for request in asked] == [83, 84, 85, 86, 87]
        for request in asked:
            view._send_mesh(view, request, [])
        for content, buffers in answers:
            texts = [base64.b64encode(buffer).decode() for buffer in buffers]
            browser.ask(f"view.receive({json.dumps(content)}, {json.dumps(texts)})")
        wrinkled = picture(browser)
        assert changed_share(empty, wrinkled) > 0.05
        choose(browser, ".shown", "before")
        assert changed_share(wrinkled, picture(browser)) > 0.005
        assert browser.complaints == []


# the libraries of the kernel print warnings
@pytest.mark.filterwarnings("ignore")
def test_exact_an_executed_notebook_draws_without_its_kernel(program: Path, tmp_path: Path) -> None:
    if not chromium():
        pytest.skip("needs Chromium: apt install chromium")
    need_opengl()
    nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cell = f"""
from pathlib import Path
import ruckle
from ruckle.view import widget
from ruckle.view.notebook import show

widget.PROGRAM = Path({str(program)!r})
show(ruckle.sample("jumping_jack"), size={SIZE}, waves=True, comparison="both")
"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3", resources=resources).execute()
    [output] = notebook.cells[0].outputs
    still = image_file.open(BytesIO(base64.b64decode(output.data["image/png"])))
    assert still.size == SIZE
    states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    saved = states[output.data["application/vnd.jupyter.widget-view+json"]["model_id"]]
    assert saved["state"]["_esm"] == program.read_text(encoding="utf-8")
    with opened(saved, program, tmp_path) as browser:
        live = picture(browser)
        assert live.shape[:2] == (SIZE[1], SIZE[0])
        assert changed_share(live, np.broadcast_to(live[:1, :1], live.shape)) > 0.05
        assert browser.complaints == []
