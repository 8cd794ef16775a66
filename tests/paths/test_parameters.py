"""The table of parameters: ranges are checked; names, defaults and help are equal in all places that show them."""

import inspect
import math
from collections.abc import Iterator
from functools import cache, partial
from typing import Any, get_args

import numpy as np
import pytest

import c_library
import ruckle
from ruckle.arguments import LARGEST_SEED, MOST_THREADS
from ruckle.field.label import PAIRWISE, Method, label_costs
from ruckle.field.parameters import PARAMETERS as FIELD
from ruckle.field.reference import update_reference
from ruckle.field.stretch import stretch
from ruckle.parameters import Parameter
from ruckle.paths.parameters import DEFAULTS, PARAMETERS, SLIDERS, AnimationParameters, WrinklerParameters
from ruckle.paths.trace import trace
from ruckle.paths.wrinkler import Wrinkler, resolved

NO_STRETCH = stretch(np.zeros((0, 2, 2)), np.zeros((0, 2, 2)))

every_parameter = pytest.mark.parametrize("parameter", Wrinkler.parameters, ids=lambda parameter: parameter.name)


def wrinkler(**parameters: Any) -> Wrinkler:
    return Wrinkler([[0, 1, 2]], 3, **parameters)


def outside(parameter: Parameter) -> Iterator[float | int]:
    """Yield values just outside the allowed range of a parameter; for real numbers also NaN and infinity."""
    whole = parameter.kind == "integer"
    if math.isfinite(parameter.least):
        yield int(parameter.least) - 1 if whole else parameter.least - (1e-3 if parameter.with_least else 0.0)
    if math.isfinite(parameter.most):
        yield int(parameter.most) + parameter.with_most if whole else max(parameter.most + 1e-3, parameter.most * 1.001)
    if not whole:
        yield from (math.nan, math.inf, -math.inf)


def inside(parameter: Parameter) -> Iterator[float | int]:
    """Yield the limits of the allowed range of a parameter. A limit that is excluded is replaced by a value near it."""
    whole = parameter.kind == "integer"
    if math.isfinite(parameter.least):
        yield int(parameter.least) if whole else parameter.least + (0.0 if parameter.with_least else 1e-3)
    if math.isfinite(parameter.most):
        yield int(parameter.most) - (not parameter.with_most) if whole else parameter.most


NUMBERS = [parameter for parameter in Wrinkler.parameters if parameter.kind in ("number", "length", "integer")]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [(parameter, value) for parameter in NUMBERS for value in outside(parameter)],
    ids=lambda part: part.name if isinstance(part, Parameter) else str(part),
)
def test_reject_values_out_of_range(parameter: Parameter, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{parameter.name}: expected an? .*, got "):
        wrinkler(**{parameter.name: value})


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda parameter: parameter.name)
def test_exact_the_ends_of_ranges_are_allowed(parameter: Parameter) -> None:
    for value in inside(parameter):
        wrinkler(**{parameter.name: value, **({"tau": value} if parameter.ceiling else {})})


def test_reject_a_value_above_its_ceiling() -> None:
    with pytest.raises(ValueError, match=r"^grow_tau: expected a number above 1 and at most tau = 1\.3, got 1\.35$"):
        wrinkler(tau=1.3, grow_tau=1.35)


@every_parameter
@pytest.mark.parametrize("value", ["wide", b"", 1j, True, [[1.0, 2.0]]], ids=str)
def test_reject_values_of_another_kind(parameter: Parameter, value: object) -> None:
    if parameter.kind == "flag" and value is True:
        return
    expected = {
        "length": "a length in mesh units",
        "integer": "an integer in ",
        "flag": "True or False",
        "choice": 'one of "exact", "expansion", "swap", "independent"',
        "matrix": "(real numbers|an array of shape)",
    }
    message = f"^{parameter.name}: expected {expected.get(parameter.kind, 'a number')}"
    with pytest.raises((TypeError, ValueError), match=message):
        wrinkler(**{parameter.name: value})


def test_reject_none_where_nothing_is_derived() -> None:
    for parameter in NUMBERS:
        if parameter.derived:
            wrinkler(**{parameter.name: None})
        else:
            with pytest.raises(TypeError, match=f"^{parameter.name}: expected .*, got None"):
                wrinkler(**{parameter.name: None})


@pytest.mark.parametrize("name", [name for name, parameter in FIELD.items() if parameter.kind == "number"])
def test_reject_the_same_values_in_the_stages(name: str) -> None:
    none = np.zeros((0, 2, 2), np.float32)
    stage: Any = (
        partial(update_reference, none, none, np.zeros(0, int))
        if name == "relaxation"
        else partial(label_costs, NO_STRETCH)
    )
    for value in outside(FIELD[name]):
        with pytest.raises(ValueError, match=f"^{name}: expected a .*, got "):
            stage(**{name: value})


def test_exact_derived_values() -> None:
    assert resolved({"tau": 1.5})["grow_tau"] == 1.25
    assert resolved({})["r_min"] is None
    assert resolved({}, height=2.0)["r_min"] == 0.01
    assert resolved({"r_min": "2%"}, height=2.0)["r_min"] == 0.04
    thesis = {"tau": 1.3, "grow_tau": 1.3, "least_aspect": 0.0, "r_min": 0.5}
    assert thesis.items() <= resolved(thesis).items()


def test_exact_a_least_radius_that_is_not_given_follows_from_the_first_frame() -> None:
    tall = [[0.0, 1.0, 0.0], [9.0, 1.0, 0.0], [0.0, 3.0, 0.0]]
    lying = [[0.0, 1.0, 0.0], [4.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
    assert wrinkler().step(tall).length_unit == 0.01
    assert wrinkler().step(lying).length_unit == 0.02
    assert wrinkler(r_min=0.3).step(tall).length_unit == 0.3


def test_degenerate_a_first_frame_in_one_point_has_no_wrinkles() -> None:
    cloth = wrinkler()
    assert cloth.step(np.ones((3, 3))).length_unit == 0.0
    assert cloth.step([[0, 0, 0], [1, 0, 0], [0, 1, 0]]).wrinkles == []


def test_degenerate_a_radius_without_room_for_its_square_means_no_wrinkles() -> None:
    assert resolved({"r_min": 1e-40})["r_min"] == 0.0
    tiny = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    assert wrinkler().step(tiny * np.float32(1e-35)).length_unit == 0.0
    assert wrinkler().step(tiny * np.float32(3e38)).length_unit == np.float32(1e30)


def test_degenerate_a_threshold_next_to_1_gives_one_that_is_allowed() -> None:
    near = resolved({"tau": 1.0000001})
    assert 1.0 < near["grow_tau"] <= near["tau"]
    wrinkler(**near)


def test_exact_signatures_show_the_defaults() -> None:
    own = inspect.signature(Wrinkler).parameters
    assert [*own] == ["faces", "vertex_count", "rest", "paint", *PARAMETERS]
    assert all(own[name].default is parameter.default for name, parameter in PARAMETERS.items())
    loaded = inspect.signature(Wrinkler.for_animation).parameters
    assert all(loaded[name].default is DEFAULTS[name] for name in PARAMETERS)
    assert loaded["r_min"].default == "0.5%"
    assert inspect.signature(label_costs).parameters["sigma"].default == PARAMETERS["sigma"].default == 0.05
    assert inspect.signature(trace).parameters["tau"].default == PARAMETERS["tau"].default == 1.4


def test_exact_types_name_every_parameter() -> None:
    for types in (WrinklerParameters, AnimationParameters):
        assert types.__optional_keys__ == PARAMETERS.keys()
    # the parameters of a Wrinkler contain all parameters of the stages except the time step
    assert FIELD.keys() - {"dt"} <= PARAMETERS.keys()
    assert get_args(Method) == PARAMETERS["method"].choices == FIELD["method"].choices
    np.testing.assert_array_equal(PAIRWISE, PARAMETERS["pairwise"].default)
    assert not PARAMETERS["pairwise"].default.flags.writeable
    assert PARAMETERS["threads"].most == MOST_THREADS
    assert PARAMETERS["seed"].most == LARGEST_SEED + 1


def test_exact_the_c_library_says_what_python_says() -> None:
    kinds = ("number", "length", "integer", "flag", "choice", "matrix")
    for told, parameter in zip(c_library.parameters(), Wrinkler.parameters, strict=True):
        for name in ("name", "group", "unit", "help", "derived", "ceiling"):
            assert getattr(told, name).decode() == getattr(parameter, name)
        assert kinds[told.kind] == parameter.kind
        assert tuple(told.choices[k].decode() for k in range(told.choice_count)) == parameter.choices
        assert (told.least, told.most) == (parameter.least, parameter.most)
        assert (bool(told.with_least), bool(told.with_most)) == (parameter.with_least, parameter.with_most)
        if parameter.kind in ("number", "length", "integer", "flag"):
            expected = math.nan if parameter.default is None else float(parameter.default)
            np.testing.assert_equal(told.default_value, expected)


@cache
def outcome_of_defaults() -> list[bytes]:
    return outcome()


def outcome(**parameters: Any) -> list[bytes]:
    """Return labels, reference triangles and wrinkles of 60 frames of a motion, as bytes."""
    found = []
    for frame in ruckle.run(ruckle.sample("sawing").cut(20, 80), **parameters):
        found += [frame.labels, frame.reference, *(part for one in frame.wrinkles for part in (one.points, one.height))]
    return [array.tobytes() for array in found]


def changed(parameter: Parameter) -> Any:
    """Return a value of a parameter that differs from its default."""
    match parameter.kind:
        case "flag":
            return not parameter.default
        case "choice":
            return parameter.choices[-1]
        case "matrix":
            return np.zeros((3, 3))
    low, high, even_ratios = SLIDERS[parameter.name]
    if parameter.kind == "length":
        return f"{high}%"
    return low if parameter.ceiling or even_ratios or parameter.default == high else high


@every_parameter
def test_property_every_parameter_reaches_the_stages(parameter: Parameter) -> None:
    is_same = outcome_of_defaults() == outcome(**{parameter.name: changed(parameter)})
    assert is_same == (parameter.name == "threads")
