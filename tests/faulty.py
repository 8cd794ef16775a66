"""Runs the program `ruckle` with a fault. A server imports all modules once and forks a new process for each command.

If this file runs as a program, it reads requests, one JSON object per line. It answers each request with the exit
status and the error output. `Launcher` starts this program and sends requests to it. Without the server, most of the
time of each command would be imports.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

import ruckle
from ruckle.cli import main
from ruckle.io import replacing

SIGNALS = {"killed": signal.SIGKILL, "terminated": signal.SIGTERM, "interrupted": signal.SIGINT}
FAULTS = (*SIGNALS, "full disk", "failing disk", "read-only folder", "little memory")

# Modules that `ruckle` loads only when they are used. The server imports them before the first command.
IMPORTED = (
    "ruckle.cli.run", "ruckle.cli.export", "ruckle.cli.render", "ruckle.cli.sweep", "ruckle.cli.figures",
    "ruckle.experiments.bench", "ruckle.experiments.plot.strip", "ruckle.experiments.plot.heat_map",
    "ruckle.io.fine_maps", "ruckle.io.fine_usd", "ruckle.io.lines_usd", "ruckle.film.movie", "ruckle.film.pictures",
    "pyarrow.parquet",
)  # fmt: skip

# Limits of the faults: largest size of a file in bytes on a full disk, and bytes of memory that a process may allocate
# in addition.
LITTLE_SPACE, LITTLE_MEMORY = 200, 2**19

CAPABILITIES_VERSION = 0x20080522


@dataclass(frozen=True)
class Outcome:
    """Result of a command: exit status (negative if a signal ended the process) and error output."""

    status: int
    errors: str


class Launcher:
    def __enter__(self) -> Self:
        command, pipe = [sys.executable, __file__], subprocess.PIPE
        self._server = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def run(self, folder: Path, *arguments: object, fault: str | None = None) -> Outcome:
        """Run a command in a folder with a fault, and return its outcome.

        The command `save NAME` calls `save` below.
        """
        request = {"folder": str(folder), "arguments": [str(argument) for argument in arguments], "fault": fault}
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return Outcome(**json.loads(self._server.stdout.readline()))


def serve() -> None:
    """Read requests until the end of the input, and print one answer per request."""
    for module in IMPORTED:
        __import__(module)
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line))), flush=True)


def answer(folder: str, arguments: list[str], fault: str | None) -> dict[str, Any]:
    """Run one command in a forked process with a fault. Return its exit status and the text of its error output."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writer, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.close(reader)
        os.chdir(folder)
        os._exit(outcome(arguments, fault))
    os.close(writer)
    with os.fdopen(reader, "rb") as errors:
        said = errors.read().decode()
    return {"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "errors": said}


def outcome(arguments: list[str], fault: str | None) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if fault is not None:
            arm(fault)
        if arguments[0] == "save":
            save(arguments[1])
        else:
            main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def save(name: str) -> None:
    """Load `cloth.npz`, repeat its frames once, and save the result under a name."""
    cloth = ruckle.load("cloth.npz")
    replace(cloth, positions=np.concatenate([cloth.positions] * 2)).save(name)


def arm(fault: str) -> None:
    """Prepare a fault in this process, for example a limit of memory or a read-only folder.

    A signal is sent when the first output is complete, but still has its temporary name.
    """
    if fault in SIGNALS:
        whole: Callable[[Path], None] = replacing._sync

        def sync(path: Path) -> None:
            os.kill(os.getpid(), SIGNALS[fault])
            whole(path)

        replacing._sync = sync
    elif fault == "full disk":
        resource.setrlimit(resource.RLIMIT_FSIZE, (LITTLE_SPACE, resource.RLIM_INFINITY))
    elif fault == "failing disk":
        os.fsync = failing_sync
    elif fault == "little memory":
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + LITTLE_MEMORY, resource.RLIM_INFINITY))
    else:
        os.chmod(".", 0o555)
        obey_permissions()


def failing_sync(_: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def obey_permissions() -> None:
    """Remove the superuser's rights to read and write all files: CAP_DAC_OVERRIDE (1) and CAP_DAC_READ_SEARCH (2)."""
    library = ctypes.CDLL(None)
    header, sets = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    assert library.capget(header, sets) == 0
    for k in (0, 1):
        sets[k] &= ~0b110
    assert library.capset(header, sets) == 0


if __name__ == "__main__":
    serve()
