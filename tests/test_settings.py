"""Settings files: writing, reading, effect on each command, and rejection of unknown names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from program import invoke, refusal, swinging
from ruckle import FormatError, Settings, load_settings
from ruckle.io.results import load_run
from ruckle.paths.parameters import PARAMETERS
from ruckle.scene.looks import LOOKS
from shared_data import shared_cases


def test_settings_exact_what_is_saved_is_loaded(tmp_path: Path) -> None:
    paths = {"r_min": "0.4%", "tau": 1.25, "seed": 7, "coherent": False, "method": "swap"}
    patterns = {"pattern": ["noise", 'a "quoted" \\ name.png'], "wavelength": "3%", "steepest": 0.9}
    waves = {"r_min": "0.4%", "wavelength": "9 r_min", "preset": "simulated", "gain": 1.5}
    settings = Settings(paths, patterns, "shirt", ["-glove*"], waves, ["paths", "waves"])
    settings.save(tmp_path / "shirt.toml")
    assert load_settings(tmp_path / "shirt.toml") == settings
    Settings({"grow_tau": None}).save(tmp_path / "none.toml")
    assert load_settings(tmp_path / "none.toml") == Settings()


def test_settings_exact_every_parameter_can_be_kept(tmp_path: Path) -> None:
    values = {name: about.default for name, about in PARAMETERS.items() if about.kind != "matrix"}
    given = {name: "1%" if name == "r_min" else 1.1 if value is None else value for name, value in values.items()}
    Settings(given).save(tmp_path / "all.toml")
    found = load_settings(tmp_path / "all.toml")
    assert found.paths == given
    assert list(ruckle.run(swinging(3), **found.paths))


def test_commands_exact_settings_are_defaults(animation_file: Path) -> None:
    Settings({"tau": 1.05, "r_min": "0.1", "amplitude": 0.5}).save("thin.toml")
    assert invoke("run", animation_file, "-o", "a.npz", "--settings", "thin.toml", "--tau", "1.1", "-q").exit_code == 0
    found = load_run("a.npz").parameters
    assert (found["tau"], found["r_min"], found["amplitude"]) == (1.1, "0.1", 0.5)


def test_commands_exact_settings_go_before_looks(animation_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = pytest.importorskip("ruckle.cli.render", reason="drawing needs more packages")
    seen = list[tuple[Any, ...]]()

    def refuse(_animation: Any, parameters: Any, additions: Any, _body: Any) -> None:
        seen.append((parameters["r_min"], additions.waves["wavelength"], additions.waves["detail"]))
        raise ValueError("seen")

    monkeypatch.setattr(command, "cloth_layer", refuse)
    Path("mine.toml").write_text('[paths]\nr_min = "0.2%"\n')
    Path("with_look.toml").write_text('look = "jersey"\n[paths]\nr_min = "0.3%"\n')
    for order in (("--look", "jersey", "--settings", "mine.toml"), ("--settings", "mine.toml", "--look", "jersey")):
        assert refusal("render", animation_file, "-o", "a.png", *order) == "seen\n"
    assert refusal("render", animation_file, "-o", "a.png", "--settings", "with_look.toml") == "seen\n"
    folds = (LOOKS["jersey"].options["wave_wavelength"], LOOKS["jersey"].options["wave_detail"])
    assert seen == [("0.2%", *folds), ("0.2%", *folds), ("0.3%", *folds)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tau = 1.2", "tau: no such setting; settings are paths, waves, patterns, look"),
        ("[paths]\ntua = 1.2", "tua: no such parameter; did you mean tau? parameters are r_min, "),
        ('[paths]\ntau = "wide"', "tau: expected a number, got 'wide'"),
        ('[paths]\nr_min = "wide"', "r_min: "),
        ("[patterns]\npattern = 'noise'", "pattern: expected a list of texts, got 'noise'"),
        ("paths = 3", "paths: expected a table, got 3"),
        ("[waves]\ngian = 2", "gian: no such parameter; did you mean gain? parameters are r_min, "),
        ("[waves]\nwavelength = 'wide'", "wavelength: "),
        ("[waves]\npreset = 'skined'", 'preset: expected one of "skinned", "simulated", got "skined"; did you mean '),
        ("layers = ['wave']", 'layers: expected one of "paths", "waves", got "wave"; did you mean waves?'),
        ("look = 3", "look: expected a text, got 3"),
        ("[paths", "is no TOML file ("),
        ("\xff", None),
        ("x = " + "[" * 150 + "]" * 150, "x: no such setting"),
        ("x = " + "[" * 2000 + "]" * 2000, "has 2000 '[', of which settings need no more than 200"),
        ("x = " + "{a = " * 300 + "1" + "}" * 300, "has 300 '{', of which settings need no more than 200"),
        ("a" + ".a" * 20_000 + " = 1", "has 20000 '.', of which settings need no more than 2000"),
        ("\n".join(f"a{k} = 1" for k in range(1001)), "has 1001 '=', of which settings need no more than 1000"),
        ("#" * 2_100_000, "is larger than 2 MB, which no settings need"),
    ],
)
def test_settings_reject(animation_file: Path, text: str, sentence: str | None) -> None:
    Path("bad.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError) as refused:
        load_settings("bad.toml")
    assert str(refused.value).startswith(f"bad.toml: {sentence or 'is no TOML file ('}")
    assert refusal("run", animation_file, "-o", "a.npz", "--settings", "bad.toml").startswith("bad.toml: ")


def test_amplitude_exact_scales_heights_and_nothing_else() -> None:
    animation = ruckle.sample("sawing").cut(0, 30)

    def last(amplitude: float, **options: Any) -> ruckle.Frame:
        return [*ruckle.run(animation, tau=1.25, amplitude=amplitude, coherent=False, **options)][-1]

    plain, half, none = last(1.0), last(0.5), last(0.0)
    assert plain.wrinkles
    np.testing.assert_array_equal(half.columns.points, plain.columns.points)
    np.testing.assert_array_equal(half.columns.widths, plain.columns.widths)
    np.testing.assert_allclose(half.columns.heights, 0.5 * plain.columns.heights, rtol=1e-6)
    assert ruckle.displace(none).heights.max() == 0.0
    with pytest.raises(ValueError, match=r"amplitude: expected a number in \[0, 10\], got 11"):
        last(11.0)


@pytest.mark.skipif(not shared_cases("attack").is_dir(), reason="the shared cases are not there")
@pytest.mark.parametrize("name", ["deep_array_2k.toml", "dotted_20k.toml"])
def test_settings_reject_shared_cases(name: str) -> None:
    with pytest.raises(FormatError, match=name):
        load_settings(shared_cases("attack") / name)
