"""Measure the English of comments, docstrings and pages: python docs/english.py [--worst N].

Some words mark sentences that are hard to understand, such as a clause with "what" in place of a noun. The limits are
occurrences per 1,000 words in manuals of well-known projects. The exit status is 1 if a density exceeds its limit.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Name, pattern, limit per 1,000 words.
WORDS = (
    ("what", r"what(ever)?", 1.0),
    ("where", r"where", 1.5),
    ("lie, stand, stay", r"lie|lies|lying|lay|stand|stands|stood|stay|stays", 1.0),
    ("old words", r"anew|besides?|alike|whoever|somebody|nobody|thereof|hardly|farther|nothing else|by turns", 0.2),
    ("is no, has no", r"(is|are|be|was|has|have) no(?! longer)", 0.6),
)
# Sentences that begin with a question word, and so do not name their subject; limit per 1,000 texts.
HEADLESS = re.compile(r"(^|[.;:] )(What|Whether|Whoever|Of what|Where) [a-z]", re.MULTILINE)
HEADLESS_LIMIT = 2.0

SOURCES = {".h", ".cpp", ".c", ".glsl", ".vert", ".frag", ".tesc", ".tese", ".geom", ".mjs"}
COMMENT = re.compile(r"//+ ?(.*)|/\*+(.*?)(?:\*/|$)|^\s*\*\s(.*)", re.MULTILINE)


def texts_of(path: Path) -> Iterator[str]:
    """Yield the comments and docstrings of a source, or the prose of a page."""
    if path.suffix not in {".md", ".py", *SOURCES}:
        return
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield re.sub(r"```.*?```", "", content, flags=re.DOTALL)
    elif path.suffix in SOURCES:
        yield from (next(filter(None, found), "") for found in COMMENT.findall(content))
    elif path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(content).readline)
        yield from (token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT)
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        nodes = (node for node in ast.walk(ast.parse(content)) if isinstance(node, documented))
        yield from filter(None, map(ast.get_docstring, nodes))


def main() -> None:
    """Print the densities of all tracked files, and the worst texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N hardest texts")
    wanted = parser.parse_args().worst
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    texts = [(name, text) for name in tracked.splitlines() if (ROOT / name).is_file() for text in texts_of(ROOT / name)]
    words = sum(len(re.findall(r"[A-Za-z']+", text)) for _, text in texts)
    failed = False
    for name, pattern, limit in WORDS:
        density = 1000 * sum(len(re.findall(rf"\b({pattern})\b", text, re.IGNORECASE)) for _, text in texts) / words
        failed |= density > limit
        print(f"{name:18} {density:5.2f} per 1,000 words, at most {limit}")
    headless = 1000 * sum(HEADLESS.search(text) is not None for _, text in texts) / len(texts)
    failed |= headless > HEADLESS_LIMIT
    print(f"{'no subject':18} {headless:5.2f} per 1,000 texts, at most {HEADLESS_LIMIT}")
    every = re.compile("|".join(rf"\b({pattern})\b" for _, pattern, _ in WORDS), re.IGNORECASE)
    for name, text in sorted(texts, key=lambda one: -len(every.findall(one[1])) / (5 + len(one[1].split())))[:wanted]:
        print(f"{name}: {' '.join(text.split())[:120]}")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
