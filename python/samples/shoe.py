"""A low boot with its sole."""

from __future__ import annotations

from .solid import Below, Blend, Limb, Part, Slab, Solid

__all__ = ["boot", "sole"]

OUTLINE = [(0.147, -0.068, 0.033), (0.153, -0.010, 0.030), (0.166, 0.080, 0.042), (0.168, 0.130, 0.030)]
"""Rows (x, z, radius) of circles that form the sole's outline, metres."""

SOLE_TOP = 0.022
"""Height of the sole's upper side over the floor, metres."""

OPENING = (0.15, 0.118, -0.03)
"""A point in the plane of the boot's opening, metres."""


def boot() -> Solid:
    """Return the boots without soles, metres. Only the half x >= 0 is modelled; the other half is mirrored."""
    vamp = [(0.147, 0.046, -0.060), (0.152, 0.056, -0.020), (0.164, 0.040, 0.060), (0.168, 0.033, 0.124)]
    shaft = [(0.149, 0.050, -0.045), (0.148, 0.160, -0.032)]
    inner = [(x, z, radius - 0.003) for x, z, radius in OUTLINE]
    return Blend(
        [
            Part(Limb(vamp, [0.035, 0.037, 0.035, 0.025]), 0.0),
            Part(Slab(inner, 0.012, 0.042, 0.02), 0.025),
            Part(Limb(shaft, [0.038, 0.047]), 0.030),
            Part(Below((0.0, SOLE_TOP - 0.006, 0.0)), 0.0, carved=True),
            Part(Below(OPENING, (0.0, -1.0, 0.0)), 0.004, carved=True),
        ]
    )


def sole() -> Solid:
    """Return the soles of both boots, metres."""
    arch = Slab([(0.158, 0.008, 0.034)], -0.01, 0.008, 0.004)
    return Blend([Part(Slab(OUTLINE, 0.0, SOLE_TOP, 0.006), 0.0), Part(arch, 0.006, carved=True)])
