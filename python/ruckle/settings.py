"""Settings files: parameters of wrinkles in TOML for one garment. Commands that compute wrinkles can read them.

::

    look = "cotton"             # for pictures: ruckle render --look
    layers = ["waves"]          # layers that pictures show, in addition to those with parameters below

    [waves]                     # for wrinkle waves: WaveField.for_animation
    r_min = "0.4%"
    gain = 1.5

    [paths]                     # for wrinkle paths: Wrinkler.parameters
    amplitude = 0.8

    [patterns]                  # for modulated patterns: Modulator.parameters, and three command line options
    pattern = ["noise"]
    wavelength = "2.5%"
    steepest = 0.9

A parameter that is missing in the file has its default value.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ruckle import _core
from ruckle.arguments import choice, mistyped, no_such
from ruckle.errors import FormatError
from ruckle.io.budget import Budget
from ruckle.io.reading import as_path
from ruckle.io.replacing import replacing
from ruckle.parameters import Parameter
from ruckle.paths.parameters import PARAMETERS
from ruckle.patterns.parameters import PARAMETERS as MODULATION
from ruckle.waves.parameters import PARAMETERS as WAVES
from ruckle.waves.presets import PRESETS, wave_options

__all__ = ["Settings", "load_settings"]

# Largest file in bytes, and the largest count of each of four characters in a file. A mask of the brush may contain
# 200,000 ranges of vertices. The limits bound the nesting depth and the parsing time, which grows with the square of
# the number of dots in a key.
LARGEST_FILE = 2**21
MOST_SIGNS = {"=": 1000, "[": 200, "{": 200, ".": 2000}

Check = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Settings:
    """Contents of a settings file.

    Attributes
    ----------
    paths : mapping
        Parameters of `ruckle.run` and `Wrinkler.for_animation`.
    patterns : mapping
        Parameters of `Modulator.for_animation`, and three options of the command line: `pattern` (list of str),
        `wavelength`, `paint` (str).
    look : str, optional
        Name of a look for rendered pictures.
    mask : sequence of str
        Terms of `ruckle.make_mask`.
    waves : mapping
        Parameters of `WaveField.for_animation`, and `preset`.
    layers : sequence of {"paths", "waves"}
        Layers of commands that draw or export, in addition to layers whose parameters are given.
    """

    paths: Mapping[str, Any] = field(default_factory=dict)
    patterns: Mapping[str, Any] = field(default_factory=dict)
    look: str | None = None
    mask: Sequence[str] = ()
    waves: Mapping[str, Any] = field(default_factory=dict)
    layers: Sequence[str] = ()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a settings file. An existing file of this name is replaced.

        Parameters
        ----------
        path : path of a `.toml` file
            Parameters with the value None are not written.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        top: dict[str, Any] = {} if self.look is None else {"look": self.look}
        top |= {name: list(texts) for name in ("mask", "layers") if (texts := getattr(self, name))}
        lines = [f"# ruckle {_core.__version__}", *_lines(top)]
        for title, values in (("paths", self.paths), ("waves", self.waves), ("patterns", self.patterns)):
            rows = _lines(values)
            lines += ["", f"[{title}]", *rows] if rows else []
        with replacing(as_path("path", path)) as file:
            file.write("\n".join([*lines, ""]).encode())


def load_settings(path: str | os.PathLike[str]) -> Settings:
    """Read a settings file.

    Parameters
    ----------
    path : path of a `.toml` file

    Returns
    -------
    Settings

    Raises
    ------
    FormatError
        The file cannot be read or is not TOML, a parameter is unknown, or a value has a wrong type. The ranges of most
        numbers are checked only by the layer that uses them.

    Examples
    --------
    >>> settings = ruckle.load_settings("shirt.toml")  # doctest: +SKIP
    >>> frames = ruckle.run(animation, **settings.paths)  # doctest: +SKIP
    """
    file = as_path("path", path)
    content = Budget().read(file, LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise FormatError(f"{file}: is larger than {LARGEST_FILE // 2**20} MB, which no settings need")
    for sign, most in MOST_SIGNS.items():
        if (count := content.count(sign.encode())) > most:
            raise FormatError(f"{file}: has {count} '{sign}', of which settings need no more than {most}")
    try:
        tables = tomllib.loads(content.decode())
    except RecursionError as error:
        raise FormatError(f"{file}: is nested too deeply") from error
    except ValueError as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{file}: is no TOML file ({error})") from error
    try:
        return _checked(tables)
    except (TypeError, ValueError) as error:
        raise FormatError(f"{file}: {error}") from error


def _checked(tables: Mapping[str, Any]) -> Settings:
    """Return the settings of parsed tables. ValueError for an unknown name; ValueError, TypeError for a wrong value."""
    text, table = _of(str, "a text"), _of(dict, "a table")
    _check(
        tables,
        {"paths": table, "waves": table, "patterns": table, "look": text, "mask": _texts, "layers": _layers},
        "setting",
    )
    _check(tables.get("paths", {}), _parameter_checks(PARAMETERS), "parameter")
    _check(
        tables.get("waves", {}), _parameter_checks(WAVES) | {"wavelength": _wavelength, "preset": _preset}, "parameter"
    )
    sources = {"pattern": _texts, "wavelength": text, "paint": text}
    _check(tables.get("patterns", {}), _parameter_checks(MODULATION) | sources, "parameter")
    return Settings(**tables)


def _parameter_checks(table: Mapping[str, Parameter]) -> dict[str, Check]:
    return {name: partial(_read, about) for name, about in table.items()}


def _read(about: Parameter, _name: str, value: Any) -> None:
    # The height of the character is unknown here. Any height is sufficient to check the form of a percentage.
    about.read(value, height=1.0)


def _check(values: Mapping[str, Any], checks: Mapping[str, Check], kind: str) -> None:
    for name, value in values.items():
        if name not in checks:
            raise ValueError(no_such(kind, name, checks))
        checks[name](name, value)


def _of(kind: type, words: str) -> Check:
    """Return a check that raises TypeError for values of another type."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, kind):
            raise mistyped(name, words, value)

    return check


def _texts(name: str, value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise mistyped(name, "a list of texts", value)


def _layers(name: str, value: Any) -> None:
    _texts(name, value)
    for layer in value:
        choice(name, layer, ("paths", "waves"))


def _preset(name: str, value: Any) -> None:
    choice(name, value, [*PRESETS])


def _wavelength(_name: str, value: Any) -> None:
    wave_options("skinned", {"r_min": 1.0, "wavelength": value}, height=1.0)


def _lines(values: Mapping[str, Any]) -> list[str]:
    """Return one TOML line per value; JSON text of strings, numbers, booleans and lists is also valid TOML."""
    return [f"{name} = {json.dumps(value)}" for name, value in values.items() if value is not None]
