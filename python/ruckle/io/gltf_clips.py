"""Animations of glTF: keyframes of node transforms and morph weights, sampled at any time.

The formulas are from the glTF 2.0 specification, appendix C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ruckle.io.gltf_accessors import read_floats
from ruckle.io.gltf_container import Document
from ruckle.io.gltf_entry import Entry

__all__ = ["Channel", "Clip", "channel_target", "channel_targets", "joined_clip", "read_clip", "sample_together"]

Times = NDArray[np.float64]

KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}

# JSON pointers of KHR_animation_pointer to those node properties that channels without pointers can also animate.
POINTER = re.compile(r"/nodes/(\d{1,9})/(translation|rotation|scale|weights)")

# For the time limit: estimated nanoseconds per animation without its channels. A file of one megabyte may contain
# 250,000 animations.
CLIP_TIME = 5e4

# If the cosine between two quaternions exceeds this value, linear interpolation is exact to float precision, but slerp
# would divide two sines near zero.
PARALLEL = 1 - 1e-10


@dataclass(frozen=True)
class Channel:
    """One keyframed property of one node.

    Attributes
    ----------
    times : (K,) float64, seconds, ascending
    values : (K, N) float64; for CUBICSPLINE (K, 3, N) with in-tangent, value and out-tangent
    interpolation : "LINEAR", "STEP" or "CUBICSPLINE"
    rotation : True if the values are quaternions x, y, z, w
    """

    times: Times
    values: NDArray[np.float64]
    interpolation: str
    rotation: bool

    def sample(self, times: Times) -> NDArray[np.float64]:
        """Return values (F, N) at times (F,) in seconds. Times are clamped to the first and last key.

        If `values` has a further axis in front, one per channel, the result also has this axis.
        """
        before = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, self.times.size - 1)
        after = np.minimum(before + 1, self.times.size - 1)
        step = self.times[after] - self.times[before]
        moment = np.clip(times, self.times[0], self.times[-1]) - self.times[before]
        # avoid a division by zero after the last key, and between keys with equal times
        share = np.divide(moment, step, out=np.zeros_like(step), where=step > 0)[:, None]
        if self.interpolation == "STEP":
            return self.values[..., before, :]
        if self.interpolation == "CUBICSPLINE":
            return self._cubic(before, after, share, step[:, None])
        if self.rotation:
            return _slerp(self.values[..., before, :], self.values[..., after, :], share)
        return (1 - share) * self.values[..., before, :] + share * self.values[..., after, :]

    def _cubic(
        self, before: NDArray[np.intp], after: NDArray[np.intp], share: Times, step: Times
    ) -> NDArray[np.float64]:
        """Return values of the cubic Hermite spline. Tangents are per second (glTF 2.0, C.5)."""
        squared, cubed = share**2, share**3
        values = (
            (2 * cubed - 3 * squared + 1) * self.values[..., before, 1, :]
            + step * (cubed - 2 * squared + share) * self.values[..., before, 2, :]
            + (3 * squared - 2 * cubed) * self.values[..., after, 1, :]
            + step * (cubed - squared) * self.values[..., after, 0, :]
        )
        return _unit(values) if self.rotation else values


def sample_together(channels: Sequence[Channel], times: Times) -> NDArray[np.float64]:
    """Return values (C, F, N) of channels of one property at times (F,) in seconds.

    Channels with the same keys are sampled in one call: NumPy needs longer for each call than for the numbers of a
    channel.
    """
    groups: dict[tuple[int, str, tuple[int, ...]], list[int]] = {}
    for number, channel in enumerate(channels):
        # `read_clip` reads each accessor of key times once
        groups.setdefault((id(channel.times), channel.interpolation, channel.values.shape), []).append(number)
    sampled = np.empty((len(channels), times.size, channels[0].values.shape[-1]))
    for members in groups.values():
        values = np.stack([channels[number].values for number in members])
        sampled[members] = replace(channels[members[0]], values=values).sample(times)
    return sampled


@dataclass(frozen=True)
class Clip:
    """One animation of a document, or several animations that play together.

    Attributes
    ----------
    name : str, may be empty
    start, end : first and last key time of all channels, in seconds; 0 without channels
    channels : channels by (node index, property), where the property is a key of `KINDS`
    ignored : number of animated properties, such as colours, that do not move a mesh
    """

    name: str
    start: float
    end: float
    channels: dict[tuple[int, str], Channel]
    ignored: int = 0


def read_clip(document: Document, index: int, morph_counts: dict[int, int]) -> Clip:
    """Read an animation. `morph_counts` maps node indices to their number of morph targets."""
    animation = document.root.element("animations", index)
    document.budget.spend(CLIP_TIME, animation)
    inputs: dict[int, Times] = {}
    channels: dict[tuple[int, str], Channel] = {}
    ignored = 0
    for entry in animation.elements("channels"):
        target = entry.entry("target")
        if target is None:
            raise entry.fault("has no target")
        node, kind = _target(target, document.root.count("nodes"))
        if node is None and kind == "pointer":
            ignored += 1
        if node is None or kind not in KINDS or (kind == "weights" and not morph_counts.get(node)):
            # skip properties of extensions, and morph weights of a mesh without morph targets
            continue
        sampler = animation.element("samplers", entry.integer("sampler", below=animation.count("samplers")))
        channels[node, kind] = _read_channel(document, sampler, kind, morph_counts.get(node, 0), inputs)
    start = min((float(times[0]) for times in inputs.values()), default=0.0)
    end = max((float(times[-1]) for times in inputs.values()), default=0.0)
    return Clip(animation.text("name"), start, end, channels, ignored)


def joined_clip(clips: Sequence[Clip]) -> Clip:
    """Return one clip with the channels of several clips. Its time range contains those of all clips with channels.

    If no clip has channels, it contains all ranges. If several clips animate the same property of a node, the last one
    is used.
    """
    channels = {key: channel for clip in clips for key, channel in clip.channels.items()}
    moving = [clip for clip in clips if clip.channels] or clips
    start, end = min(clip.start for clip in moving), max(clip.end for clip in moving)
    return Clip("+".join(clip.name for clip in clips), start, end, channels, sum(clip.ignored for clip in clips))


def channel_targets(animation: Entry) -> set[tuple[int, str]]:
    """Return the (node, property) pairs that an animation changes. Skip damaged channels, and do not read the keys.

    For speed, the raw JSON is used instead of `Entry`: a file may have 80 animations of 200 channels each.
    """
    channels = animation.raw("channels")
    try:
        found = {(channel["target"]["node"], channel["target"]["path"]) for channel in channels}
        if "pointer" not in map(itemgetter(1), found):
            return found
    except (KeyError, TypeError):
        # a channel is damaged, or has a pointer instead of a node
        pass
    return {target for channel in channels if (target := _raw_target(channel)) is not None}


def channel_target(channel: Entry) -> tuple[int, str] | None:
    """Return the (node, property) pair that a channel changes; None if it is damaged or changes something else."""
    return _raw_target(channel.copied())


def _raw_target(channel: object) -> tuple[int, str] | None:
    target = channel.get("target") if isinstance(channel, dict) else None
    if not isinstance(target, dict):
        return None
    node, kind = target.get("node"), target.get("path")
    if kind == "pointer":
        match = POINTER.fullmatch(str(_pointer_text(target)))
        node, kind = (int(match[1]), match[2]) if match else (None, None)
    return (node, kind) if isinstance(node, int) and isinstance(kind, str) else None


def _pointer_text(target: dict[str, object]) -> object:
    extensions = target.get("extensions")
    extension = extensions.get("KHR_animation_pointer") if isinstance(extensions, dict) else None
    return extension.get("pointer") if isinstance(extension, dict) else None


def _target(target: Entry, node_count: int) -> tuple[int | None, str]:
    """Return node and property of a channel, also for KHR_animation_pointer. The node is None for other pointers."""
    if target.text("path") != "pointer":
        return target.index("node", node_count), target.text("path")
    extension = (target.entry("extensions") or target).entry("KHR_animation_pointer")
    match = None if extension is None else POINTER.fullmatch(extension.text("pointer"))
    if extension is None or match is None:
        return None, "pointer"
    if int(match[1]) >= node_count:
        raise extension.fault(f"pointer: refers to node {match[1]} of {node_count}")
    return int(match[1]), match[2]


def _read_channel(document: Document, sampler: Entry, kind: str, morph_count: int, inputs: dict[int, Times]) -> Channel:
    """Return the keys of a sampler for a property `kind`, such as "rotation"; FormatError if they do not match it.

    `inputs` contains the key times by accessor; new ones are added. A key of "weights" has `morph_count` numbers.
    """
    accessor_total = document.root.count("accessors")
    input_index = sampler.integer("input", below=accessor_total)
    if input_index not in inputs:
        inputs[input_index] = _read_times(document, sampler, input_index)
    times = inputs[input_index]
    interpolation = sampler.text("interpolation", "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        raise sampler.fault(f"interpolation: expected LINEAR, STEP or CUBICSPLINE, found '{interpolation:.80}'")
    values = read_floats(document, sampler.integer("output", below=accessor_total), KINDS[kind])
    rows = 3 if interpolation == "CUBICSPLINE" else 1
    width = morph_count if kind == "weights" else values.shape[1]
    if values.size != times.size * rows * width:
        raise sampler.fault(f"output has {values.size} numbers, but {times.size} keys take {times.size * rows * width}")
    values = values.reshape(times.size, rows, width)
    if kind == "rotation":
        keys = values[:, rows // 2]
        if not np.linalg.norm(keys, axis=1).all():
            raise sampler.fault("output holds a rotation that is zero")
        if rows == 1:
            values = _unit(values)
    return Channel(times, values if rows == 3 else values[:, 0], interpolation, kind == "rotation")


def _read_times(document: Document, sampler: Entry, index: int) -> Times:
    times = read_floats(document, index, "SCALAR")[:, 0]
    if (np.diff(times) < 0).any():
        raise sampler.fault("input: key times do not ascend")
    return times


def _slerp(first: NDArray[np.float64], second: NDArray[np.float64], share: Times) -> NDArray[np.float64]:
    """Return unit quaternions (..., F, 4) on the shorter arc between two quaternions (glTF 2.0, C.4)."""
    cosine = np.einsum("...i,...i->...", first, second)[..., None]
    second = np.where(cosine < 0, -second, second)
    cosine = np.minimum(np.abs(cosine), 1.0)
    straight = cosine > PARALLEL
    angle = np.arccos(np.where(straight, 0.0, cosine))
    sine = np.sin(angle)
    first_share = np.where(straight, 1 - share, np.sin((1 - share) * angle) / sine)
    second_share = np.where(straight, share, np.sin(share * angle) / sine)
    return _unit(first_share * first + second_share * second)


def _unit(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quaternions (..., 4) scaled to length 1. A zero quaternion, which a spline may contain, remains zero."""
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    unit: NDArray[np.float64] = np.divide(quaternions, length, out=np.zeros_like(quaternions), where=length > 0)
    return unit
