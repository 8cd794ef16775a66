"""The core as WebAssembly, and the program that builds it into a page."""

import fcntl
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def build() -> ModuleType:
    """Return `examples/web/build.py`."""
    pytest.importorskip("moderngl", reason='its shaders need more packages: pip install "ruckle[render]"')
    spec = importlib.util.spec_from_file_location("build_page", ROOT / "examples" / "web" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def core(build: ModuleType) -> Path:
    """Return the file of the core as WebAssembly."""
    for command, package in (("emcc", "emscripten"), ("cmake", "cmake")):
        if not shutil.which(command):
            pytest.skip(f"needs Emscripten: apt install {package}")
    # compiled files are kept, because compiling takes minutes; test processes take turns
    folder = ROOT / "build" / "web"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        build.build_core(folder)
    return folder / "ruckle_web.wasm"
