"""The Python of pages that are read and not executed with the documentation."""

import re
from pathlib import Path

import pytest

from drawing import need_opengl

DOCS = Path(__file__).parents[1] / "docs"


def test_label_costs_exact_every_block_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("moderngl", reason='films need more packages: pip install "ruckle[render]"')
    need_opengl()
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "label_costs.md").read_text(encoding="utf-8"), re.DOTALL)
    # the same on fewer frames
    text = "\n".join(blocks).replace('sample("sawing")', 'sample("sawing").cut(0, 40)').replace("220, 2", "4, 2")
    exec(compile(text, "label_costs.md", "exec"), {"__name__": "page"})
    assert (tmp_path / "labels.mp4").stat().st_size > 0
