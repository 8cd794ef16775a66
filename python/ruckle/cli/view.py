"""`ruckle view`: show an animation in a window, with a timeline and a slider for every parameter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ruckle.cli.body import body_option, dyed, open_body, with_beside, without_colors
from ruckle.cli.console import Voice
from ruckle.cli.layers import Additions, layer_options
from ruckle.cli.notes import open_noting
from ruckle.cli.parameters import parameter_options, rest_option
from ruckle.cli.source import Source, source_options
from ruckle.film.writing import drawing_packages

__all__ = ["view"]


@click.command()
@body_option
@source_options
@layer_options()
@parameter_options
@rest_option
def view(
    source: Source,
    bodies: tuple[str, ...],
    beside: Path | None,
    colors: bool | None,
    additions: Additions,
    **parameters: Any,
) -> None:
    """Show an animation's wrinkled cloth in a window.

    Drag with the mouse to turn the garment, with the right button to move it; the wheel zooms. Space plays and pauses,
    B switches between the wrinkled cloth, the coarse mesh and both side by side, P writes a picture. If a parameter or
    the look changes, the animation runs again in the background. The brush paints parts that keep their shape; saved
    settings contain them.
    """
    with drawing_packages():
        from ruckle.view.outfit import Outfit
        from ruckle.view.session import Session
        from ruckle.view.window import Window

    animation = open_noting(source, Voice(as_json=False, quiet=False))
    body = open_body(source, bodies, animation)
    # a look replaces only the colours of the cloth; --no-colors also removes those of masked faces and of the body
    if colors is False:
        animation = without_colors(animation)
        body = None if body is None else without_colors(body)
    elif colors is None and additions.is_dyed:
        animation = dyed(animation)
    below = additions.below(animation, parameters, body)
    material = additions.worn_look(animation.height)
    body = with_beside(additions.worn_by(animation, body), beside, animation, material)
    outfit = Outfit(
        animation,
        below=below,
        look=additions.look,
        sources=additions.sources,
        wavelength=additions.wavelength,
        paths=additions.paths,
        paint=additions.painted(animation),
        waves=additions.waves is not None,
    )
    waves = {f"wave_{name}": value for name, value in (additions.waves or {}).items()}
    with Session(animation, outfit, **parameters, **additions.modulation, **waves, look=additions.look) as session:
        Window(session, body=body, mask=source.options.get("mask", ()), color=additions.color).run()
