"""Selects fewer tests under the sanitizers, which make every program many times slower."""

import os

import ruckle

SANITIZED = "RUCKLE_SANITIZED" in os.environ


def garments() -> list[str]:
    """Return the names of all samples. Under the sanitizers, return only the sample whose paths cross most often."""
    return ["chopping"] if SANITIZED else ruckle.samples()
