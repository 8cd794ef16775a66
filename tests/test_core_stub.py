"""The stub file (.pyi) of the compiled core, and the public names."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ruckle
from ruckle import _core
from sanitized import SANITIZED

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(SANITIZED, reason="the stub is made in a process without sanitizers")
def test_exact_stub_is_that_of_the_compiled_core() -> None:
    pytest.importorskip("pybind11_stubgen", reason='the stub is made by it: pip install "ruckle[dev]"')
    pytest.importorskip("ruff", reason='the stub is laid out by it: pip install "ruckle[dev]"')
    ended = subprocess.run(
        [sys.executable, ROOT / "cpp" / "bindings" / "stub.py", "--check"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_exact_stub_names_what_the_module_has() -> None:
    stub = ast.parse((Path(ruckle.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    named = {node.name for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    named |= {
        node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert named - {"__version__"} == {name for name in vars(_core) if not name.startswith("_")}
    assert isinstance(_core.__version__, str)


def test_exact_public_names_exist_and_are_listed() -> None:
    for name in ruckle.__all__:
        assert getattr(ruckle, name) is not None
    # dir() lists names that are imported on first use, but not names that only type checkers import
    assert {*ruckle.__all__, *ruckle._ROOMS} <= set(dir(ruckle))
    assert not set(dir(ruckle)) & {"TYPE_CHECKING", "annotations", "import_module"}


def test_exact_rooms_are_imported_when_they_are_used() -> None:
    code = (
        "import sys, ruckle; before = {*sys.modules}; "
        f"print(*(getattr(ruckle, room).__name__ in before for room in {ruckle._ROOMS}), 'matplotlib' in before)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {"False"}
    with pytest.raises(AttributeError, match="module 'ruckle' has no attribute 'flim'"):
        ruckle.flim  # noqa: B018
