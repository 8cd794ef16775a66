"""The pages of the guide: their Python code and each `ruckle` command on them run without errors."""

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ruckle
from drawing import need_opengl
from gltf_writer import Writer
from meshes import grid
from program import invoke

DOCS = Path(__file__).parents[1] / "docs"
FRAMES = 4
# extra arguments of each command that make its films, figures and sweeps smaller
SMALLER = {"render": ["--size", "96x64", "--frames", f"0:{FRAMES}"], "run": ["--frames", f"0:{FRAMES}"]}


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def commands(page: str) -> list[list[str]]:
    """Return the arguments of each `ruckle` command in the code blocks of a page, without comments."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (ruckle .*)$", text.replace("\\\n", " "), re.MULTILINE)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def write_hero(path: Path) -> None:
    """Write a GLB file of a character with the meshes `shirt` and `skin`.

    Its animation `run` compresses the shirt by a morph target.
    """
    sheet = grid(6, 6)
    squeezed = sheet.positions * [0.6, 1.0, 1.0]
    # texture coordinates in [0, 1]
    uv = sheet.positions[:, :2] / sheet.positions[:, :2].max(axis=0)
    writer = Writer()
    attributes = {"POSITION": writer.accessor(sheet.positions), "TEXCOORD_0": writer.accessor(uv)}
    target = {"POSITION": writer.accessor(squeezed - sheet.positions)}
    indices = writer.accessor(sheet.faces.reshape(-1), "u4")
    writer.mesh({"attributes": attributes, "indices": indices, "targets": [target]}, name="shirt")
    writer.mesh(
        {"attributes": {"POSITION": writer.accessor(sheet.positions - [0, 0, 1])}, "indices": indices}, name="skin"
    )
    for mesh in range(2):
        writer.add("nodes", {"mesh": mesh, "name": ("shirt", "skin")[mesh]})
    writer.add("scenes", {"nodes": [0, 1]})
    index = writer.animate(0, "weights", [0.0, 0.1, 0.2], [0.0, 1.0, 0.5])
    writer.root["animations"][index]["name"] = "run"
    writer.save(path)


@pytest.fixture
def hero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create the files that the pages mention in a new working directory, and return its path."""
    monkeypatch.chdir(tmp_path)
    write_hero(tmp_path / "hero.glb")
    (tmp_path / "shirt.toml").write_text("[paths]\ntau = 1.2\n", encoding="utf-8")
    return tmp_path


def run_python(page: str, changes: dict[str, str]) -> dict[str, Any]:
    """Run the Python code blocks of a page after replacing large numbers by smaller ones. Return the variables.

    Code blocks that use Blender's module bpy are skipped.
    """
    code = "\n".join(block for block in blocks(page, "python") if "bpy" not in block)
    for large, small in changes.items():
        assert large in code
        code = code.replace(large, small)
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, f"{page}.md", "exec"), names)
    return names


def test_label_costs_exact_every_block_runs(hero: Path) -> None:
    pytest.importorskip("moderngl", reason='films need more packages: pip install "ruckle[render]"')
    need_opengl()
    run_python("label_costs", {'sample("sawing")': 'sample("sawing").cut(0, 40)', "220, 2": "4, 2"})
    assert (hero / "labels.mp4").stat().st_size > 0


def test_research_exact_every_block_runs(hero: Path) -> None:
    pytest.importorskip("pyarrow")
    less = {"frames[90]": "frames[-1]", '"sawing", "chopping"], "sweep"': '"jumping_jack"], "sweep", workers=1'}
    names = run_python("research", less | {'sample("sawing")': 'sample("sawing").cut(0, 40)', ":7": ":2"})
    assert names["table"].num_rows == 4
    # `restore` on the page undid the second frame
    assert names["wrinkler"].frame_count == 1


@pytest.mark.parametrize("page", ["artist", "blender", "games", "technical_artist"])
def test_pages_exact_every_command_runs(page: str, hero: Path) -> None:
    need_opengl()
    pytest.importorskip("pxr", reason='USD needs more packages: pip install "ruckle[usd]"')
    found = [words for words in commands(page) if words[0] != "view"]
    assert found
    for words in found:
        frames = SMALLER.get(words[0], [])
        result = invoke(*words, *(frames if "--frames" not in words and "--frame" not in words else frames[:2]))
        assert result.exit_code == 0, (words, result.stderr)
        if "-o" in words:
            output = hero / words[words.index("-o") + 1]
            assert output.exists(), words


def test_pages_exact_options_in_the_text_exist() -> None:
    """Every `--option` that a page mentions is an option of a command."""
    helps = "".join(invoke(*name, "--help").stdout for name in every_command())
    for page in sorted(DOCS.glob("*.md")):
        named = set(re.findall(r"`(--[a-z][a-z-]+)", page.read_text(encoding="utf-8")))
        assert {option for option in named if not re.search(rf"{option}\b", helps)} == set(), page.name


def every_command() -> list[tuple[str, ...]]:
    from ruckle.cli import main

    names: list[tuple[str, ...]] = []
    for name in main.list_commands(None):  # type: ignore[arg-type]
        names.append((name,))
        group = main.get_command(None, name)  # type: ignore[arg-type]
        names += [(name, inner) for inner in getattr(group, "commands", {})]
    return names


def test_readme_exact_python_runs() -> None:
    need_opengl()
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS.parent / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    picture, fine = names["picture"], names["fine"]
    assert (picture.shape, picture.dtype) == ((720, 1280, 3), np.uint8)
    # a mesh with wrinkles has heights above 0, so it is a fine mesh
    assert fine.heights.max() > 0.0
    assert isinstance(names["frame"], ruckle.Frame)


def test_readme_exact_is_short_and_has_links_to_existing_files() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (DOCS.parent / target).exists(), target
