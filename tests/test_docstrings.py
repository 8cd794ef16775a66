"""Every public name says what it is: parameters with shapes and units, results, errors, and where it comes from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc, NumpyDocString

import ruckle

PUBLIC_MODULES = [
    "ruckle",
    "ruckle.figures",
    "ruckle.film",
    "ruckle.io",
    "ruckle.laboratory",
    "ruckle.metrics",
    "ruckle.plot",
    "ruckle.io.results",
    "ruckle.sweeps",
    "ruckle.sweeps.axes",
    "ruckle.view",
    "ruckle.view.notebook",
]

# what a parameter or attribute of this name is measured in, wherever it occurs
UNITS = {
    "mesh units": {
        "positions", "points", "r_min", "least_length", "height", "perimeter", "crest", "full_width",
        "edge_length", "length_unit",
    },
    "seconds": {"dt", "age", "fade_in", "fade_out"},
}  # fmt: skip

# the stages of the method name the section of the thesis that they compute, and refuse bad input by a named error
STAGES = [
    "edge_matrices",
    "stretch",
    "label_costs",
    "solve_labels",
    "solve_label_sequence",
    "update_reference",
    "trace",
    "smooth_path",
    "optimize_path",
    "wrinkle_shape",
    "wrinkle_curve",
    "cross_section",
    "height_ratio",
]


def callables() -> Iterator[tuple[str, object]]:
    """Every public function and class, and every public method of these classes, once."""
    seen: set[int] = set()
    for module_name in PUBLIC_MODULES:
        module = import_module(module_name)
        for name in module.__all__:
            thing = getattr(module, name)
            if id(thing) in seen or not callable(thing):
                continue
            seen.add(id(thing))
            yield f"{module_name}.{name}", thing
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                for method_name, method in vars(thing).items():
                    function = method.__func__ if isinstance(method, classmethod | staticmethod) else method
                    if not method_name.startswith("_") and inspect.isfunction(function):
                        yield f"{module_name}.{name}.{method_name}", function


CALLABLES = dict(callables())
FUNCTIONS = {name: thing for name, thing in CALLABLES.items() if inspect.isfunction(thing)}
CLASSES = {name: thing for name, thing in CALLABLES.items() if inspect.isclass(thing)}


def documentation(thing: object) -> NumpyDocString:
    if inspect.isclass(thing):
        return ClassDoc(thing)
    return FunctionDoc(thing)


def documented(section: list) -> dict[str, str]:
    """Names of a numpydoc section, and type and description of each; `a, b : int` documents two."""
    return {
        name.strip().lstrip("*"): f"{entry.type} {' '.join(entry.desc)}"
        for entry in section
        for name in entry.name.split(",")
    }


def parameters(function: object) -> dict[str, inspect.Parameter]:
    return {n: p for n, p in inspect.signature(function).parameters.items() if n not in ("self", "cls")}


@pytest.mark.parametrize("name", CALLABLES)
def test_exact_summary(name: str) -> None:
    text = inspect.getdoc(CALLABLES[name]) or ""
    assert text.strip(), f"{name} has no docstring"
    assert re.search(r"[.:]$", text.strip().split("\n\n")[0].strip()), f"{name}: the summary is not a sentence"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_exact_parameters(name: str) -> None:
    function = FUNCTIONS[name]
    expected = parameters(function)
    if len(expected) == 0 or (len(expected) == 1 and "Parameters" not in (inspect.getdoc(function) or "")):
        # one parameter may be told by the summary
        text = inspect.getdoc(function) or ""
        assert all(word in text for word in expected) or "Parameters" not in text
        return
    assert list(documented(documentation(function)["Parameters"])) == list(expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_exact_shapes(name: str) -> None:
    function = FUNCTIONS[name]
    told = documented(documentation(function)["Parameters"])
    for parameter_name, parameter in parameters(function).items():
        if re.search(r"ArrayLike|NDArray|Float32|Int32|\bArray\b", str(parameter.annotation)):
            text = told.get(parameter_name, inspect.getdoc(function) or "")
            assert re.search(r"\([^()]*(\([^()]*\))?[^()]*, ?[^()]*\)|\(\.\.\.,", text), (
                f"{name}: {parameter_name} has no shape"
            )


@pytest.mark.parametrize("name", CALLABLES)
def test_exact_units(name: str) -> None:
    thing = CALLABLES[name]
    doc = documentation(thing)
    for entry, text in (documented(doc["Parameters"]) | documented(doc["Attributes"])).items():
        for unit, names in UNITS.items():
            if entry in names:
                # the size of a picture has a unit of its own
                assert unit in text.lower().replace("meshes", "mesh") or "pixels" in text, (
                    f"{name}: {entry} is in {unit}, its docstring does not say so"
                )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_exact_results(name: str) -> None:
    function = FUNCTIONS[name]
    if inspect.signature(function).return_annotation in ("None", None, inspect.Signature.empty):
        return
    doc = documentation(function)
    summary = (inspect.getdoc(function) or "").split("\n\n")[0]
    assert doc["Returns"] or doc["Yields"] or re.search(r"\b(Return|Read|Make|Iterate|Step)", summary), (
        f"{name}: the docstring does not say what is returned"
    )


@pytest.mark.parametrize("name", STAGES)
def test_exact_source_and_errors(name: str) -> None:
    text = inspect.getdoc(getattr(ruckle, name)) or ""
    assert re.search(r"thesis|Peters|Ishikawa", text), f"{name}: no source"
    assert "Raises\n------" in text, f"{name}: no errors"


def test_reject_a_bad_docstring() -> None:
    def bare(positions: list, r_min: float) -> float:
        """Do something."""
        return r_min

    told = documented(FunctionDoc(bare)["Parameters"])
    assert list(told) != list(parameters(bare))


def test_dir_exact_lists_what_there_is_for_users() -> None:
    names = set(dir(ruckle))
    assert set(ruckle.__all__) <= names
    assert "Renderer" in names
    assert not names & {"TYPE_CHECKING", "annotations"}
