"""Movie files through FFmpeg (PyAV): MP4 with H.264, and GIF with one palette per picture."""

from __future__ import annotations

from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
from av.filter import Graph
from av.video.format import VideoFormat
from av.video.frame import VideoFrame
from av.video.reformatter import ColorRange, Colorspace
from numpy.typing import NDArray

from ruckle.io.replacing import FileReplacement

__all__ = ["GifWriter", "Mp4Writer"]

# Constant quality of x264, 0 to 51 (lower is better), at which soft shading of cloth is preserved.
QUALITY = "17"
# Code of ITU-R BT.709 for colour primaries, transfer functions and matrices (ISO/IEC 23091-2).
BT709 = 1


class MovieWriter(FileReplacement):
    """Writes a video file. The file gets its final name only in `finish`.

    Parameters
    ----------
    path : path of the file
    size : (int, int), pixels
        Width and height.
    fps : float, pictures per second
    """

    def __init__(self, path: Path, *, size: tuple[int, int], fps: float) -> None:
        super().__init__(path)
        self._size = size
        self._rate = Fraction(fps).limit_denominator(1000)
        self._count = 0

    def _open(self, stack: ExitStack) -> None:
        self._container = stack.enter_context(av.open(str(self._file), "w", options=self._container_options()))
        self._stream = self._open_stream()
        self._stream.width, self._stream.height = self._size

    def append(self, picture: NDArray[np.uint8]) -> None:
        """Encode a picture, (height, width, 3) uint8, as the next picture of the film."""
        frame = VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
        frame.pts = self._count
        frame.time_base = 1 / self._rate
        self._count += 1
        self._container.mux(self._stream.encode(self._converted(frame)))

    def finish(self) -> None:
        """Write the pictures that the encoder still has, close the file, and move it to its path."""
        self._container.mux(self._stream.encode(None))
        self._container.close()
        super().finish()

    def _container_options(self) -> dict[str, str]:
        return {}

    def _open_stream(self) -> Any:
        raise NotImplementedError

    def _converted(self, frame: VideoFrame) -> VideoFrame:
        raise NotImplementedError


class Mp4Writer(MovieWriter):
    """Writes MP4 files for all common players: H.264, 4:2:0, BT.709. `MovieWriter` documents the parameters.

    Raises
    ------
    ValueError
        Width or height is odd.
    """

    def __init__(self, path: Path, *, size: tuple[int, int], fps: float) -> None:
        if size[0] % 2 or size[1] % 2:
            raise ValueError(f"size: films in MP4 have an even width and height, got {size[0]}x{size[1]}")
        super().__init__(path, size=size, fps=fps)

    def _container_options(self) -> dict[str, str]:
        # write the index at the start of the file, so that browsers can play before the download is complete
        return {"movflags": "+faststart"}

    def _open_stream(self) -> Any:
        stream = self._container.add_stream("libx264", rate=self._rate)
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": QUALITY, "preset": "medium"}
        context = stream.codec_context
        context.color_primaries = context.color_trc = context.colorspace = BT709
        context.color_range = ColorRange.MPEG
        return stream

    def _converted(self, frame: VideoFrame) -> VideoFrame:
        return frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)


class GifWriter(MovieWriter):
    """Writes animated GIF files that repeat endlessly. `MovieWriter` documents the parameters."""

    def _open_stream(self) -> Any:
        width, height = self._size
        self._graph = graph = Graph()
        taken = graph.add_buffer(width=width, height=height, format=VideoFormat("rgb24"), time_base=1 / self._rate)
        both = graph.add("split")
        palette = graph.add("palettegen", "stats_mode=single")
        # use ordered dither, which does not change over time; error diffusion would flicker on cloth that does not move
        painted = graph.add("paletteuse", "new=1:dither=bayer:bayer_scale=4")
        sink = graph.add("buffersink")
        taken.link_to(both)
        both.link_to(painted, 0, 0)
        both.link_to(palette, 1, 0)
        palette.link_to(painted, 0, 1)
        painted.link_to(sink)
        graph.configure()
        stream = self._container.add_stream("gif", rate=self._rate)
        stream.pix_fmt = "pal8"
        return stream

    def _converted(self, frame: VideoFrame) -> VideoFrame:
        self._graph.push(frame)
        return cast(VideoFrame, self._graph.pull())
