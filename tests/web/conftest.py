"""Fixtures for tests in Node and browsers: the core as WebAssembly, the npm package, the page, the notebook view."""

import fcntl
import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from browser import Browser, chromium

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "web"


@pytest.fixture(scope="session")
def build() -> ModuleType:
    """Import the module `examples/web/build.py`, and return it."""
    pytest.importorskip("moderngl", reason='its shaders need more packages: pip install "ruckle[render]"')
    spec = importlib.util.spec_from_file_location("build_page", ROOT / "examples" / "web" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def core(build: ModuleType) -> Path:
    """Compile the core to WebAssembly if necessary, and return its path. Without Emscripten, the tests are skipped."""
    for command, package in (("emcc", "emscripten"), ("cmake", "cmake")):
        if not shutil.which(command):
            pytest.skip(f"needs Emscripten: apt install {package}")
    # compiling takes minutes, so tests reuse the result; a lock prevents that two processes compile at the same time
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / ".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        build.build_core(FOLDER)
    return FOLDER / "ruckle_web.wasm"


@pytest.fixture(scope="session")
def kit(build: ModuleType, core: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the npm package, check its types, and return its folder."""
    if not build.MODULES.is_dir():
        pytest.skip("needs libraries of the npm registry: npm ci --prefix examples/web")
    folder: Path = tmp_path_factory.mktemp("web") / "kit"
    build.write_kit(folder, core.read_bytes())
    build.write_types(folder)
    return folder


@pytest.fixture(scope="session")
def node(kit: Path) -> Callable[..., Any]:
    """Return a function that runs a module in Node and returns the JSON that it prints.

    In the module, `kit` is the URL of the package, and `given` contains the arguments.
    """
    if not shutil.which("node"):
        pytest.skip("needs Node: apt install nodejs")

    def run(program: str, **arguments: Any) -> Any:
        given = f"const kit = {json.dumps(kit.as_uri())}, given = {json.dumps(arguments)};\n"
        file = kit.parent / "program.mjs"
        file.write_text(given + program, encoding="utf-8")
        done = subprocess.run(["node", file], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def program(build: ModuleType, kit: Path) -> Path:
    """Build the JavaScript of the notebook view, and return its path."""
    path = kit.parent / "widget.js"
    build.write_widget(path, kit)
    return path


@pytest.fixture(scope="session")
def browser(build: ModuleType, kit: Path) -> Iterator[Browser]:
    """Build the page, and return Chromium in which it is loaded but does not play.

    Without Chromium, tests are skipped.
    """
    if not chromium():
        pytest.skip("needs Chromium: apt install chromium")
    page = kit.parent / "ruckle.html"
    build.write_page(page, kit)
    with Browser(kit.parent / "profile", 820, 560) as opened:
        opened.open(f"{page.as_uri()}#paused")
        opened.ask("page.ready")
        yield opened
