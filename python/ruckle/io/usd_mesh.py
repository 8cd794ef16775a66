"""Reads animations from USD stages, with skeletons, blend shapes and texture coordinates. Requires usd-core."""

from __future__ import annotations

from functools import partial

from ruckle.io.library_process import USD
from ruckle.io.stage_mesh import Placement, describe_stage, placement_in, read_stage
from ruckle.io.usd_layers import open_stage

__all__ = ["Placement", "describe", "placement", "read"]

read = partial(read_stage, USD, open_stage)
describe = partial(describe_stage, USD, open_stage)
placement = partial(placement_in, USD, open_stage)
