"""The web page in headless Chromium: it draws samples and dropped characters without error messages."""

import base64
import json
import shlex
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from browser import Browser, Site
from drawing import need_opengl
from program import invoke
from shared_data import MISSING, shared_folder
from vrm import as_vrm

KEPT = Path(__file__).parents[1] / "pictures" / "page_sawing.png"

image_file = pytest.importorskip("PIL.Image", reason='pictures need more packages: pip install "ruckle[render]"')

DROP = """(async () => {
  const dropped = new DataTransfer();
  for (const [name, text] of %s) {
    dropped.items.add(new File([page.bytesOf(text)], name));
  }
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
  await page.received();
})()"""


def canvas(browser: Browser) -> NDArray[np.int16]:
    text = browser.ask("document.querySelector('canvas').toDataURL()")
    picture = image_file.open(BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGB")
    return np.asarray(picture, np.int16)


def drop(browser: Browser, files: dict[str, bytes]) -> dict[str, Any]:
    """Drop files on the page. Return which parts of the character are cloth, and the error message of the page."""
    texts = [[name, base64.b64encode(content).decode()] for name, content in files.items()]
    browser.ask(DROP % json.dumps(texts))
    parts = browser.ask("page.shown().parts.map((part) => [part.mesh.name, part.isCloth])")
    return {"parts": dict(parts), "message": browser.ask("document.getElementById('failure').textContent")}


def with_strength(browser: Browser, strength: float) -> NDArray[np.int16]:
    """Return the picture of the shown frame if all folds are multiplied by `strength`."""
    browser.ask(f"(document.getElementById('strength').value = {strength}, page.run(0, 0))")
    return canvas(browser)


def shared_glb(name: str) -> bytes:
    """Return a file of the shared glTF folder as bytes. If the folder is missing, skip the test."""
    folder = shared_folder()
    if folder is None:
        pytest.skip(MISSING)
    return (folder / "data" / "gltf" / name).read_bytes()


def changed_share(one: NDArray[np.int16], other: NDArray[np.int16]) -> float:
    """Return the share of pixels that differ by more than 8 levels, which is more than rounding."""
    return float((np.abs(one - other).max(axis=2) > 8).mean())


@pytest.fixture
def page(browser: Browser) -> Browser:
    """Return the page with the first sample, its default settings, and an empty list of error messages."""
    controls = {"waves": True, "paths": False, "raise": False, "compare": False, "strength": 1, "radius": 0.5}
    browser.ask(f"page.show('sawing', 0, {json.dumps(controls)})")
    browser.complaints.clear()
    return browser


def test_exact_the_page_finds_the_paths_of_the_package(page: Browser) -> None:
    shown = page.ask("page.show('sawing', 60, {waves: false, paths: true})")
    animation = ruckle.sample("sawing")
    wrinkler = ruckle.Wrinkler(animation.faces, animation.vertex_count, r_min=float(0.005 * animation.height))
    assert shown["wrinkles"] > 5
    # the page rounds positions and orders vertices differently, so results are not exactly equal
    for positions in animation.positions[:61]:
        found = wrinkler.step(positions, 1 / animation.fps)
    assert shown["wrinkles"] == pytest.approx(len(found.wrinkles), abs=6)
    assert page.complaints == []


def test_exact_the_picture_is_what_it_was(page: Browser) -> None:
    page.ask("page.show('sawing', 90)")
    found = canvas(page)
    if not KEPT.exists():
        image_file.fromarray(found.astype(np.uint8)).save(KEPT)
        pytest.fail(f"{KEPT.name} was missing and is written: look at it")
    kept = np.asarray(image_file.open(KEPT).convert("RGB"), np.int16)
    assert found.shape == kept.shape
    assert np.abs(found - kept).mean() < 1.0
    assert page.complaints == []


def test_property_folds_show_right_of_the_line_alone(page: Browser) -> None:
    page.ask("page.show('sawing', 90)")
    raised = canvas(page)
    plain = with_strength(page, 0.0)
    page.ask("(document.getElementById('strength').value = 1, document.getElementById('compare').click())")
    both = canvas(page)
    page.ask("document.getElementById('compare').click()")
    edge = raised.shape[1] // 2
    np.testing.assert_array_equal(both[:, : edge - 1], plain[:, : edge - 1])
    np.testing.assert_array_equal(both[:, edge + 1 :], raised[:, edge + 1 :])
    assert changed_share(raised[:, edge:], plain[:, edge:]) > 0.03
    assert page.complaints == []


@pytest.mark.parametrize(
    ("name", "cloth"),
    [
        ("tee_jumpingjack.glb", {"tee_jumpingjack"}),
        ("KayKit_Mage.glb", {"Mage_Body", "Mage_ArmLeft", "Mage_ArmRight", "Mage_LegLeft", "Mage_LegRight"}),
        ("Fox.glb", set()),
    ],
)
def test_exact_a_dropped_file_wrinkles_at_once(page: Browser, name: str, cloth: set[str]) -> None:
    found = drop(page, {name: shared_glb(name)})
    assert {part for part, is_cloth in found["parts"].items() if is_cloth} == cloth
    assert (found["message"] == "") == bool(cloth)
    shown = page.ask("page.run(20, 1 / 30)")
    assert set(shown["meshes"]) == cloth
    raised = canvas(page)
    assert (changed_share(raised, with_strength(page, 0.0)) > 0.0005) == bool(cloth)
    assert page.complaints == []


def test_exact_a_vrm_character_moves_and_wrinkles(page: Browser) -> None:
    names = ["N00_002_01_Tops_01_CLOTH", "N00_000_00_Body_00_SKIN"]
    found = drop(page, {"hero.vrm": as_vrm(shared_glb("tee_jumpingjack.glb"), material_names=names)})
    assert found == {"parts": {"tee_jumpingjack": True, "body": False}, "message": ""}
    first = canvas(page)
    page.ask("page.run(20, 1 / 30)")
    raised = canvas(page)
    assert changed_share(first, raised) > 0.02
    assert changed_share(raised, with_strength(page, 0.0)) > 0.002
    assert page.complaints == []


def test_reject_files_that_are_no_characters(page: Browser) -> None:
    assert "expected a .glb, .gltf or .vrm file, got notes.txt" in drop(page, {"notes.txt": b"hello"})["message"]
    assert "This file cannot be shown" in drop(page, {"broken.glb": b"glTF" + bytes(40)})["message"]
    # the character from before the error is still visible
    assert page.ask("page.shown().name") == "sawing"


def test_property_twenty_characters_at_once(page: Browser) -> None:
    drop(page, {"tee_jumpingjack.glb": shared_glb("tee_jumpingjack.glb")})
    found = page.ask(
        """(async () => {
          const ruckle = page.ruckle(), { scene, model } = page.stage(), mixers = [], crowd = [];
          for (let i = 1; i < 20; ++i) {
            const other = page.clone(model), mixer = new page.AnimationMixer(other);
            other.position.set(1.2 * (i % 5), 0, -1.2 * Math.floor(i / 5));
            mixer.clipAction(page.shown().clips[0]).play();
            mixer.setTime(0.13 * i);
            scene.add(other);
            crowd.push(other);
            mixers.push(mixer);
            await ruckle.add(other);
          }
          for (let frame = 0; frame < 5; ++frame) {
            mixers.forEach((mixer) => mixer.update(1 / 30));
            await page.run(1, 1 / 30);
          }
          const buffers = new Set(ruckle.meshes.map(({ mesh }) => mesh.geometry.uuid));
          const result = [ruckle.meshes.length, buffers.size, ruckle.meshes.filter((mesh) => mesh.isShown).length];
          crowd.forEach((other) => other.removeFromParent());
          return result;
        })()"""
    )
    # all garments use the same geometry object
    assert found == [20, 1, 20]
    assert page.complaints == []


def middle(page: Browser, selector: str) -> tuple[float, float]:
    """Return the centre of an element of the page, in pixels."""
    frame = page.ask(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")
    return frame["left"] + 0.5 * frame["width"], frame["top"] + 0.5 * frame["height"]


def distance(page: Browser) -> float:
    """Return the distance of the camera from the point at which it looks."""
    return float(page.ask("page.stage().camera.position.distanceTo(page.stage().controls.target)"))


def test_property_a_click_removes_folds(page: Browser) -> None:
    page.ask("page.show('sawing', 90)")
    raised, (x, y) = canvas(page), middle(page, "canvas")
    page.click(x, y)
    np.testing.assert_array_equal(canvas(page), raised)
    page.ask("document.getElementById('erase').click()")
    page.click(x, y)
    brushed = canvas(page)
    page.ask("(document.getElementById('restore').click(), document.getElementById('brush').value = 20)")
    page.click(x, y)
    restored = canvas(page)
    for control in ("clear", "erase", "restore"):
        page.ask(f"document.getElementById('{control}').click()")
    page.ask("document.getElementById('brush').value = 6")
    assert changed_share(raised, brushed) > 0.002
    assert changed_share(raised, restored) < changed_share(raised, brushed)
    assert changed_share(raised, canvas(page)) == 0.0
    assert page.complaints == []


def test_property_fingers_turn_approach_erase_and_drag_the_line(page: Browser) -> None:
    page.resemble(390, 844, touch=True)
    try:
        page.ask("page.show('sawing', 90)")
        page.ask("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        assert page.ask("document.documentElement.scrollWidth") == 390
        # controls must be at least 40 pixels high, so that fingers can touch them
        least = (
            "Math.min(...[...document.querySelectorAll('button, .button, select')].filter((one) => one.offsetHeight)"
        )
        assert page.ask(f"{least}.map((one) => one.offsetHeight))") >= 40
        x, y = middle(page, "canvas")
        before, away = page.ask("page.stage().camera.position.toArray()"), distance(page)
        page.touch([(x, y)], [(x + 20, y)], [(x + 60, y)])
        turned = page.ask("(page.stage().draw(), page.stage().camera.position.toArray())")
        assert np.abs(np.subtract(turned, before)).max() > 0.1 * away
        assert distance(page) == pytest.approx(away, rel=1e-3)
        page.touch([(x - 20, y), (x + 20, y)], [(x - 40, y), (x + 40, y)], [(x - 60, y), (x + 60, y)])
        page.ask("page.stage().draw()")
        assert distance(page) < 0.8 * away
        page.ask("(document.getElementById('compare').click(), document.getElementById('erase').click())")
        split = "Number(document.getElementById('line').getAttribute('aria-valuenow'))"
        assert page.ask(split) == 50
        page.touch([middle(page, "#line")], [(x - 30, y)], [(x - 78, y)])
        assert page.ask(split) == 30
        page.ask("document.getElementById('compare').click()")
        raised = canvas(page)
        page.touch([(x, y)])
        assert changed_share(raised, canvas(page)) > 0.002
        assert page.complaints == []
    finally:
        for control in ("clear", "erase"):
            page.ask(f"document.getElementById('{control}').click()")
        page.resemble(820, 560, touch=False)


MOVE_ALL = """(() => {
  for (const slider of document.querySelectorAll("details input[type=range]")) {
    slider.stepUp();
    slider.oninput();
  }
  return page.changed();
})()"""


def drawn(page: Browser, folder: Path, file: str | Path, *more: str) -> str:
    """Run the command that the page shows, for one small picture. Return the command without its output file."""
    words = shlex.split(page.ask("document.getElementById('command').value"))
    picture = folder / "picture.png"
    assert words[:2] == ["ruckle", "render"]
    assert words[-2:] == ["-o", f"{Path(words[2]).stem}.mp4"]
    given = [str(file), *words[3:-1], str(picture)]
    result = invoke("render", *given, "--frames", "0:2", "--frame", "1", "--size", "64x48", "--quiet", *more)
    assert (result.exit_code, result.stderr) == (0, "")
    with image_file.open(picture) as opened:
        assert opened.size == (64, 48)
    return " ".join(words[2:-2])


def test_exact_the_command_line_repeats_the_settings(page: Browser, tmp_path: Path) -> None:
    need_opengl()
    assert drawn(page, tmp_path, "sawing") == "sawing --r-min 0.5% --waves"
    # move each slider, and choose wrinkle paths
    page.ask("(document.getElementById('paths').click(), page.changed())")
    page.ask(MOVE_ALL)
    command = drawn(page, tmp_path, "sawing").split()
    page.ask("(document.getElementById('reset').click(), page.changed())")
    assert {"--waves", "--wave-gain", "1.91", "--tau", "1.41", "--wave-calm"} <= set(command)
    page.ask("(document.getElementById('waves').click(), page.changed())")
    assert drawn(page, tmp_path, "sawing") == "sawing --r-min 0.5% --paths"
    page.ask("(document.getElementById('paths').click(), page.changed())")
    assert page.ask("document.getElementById('command').value") == ""


def test_exact_the_command_line_selects_parts_and_motion(page: Browser, tmp_path: Path) -> None:
    need_opengl()
    content = shared_glb("KayKit_Mage.glb")
    (tmp_path / "mage.glb").write_bytes(content)
    drop(page, {"mage.glb": content})
    page.ask("(document.getElementById('clip').value = 3, document.getElementById('clip').oninput())")
    clip = page.ask("page.shown().clips[3].name")
    command = drawn(page, tmp_path, tmp_path / "mage.glb")
    assert f"--animation {clip} " in command
    assert command.count("--mesh") == 5
    # if only one part is selected, the command has one --mesh
    for name in ("ArmLeft", "ArmRight", "LegLeft", "LegRight"):
        label = f"[...document.querySelectorAll('#parts label')].find((label) => label.textContent.includes('{name}'))"
        page.ask(f"{label}.querySelector('input').click()")
    assert drawn(page, tmp_path, tmp_path / "mage.glb").count("--mesh") == 1


def test_property_keys_turn_the_camera_and_play(page: Browser) -> None:
    place = "page.stage().camera.position.toArray()"
    page.ask("document.activeElement.blur()")
    before, away = page.ask(place), distance(page)
    page.press("ArrowLeft")
    turned = page.ask(place)
    assert np.abs(np.subtract(turned, before)).max() > 0.05
    page.press("+")
    assert distance(page) < 0.95 * away
    page.press(" ")
    assert page.ask("document.getElementById('play').textContent") == "Pause"
    page.press(" ")
    assert page.ask("document.getElementById('play').textContent") == "Play"
    page.press("l")
    assert page.ask("document.getElementById('compare').checked")
    page.press("l")
    # keys do not turn the camera while a control has the focus
    page.ask("document.getElementById('radius').focus()")
    held = page.ask(place)
    page.press("ArrowLeft")
    assert page.ask(place) == held


def test_exact_the_page_may_reach_no_server(page: Browser) -> None:
    policy = page.ask("document.querySelector('meta[http-equiv]').content")
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert page.ask("fetch('https://example.com/').then(() => 'reached', () => 'refused')") == "refused"
    page.complaints.clear()


def test_exact_the_guide_leads_to_a_wrinkled_character(
    browser: Browser, build: ModuleType, kit: Path, tmp_path: Path
) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "web.md").read_text(encoding="utf-8")
    program = guide.split("```js\n")[1].split("```")[0]
    page = guide.split("```html\n")[1].split("```")[0]
    (tmp_path / "index.html").write_text(page)
    # make these objects accessible from the test
    (tmp_path / "main.js").write_text(program + "Object.assign(window, { ruckle, renderer, scene, camera });\n")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "three").symlink_to(build.MODULES / "three")
    (tmp_path / "node_modules" / "ruckle").symlink_to(kit)
    (tmp_path / "hero.glb").write_bytes(shared_glb("tee_jumpingjack.glb"))
    with Site(tmp_path) as address, Browser(tmp_path / "profile", 400, 400) as own:
        own.open(address)
        own.ask(
            """new Promise((resolve) => setInterval(
              () => window.ruckle?.meshes[0]?.isShown && window.ruckle.time > 0 && resolve(), 50))"""
        )
        names = own.ask("ruckle.meshes.map(({ mesh }) => mesh.name)")
        picture = "(renderer.setAnimationLoop(null), renderer.render(scene, camera), renderer.domElement.toDataURL())"
        wrinkled = own.ask(picture)
        plain = own.ask(f"(ruckle.meshes[0].strength = 0, {picture})")
        assert names == ["tee_jumpingjack"]
        assert wrinkled != plain
        assert own.complaints == []


def test_property_equal_options_again_keep_the_folds(page: Browser) -> None:
    page.ask("page.show('sawing', 30)")
    found = page.ask(
        """(async () => {
          const [mesh] = page.shown().meshes;
          await mesh.set({});
          await Promise.all([mesh.set({ waves: { gain: 2 } }), mesh.set({ waves: { gain: 1 } })]);
          await page.run(2, 1 / 30);
          const refused = await mesh.set({ waves: { gain: -1 } }).catch((error) => error.message);
          await page.run(2, 1 / 30);
          return [mesh.isShown, refused];
        })()"""
    )
    assert found == [True, "gain: expected a number in [0, 10], got -1"]
    assert page.complaints == []
