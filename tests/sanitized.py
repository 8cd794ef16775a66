"""Tests under the sanitizers, which make everything many times slower."""

import os

import ruckle

SANITIZED = "RUCKLE_SANITIZED" in os.environ


def garments() -> list[str]:
    """Return the names of the samples; under the sanitizers, of the one whose paths are tangled most."""
    return ["chopping"] if SANITIZED else ruckle.samples()
