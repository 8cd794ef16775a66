"""The page in headless Chromium: it draws samples and dropped characters, and complains of nothing."""

import base64
import json
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from browser import Browser, Site
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
    """Drop files on the page; return which parts are cloth, the reasons, and the page's message."""
    texts = [[name, base64.b64encode(content).decode()] for name, content in files.items()]
    browser.ask(DROP % json.dumps(texts))
    parts = browser.ask("page.shown().parts.map((part) => [part.mesh.name, part.isCloth])")
    return {"parts": dict(parts), "message": browser.ask("document.getElementById('failure').textContent")}


def with_strength(browser: Browser, strength: float) -> NDArray[np.int16]:
    """Return the picture of the frame that is shown, with this factor of all folds."""
    browser.ask(f"(document.getElementById('strength').value = {strength}, page.run(0, 0))")
    return canvas(browser)


def shared_glb(name: str) -> bytes:
    """Return a file of the shared glTF folder."""
    folder = shared_folder()
    if folder is None:
        pytest.skip(MISSING)
    return (folder / "data" / "gltf" / name).read_bytes()


def changed_share(one: NDArray[np.int16], other: NDArray[np.int16]) -> float:
    """Return the share of pixels that differ by more than noise."""
    return float((np.abs(one - other).max(axis=2) > 8).mean())


@pytest.fixture
def page(browser: Browser) -> Browser:
    """Return the page with the first sample and default controls, without complaints."""
    controls = {"waves": True, "paths": False, "raise": False, "compare": False, "strength": 1, "radius": 0.5}
    browser.ask(f"page.show('sawing', 0, {json.dumps(controls)})")
    browser.complaints.clear()
    return browser


def test_exact_the_page_finds_the_paths_of_the_package(page: Browser) -> None:
    shown = page.ask("page.show('sawing', 60, {waves: false, paths: true})")
    animation = ruckle.sample("sawing")
    wrinkler = ruckle.Wrinkler(animation.faces, animation.vertex_count, r_min=float(0.005 * animation.height))
    assert shown["wrinkles"] > 5
    # positions of the page are rounded, and welded vertices have other numbers
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
    # the character before remains
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
    # all garments share the buffers of one geometry
    assert found == [20, 1, 20]
    assert page.complaints == []


def test_property_a_brush_removes_folds(page: Browser) -> None:
    page.ask("page.show('sawing', 90)")
    raised = canvas(page)
    frame = page.ask("document.querySelector('canvas').getBoundingClientRect().toJSON()")
    x, y = frame["left"] + 0.5 * frame["width"], frame["top"] + 0.6 * frame["height"]
    assert page.ask(f"page.brush({x}, {y})")
    brushed = canvas(page)
    page.ask("document.getElementById('clear').click()")
    assert changed_share(raised, brushed) > 0.002
    assert changed_share(raised, canvas(page)) == 0.0


def test_exact_the_command_line_repeats_the_settings(page: Browser) -> None:
    labels = "[...document.querySelectorAll('#wave-options label')]"
    slider = f"{labels}.find((label) => label.textContent.startsWith('gain')).querySelector('input')"
    page.ask(f"({slider}.value = 2.1, {slider}.oninput(), page.changed())")
    command = page.ask("document.getElementById('command').value").split()
    page.ask(f"({slider}.value = 1.5, {slider}.oninput(), page.changed())")
    assert command[:3] == ["ruckle", "render", "sawing"]
    assert {"--waves", "--no-paths", "--r-min", "0.5%", "--wave-gain", "2.1"} <= set(command)


def test_property_keys_turn_the_camera_and_play(page: Browser) -> None:
    place = "page.stage().camera.position.toArray()"
    before = page.ask(place)
    key = "new KeyboardEvent('keydown', {key: '%s', cancelable: true})"
    press = f"document.querySelector('canvas').dispatchEvent({key})"
    page.ask(press % "ArrowLeft")
    turned = page.ask(place)
    assert np.abs(np.subtract(turned, before)).max() > 0.05
    page.ask(press % "+")
    target = page.ask("page.stage().controls.target.toArray()")
    assert np.linalg.norm(np.subtract(page.ask(place), target)) < 0.95 * np.linalg.norm(np.subtract(turned, target))
    page.ask(press % " ")
    assert page.ask("document.getElementById('play').textContent") == "Pause"
    page.ask(press % " ")


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
    # what a test reads
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
        # a server without an icon
        assert [text for text in own.complaints if "favicon" not in text and "404" not in text] == []


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
