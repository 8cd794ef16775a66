"""Text output on a terminal, with control characters escaped, because names from files could contain them."""

from __future__ import annotations

import click

__all__ = ["complain", "escaped"]


def escaped(text: str) -> str:
    """Return text with control characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def complain(sentence: str) -> None:
    """Print a sentence on standard error."""
    click.echo(f"ruckle: {escaped(sentence)}", err=True)
