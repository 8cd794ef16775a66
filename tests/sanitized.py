"""Tests under the sanitizers, which make every program many times slower."""

import os

import ruckle

SANITIZED = "RUCKLE_SANITIZED" in os.environ


def garments() -> list[str]:
    """Return the names of the samples; under the sanitizers, only the sample with the most tangled paths."""
    return ["chopping"] if SANITIZED else ruckle.samples()
