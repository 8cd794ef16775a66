"""The page in headless Chromium: it draws, counts the wrinkles that the package finds, and complains of nothing."""

import base64
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ruckle
from browser import Browser, chromium

KEPT = Path(__file__).parents[1] / "pictures" / "page_sawing.png"

if not chromium():
    pytest.skip("needs Chromium: apt install chromium", allow_module_level=True)
image_file = pytest.importorskip("PIL.Image", reason='pictures need more packages: pip install "ruckle[render]"')


@pytest.fixture(scope="module")
def browser(build: ModuleType, core: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("page")
    build.write_page(folder / "ruckle.html", core.read_bytes())
    with Browser(folder / "profile", 720, 520) as opened:
        opened.open(f"{(folder / 'ruckle.html').as_uri()}#paused")
        opened.ask("ruckle.ready")
        yield opened


def canvas(browser: Browser) -> NDArray[np.int16]:
    text = browser.ask("document.querySelector('canvas').toDataURL()")
    picture = image_file.open(BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGB")
    return np.asarray(picture, np.int16)


def wrinkle_count(build: ModuleType, sample: str, frame: int, **options: Any) -> int:
    """Return how many wrinkles the package finds in the same positions."""
    animation = ruckle.sample(sample)
    wrinkler = ruckle.Wrinkler(animation.faces, animation.vertex_count, **options)
    found = [
        wrinkler.step(positions, 1 / animation.fps) for positions in build.restored(animation.positions)[: frame + 1]
    ]
    return len(found[-1].wrinkles)


@pytest.mark.parametrize(("sample", "tau", "share"), [("sawing", 1.4, 0.5), ("jumping_jack", 1.2, 0.8)])
def test_exact_the_page_counts_the_wrinkles_of_the_package(
    browser: Browser, build: ModuleType, sample: str, tau: float, share: float
) -> None:
    shown = browser.ask(f"ruckle.show('{sample}', 60, {{tau: {tau}, radius: {share}}})")
    height = np.float32(1.75)
    assert shown["wrinkles"] == wrinkle_count(build, sample, 60, tau=tau, r_min=float(share / 100 * height)) > 0
    assert shown["drawn"] > 10 * len(ruckle.sample(sample).faces)
    assert browser.ask("document.getElementById('wrinkles').textContent") == str(shown["wrinkles"])
    assert browser.complaints == []


def test_exact_the_picture_is_what_it_was(browser: Browser) -> None:
    browser.ask("ruckle.show('sawing', 90, {tau: 1.4, radius: 0.5, split: 0})")
    found = canvas(browser)
    if not KEPT.exists():
        image_file.fromarray(found.astype(np.uint8)).save(KEPT)
        pytest.fail(f"{KEPT.name} was missing and is written: look at it")
    kept = np.asarray(image_file.open(KEPT).convert("RGB"), np.int16)
    assert found.shape == kept.shape
    assert np.abs(found - kept).mean() < 1.0
    assert browser.complaints == []


def test_property_wrinkles_show_right_of_the_line_alone(browser: Browser) -> None:
    pictures = []
    for split in (0, 60, 100):
        browser.ask(f"ruckle.show('sawing', 90, {{split: {split}}})")
        pictures.append(canvas(browser))
    raised, both, plain = pictures
    edge = round(0.6 * raised.shape[1])
    np.testing.assert_array_equal(both[:, :edge], plain[:, :edge])
    np.testing.assert_array_equal(both[:, edge + 2 :], raised[:, edge + 2 :])
    assert np.abs(raised - plain)[:, edge:].max() > 40


def test_property_without_the_wearer_less_is_seen(browser: Browser) -> None:
    browser.ask("ruckle.show('sawing', 0)")
    with_wearer = canvas(browser)
    browser.ask("document.getElementById('wearer').click()")
    without = canvas(browser)
    browser.ask("document.getElementById('wearer').click()")
    paper = without[0, 0]
    assert (without != paper).any(axis=2).sum() < (with_wearer != paper).any(axis=2).sum()
