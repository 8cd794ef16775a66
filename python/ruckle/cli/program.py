"""The program `ruckle`: its commands and its exit statuses."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any, TextIO

import click
from click.exceptions import NoArgsIsHelpError

from ruckle.cli.terminal import complain
from ruckle.signals import interrupts_held, unwinding

__all__ = ["COMMANDS", "main"]

BAD_INPUT = 2

# Optional packages. If one of these is missing, the error message of the import names the extra to install. Modules for
# simulation and training import scipy in many places, so the message about scipy is here.
OPTIONAL_PACKAGES = (
    "matplotlib", "moderngl", "av", "PIL", "imgui_bundle", "pxr", "alembic3d", "OpenEXR", "pyarrow", "distributed",
)  # fmt: skip
NO_SCIPY = 'simulation and training need scipy, which is not installed: pip install "ruckle[simulation]"'


@dataclass(frozen=True)
class Entry:
    """Module of a command, name of the command's function, and its line in the list of commands."""

    module: str
    command: str
    summary: str


COMMANDS = {
    "info": Entry("ruckle.cli.info", "info", "Show the parts of a file, and the option that selects each."),
    "run": Entry("ruckle.cli.run", "run", "Run an animation and write labels and wrinkles as arrays."),
    "export": Entry("ruckle.cli.export", "export", "Write the wrinkled surface as fine meshes or baked maps."),
    "render": Entry("ruckle.cli.render", "render", "Draw an animation's wrinkled cloth into a film or a picture."),
    "view": Entry("ruckle.cli.view", "view", "Show an animation's wrinkled cloth in a window."),
    "demo": Entry("ruckle.cli.demo", "demo", "Run a packaged sample: a table, pictures, the arrays and a film."),
    "pattern": Entry("ruckle.cli.pattern", "pattern", "Make patterns of wrinkles for an animation, and preview them."),
    "simulate": Entry("ruckle.cli.simulate", "simulate", "Simulate a scene of cloth, coarse and fine."),
    "train": Entry("ruckle.cli.train", "train", "Learn a garment's fine mesh from simulated pairs."),
    "upsample": Entry("ruckle.cli.upsample", "upsample", "Write the fine mesh of an animation's coarse cloth."),
    "poses": Entry("ruckle.cli.poses", "poses", "Build and check databases of wrinkles from examples."),
    "sweep": Entry("ruckle.cli.sweep", "sweep", "Run every combination of parameters, and measure each run."),
    "figures": Entry(
        "ruckle.cli.figures", "figures", "Draw the figures of the papers from the samples, with an index page."
    ),
    "bench": Entry("ruckle.experiments.bench", "bench", "Measure speed and quality."),
}


class Program(click.Group):
    """A command group that imports a command only when it is used, and reports every failure in one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return the command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        # interrupts are delayed, because libraries print a traceback if interrupted during their import
        with interrupts_held():
            module = import_module(entry.module)
        command: click.Command = getattr(module, entry.command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing their modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name; suggest a similar name if there is none."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command is called '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program and exit with its status; the parameters are those of click."""
        outcome = partial(super().main, args, prog_name or "ruckle", complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return outcome()
        sys.exit(exit_status(outcome))


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print each UserWarning in the block as a note on standard error, without source line; none if quiet.

    Other warnings are shown as usual.
    """
    with warnings.catch_warnings():
        otherwise = warnings.showwarning

        def note(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            context = click.get_current_context(silent=True)
            if category is not UserWarning:
                otherwise(message, category, filename, lineno, file, line)
            elif context is None or not context.params.get("quiet"):
                complain(str(message))

        warnings.showwarning = note
        yield


def exit_status(outcome: Callable[[], object]) -> int:
    """Run a function, and return the exit status of the program: its result if it is an integer, otherwise 0.

    If the function fails, print one sentence on standard error. Exceptions that mean a fault of ruckle are not caught.
    A closed output pipe is not handled here, because click and rich then exit silently with status 1.
    """
    try:
        with unwinding() as ending, warnings_as_notes():
            status = outcome()
    except NoArgsIsHelpError as error:
        # a group without a subcommand, such as `ruckle poses`, prints its help like `ruckle` itself
        click.echo(error.ctx.get_help())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "ruckle"
        return _fail(f"{error.format_message().rstrip('.')} (see {command} --help)")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return ending.status
    except MemoryError:
        return _fail("memory: the system has no memory left")
    except ValueError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except ModuleNotFoundError as error:
        # a missing extra is reported; any other missing module means a broken installation
        if error.name == "scipy":
            return _fail(NO_SCIPY)
        if error.name not in OPTIONAL_PACKAGES:
            raise
        return _fail(str(error))
    return status if isinstance(status, int) else 0


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        # imported here, because the version is in the compiled core, which loads NumPy
        from ruckle import __version__

        click.echo(f"ruckle {__version__}")
        context.exit()


@click.group(cls=Program, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Show the version and exit.",
)  # fmt: skip
@click.pass_context
def main(context: click.Context) -> None:
    """Add real-time dynamic wrinkles to coarse animated cloth."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _fail(sentence: str) -> int:
    complain(sentence)
    return BAD_INPUT
