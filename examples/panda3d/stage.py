"""The window, the arguments and the camera of demo.py."""

import os
import sys
from argparse import ArgumentParser, Namespace

from direct.actor.Actor import Actor
from direct.showbase.ShowBase import ShowBase
from panda3d.core import ClockObject, Filename, PNMImage, load_prc_file_data

# Time of the animation in a picture, s, and size of the picture in pixels
PICTURE_TIME, PICTURE_SIZE = 1.0, 800
FRAME_TIME = 1 / 30

# Distance of the camera, relative to the diagonal of the bounding box
DISTANCE = 1.8


def arguments() -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(description="Show an animated character with wrinkled clothes.")
    parser.add_argument("file", help="glTF file of the character")
    parser.add_argument("meshes", nargs="*", help="names of meshes; by default the clothes")
    parser.add_argument("--animation", help="name of an animation; by default the first")
    parser.add_argument("--picture", metavar="PNG", help="write a picture instead of showing a window")
    return parser.parse_args()


def open_stage(picture: str | None) -> ShowBase:
    """Open a window. If there is no display, or if a picture is given, draw without a window."""
    has_display = not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY"))
    load_prc_file_data("", "gl-version 4 1\nframebuffer-multisample 1\nmultisamples 4")
    if picture is None and has_display:
        return ShowBase()
    load_prc_file_data("", f"win-size {PICTURE_SIZE} {PICTURE_SIZE}\naudio-library-name null")
    if not has_display:
        load_prc_file_data("", "load-display p3headlessgl")
    return ShowBase(windowType="offscreen")


def place_camera(base: ShowBase, hero: Actor) -> None:
    """Place the camera in front of the character, so that its bounding box is visible. The mouse can move it."""
    low, high = hero.get_tight_bounds(base.render)
    center, size = (low + high) / 2, (high - low).length()
    base.cam.set_pos(center.x, center.y - DISTANCE * size, center.z)
    base.cam.look_at(center)
    base.camLens.set_near_far(0.01 * size, 100 * size)


def show(base: ShowBase, hero: Actor, picture: str | None) -> None:
    """Place the camera and show the window until it is closed; without a window, write a picture."""
    place_camera(base, hero)
    if base.windowType != "offscreen":
        base.run()
        return
    clock = ClockObject.get_global_clock()
    clock.mode, clock.dt = ClockObject.M_non_real_time, FRAME_TIME
    for _ in range(round(PICTURE_TIME / FRAME_TIME)):
        base.task_mgr.step()
    picture = picture or "demo.png"
    image = PNMImage()
    base.win.get_screenshot(image)
    # viewers show the background, whose alpha is 0, as white
    image.remove_alpha()
    if not image.write(Filename.from_os_specific(picture)):
        raise OSError(f"{picture}: cannot be written")
    print(f"wrote {picture}")
