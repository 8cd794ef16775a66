"""The table and the figures of Kavan et al. 2011 that are drawn from our data, in the paper's order."""

from __future__ import annotations

from ruckle.experiments.figures.entry import Entry

__all__ = ["KAVAN_2011"]


def _entry(number: str, title: str, claim: str, module: str, function: str, **options: object) -> Entry:
    package = "ruckle.experiments.figures.kavan2011"
    return Entry(f"kavan-{number}", title, claim, module, function, options=options, package=package)


KAVAN_2011 = (
    _entry(
        "1", "A skirt", "Upsampling adds the detail of a fine simulation to a coarse one.",
        "upsampled", "draw_garment", name="skirt",
    ),
    _entry(
        "2", "Alignment", "The fine simulation follows the coarse one in its lowest harmonics.",
        "tests_of_tracking", "draw_alignment",
    ),
    _entry(
        "3", "One column of three operators", "Least squares finds dependencies that are not there.",
        "learning", "draw_columns",
    ),
    _entry(
        "4", "One penalty for all harmonics", "Tikhonov regularization also removes correct motion.",
        "learning", "draw_tikhonov",
    ),
    _entry(
        "5", "Harmonics of a rectangle", "Low harmonics vary slowly, high ones fast.",
        "tests_of_tracking", "draw_harmonics",
    ),
    _entry(
        "6", "Clusters and harmonics", "Test functions from clusters leave steps in the cloth; harmonics leave none.",
        "tests_of_tracking", "draw_clusters",
    ),
    _entry(
        "7", "Shapes that swing", "A pair of shapes is a wave that travels.", "waves", "draw_shapes",
    ),
    _entry(
        "8", "Without and with waves", "Oscillations restore the waves that the operator averages out.",
        "waves", "draw_pair",
    ),
    _entry(
        "9", "Exponents of the penalties", "The exponent trades fitting against generality.",
        "learning", "draw_profiles",
    ),
    _entry(
        "10", "A motion outside the training", "A motion unlike the training motions needs a new training.",
        "upsampled", "draw_retrained",
    ),
    _entry(
        "11-flag", "A flag", "Trained in light wind, tested in strong wind.", "upsampled", "draw_garment", name="flag",
    ),
    _entry(
        "11-curtain", "A curtain", "Trained with a small ball, tested with a large ball.",
        "upsampled", "draw_garment", name="curtain",
    ),
    _entry(
        "11-cape", "A cape", "Trained on walking, tested on running.", "upsampled", "draw_garment", name="cape",
    ),
    _entry(
        "table", "Sizes and times", "Upsampling takes less than a millisecond.", "upsampled", "draw_table",
    ),
)  # fmt: skip
