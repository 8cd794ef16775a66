"""Objects, groups and materials of OBJ files: masks and the list of their names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from program import invoke
from ruckle import Animation, describe, load, make_mask

# two strips of two quads that share an edge, and a triangle apart from them
POINTS = "".join(f"v {x} {y} 0\n" for y in range(2) for x in range(5)) + "v 9 0 0\nv 10 0 0\nv 9 1 0\n"
TEXT = f"""{POINTS}
f 11 12 13
o hero
g shirt front
usemtl Cotton
f 1 2 7 6
f 2 3 8 7
g hands
usemtl Leather
f 3 4 9 8
f 4 5 10 9
"""
SHIRT, HANDS, APART = [0, 1, 2, 5, 6, 7], [2, 3, 4, 7, 8, 9], [10, 11, 12]


@pytest.fixture
def hero(tmp_path: Path) -> Animation:
    (tmp_path / "hero.obj").write_text(TEXT)
    return load(tmp_path / "hero.obj")


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ("+mesh:hero", set(SHIRT) | set(HANDS)),
        ("+front", set(SHIRT) - set(HANDS)),
        ("+shirt", set(SHIRT) - set(HANDS)),
        ("-material:leather", {*range(13)} - set(HANDS)),
        ("+all -cotton", {*range(13)} - set(SHIRT)),
    ],
)
def test_exact_names_are_terms_of_masks(hero: Animation, terms: str, expected: set[int]) -> None:
    found = make_mask(hero, terms)
    assert found is not None
    assert set(np.flatnonzero(found).tolist()) == expected


def test_exact_hands_keep_their_shape(hero: Animation) -> None:
    assert hero.mask is not None
    # cloth next to hands wrinkles up to the border
    assert np.flatnonzero(hero.mask == 0.0).tolist() == [3, 4, 8, 9]


def test_exact_frames_and_caches_have_the_names_of_the_file(hero: Animation, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    for frame in range(2):
        (tmp_path / "two" / f"{frame}.obj").write_text(TEXT)
    hero.save(tmp_path / "hero.pc2")
    for path in (tmp_path / "two", tmp_path / "hero.pc2"):
        groups = load(path).groups
        assert groups is not None
        assert groups.names("mesh") == ["hero", "shirt", "hands", "front"]


def test_exact_info_lists_the_names(hero: Animation, tmp_path: Path) -> None:
    contents: dict[str, Any] = describe(tmp_path / "hero.obj")
    assert contents["groups"] == ["hero", "shirt", "hands", "front"]
    assert contents["materials"] == ["Cotton", "Leather"]
    assert "Cotton, Leather" in invoke("info", tmp_path / "hero.obj").output


@pytest.mark.parametrize("text", ["g\nf 1 2 7\n", "usemtl\nf 1 2 7\n", "f 1 2 7\ng last\n", "f 1 2 7\n"])
def test_degenerate_files_without_names(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.obj").write_text(POINTS + text)
    assert load(tmp_path / "a.obj").groups is None


def test_exact_only_eight_names_of_a_line_count(tmp_path: Path) -> None:
    # a line of thousands of names would take time and memory for each name and each face
    names = " ".join(f"n{k}" for k in range(5000))
    (tmp_path / "a.obj").write_text(f"{POINTS}{f'g {names}{chr(10)}' * 1000}f 1 2 7 6\n")
    with pytest.warns(UserWarning, match="names after the first 8 names of a line are ignored") as remarks:
        animation = load(tmp_path / "a.obj", fps=24)
    assert len(remarks) == 1
    assert animation.groups is not None
    assert animation.groups.kinds["mesh"].names == tuple(f"n{k}" for k in range(8))


def test_exact_numbered_names_have_the_roles_of_their_words(tmp_path: Path) -> None:
    # faces before the first name, lines without faces, and lines with fewer names than others
    parts = "".join(f"g part{k} hand{k}\nf 1 2 7\ng part{k}\nf 2 3 8\ng empty{k}\n" for k in range(500))
    (tmp_path / "a.obj").write_text(f"{POINTS}f 11 12 13\n{parts}")
    with pytest.warns(UserWarning, match="dropped 998 duplicate faces"):
        animation = load(tmp_path / "a.obj")
    assert animation.groups is not None
    assert animation.groups.names("mesh") == [*(f"part{k}" for k in range(500)), *(f"hand{k}" for k in range(500))]
    assert animation.mask is not None
    assert np.flatnonzero(animation.mask == 0.0).tolist() == [0, 1, 6]
