"""The choice of layers, and patterns and waves, in the commands that draw or export."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from program import invoke, refusal, value_of
from ruckle import Modulator, Stack, Wrinkler, animation_patterns, load, load_patterns, save_patterns
from ruckle.io.results import load_run
from ruckle.scene.looks import LOOKS

PATHS = ("--tau", "1.05", "--r-min", "0.1")
NOISE = ("--pattern", "noise", "--wavelength", "0.6")


# options that do not belong to one layer
UNNAMED: tuple[tuple[str, ...], ...] = ((), ("--r-min", "0.1", "--threads", "2", "--rest", "first"))
# names of layers (classes) for options on the command line; a file "waves.toml" has a parameter of waves
CHOICES: dict[tuple[str, ...], set[str]] = {
    **{options: {"WaveField"} for options in UNNAMED},
    ("--waves",): {"WaveField"},
    ("--wave-gain", "2"): {"WaveField"},
    ("--look", "cotton"): {"WaveField"},
    ("--settings", "waves.toml"): {"WaveField"},
    ("--paths",): {"Wrinkler"},
    ("--tau", "1.2"): {"Wrinkler"},
    ("--settings", "paths.toml"): {"Wrinkler"},
    ("--settings", "named.toml"): {"Wrinkler"},
    NOISE: {"Modulator"},
    ("--paths", "--waves"): {"Wrinkler", "WaveField"},
    ("--tau", "1.2", "--wave-gain", "2"): {"Wrinkler", "WaveField"},
    ("--look", "cotton", "--paths"): {"Wrinkler", "WaveField"},
    ("--settings", "waves.toml", "--independent"): {"Wrinkler", "WaveField"},
    (*NOISE, "--paths"): {"Wrinkler", "Modulator"},
    (*NOISE, "--waves"): {"WaveField", "Modulator"},
}


@pytest.mark.parametrize("options", CHOICES)
@pytest.mark.parametrize("command", ["render", "export", "run"])
def test_layers_exact_those_with_options(
    animation_file: Path, monkeypatch: pytest.MonkeyPatch, command: str, options: tuple[str, ...]
) -> None:
    Path("waves.toml").write_text('[waves]\nr_min = "0.1"\nwavelength = "9 r_min"\npreset = "simulated"\n')
    Path("paths.toml").write_text("[paths]\ntau = 1.2\n")
    Path("named.toml").write_text('layers = ["paths"]\n')
    found = set[str]()

    def stop(layer: Any, *_: Any) -> None:
        found.update(type(one).__name__ for one in getattr(layer, "layers", (layer,)))
        raise ValueError("seen")

    # `run` creates its layers in another module
    home = pytest.importorskip("ruckle.cli.job" if command == "run" else f"ruckle.cli.{command}")
    monkeypatch.setattr(home, "looped_noting", stop)
    assert refusal(command, "swinging.npz", "-o", "a.png", *options) == "seen\n"
    # `run` always computes paths, and computes waves only if an option names them or belongs to them
    by_default = {"WaveField"} if options in UNNAMED else set[str]()
    assert found == ({"Wrinkler"} | CHOICES[options] - by_default if command == "run" else CHOICES[options])


@pytest.mark.parametrize("alone", [False, True])
def test_export_exact_patterns_stand_upon_paths(animation_file: Path, alone: bool) -> None:
    options = ["--frames", "5:6", "--r-min", "0.1"] if alone else ["--frames", "5:6", *PATHS]
    value = value_of("export", "swinging.npz", "-o", "fine", "--base", "flat", *NOISE, *options)
    animation = load("swinging.npz")
    modulator = Modulator.for_animation(animation, animation_patterns(animation, wavelength=0.6), r_min=0.1)
    paths = [] if alone else [Wrinkler.for_animation(animation, tau=1.05, r_min=0.1)]
    stack = Stack([*paths, modulator])
    frames = [stack.step(positions, 1 / animation.fps) for positions in animation.positions[:6]]
    written = load("fine/swinging_0005.obj")
    np.testing.assert_allclose(written.positions[0], ruckle.displace(frames[5], base="flat").positions, atol=1e-6)
    assert value["highest"] > 0.01


def test_run_exact_keeps_the_factors_of_patterns(animation_file: Path) -> None:
    value_of("run", "swinging.npz", "-o", "run.npz", *PATHS, *NOISE)
    value_of("run", "swinging.npz", "-o", "plain.npz", *PATHS)
    animation = load("swinging.npz")
    modulator = Modulator.for_animation(animation, animation_patterns(animation, wavelength=0.6), r_min=0.1)
    stack = Stack([Wrinkler.for_animation(animation, tau=1.05, r_min=0.1), modulator])
    frames = [stack.step(positions, 1 / animation.fps) for positions in animation.positions]
    found = load_run("run.npz").pattern_factors
    assert found is not None
    np.testing.assert_array_equal(found, [frame.layers[1].factors.astype(np.float16) for frame in frames])
    assert found.max() > 0
    assert load_run("plain.npz").pattern_factors is None


def test_export_exact_a_look_brings_its_folds(animation_file: Path) -> None:
    common = ("export", "swinging.npz", "--frames", "11:12", "-o")
    knit = LOOKS["knit"].options
    value_of(*common, "worn", "--look", "knit")
    said = [f"--{name.replace('_', '-')}={value}" for name, value in knit.items() if name.startswith("wave_")]
    value_of(*common, "said", *said)
    assert Path("worn/swinging_0011.obj").read_bytes() == Path("said/swinging_0011.obj").read_bytes()


def test_patterns_exact_files_are_read(animation_file: Path) -> None:
    animation = load("swinging.npz")
    save_patterns(animation_patterns(animation, wavelength=0.6), "waves.pattern.npz")
    common = ("export", "swinging.npz", "-o")
    value_of(*common, "made", *PATHS, *NOISE, "--frames", "5:6")
    value_of(*common, "read", *PATHS, "--pattern", "waves.pattern.npz", "--frames", "5:6")
    assert Path("made/swinging_0005.obj").read_bytes() == Path("read/swinging_0005.obj").read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--slack", "0.1"], "slack: is an option of patterns, but there are no patterns; --pattern noise adds some"),
        (["--pattern", "none.npz"], "none.npz"),
        (["--pattern", "nois"], "nois: no such source; did you mean noise? sources are paths, noise, strokes, names"),
        (["--pattern", "noise", "--wavelength", "0"], "wavelength: expected a finite number above 0, got 0.0"),
        (["--pattern", "noise", "--slack", "2"], "slack: expected"),
    ],
)
def test_patterns_reject_in_one_sentence(animation_file: Path, options: list[str], said: str) -> None:
    assert refusal("render", "swinging.npz", "-o", "a.png", *options).startswith(said)
    assert not Path("a.png").exists()


def test_pattern_exact_makes_what_other_commands_read(animation_file: Path) -> None:
    value = value_of("pattern", "swinging.npz", "-o", "waves.pattern.npz", "--wavelength", "0.6", "--seed", "3")
    [row] = value["patterns"]
    assert (value["output"], row["name"]) == ("waves.pattern.npz", "noise")
    assert 0.5 < row["covers"] <= 1.0
    animation = load("swinging.npz")
    topology = ruckle.Topology(ruckle.weld(animation.positions[0], animation.faces), animation.vertex_count)
    [read] = load_patterns("waves.pattern.npz", topology)
    [made] = animation_patterns(animation, wavelength=0.6, seed=3)
    np.testing.assert_array_equal(read.heights, made.heights)


def test_pattern_property_preview_shows_each_pattern(animation_file: Path) -> None:
    pytest.importorskip("moderngl")
    image = pytest.importorskip("PIL.Image")
    common = ("pattern", "swinging.npz", "-o", "two.pattern.npz", "--wavelength", "0.6", "--from", "noise")
    result = invoke(*common, "--from", "noise", "--preview", "two.png")
    if "OpenGL" in result.stderr:
        pytest.skip(result.stderr)
    assert result.exit_code == 0, result.stderr
    picture = np.asarray(image.open("two.png"))
    assert picture.shape == (720, 640, 3)
    assert picture.std() > 5


def test_pattern_reject_images_without_texture_coordinates(animation_file: Path) -> None:
    said = refusal("pattern", "swinging.npz", "-o", "a.pattern.npz", "--from", "folds.png")
    assert said.startswith("folds.png: an image needs texture coordinates")
    assert not Path("a.pattern.npz").exists()


def test_render_exact_paint_is_read(animation_file: Path) -> None:
    animation = load("swinging.npz")
    np.savez("none.npz", paint=np.zeros(animation.vertex_count))
    common = ("export", "swinging.npz", "-o")
    flat = value_of(*common, "flat", *PATHS, *NOISE, "--frames", "5:6", "--paint", "none.npz")
    raised = value_of(*common, "raised", *PATHS, *NOISE, "--frames", "5:6")
    assert (flat["highest"], raised["highest"] > 0.01) == (0.0, True)


def test_run_exact_keeps_the_vertices_of_waves(animation_file: Path) -> None:
    value_of("run", "swinging.npz", "-o", "waves.npz", *PATHS, "--waves", "--wave-gain", "2")
    animation = load("swinging.npz")
    waves = ruckle.WaveField.for_animation(animation, r_min=0.1, gain=2.0)
    stack = Stack([Wrinkler.for_animation(animation, tau=1.05, r_min=0.1), waves])
    frames = [stack.step(positions, 1 / animation.fps) for positions in animation.positions]
    found = load_run("waves.npz").wave_vertices
    assert found is not None
    np.testing.assert_array_equal(found, [frame.layers[1].vertices for frame in frames])
    assert found[:, :, 5].max() > 0


def test_export_exact_waves_by_default(animation_file: Path) -> None:
    value_of("export", "swinging.npz", "--frames", "5:6", "-o", "fine", "--r-min", "0.1")
    animation = load("swinging.npz")
    waves = ruckle.WaveField.for_animation(animation, r_min=0.1)
    frames = [waves.step(positions, 1 / animation.fps) for positions in animation.positions[:6]]
    written = load("fine/swinging_0005.obj")
    np.testing.assert_allclose(written.positions[0], ruckle.displace(frames[5], base="curved").positions, atol=1e-6)


def test_export_exact_waves_start_from_the_chosen_pose(animation_file: Path) -> None:
    animation = load("swinging.npz")
    animation = replace(animation, rest_positions=animation.positions[0] * [1.5, 1.0, 1.0])
    animation.save("bind.npz")
    highest = []
    for pose in ("bind", "first"):
        field = ruckle.WaveField.for_animation(animation, rest=pose, r_min=0.1)
        frames = [field.step(positions, 1 / animation.fps) for positions in animation.positions[:6]]
        value = value_of("export", "bind.npz", "-o", pose, "--frames", "5:6", "--r-min", "0.1", "--rest", pose)
        assert value["highest"] == frames[-1].highest
        highest.append(frames[-1].highest)
    assert highest[0] > 1.1 * highest[1] > 0.0
