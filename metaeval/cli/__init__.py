"""The command line. Only the names of the commands are here, so that `--help` imports little more than click."""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

import click

from metaeval import registry
from metaeval.cli.help import WIDEST
from metaeval.errors import (
    InputError,
    MetaevalError,
    ReaderGone,
    did_you_mean,
    refuse,
    settings_spelled,
    shortened,
    visible,
)
from metaeval.version import __version__

_START, _WHOLE = "Start here", "Whole experiments and pipelines"

_SENTENCES = {
    "validate": (_START, "Check gold and runs without computing anything."),
    "measures": (_START, "List the measures, or describe one."),
    "demo": (_START, "List the sample experiments and how to run them."),
    "doctor": (_START, "Show versions and extras, and what is missing or broken."),
    "run": (_WHOLE, "Run a whole experiment from a YAML file."),
    "report": (_WHOLE, "Write one HTML page of results, with plots."),
    "check": (_WHOLE, "Check conditions on results; exit with 1 if one fails."),
    "scoring-program": (_WHOLE, "Write a scoring program for Codabench."),
}


def register_commands() -> None:
    """Register the commands that are no analyses."""
    for name, (heading, sentence) in _SENTENCES.items():
        if registry.COMMANDS.registered(name) is None:
            function = name.replace("-", "_")
            entry = registry.CommandEntry("metaeval.cli.commands", function, heading, sentence)
            registry.COMMANDS.register(name, entry)


GROUPS = registry.sentences_by_heading()
"""Every command and its sentence, by what a user wants."""

COMMANDS = {name: sentence for sentences in GROUPS.values() for name, sentence in sentences.items()}

_COMPLETION = "_METAEVAL_COMPLETE"
"""With this variable a shell asks click for completions."""

INTERRUPTED = 130
WRONG_INPUT = 2
BUG = 70
"""EX_SOFTWARE of sysexits.h."""

_OUT_OF_MEMORY = (
    "not enough memory; expected data that fit in memory several times\n"
    "What to do: use fewer systems, measures, classes or trials, or a smaller value of --memory."
)


_UNMAPPED = ("failed to map segment", "Cannot allocate memory")
"""What the dynamic linker says where there is too little memory to import a package."""


class LazyGroup(click.Group):
    """A group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; a usage error suggests a similar name."""
        if cmd_name not in COMMANDS:
            hint = did_you_mean(cmd_name, COMMANDS) or f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"No such command '{cmd_name}': {hint}")
        _escape_warnings()
        if cmd_name in registry.ANALYSES:
            from metaeval.cli.analysis_command import command_of

            return command_of(registry.declaration(cmd_name))
        entry = registry.COMMANDS[cmd_name]
        command: click.Command = registry.load(entry.module, entry.function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without importing them."""
        widest = max(map(len, COMMANDS))
        for heading, commands in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, text in commands.items()], col_spacing=1)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST})
@click.version_option(__version__, "-V", "--version", message="metaeval %(version)s")
def command_line() -> None:
    """Which evaluation measure should you trust for your task?

    Reads gold labels and the predictions of systems, scores the systems under many measures, and evaluates the
    measures. `metaeval demo --copy .` copies the samples that the examples of all commands use.

    \b
    metaeval recommend --config configs/stance.yaml
    metaeval score --task fnc1 --gold sample_data/fnc1/gold.csv sample_data/fnc1/systems
    metaeval measures cem-ord

    Results are written to standard output, messages to standard error. Exit codes: 0 success, 1 a gate failed, 2 the
    input or the command line is invalid, 70 a bug in metaeval, 130 interrupted, 143 terminated.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run metaeval and exit. Errors become messages and exit codes here."""
    _write_utf8()
    try:
        with settings_spelled(_as_option):
            code = command_line.main(args=arguments, prog_name="metaeval", standalone_mode=False)
    except click.ClickException as error:
        error.show(message := io.StringIO())
        click.echo(_visible(message.getvalue().rstrip()), err=True)
        sys.exit(WRONG_INPUT)
    except (click.Abort, KeyboardInterrupt):
        _exit_interrupted()
    except ReaderGone:
        _end_without_reader()
    except SystemExit as end:
        if _COMPLETION in os.environ:
            raise
        # click exits where any pipe breaks, as that of the help. Other exits would hide that nothing was computed.
        if not _is_closed_pipe(sys.stdout):
            _exit_with_bug(end)
        _end_without_reader()
    except Exception as error:
        _exit_of(error)
    sys.exit(code if isinstance(code, int) else 0)


def _visible(lines: str) -> str:
    return "\n".join(map(visible, lines.split("\n")))


def _escape_warnings() -> None:
    """Escape control characters in what other packages and plugins warn of."""
    import logging
    import warnings

    warnings.formatwarning = lambda *what: _visible(f"{what[2]}:{what[3]}: {what[1].__name__}: {what[0]}\n")
    logging.lastResort.format = lambda record: _visible(record.getMessage())  # type: ignore[union-attr, method-assign]


def _as_option(name: str, value: object) -> str:
    """A setting as an option of the command line."""
    import shlex

    from metaeval.cli.options import flag_of
    from metaeval.names import names_text

    text = names_text(value) if isinstance(value, dict) else str(value)
    return flag_of(name) if text == "" else f"{flag_of(name)} {shlex.quote(text)}"


def _system_error(error: OSError) -> InputError:
    """An error of the operating system that no reader or writer has described."""
    name = error.filename.decode(errors="replace") if isinstance(error.filename, bytes) else error.filename
    where, found = name if isinstance(name, str) else None, f"an error of the system ({error.strerror or error})"
    hint = "check the path, its permissions and the space on the disk"
    return refuse(where, found, "files that can be read and written", hint)


def _has_working_folder() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _exit_interrupted() -> NoReturn:
    # The process may end at any time. A module that is not loaded has no files to remove.
    temporary = sys.modules.get("metaeval.io.files.source")
    if temporary is not None:
        temporary.remove_temporary_folders()
    click.echo("Interrupted.", err=True)
    sys.exit(INTERRUPTED)


def _exit_of(error: Exception) -> NoReturn:
    """End with the message and the code of an error."""
    if _is_caused_by_interrupt(error):
        _exit_interrupted()
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and any(it in str(error) for it in _UNMAPPED)):
        error = MetaevalError(_OUT_OF_MEMORY)
    if isinstance(error, OSError):
        error = _system_error(error)
    if not isinstance(error, MetaevalError):
        _exit_with_bug(error)
    click.echo(_visible(f"Error: {error}"), err=True)
    if not _has_working_folder():
        click.echo("What to do: the working folder does not exist any more; change to another one.", err=True)
    _discard_standard_output()
    sys.exit(WRONG_INPUT)


def _end_without_reader() -> NoReturn:
    _discard_standard_output()
    sys.exit(0)


def _is_closed_pipe(stream: TextIO) -> bool:
    """Whether the reader of a stream has closed its pipe."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), 0)
        return bool(poll.poll(0))
    except (AttributeError, OSError):
        # There is no poll on Windows, and no descriptor of a stream in memory.
        return not hasattr(select, "poll")


def _exit_with_bug(error: BaseException) -> NoReturn:
    if os.environ.get("METAEVAL_DEBUG"):
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {shortened(visible(str(error)))}"
    click.echo(
        f"Error: {what}. This is a bug in metaeval {__version__}: please report it with the command, and with the "
        f"traceback that METAEVAL_DEBUG=1 shows.",
        err=True,
    )
    _discard_standard_output()
    sys.exit(BUG)


def _is_caused_by_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C led to an error: extension modules raise others if their import is interrupted."""
    errors: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is other for other in errors):
        if isinstance(cause, KeyboardInterrupt):
            return True
        errors.append(cause)
        cause = cause.__cause__ or cause.__context__
    return False


def _discard_standard_output() -> None:
    """Prevent a second error when Python closes standard output."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except AttributeError:
        # Standard output was closed from the start.
        pass


def _write_utf8() -> None:
    """Write UTF-8 in every locale, because names of systems may contain any character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
