"""The stub file that describes the compiled core, and the public names."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import ruckle
from ruckle import _core

STUB = ast.parse((Path(ruckle.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def parameters(node: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """Return the positional and the keyword-only parameters of a stub function, without self."""
    positional = [a.arg for a in node.args.args if a.arg != "self"]
    return positional, [a.arg for a in node.args.kwonlyargs]


def parameters_of(bound: Any) -> tuple[list[str], list[str]]:
    """Return the same of a compiled function, from the signature that pybind11 writes into its docstring."""
    inside = re.search(r"\((.*?)\) -> ", bound.__doc__, re.DOTALL)
    assert inside is not None, bound.__doc__
    # after this, commas inside brackets are gone
    flat = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", inside.group(1)))
    names = [part.split(":")[0].strip() for part in flat.split(",") if part.strip()]
    names = [name for name in names if name != "self"]
    star = names.index("*") if "*" in names else len(names)
    return names[:star], names[star + 1 :]


def public(module: ModuleType | type) -> set[str]:
    return {name for name in vars(module) if not name.startswith("_")}


def test_exact_stub_names_what_the_module_has() -> None:
    attributes = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert set(CLASSES) | set(FUNCTIONS) | attributes == public(_core) | {"__version__"}
    assert isinstance(_core.__version__, str)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_exact_stub_functions_have_the_parameters_of_the_module(name: str) -> None:
    assert parameters(FUNCTIONS[name]) == parameters_of(getattr(_core, name))


@pytest.mark.parametrize("name", CLASSES)
def test_exact_stub_classes_have_the_members_of_the_module(name: str) -> None:
    bound = getattr(_core, name)
    members = {node.name: node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    assert {member for member in members if not member.startswith("_")} == public(bound)
    for member, node in members.items():
        if member == "__init__" or not any(getattr(d, "id", "") == "property" for d in node.decorator_list):
            assert parameters(node) == parameters_of(getattr(bound, member))
        else:
            assert isinstance(getattr(bound, member), property)
            assert not getattr(bound, member).fset


def test_exact_public_names_exist_and_are_listed() -> None:
    for name in ruckle.__all__:
        assert getattr(ruckle, name) is not None
    # names imported on use are listed, too; imports for types alone are not
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
