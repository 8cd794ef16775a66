"""The examples in docstrings print the results that they show."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import ruckle

# skipped modules: some start a program on import, others need a screen
ALONE = ("ruckle.__main__", "ruckle._core", "ruckle.view.window", "ruckle.view.panels", "ruckle.view.sliders")
# skipped modules that draw, which is slow on a CPU; pictures and films have their own tests
DRAWN = ("ruckle.film", "ruckle.scene.renderer.Renderer", "ruckle.view.notebook")

FINDER = doctest.DocTestFinder(exclude_empty=True)


def modules() -> Iterator[ModuleType]:
    """Yield all modules of ruckle except ALONE. Skip modules whose optional packages are missing."""
    yield ruckle
    for module in pkgutil.walk_packages(ruckle.__path__, "ruckle."):
        if module.name not in ALONE:
            with suppress(ModuleNotFoundError):
                yield importlib.import_module(module.name)


FOUND = [test for module in modules() for test in FINDER.find(module, module=module) if test.examples]
EXAMPLES = {test.name: test for test in FOUND if test.name not in DRAWN}


@pytest.mark.parametrize("name", EXAMPLES)
def test_exact_examples_show_what_they_give(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = EXAMPLES[name]
    example.globs |= {"ruckle": ruckle, "np": np}
    assert doctest.DocTestRunner().run(example).failed == 0
