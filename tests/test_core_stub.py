"""The public names: present, annotated, documented; and the stub file that describes the compiled core."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ruckle
from ruckle import _core, errors
from ruckle.field.label import Labeling, label_costs
from ruckle.field.reference import update_reference
from ruckle.field.stretch import Stretch, edge_matrices
from ruckle.mesh.topology import weld
from ruckle.paths.frame import Frame

STUB = ast.parse((Path(ruckle.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}

# results that have a shape; what holds a mesh or a run describes its arrays instead
SHAPED = [weld, edge_matrices, label_costs, update_reference]


def parameters(node: ast.FunctionDef) -> tuple[list[str], list[str]]:
    """Return the positional and the keyword-only parameters of a stub function, without self."""
    positional = [a.arg for a in node.args.args if a.arg != "self"]
    return positional, [a.arg for a in node.args.kwonlyargs]


def parameters_of(bound: Any) -> tuple[list[str], list[str]]:
    """Return the same of a compiled function, from the signature that pybind11 writes into its docstring."""
    inside = re.search(r"\((.*?)\) -> ", bound.__doc__, re.DOTALL)
    assert inside is not None, bound.__doc__
    # no comma of a parameter list lies within brackets after this
    flat = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", inside.group(1)))
    names = [part.split(":")[0].strip() for part in flat.split(",") if part.strip()]
    names = [name for name in names if name != "self"]
    star = names.index("*") if "*" in names else len(names)
    return names[:star], names[star + 1 :]


def public(module: ModuleType | type) -> set[str]:
    """Return the names that do not start with an underscore."""
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


def test_exact_every_stub_parameter_and_result_is_annotated() -> None:
    for node in ast.walk(STUB):
        if isinstance(node, ast.FunctionDef):
            assert node.returns is not None, node.name
            for argument in [*node.args.args, *node.args.kwonlyargs]:
                assert argument.arg == "self" or argument.annotation is not None, f"{node.name}: {argument.arg}"


def test_exact_public_names_exist_and_are_sorted() -> None:
    names = [name for name in ruckle.__all__ if name != "__version__"]
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in ruckle.__all__:
        assert getattr(ruckle, name) is not None


CALLABLES = [name for name in ruckle.__all__ if callable(getattr(ruckle, name))]


@pytest.mark.parametrize("name", CALLABLES)
def test_exact_public_names_are_documented_and_annotated(name: str) -> None:
    value = getattr(ruckle, name)
    assert value.__doc__
    assert len(value.__doc__.strip().splitlines()[0]) > 10
    members = [value] if inspect.isfunction(value) else methods(value)
    for member in members:
        signature = inspect.signature(member)
        assert signature.return_annotation is not inspect.Signature.empty, member.__qualname__
        for parameter in signature.parameters.values():
            if parameter.name not in ("self", "cls"):
                assert parameter.annotation is not inspect.Parameter.empty, f"{member.__qualname__}: {parameter.name}"


def methods(kind: type) -> list[Any]:
    """Return the constructor and the public methods that a class itself defines."""
    found = []
    for name, value in vars(kind).items():
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
            found.append(function)
    return found


@pytest.mark.parametrize("name", [name for name in CALLABLES if inspect.isfunction(getattr(ruckle, name))])
def test_exact_public_functions_document_each_parameter(name: str) -> None:
    function = getattr(ruckle, name)
    documented = function.__doc__
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"\b{parameter}\b", documented), f"{name}: {parameter}"


@pytest.mark.parametrize("kind", [ruckle.Wrinkler, ruckle.Topology], ids=["Wrinkler", "Topology"])
def test_exact_constructors_document_each_parameter(kind: type) -> None:
    assert kind.__doc__ is not None
    for parameter in inspect.signature(kind).parameters:
        assert re.search(rf"\b{parameter}\b", kind.__doc__), parameter


@pytest.mark.parametrize("function", SHAPED, ids=lambda function: function.__name__)
def test_exact_array_results_say_their_shape_and_type(function: Any) -> None:
    result = function.__doc__.split("Returns\n")[1]
    assert re.search(r"\([FTV0-9, ]+\) (float32|int32|uint8)", result)


@pytest.mark.parametrize("kind", [Stretch, Labeling], ids=lambda kind: kind.__name__)
def test_exact_result_classes_document_each_array_with_its_shape(kind: Any) -> None:
    attributes = kind.__doc__.split("Attributes\n")[1]
    assert re.search(r"\([FT, ]+\) (or \([FT, ]+\) )?(float32|uint8)", attributes)
    for name in kind.__dataclass_fields__:
        assert re.search(rf"\b{name}\b", attributes), name


def test_exact_frames_document_each_property() -> None:
    frame = ruckle.Wrinkler([[0, 1, 2]], 3, r_min=0.0).step([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    for name in public(Frame):
        documented = getattr(Frame, name).__doc__
        assert documented, name
        if isinstance(getattr(frame, name), np.ndarray):
            shape = re.match(r"\((T,(?: 2, 2)?)\) (float32|uint8)", documented)
            assert shape is not None, name
            assert getattr(frame, name).dtype == shape.group(2)
            assert getattr(frame, name).ndim == (1 if shape.group(1) == "T," else 3)


def test_exact_errors_are_value_errors() -> None:
    assert issubclass(errors.MeshError, ValueError)
    assert issubclass(errors.FormatError, ValueError)
    assert ruckle.MeshError is errors.MeshError


def test_exact_modules_list_their_public_names() -> None:
    for name in ("ruckle.mesh.topology", "ruckle.field.stretch", "ruckle.paths.wrinkler", "ruckle.errors"):
        module = importlib.import_module(name)
        for public_name in module.__all__:
            assert hasattr(module, public_name)
        assert set(module.__all__) >= {
            key
            for key, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == name and not key.startswith("_")
        }
