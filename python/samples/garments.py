"""The garments: segments of each row of vertices, the form below the garment, and its openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .collar import Collar
from .fitting import Opening, fit, mirrored
from .form import Form
from .lattice import Lattice, Mesh, Strip
from .sewn import Outline, band, both_sides, closure, rectangle
from .skeleton import rest
from .solid import Blend, Solid

__all__ = ["Bodice", "Dress", "Overalls", "Shirt", "Skirt", "Trousers"]

FloatArray = NDArray[np.float64]

ARMPIT_HEIGHT = 1.25
"""Height of the row where the torso ends and front, back and sleeve begin, metres.

Relaxation moves it to its final place.
"""

ARMHOLE = rest("left_shoulder") - np.array([0.0, 0.02, 0.0])
"""Centre of the armhole, metres."""

LIMB_EDGE = 0.8
"""Left edge of sleeves and legs in the sewing pattern, metres; the widest torso is to the left of it."""

HOOD_EDGE = 1.6
"""Left edge of the hood in the sewing pattern, metres; the sleeves are to the left of it."""

HOOD_SIZE = (0.11, 0.12)
"""Half width and half depth of a hood before fitting, metres."""

HOOD_PLANE = ((0.0, 1.64, 0.085), (0.0, 0.10, 1.0))
"""Point and normal of the plane in which the hood's edge around the face is, metres."""

CUFF = 0.055
"""Height of cuffs that are sewn on as patches, metres."""

WAIST, WAISTBAND = 1.00, 0.04
"""Lower end of the waistband of overalls, and height of all waistbands, metres."""

SHOULDER_HEIGHT = 1.45
"""Height of the shoulder seam, metres."""


@dataclass(frozen=True)
class Bodice:
    """One half of front and back, from the armpits to the shoulder seam.

    The row at armpit height has `columns` segments across the front, `side` segments under the arm, and `columns`
    across the back. `rows` rows are between the armpit and the shoulder. The neck opening is `neck` columns wide. The
    front neckline is one row lower than the back neckline.
    """

    columns: int = 3
    side: int = 2
    rows: int = 4
    neck: int = 1

    def segments(self) -> int:
        """Return the number of segments in the row at armpit height."""
        return 2 * self.columns + self.side

    def sew(self, lattice: Lattice, form: Form, below: Strip) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Sew the bodice onto the row `below`; return the vertices of the armhole and of the neckline.

        The armhole starts in the middle of the underarm and continues over the back, the shoulder and down the front.
        Its first vertex is not repeated. The neckline is ordered from front to back.
        """
        columns = self.columns
        front, back = below[: columns + 1], below[columns + self.side :]
        back_rows, front_rows = [back], [front]
        heights = np.linspace(ARMPIT_HEIGHT, SHOULDER_HEIGHT, self.rows + 1)
        for row in range(1, self.rows + 1):
            depth = 1.0 - 0.5 * row / self.rows
            across = panel(form, columns, heights[row], depth)
            v = float(heights[row])
            points = lattice.vertices([(x, y, -z) for x, y, z in across[::-1]])
            back_rows.append(lattice.strip(points, uv_span(lattice, back), v))
            if row < self.rows:
                front_rows.append(lattice.strip(lattice.vertices(across), uv_span(lattice, front), v))
        seam = back_rows[-1].vertices[::-1]
        start, end = uv_span(lattice, front)
        inner = start + (end - start) * self.neck / columns
        front_rows.append(lattice.strip(seam[self.neck :], (inner, end), float(heights[-1])))
        for rows in (back_rows, front_rows):
            for lower, upper in pairwise(rows):
                narrow = lower[self.neck :] if upper is front_rows[-1] else lower
                lattice.sew(narrow, upper)
        under = below.vertices[columns : columns + self.side + 1]
        middle = self.side // 2
        armhole = (
            *under[middle:-1],
            *(row.vertices[0] for row in back_rows),
            *(row.vertices[-1] for row in front_rows[-2:0:-1]),
            *under[:middle],
        )
        rim = circle(ARMHOLE, np.array([0.0, -0.09, 0.0]), np.array([0.0, 0.0, -0.09]))
        lattice.place(armhole, around(rim, len(armhole)).tolist())
        neckline = (*front_rows[-2].vertices[: self.neck + 1], *seam[self.neck :: -1])
        return armhole, neckline


@dataclass(frozen=True)
class Shirt:
    """A long-sleeved shirt from three parts: torso tube, bodice and sleeve.

    Parameters
    ----------
    form : dressed body under the shirt
    hem : height of the hem, metres
    torso_bands : number of bands of triangles between the hem and the armpits
    bodice : front and back above the armpits
    sleeve_segments : numbers of segments of the sleeve's rings, from the armhole to the cuff
    cuff : distance of the cuff from the elbow along the forearm, metres
    neck_height : height of the neckline over the spine, metres
    cuff_band, hem_band : widths of the bands at cuffs and hem, metres; 0 means no band
    hood : number of rows of the hood; 0 means no hood
    is_buttoned : True for a placket with buttons, and for cuffs that are sewn on
    patches : additional patches, in coordinates of the sewing pattern
    collar : collar around the neck
    """

    form: Solid
    hem: float
    torso_bands: int
    bodice: Bodice
    sleeve_segments: Sequence[int]
    cuff: float = 0.235
    neck_height: float = 1.500
    cuff_band: float = 0.0
    hem_band: float = 0.0
    hood: int = 0
    is_buttoned: bool = False
    patches: Sequence[Outline] = ()
    collar: Collar | None = None

    def mesh(self) -> Mesh:
        """Return the mesh of the whole shirt."""
        lattice = Lattice()
        heights = np.linspace(self.hem, ARMPIT_HEIGHT, self.torso_bands + 1)
        torso = tube(lattice, torso_form(self.form), heights, [self.bodice.segments()] * len(heights))
        armhole, neckline = self.bodice.sew(lattice, torso_form(self.form), torso[-1])
        elbow, wrist = rest("left_elbow"), rest("left_wrist")
        forearm = (wrist - elbow) / np.linalg.norm(wrist - elbow)
        end = elbow + self.cuff * forearm
        under, back = np.array([forearm[1], -forearm[0], 0.0]), np.array([0.0, 0.0, -1.0])
        rim = circle(end, 0.05 * under, 0.05 * back)
        sleeve = loft(lattice, armhole, self.sleeve_segments, rim, upward=True)
        openings = [
            Opening(torso[0].vertices, (0.0, self.hem, 0.0), (0.0, 1.0, 0.0)),
            hood(lattice, neckline, self.hood) if self.hood else neck_opening(neckline, self.neck_height),
            Opening(sleeve[-1], tuple(end.tolist()), tuple(forearm.tolist())),
        ]
        if self.cuff_band:
            seam = end - self.cuff_band * forearm
            openings.append(Opening(sleeve[-2], tuple(seam.tolist()), tuple(forearm.tolist())))
        if self.hem_band:
            openings.append(Opening(torso[1].vertices, (0.0, self.hem + self.hem_band, 0.0), (0.0, 1.0, 0.0)))
        whole = mirrored(fit(lattice.half(), self.form, openings))
        whole = whole if self.collar is None else whole.with_collar(self.collar.trim(whole, self.form))
        if not self.is_buttoned:
            return whole.sewn(self.patches)
        # the neckline at the front is one row below the shoulder seam
        top = SHOULDER_HEIGHT - (SHOULDER_HEIGHT - ARMPIT_HEIGHT) / self.bodice.rows
        placket, buttons = closure(self.hem, top)
        length = max(v for u, v in lattice.uv if LIMB_EDGE <= u < HOOD_EDGE)
        cuffs = both_sides(rectangle(LIMB_EDGE - 0.1, length - CUFF, HOOD_EDGE, length + 0.1))
        return whole.sewn([placket, *cuffs, *self.patches], buttons)


@dataclass(frozen=True)
class Overalls:
    """Sleeveless overalls from legs, torso tube and bodice.

    Parameters
    ----------
    form : dressed body under the overalls
    torso_bands : number of bands of triangles between the crotch and the armpits
    bodice : front and back above the armpits
    crotch_segments : number of segments between front and back under the crotch, even
    leg_segments : numbers of segments of the leg's rings, from the crotch to the ankle
    leg_hem : height of the leg's end, metres
    neck_height : height of the neckline over the spine, metres
    patches : patches in addition to the waistband, in coordinates of the sewing pattern
    collar : collar around the neck
    """

    form: Form
    torso_bands: int
    bodice: Bodice
    crotch_segments: int
    leg_segments: Sequence[int]
    leg_hem: float
    neck_height: float = 1.500
    patches: Sequence[Outline] = ()
    collar: Collar | None = None

    def mesh(self) -> Mesh:
        """Return the mesh of the whole garment."""
        lattice = Lattice()
        heights = np.linspace(0.86, ARMPIT_HEIGHT, self.torso_bands + 1)
        torso = tube(lattice, self.form, heights, [self.bodice.segments()] * len(heights))
        armhole, neckline = self.bodice.sew(lattice, self.form, torso[-1])
        ankle = leg(lattice, torso[0], self.crotch_segments, self.leg_segments, self.leg_hem)
        openings = [
            neck_opening(neckline, self.neck_height),
            Opening(armhole, tuple(ARMHOLE.tolist()), (1.0, 0.2, 0.0)),
            Opening(ankle, (0.0, self.leg_hem, 0.0), (0.0, 1.0, 0.0)),
        ]
        whole = mirrored(fit(lattice.half(), self.form, openings))
        whole = whole if self.collar is None else whole.with_collar(self.collar.trim(whole, self.form))
        return whole.sewn([band(WAIST, WAIST + WAISTBAND), *self.patches])


@dataclass(frozen=True)
class Skirt:
    """A flared skirt.

    Parameters
    ----------
    form : shape of the skirt
    hem, waist : heights of the ends of the skirt, metres
    segments : numbers of segments of the half rows, from the hem to the waist
    """

    form: Form
    hem: float
    waist: float
    segments: Sequence[int]

    def mesh(self) -> Mesh:
        """Return the mesh of the whole skirt."""
        lattice = Lattice()
        rows = tube(lattice, self.form, np.linspace(self.hem, self.waist, len(self.segments)), self.segments)
        openings = [
            Opening(rows[0].vertices, (0.0, self.hem, 0.0), (0.0, 1.0, 0.0)),
            Opening(rows[-1].vertices, (0.0, self.waist, 0.0), (0.0, 1.0, 0.0)),
        ]
        return mirrored(fit(lattice.half(), self.form, openings)).sewn([band(self.waist - WAISTBAND, 3.0)])


@dataclass(frozen=True)
class Trousers:
    """Trousers with a waistband.

    Parameters
    ----------
    form : dressed legs and hips
    waist : height of the upper end, metres
    bands : number of bands of triangles between the crotch and the waist
    columns : number of segments of the half rows above the crotch
    crotch_segments : number of segments between front and back under the crotch, even
    leg_segments : numbers of segments of the leg's rings below the crotch
    leg_hem : height of the leg's end, metres
    """

    form: Form
    waist: float
    bands: int
    columns: int
    crotch_segments: int
    leg_segments: Sequence[int]
    leg_hem: float

    def mesh(self) -> Mesh:
        """Return the mesh of the whole garment."""
        lattice = Lattice()
        heights = np.linspace(0.86, self.waist, self.bands + 1)
        rows = tube(lattice, self.form, heights, [self.columns] * len(heights))
        ankle = leg(lattice, rows[0], self.crotch_segments, self.leg_segments, self.leg_hem)
        openings = [
            Opening(rows[-1].vertices, (0.0, self.waist, 0.0), (0.0, 1.0, 0.0)),
            Opening(ankle, (0.0, self.leg_hem, 0.0), (0.0, 1.0, 0.0)),
        ]
        return mirrored(fit(lattice.half(), self.form, openings)).sewn([band(self.waist - WAISTBAND, 3.0)])


@dataclass(frozen=True)
class Dress:
    """A sleeveless dress from a flared skirt, a waist and a bodice.

    Parameters
    ----------
    form : shape of the dress
    hem, waist : heights of the hem and of the waist, metres
    skirt_segments : numbers of segments of the half rows from the hem upward, without the waist
    torso_bands : number of bands of triangles between the waist and the armpits
    bodice : front and back above the armpits
    neck_height : height of the neckline over the spine, metres
    collar : collar around the neck
    """

    form: Form
    hem: float
    waist: float
    skirt_segments: Sequence[int]
    torso_bands: int
    bodice: Bodice
    neck_height: float = 1.500
    collar: Collar | None = None

    def mesh(self) -> Mesh:
        """Return the mesh of the whole dress."""
        lattice = Lattice()
        skirt = np.linspace(self.hem, self.waist, len(self.skirt_segments) + 1)
        heights = [*skirt[:-1], *np.linspace(self.waist, ARMPIT_HEIGHT, self.torso_bands + 1)]
        counts = [*self.skirt_segments, *[self.bodice.segments()] * (self.torso_bands + 1)]
        rows = tube(lattice, self.form, np.array(heights), counts)
        armhole, neckline = self.bodice.sew(lattice, self.form, rows[-1])
        openings = [
            Opening(rows[0].vertices, (0.0, self.hem, 0.0), (0.0, 1.0, 0.0)),
            Opening(rows[len(self.skirt_segments)].vertices, (0.0, self.waist, 0.0), (0.0, 1.0, 0.0)),
            neck_opening(neckline, self.neck_height),
            Opening(armhole, tuple(ARMHOLE.tolist()), (1.0, 0.2, 0.0)),
        ]
        whole = mirrored(fit(lattice.half(), self.form, openings))
        whole = whole if self.collar is None else whole.with_collar(self.collar.trim(whole, self.form))
        return whole.sewn([band(self.waist - 0.018, self.waist + 0.018)])


def tube(lattice: Lattice, form: Form, heights: FloatArray, segments: Sequence[int]) -> list[Strip]:
    """Sew half rings around the torso from bottom to top, and return them.

    Each half ring begins at the front centre and ends at the back centre.
    """
    rows = []
    for height, count in zip(heights, segments, strict=True):
        width, depth, centre = (float(value[0]) for value in form.section(np.array([height])))
        angles = np.linspace(0.0, np.pi, count + 1)
        x, z = width * np.sin(angles), centre + depth * np.cos(angles)
        x[[0, -1]] = 0.0
        ring = lattice.vertices(np.stack([x, np.full(count + 1, height), z], axis=1).tolist())
        rows.append(lattice.strip(ring, (0.0, np.pi * 0.5 * (width + depth)), float(height)))
    for lower, upper in pairwise(rows):
        lattice.sew(lower, upper)
    return rows


def panel(form: Form, columns: int, height: float, depth: float) -> list[tuple[float, float, float]]:
    """Return approximate points of one row of the front, from the mirror plane to the armhole."""
    _, half_depth, _ = (float(value[0]) for value in form.section(np.array([1.30])))
    return [(0.165 * s, height - 0.03 * s, half_depth * depth) for s in np.linspace(0.0, 1.0, columns + 1)]


def leg(lattice: Lattice, hips: Strip, crotch_segments: int, segments: Sequence[int], hem: float) -> tuple[int, ...]:
    """Sew a trouser leg to the half ring `hips`. Return the vertices of the ring at its lower end."""
    depths = np.linspace(-0.09, 0.09, crotch_segments + 1)[1:-1]
    crotch = lattice.vertices([(0.0, 0.80, z) for z in depths])
    middle = len(crotch) // 2
    groin = (*crotch[middle:], *hips.vertices, *crotch[:middle])
    end = rest("left_ankle") * (1.0, 0.0, 1.0) + (0.0, hem, 0.0)
    rim = circle(end, np.array([-0.065, 0.0, 0.0]), np.array([0.0, 0.0, 0.065]))
    return loft(lattice, groin, segments, rim, upward=False)[-1]


def hood(lattice: Lattice, neckline: tuple[int, ...], rows: int) -> Opening:
    """Sew a hood to the neckline, which begins at the front and ends at the nape. Return the opening of the face.

    Each row runs from the edge around the face to the middle of the back. The last row is the ridge over the head.
    """
    base = np.array([lattice.points[vertex] for vertex in neckline])
    columns = len(neckline) - 1
    last = lattice.strip(neckline, (HOOD_EDGE, HOOD_EDGE + 0.3), 0.0)
    edge = []
    shares = np.linspace(0.0, 1.0, columns + 1)
    for row in range(1, rows + 1):
        rise = row / rows
        # each row begins at the face and ends at the back; low rows are around the head, the last row is over the head
        angles = np.radians(20.0 + 160.0 * shares)
        aside = HOOD_SIZE[0] * np.sin(angles) * np.cos(0.5 * np.pi * rise) ** 0.5
        points = np.stack([aside, 1.50 + 0.26 * rise + 0 * shares, -0.02 + HOOD_SIZE[1] * np.cos(angles)], axis=1)
        points = (1.0 - rise) ** 2 * base + (1.0 - (1.0 - rise) ** 2) * points
        # the first row is closed below the chin, the last row over the head
        points[slice(None) if row == rows else [0, -1] if row == 1 else [-1], 0] = 0.0
        ring = lattice.vertices(points.tolist())
        following = lattice.strip(ring, (HOOD_EDGE, HOOD_EDGE + 0.3), 0.35 * rise)
        lattice.sew(last, following)
        last = following
        edge.append(ring[0])
    return Opening(tuple(edge), *HOOD_PLANE)


def torso_form(form: Solid) -> Form:
    """Return the torso of a form, which may have other parts."""
    parts = [part.solid for part in form.parts] if isinstance(form, Blend) else [form]
    return next(part for part in parts if isinstance(part, Form))


def loft(
    lattice: Lattice, start: tuple[int, ...], segments: Sequence[int], end: FloatArray, *, upward: bool
) -> list[tuple[int, ...]]:
    """Sew rings between the ring `start` and the curve `end`; return the vertices of the new rings.

    Parameters
    ----------
    start : vertices of a ring; the first vertex is not repeated
    segments : number of segments of each new ring
    end : (N, 3) points around the last ring, with the same start and direction as `start`, metres
    upward : True if the new rings are above `start` in the sewing pattern, seen from outside with rings that run to the
        right
    """
    first = np.array([lattice.points[vertex] for vertex in start])
    length = float(np.linalg.norm(first.mean(axis=0) - end.mean(axis=0)))
    widths = [float(np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1).sum()) for ring in (first, end)]
    ring, rings = start, []
    last = lattice.strip((*ring, ring[0]), (LIMB_EDGE, LIMB_EDGE + widths[0]), 0.0)
    for row, count in enumerate(segments, start=1):
        share = row / len(segments)
        points = (1.0 - share) * around(first, count) + share * around(end, count)
        ring = lattice.vertices(points.tolist())
        width = (1.0 - share) * widths[0] + share * widths[1]
        height = share * length if upward else -share * length
        following = lattice.strip((*ring, ring[0]), (LIMB_EDGE, LIMB_EDGE + width), height)
        lattice.sew(*((last, following) if upward else (following, last)))
        last = following
        rings.append(ring)
    return rings


def around(ring: FloatArray, count: int) -> FloatArray:
    """Return `count` points of a closed polyline (N, 3), evenly spaced by index, beginning with its first point."""
    closed = np.concatenate([ring, ring[:1]])
    at = np.linspace(0.0, len(ring), count, endpoint=False)
    return np.stack([np.interp(at, np.arange(len(closed)), closed[:, axis]) for axis in range(3)], axis=1)


def circle(centre: FloatArray, start: FloatArray, quarter: FloatArray) -> FloatArray:
    """Return points (24, 3) of an ellipse around `centre`, from centre + start in the direction of centre + quarter."""
    turns = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)[:, None]
    result: FloatArray = centre + np.cos(turns) * start + np.sin(turns) * quarter
    return result


def neck_opening(neckline: tuple[int, ...], height: float) -> Opening:
    """Return the neckline as an opening. Its plane is lower at the front than at the nape."""
    return Opening(neckline, (0.0, height, 0.0), (0.0, 1.0, 0.45))


def uv_span(lattice: Lattice, strip: Strip) -> tuple[float, float]:
    """Return the smallest and the largest horizontal coordinate of a strip in the sewing pattern, metres."""
    return lattice.uv[strip.uv[0]][0], lattice.uv[strip.uv[-1]][0]
