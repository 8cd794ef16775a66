"""Films and pictures of wrinkled cloth: from an animation to MP4, GIF and PNG.

>>> animation, shot = ruckle.sample("sawing"), Shot(size=(640, 360), before_after=True)
>>> with film_writer("sawing.mp4", size=shot.size, fps=animation.fps) as film:
...     for picture in shoot(animation, shot, frames=range(60, 64)):
...         film.append(picture)
...     film.finish()

Drawing needs OpenGL and the extra `render`; its packages are loaded when they are used.
"""

from ruckle.film.sheet import SheetCell, draw_cell, draw_render_sheet
from ruckle.film.shot import Shot, scout, shoot, telling_frame
from ruckle.film.writing import FilmWriter, film_rate, film_writer
from ruckle.scene.framing import VIEWS, amount_seen, busiest_frame, camera_path, close_up, picture_size

__all__ = [
    "VIEWS",
    "FilmWriter",
    "SheetCell",
    "Shot",
    "amount_seen",
    "busiest_frame",
    "camera_path",
    "close_up",
    "draw_cell",
    "draw_render_sheet",
    "film_rate",
    "film_writer",
    "picture_size",
    "scout",
    "shoot",
    "telling_frame",
]
