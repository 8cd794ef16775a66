"""The head of a mannequin: skull, jaw, brow, closed eyes, nose, lips, chin and ears."""

from __future__ import annotations

from .solid import Blend, Ellipsoid, Limb, Part, Solid

__all__ = ["head"]


def head() -> Solid:
    """Return head and neck in rest pose, metres. Only the half x >= 0 is modelled; the other half is mirrored."""
    return Blend([*skull(), *features(), *mouth(), *ear(), *neck()])


def skull() -> list[Part]:
    """Return the parts of skull, jaw, chin and cheekbone."""
    jaw = [(0.052, 1.604, -0.002), (0.045, 1.569, 0.020), (0.014, 1.539, 0.060)]
    return [
        Part(Ellipsoid((0.0, 1.662, -0.016), (0.0735, 0.0885, 0.0930)), 0.0),
        Part(Ellipsoid((0.0, 1.610, 0.024), (0.0615, 0.0800, 0.0550)), 0.040),
        Part(Limb(jaw, [0.015, 0.013, 0.013]), 0.035),
        Part(Ellipsoid((0.0, 1.5390, 0.0640), (0.017, 0.0140, 0.0145)), 0.025),
        Part(Ellipsoid((0.041, 1.617, 0.046), (0.022, 0.019, 0.022)), 0.035),
    ]


def features() -> list[Part]:
    """Return the parts of brow, eye and nose."""
    brow = [(0.010, 1.6680, 0.0735), (0.030, 1.6720, 0.0680), (0.048, 1.6660, 0.0510)]
    ridge = [(0.0, 1.664, 0.0760), (0.0, 1.640, 0.0870), (0.0, 1.6160, 0.1000)]
    return [
        Part(Limb(brow, [0.008, 0.0075, 0.006]), 0.028),
        Part(Ellipsoid((0.0330, 1.6490, 0.0840), (0.0200, 0.0120, 0.0130), yaw=18.0), 0.018, carved=True),
        # the eyeball behind closed lids
        Part(Ellipsoid((0.0320, 1.6475, 0.0585), (0.0175, 0.0105, 0.0150), yaw=14.0), 0.007),
        Part(Limb(ridge, [0.0070, 0.0064, 0.0085]), 0.018),
        Part(Ellipsoid((0.0, 1.6135, 0.1000), (0.0090, 0.0075, 0.0095)), 0.012),
        Part(Ellipsoid((0.0110, 1.6110, 0.0880), (0.0062, 0.0062, 0.0085)), 0.010),
    ]


def mouth() -> list[Part]:
    """Return the parts of the lips, and an ellipsoid behind them for the teeth."""
    upper = [(0.0035, 1.5855, 0.0855), (0.0120, 1.5845, 0.0825), (0.0265, 1.5795, 0.0705)]
    lower = [(0.0, 1.5740, 0.0850), (0.0110, 1.5745, 0.0820), (0.0240, 1.5785, 0.0715)]
    return [
        Part(Ellipsoid((0.0, 1.5820, 0.0590), (0.0330, 0.0280, 0.0230)), 0.030),
        Part(Limb(upper, [0.0046, 0.0042, 0.0018]), 0.006),
        Part(Limb(lower, [0.0054, 0.0048, 0.0018]), 0.006),
        Part(Ellipsoid((0.0, 1.5605, 0.0920), (0.0180, 0.0060, 0.0080)), 0.012, carved=True),
        # the groove between nose and upper lip
        Part(Limb([(0.0, 1.6010, 0.0945), (0.0, 1.5915, 0.0925)], [0.0028, 0.0032]), 0.006, carved=True),
    ]


def ear() -> list[Part]:
    """Return the parts of an ear, which is a flat relief."""
    return [
        Part(Ellipsoid((0.0725, 1.6330, -0.0130), (0.0075, 0.0300, 0.0180), pitch=-12.0, yaw=-22.0), 0.008),
        Part(
            Ellipsoid((0.0830, 1.6370, -0.0100), (0.0060, 0.0190, 0.0100), pitch=-12.0, yaw=-22.0), 0.005, carved=True
        ),
    ]


def neck() -> list[Part]:
    """Return the parts of the neck, with the muscle from the ear to the breastbone."""
    muscle = [(0.052, 1.590, -0.022), (0.028, 1.510, 0.004), (0.012, 1.436, 0.026)]
    return [
        Part(Limb([(0.0, 1.440, -0.036), (0.0, 1.575, -0.016)], [0.0510, 0.0440]), 0.035),
        Part(Limb(muscle, [0.009, 0.010, 0.008]), 0.030),
    ]
