"""The list of values of a swept parameter, given as text or as a Python value."""

from typing import Any

import numpy as np
import pytest

from ruckle.experiments.sweeps.axes import parse_values, read_axes, values_of


@pytest.mark.parametrize(
    ("name", "given", "values"),
    [
        ("tau", "1.15:1.45:7", [1.15, 1.2, 1.25, 1.3, 1.35, 1.4, 1.45]),
        ("tau", "1.4", [1.4]), ("tau", "1.4, 1.2,1.4", [1.4, 1.2]), ("tau", "2:1:3,1.2", [2.0, 1.5, 1.0, 1.2]),
        ("r_min", "0.5%,1%:2%:3,0.01", ["0.5%", "1%", "1.5%", "2%", 0.01]),
        ("least_aspect", "0:4:3", [0.0, 2.0, 4.0]), ("seed", "9007199254740993", [9007199254740993]),
        ("seed", "1e3, 2.0", [1000, 2]), ("seed", "0:2e12:3", [0, 10**12, 2 * 10**12]),
        ("coherent", "true,no", [True, False]), ("method", "exact,swap", ["exact", "swap"]),
        ("grow_tau", "none,1.2", [None, 1.2]),
        ("tau", np.linspace(1.25, 1.5, 3), [1.25, 1.375, 1.5]), ("tau", (np.float32(1.25), 2), [1.25, 2.0]),
        ("seed", range(3), [0, 1, 2]), ("coherent", [True, np.False_], [True, False]),
        ("r_min", ["1%", 0.02], ["1%", 0.02]), ("grow_tau", [None, 1.2], [None, 1.2]),
    ],
)  # fmt: skip
def test_axes_exact_values_of_text_and_of_python(name: str, given: Any, values: list[Any]) -> None:
    found = parse_values(name, given) if isinstance(given, str) else values_of(name, given)
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_axes_exact_matrices() -> None:
    matrix = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    as_tuples = ((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (2.0, 1.0, 0.0))
    assert values_of("pairwise", matrix) == [as_tuples]
    assert values_of("pairwise", np.stack([matrix, matrix, 0 * matrix])) == [as_tuples, ((0.0,) * 3,) * 3]


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("taus", 1, r"taus: no such parameter; did you mean tau\? parameters are r_min, .*, threads$"),
        ("tau", "1.1:2", r"tau: expected FIRST:LAST:COUNT of two numbers and a count of at least 2, got '1.1:2'"),
        ("tau", "a:2:3", r"tau: expected FIRST:LAST:COUNT .*, got 'a:2:3'"),
        ("tau", "", r"tau: expected a finite number, got ''"),
        ("tau", "5%", r"tau: expected a finite number, got '5%'"),
        ("tau", float("inf"), r"tau: expected a finite number, got inf"),
        ("tau", [], r"tau: expected at least one value, got none"),
        ("seed", "0:1:3", r"seed: expected whole numbers, got '0:1:3', which is 0.0, 0.5, 1.0"),
        ("seed", 1.5, r"seed: expected a whole number below 2\^63, got 1.5"),
        ("coherent", "maybe", r"coherent: expected true or false, got 'maybe'"),
        ("method", "guess", r"method: expected one of exact, expansion, swap, independent, got 'guess'"),
        ("r_min", "tall", r"r_min: expected a length in mesh units or a percentage such as \"0.5%\", got \"tall\""),
        ("pairwise", [1, 2], r"pairwise: expected \(3, 3\) costs or \(n, 3, 3\) of them, got shape \(2,\)"),
    ],
)  # fmt: skip
def test_axes_reject(name: str, given: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        read_axes({name: given})
