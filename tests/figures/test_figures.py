"""`ruckle figures`: every figure is drawn, the index page shows them all, refusals are one sentence."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import pytest

from program import invoke, spawn, value_of
from ruckle.errors import GraphicsError
from ruckle.figures import CATALOGUE, Entry, choose, write_figures
from ruckle.samples import sample, samples

QUICK = ("4.2", "5.3", "6.1")


class Page(HTMLParser):
    """Collects what a page refers to and its ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pictures: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            into = {("img", "src"): self.pictures, ("a", "href"): self.links}.get((tag, name))
            if name == "id":
                into = self.ids
            if into is not None and value:
                into.append(value)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.number)
def test_exact_every_figure_is_drawn(entry: Entry, tmp_path: Path) -> None:
    imread = pytest.importorskip("matplotlib.image").imread
    absent = write_figures(tmp_path, [entry])
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert entry.number in Page(page).ids
    if absent:
        assert absent[entry.number] in page
        return
    (picture,) = Page(page).pictures
    content = (tmp_path / picture).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 10_000
    # nothing, such as a title, goes over the edge
    pixels = imread(BytesIO(content))[..., :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert edge.min() > 0.97
    # what is to be seen is said in whole sentences with numbers that were found
    for paragraph in re.findall(r"<p[^>]*>(.*?)</p>", page, flags=re.DOTALL):
        assert "nan" not in paragraph
        assert "inf" not in paragraph


def test_exact_the_table_counts_as_the_bench_does() -> None:
    pytest.importorskip("matplotlib")
    from ruckle.bench.stages import stage_row
    from ruckle.figures.peters2015.motions import draw_table

    texts = [text.get_text() for text in draw_table().figure.axes[0].texts]
    for name in samples():
        assert f"{stage_row(sample(name), 1)['wrinkles']:.1f}" in texts


def test_exact_the_catalogue_is_in_order_and_names_each_figure_once() -> None:
    numbers = [entry.number for entry in CATALOGUE]
    assert len(set(numbers)) == len(numbers)
    figures = [[int(part) for part in number.split(".")] for number in numbers if "-" not in number]
    assert figures == sorted(figures)
    assert [entry.number for entry in choose(["6.1", "3.3"])] == ["3.3", "6.1"]
    assert choose([]) == list(CATALOGUE)
    for entry in CATALOGUE:
        assert entry.claim.endswith(".")
        assert find_spec(f"ruckle.figures.peters2015.{entry.module}")


def test_exact_program_draws_what_was_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    value = value_of("figures", "-o", tmp_path / "new", *QUICK)
    page = tmp_path / "new" / "index.html"
    assert value == {"page": str(page), "drawn": list(QUICK), "absent": {}}
    found = Page(page.read_text(encoding="utf-8"))
    assert found.ids == list(QUICK)
    assert found.links == [f"#{number}" for number in QUICK]
    assert all((page.parent / picture).is_file() for picture in found.pictures)
    assert {path.name for path in page.parent.iterdir()} == {page.name, *found.pictures}


def test_exact_a_figure_that_cannot_be_drawn_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")

    def fail() -> None:
        raise GraphicsError("rendered pictures need OpenGL 4 & a display, and none was found")

    monkeypatch.setattr("ruckle.figures.peters2015.turning_path.draw", fail)
    result = invoke("figures", "-o", tmp_path, "5.3", "6.1")
    assert result.exit_code == 0
    assert "Figure 5.3 was not drawn: rendered pictures need OpenGL 4 & a display" in result.stdout
    assert "1 of 2 drawn" in result.stdout
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "OpenGL 4 &amp; a display" in page
    assert Page(page).pictures == ["figure_6.1.png"]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("8.55", "figure: none is called '8.55'; did you mean '8.5'?"),
        ("sawing", "figure: none is called 'sawing'; allowed are 3.3, 3.4,"),
    ],
)
def test_reject_an_unknown_figure(number: str, sentence: str, tmp_path: Path) -> None:
    result = invoke("figures", "-o", tmp_path / "out", number)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"ruckle: {sentence}")
    assert not (tmp_path / "out").exists()


def test_degenerate_import_needs_no_matplotlib() -> None:
    code = "import sys, ruckle.figures; sys.exit('matplotlib' in sys.modules)"
    assert spawn(code=code).returncode == 0
