"""Writes wrinkles as OBJ lines, one file per frame. A wrinkle is `o wrinkle_ID`, its vertices, and one `l` statement.

OBJ cannot store widths and heights. A wrinkle has the same object name in all files.
"""

from __future__ import annotations

from collections.abc import Sequence

from ruckle.io.frame_folder import FrameFolder
from ruckle.paths.frame import Frame, Wrinkle

__all__ = ["ObjLineWriter", "line_text"]


class ObjLineWriter(FrameFolder):
    """Writes FOLDER/NAME_0000.obj and so on. See `FrameFolder` for the parameters."""

    purpose = "lines"

    def append(self, frame: Frame) -> None:
        """Write the file of the next frame."""
        with self.create_frame(".obj") as file:
            file.write(line_text(frame.wrinkles).encode("ascii"))
        self.advance()


def line_text(wrinkles: Sequence[Wrinkle]) -> str:
    """Return the OBJ text of one frame: for each wrinkle, the polyline between the wrinkle's ends."""
    lines = [f"# {len(wrinkles)} wrinkles, mesh units"]
    count = 0
    for wrinkle in wrinkles:
        points = wrinkle.visible_line
        lines.append(f"o wrinkle_{wrinkle.id}")
        # nine digits distinguish all float32 numbers
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points.tolist()]
        lines.append("l " + " ".join(str(count + k) for k in range(1, len(points) + 1)))
        count += len(points)
    return "\n".join(lines) + "\n"
