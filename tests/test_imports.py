"""Lazy imports: a name of `ruckle` is imported on first use, and a command's modules when the command is called."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ruckle

PACKAGES = "import sys; print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
MODULES = "import sys; print(*[name for name in sys.modules if name.partition('.')[0] == 'ruckle'])"
HELP = """
import sys
from ruckle.__main__ import main
sys.argv = ["ruckle", "--help"]
try:
    main()
except SystemExit:
    pass
"""


def loaded(program: str, listing: str) -> set[str]:
    """Return the modules that a program imports, without the modules that an empty program imports."""

    def run(code: str) -> set[str]:
        command = [sys.executable, "-c", f"{code}\n{listing}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return set(done.stdout.splitlines()[-1].split())

    return run(program) - run("pass")


def test_exact_import_loads_the_package_alone() -> None:
    assert loaded("import ruckle", PACKAGES) == {"ruckle"}
    assert loaded("import ruckle", MODULES) == {"ruckle"}


def test_exact_help_loads_click_and_no_command() -> None:
    assert loaded(HELP, PACKAGES) == {"click", "ruckle"}
    modules = {"ruckle", "ruckle.__main__", "ruckle.cli", "ruckle.cli.program", "ruckle.cli.terminal", "ruckle.signals"}
    assert loaded(HELP, MODULES) == modules


@pytest.mark.parametrize("use", ["Wrinkler", "Modulator", "Upsampler", "PoseSynthesizer", "Simulated", "Stack", "load"])
def test_exact_the_run_time_loads_no_later_group_and_only_numpy(use: str) -> None:
    program = f"import ruckle; ruckle.{use}"
    assert not any(name.startswith(("ruckle.offline", "ruckle.experiments")) for name in loaded(program, MODULES))
    assert loaded(program, PACKAGES) == {"numpy", "ruckle"}


def test_exact_checkers_of_types_see_the_names_that_load() -> None:
    tree = ast.parse(Path(ruckle.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    rooms = {name: module.rpartition(".")[0] for name, module in ruckle._ROOMS.items()}
    assert seen == ruckle._MODULES | rooms


def test_reject_names_that_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="module 'ruckle' has no attribute 'wrinkle'"):
        ruckle.wrinkle  # noqa: B018
