"""The command line. Here only the names of the commands, so that `--help` costs no more than importing click."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from metaeval.analyses import ANALYSES, analysis
from metaeval.errors import settings_spelled
from metaeval.version import __version__

COMMANDS: dict[str, str] = {
    **ANALYSES,
    "measures": "List the measures, or explain one.",
    "validate": "Check that gold and runs fit together; compute nothing.",
    "reproduce": "The papers' tables, printed beside what metaeval computes.",
    "run": "Run a whole experiment from a YAML file.",
    "report": "One HTML page of results, with plots.",
    "check": "Gates for pipelines: exit 1 where results are no good.",
    "demo": "The shipped samples, and how to run them.",
}
"""Every command and its help line, in the order of the help.

The command of an analysis derives from it; `metaeval.cli.commands.NAME` holds another command.
"""

INTERRUPTED = 130
WRONG_INPUT = 2


_OUT_OF_MEMORY = (
    "there is not enough memory for that; expected data that fit in it several times\n"
    "What to do: score fewer systems, measures or trials at once, or say less with --memory."
)


class LazyGroup(click.Group):
    """A group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's shape)
        """All commands, most used first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; an unknown one is a usage error that names the nearest."""
        if cmd_name not in COMMANDS:
            from metaeval.errors import did_you_mean

            hint = did_you_mean(cmd_name, COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"No such command '{cmd_name}': {hint}")
        if cmd_name in ANALYSES:
            from metaeval.cli.analysis_command import command_of

            return command_of(analysis(cmd_name))
        module = importlib.import_module(f"metaeval.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's shape)
        formatter: click.HelpFormatter,
    ) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="metaeval %(version)s")
def command_line() -> None:
    """Which evaluation measure should you trust for your task?

    Reads gold labels and the predictions of systems, scores the systems under many measures, and evaluates the
    measures.

    \b
    metaeval score --task fnc1 --gold gold.csv systems/
    metaeval measures cem-ord
    metaeval run configs/stance.yaml

    Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 a gate failed, 2 the
    input or the command line is wrong, 130 interrupted, 143 told to terminate.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run metaeval and exit; the one place where errors become messages and exit codes."""
    # Files become hundreds of thousands of small lists without a cycle; to walk them again and again for garbage would
    # be a sixth of the time.
    gc.set_threshold(1_000_000)
    _write_utf8()
    try:
        with settings_spelled(_as_option):
            code = command_line.main(args=arguments, prog_name="metaeval", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(WRONG_INPUT)
    except (click.Abort, KeyboardInterrupt):
        _end_interrupted()
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has enough; click exits at that, and at nothing else when it is not standalone.
        _forget_standard_output()
        sys.exit(0)
    except Exception as error:
        if _comes_of_interrupt(error):
            _end_interrupted()
        from metaeval.errors import MetaevalError

        if isinstance(error, MemoryError):
            error = MetaevalError(_OUT_OF_MEMORY)
        if not isinstance(error, (MetaevalError, OSError)):
            raise
        click.echo(f"Error: {error}", err=True)
        _forget_standard_output()
        sys.exit(WRONG_INPUT)
    sys.exit(code if isinstance(code, int) else 0)


def _as_option(name: str, value: object) -> str:
    """A setting as a shell takes it."""
    import shlex

    from metaeval.cli.from_settings import flag_of

    return flag_of(name) if value == "" else f"{flag_of(name)} {shlex.quote(str(value))}"


def _end_interrupted() -> NoReturn:
    # The process may end at once. Where nothing is loaded, there is nothing to remove, and no time for imports.
    code_file = sys.modules.get("metaeval.io.labels.code_file")
    if code_file is not None:
        code_file.remove_code_files()
    click.echo("Interrupted.", err=True)
    sys.exit(INTERRUPTED)


def _comes_of_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C is what led to an error: extension modules that it stops while being imported raise their own."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is other for other in seen):
        if isinstance(cause, KeyboardInterrupt):
            return True
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__
    return False


def _forget_standard_output() -> None:
    """Keep Python from complaining once more, when it closes standard output, about what could not be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except AttributeError:
        # There is none: it was closed before we began.
        pass


def _write_utf8() -> None:
    """Names of systems may hold any letter, whatever the locale says of the terminal."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
