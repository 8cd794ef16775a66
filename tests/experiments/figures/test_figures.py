"""The command `ruckle figures`: it draws every figure, the index page shows all figures, and each error is one line."""

import re
from io import BytesIO
from pathlib import Path
from unittest.mock import Mock

import pytest
from matplotlib.image import imread

from program import invoke, refusal, spawn, value_of
from ruckle import GraphicsError
from ruckle.experiments.figures import CATALOGUE, Entry, choose, write_figures

QUICK = ("4.2", "5.3", "6.1")


def said(page: str, attribute: str, tag: str = "") -> list[str]:
    """Return all values of an attribute in an HTML page, or only those of one kind of tag."""
    return re.findall(rf'<{tag}[^>]*? {attribute}="([^"]+)"', page)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.number)
def test_exact_every_figure_is_drawn(entry: Entry, tmp_path: Path) -> None:
    absent = write_figures(tmp_path, [entry])
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert entry.number in said(page, "id")
    if absent:
        assert absent[entry.number] in page
        return
    (picture,) = said(page, "src", "img")
    content = (tmp_path / picture).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 10_000
    # the border of each picture is white, so texts and axes are not cut off
    pixels = imread(BytesIO(content))[..., :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert edge.min() > 0.97
    # captions contain measured numbers; a failed measurement would print "nan" or "inf"
    for paragraph in re.findall(r"<p[^>]*>(.*?)</p>", page, flags=re.DOTALL):
        assert not re.search(r"\b(nan|inf)\b", paragraph)


def test_exact_the_catalogue_is_in_order_and_names_each_figure_once() -> None:
    numbers = [entry.number for entry in CATALOGUE]
    assert len(set(numbers)) == len(numbers)
    figures = [[int(part) for part in number.split(".")] for number in numbers if "-" not in number]
    assert figures == sorted(figures)
    assert [entry.number for entry in choose(["6.1", "3.3"])] == ["3.3", "6.1"]
    assert choose([]) == list(CATALOGUE)


def test_exact_program_draws_what_was_asked_for(tmp_path: Path) -> None:
    value = value_of("figures", "-o", tmp_path / "new", *QUICK)
    page = tmp_path / "new" / "index.html"
    assert value == {"page": str(page), "drawn": list(QUICK), "absent": {}}
    text = page.read_text(encoding="utf-8")
    assert said(text, "id") == list(QUICK)
    assert said(text, "href", "a") == [f"#{number}" for number in QUICK]
    assert {path.name for path in page.parent.iterdir()} == {page.name, *said(text, "src", "img")}


def test_exact_a_figure_that_cannot_be_drawn_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    error = GraphicsError("rendered pictures need OpenGL 4 & a display, and none was found")
    monkeypatch.setattr("ruckle.experiments.figures.peters2015.turning_path.draw", Mock(side_effect=error))
    result = invoke("figures", "-o", tmp_path, "5.3", "6.1")
    assert result.exit_code == 0
    assert "Figure 5.3 was not drawn: rendered pictures need OpenGL 4 & a display" in result.stdout
    assert "1 of 2 drawn" in result.stdout
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "OpenGL 4 &amp; a display" in page
    assert said(page, "src", "img") == ["figure_6.1.png"]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("8.55", "figure: no figure is called '8.55'; did you mean '8.5'?"),
        ("sawing", "figure: no figure is called 'sawing'; allowed are 3.3, 3.4,"),
    ],
)
def test_reject_an_unknown_figure(number: str, sentence: str, tmp_path: Path) -> None:
    assert refusal("figures", "-o", tmp_path / "out", number).startswith(sentence)
    assert not (tmp_path / "out").exists()


def test_degenerate_import_needs_no_matplotlib() -> None:
    code = "import sys, ruckle.experiments.figures; sys.exit('matplotlib' in sys.modules)"
    assert spawn(code=code).returncode == 0


def test_exact_pictures_of_an_earlier_run_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "figure_own.png").write_bytes(b"not of a page")
    write_figures(tmp_path, choose(["5.3", "6.1"]))
    write_figures(tmp_path, choose(["6.1"]))
    assert {path.name for path in tmp_path.iterdir()} == {"index.html", "figure_6.1.png", "figure_own.png"}
