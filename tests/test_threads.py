"""Behaviour if the system cannot start threads: the error is one line, and later calls are successful."""

import os
import platform
import subprocess
import sys

import pytest

from program import PATIENCE
from sanitized import SANITIZED

if platform.libc_ver()[0] != "glibc":
    pytest.skip("limits the address space of threads, which works with glibc only", allow_module_level=True)
if SANITIZED:
    pytest.skip("sanitizers need more address space than this test allows", allow_module_level=True)

# KiB of address space that each thread reserves. All other memory is much smaller, so that a limit of memory is a limit
# of threads.
STACK = 512 * 1024

# Each call needs up to six threads, including the thread of the caller. The limit rises until all of them can start.
LIMITED = f"""
import os, resource, sys
import numpy as np
import ruckle

side, stack = 66, {STACK * 1024}
corners = np.arange(side * side, dtype=np.int32).reshape(side, side)
low, right, up, far = corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]
faces = np.stack([low, right, up, right, far, up], axis=-1).reshape(-1, 3)
costs = np.random.default_rng(0).random((2, len(faces), 3), np.float32)
topology = ruckle.Topology(faces, side * side)
calls = {{
    "wrinkler": lambda: ruckle.Wrinkler(faces, side * side, r_min=0.1, threads=6),
    "surface": lambda: ruckle.Surface(topology, threads=6),
    "sequence": lambda: ruckle.solve_label_sequence(costs, topology, threads=6),
}}
call = calls[sys.argv[1]]
call()
running = len(os.listdir("/proc/self/task"))
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for allowed in range(20):
    resource.setrlimit(resource.RLIMIT_AS, (size + allowed * stack + stack // 2, resource.RLIM_INFINITY))
    try:
        call()
        print("given")
        break
    except OSError as error:
        print(error)
    assert len(os.listdir("/proc/self/task")) == running
"""


@pytest.mark.parametrize("call", ["wrinkler", "surface", "sequence"])
def test_reject_threads_that_cannot_start(call: str) -> None:
    command = ["sh", "-c", f'ulimit -s {STACK} || exit 99; exec "$@"', "sh", sys.executable, "-c", LIMITED, call]
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}
    child = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if child.returncode == 99:
        pytest.skip("the system does not allow a larger stack for threads")
    assert (child.returncode, child.stderr) == (0, "")
    *refused, last = child.stdout.splitlines()
    sentence = "threads: the system starts only {} of 6; use fewer, or raise the system's limit"
    assert refused[:5] == [sentence.format(given) for given in range(1, 6)]
    # an object with two thread pools can also fail for limits of up to ten threads
    assert set(refused[5:]) <= set(refused[:5])
    assert last == "given"
