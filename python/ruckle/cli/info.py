"""`ruckle info`: show the contents of a file, and the options that select its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from rich.console import Group
from rich.text import Text

from ruckle.cli.connectivity import describe_mesh
from ruckle.cli.console import Voice, output_options, section
from ruckle.cli.source import Source, as_path, source_options
from ruckle.errors import FormatError, MeshError
from ruckle.io import describe, summary

__all__ = ["info"]

# Keys of the contents that have their own table, or are in the heading.
SEPARATE = (
    "file",
    "sample",
    "format",
    "animation",
    "mesh",
    "problem",
    "arrays",
    "meshes",
    "parts",
    "skins",
    "animations",
)

PART_COLUMNS = (">triangles", ">bend", ">shrink", "<role", "<taken", "<--mesh", "<problem")
MESH_COLUMNS = (">--mesh", "<name", "<nodes", ">skin", ">--primitive", ">vertices", ">triangles", "<problem")

Row = tuple[str | Text, ...]


@click.command()
@source_options
@output_options
def info(source: Source, as_json: bool, quiet: bool) -> None:
    """Show the contents of a file, and the options that select its parts.

    The parts of a character are listed with the share of their triangles that bend, the share of their edges that
    shrink by a tenth in the clip, and their likely role. The last table is the animation that the given options select,
    as 'ruckle run' would take it. If nothing can be loaded, the reason is printed and the exit status is 2.
    """
    contents = _contents(source)
    voice = Voice(as_json, quiet)
    voice.report(contents)
    voice.say(*_sections(contents))
    if contents["problem"] is not None:
        if not any(part["problem"] is None for part in contents.get("parts", [])):
            raise FormatError(contents["problem"])
        voice.note(contents["problem"])


def _contents(source: Source) -> dict[str, Any]:
    """Return the result of `describe` with two more entries.

    `mesh` is the result of `describe_mesh`. `problem` is the reason if the selected animation cannot be used, otherwise
    None.
    """
    contents: dict[str, Any]
    if source.is_sample:
        contents = {"sample": source.name, "format": "packaged sample", "animation": summary(source.open())}
    else:
        contents = describe(as_path(source.name), **source.options)
    contents |= {"mesh": None, "problem": contents.get("problem")}
    if contents["problem"] is None:
        try:
            contents["mesh"] = describe_mesh(source.open())
        except MeshError as error:
            contents["problem"] = f"{source.name}: {error}"
    return contents


def _sections(contents: dict[str, Any]) -> Iterator[Group]:
    rows = [("format", contents["format"])]
    for name, value in contents.items():
        if name not in SEPARATE and value not in (None, "", []):
            rows.append((name.replace("_", " "), _words(value)))
    yield section(str(contents.get("file") or contents["sample"]), ("<", "<"), rows)
    kinds = (
        ("arrays", ("<name", "<shape", "<type"), _array_rows),
        ("parts", PART_COLUMNS, _part_rows),
        ("meshes", MESH_COLUMNS, _mesh_rows),
        ("skins", (">skin", "<name", ">joints"), _skin_rows),
        ("animations", (">--animation", "<name", ">start s", ">duration s", ">channels", "<problem"), _clip_rows),
    )
    for kind, columns, rows_of in kinds:
        if contents.get(kind):
            yield section(kind, columns, rows_of(contents[kind]))
    if contents["animation"] is not None:
        yield section("animation", ("<", ">", "<"), _animation_rows(contents["animation"], contents["mesh"]))


def _words(value: Any) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)


def _array_rows(arrays: list[dict[str, Any]]) -> Iterator[Row]:
    for array in arrays:
        yield array["name"], str(tuple(array["shape"])), array["dtype"]


def _part_rows(parts: list[dict[str, Any]]) -> Iterator[Row]:
    for part in parts:
        shares = ("" if part[key] is None else f"{part[key]:.0%}" for key in ("bends", "shrinks"))
        count = "" if part["triangles"] is None else f"{part['triangles']:,}"
        taken = "yes" if part["taken"] else ""
        yield count, *shares, part["role"] or "", taken, str(part["option"]), part["problem"] or ""


def _mesh_rows(meshes: list[dict[str, Any]]) -> Iterator[Row]:
    for mesh in meshes:
        skin = "" if mesh.get("skin") is None else str(mesh["skin"])
        first: Row = (str(mesh["index"]), mesh["name"], ", ".join(mesh.get("nodes", [])), skin)
        # if a file cannot be read as a scene, its meshes are listed without primitives, but with the reason
        for primitive in mesh.get("primitives") or [{**mesh, "index": ""}]:
            counts = (str(primitive.get(kind, "")) for kind in ("vertices", "faces"))
            yield *first, str(primitive["index"]), *counts, primitive.get("problem") or ""
            first = ("", "", "", "")


def _skin_rows(skins: list[dict[str, Any]]) -> Iterator[Row]:
    for skin in skins:
        yield str(skin["index"]), skin["name"], str(skin["joints"])


def _clip_rows(clips: list[dict[str, Any]]) -> Iterator[Row]:
    for clip in clips:
        times = (f"{clip[key]:.3f}" if key in clip else "" for key in ("start", "duration"))
        name, problem = clip["name"], clip.get("problem") or ""
        yield str(clip["index"]), name, *times, str(clip.get("channels", "")), problem


def _animation_rows(animation: dict[str, Any], mesh: dict[str, Any] | None) -> Iterator[Row]:
    height = animation["height"]
    yield "name", animation["name"], ""
    yield "frames", f"{animation['frames']:,}", f"{animation['fps']:g} fps, {animation['duration']:.3f} s"
    welded = f"{mesh['vertices']:,} after welding" if mesh else ""
    yield "vertices", f"{animation['vertices']:,}", welded
    yield "triangles", f"{animation['faces']:,}", ""
    yield "texture coordinates", "yes" if animation["uv"] else "no", ""
    guess = ", this mesh's own: give --height if its wearer is taller" if animation["height_is_guess"] else ""
    yield "height", f"{height:.4g}", f"mesh units along {animation['up']}{guess}"
    if mesh is not None:
        yield "components", f"{mesh['components']:,}", ""
        yield "boundary loops", f"{mesh['boundary_loops']:,}", ""
        for kind, length in mesh["edge_length"].items():
            yield f"edge length, {kind}", f"{length:.4g}", f"{length / height:.2%} of the height"
