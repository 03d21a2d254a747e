"""Where results go: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from metaeval.config import OutputConfig
from metaeval.errors import InputError
from metaeval.model.report import Report
from metaeval.render import render

_WITHOUT_NOTES = ("csv", "tsv")


def show(report: Report, output: OutputConfig, *, quiet: bool, width: int | None = None) -> None:
    """Render a report and write it; notes that the format has no place for go to standard error.

    width: of the lines where standard output is no terminal; None for as long as they need to be.
    """
    terminal = output.output is None and sys.stdout is not None and sys.stdout.isatty()
    text = render(
        report,
        output.format,
        digits=output.digits,
        width=shutil.get_terminal_size().columns if terminal else width,
        colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )
    if output.format in _WITHOUT_NOTES and not quiet:
        for note in report.notes:
            click.echo(f"Note: {note}", err=True)
    if output.output is None:
        _print(text)
    else:
        write_whole(output.output, text)


def _print(text: str) -> None:
    """Write to standard output; a reader that has enough is a `BrokenPipeError`, anything else our user's to mend."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError) as error:
        # Python has no standard output at all (None) where the shell closed it.
        reason = getattr(error, "strerror", None) or "it is closed"
        raise InputError.at(
            found=f"standard output can't be written ({reason})",
            expected="a terminal, a pipe or a file with room",
            hint="check where the output is sent, or name a file with -o",
        ) from None


def write_whole(path: str, text: str) -> None:
    """Write a file through a temporary one beside it, so that a failure leaves what was there before."""
    if not path:
        raise InputError.at(found="-o without a file", expected="a path")
    target = Path(path)
    if target.exists() and not target.is_file():
        # A pipe or a device, as /dev/stdout, can't be replaced.
        _write(target, text, path)
        return
    temporary = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=target.parent, delete=False) as file:
            temporary = Path(file.name)
            file.write(text)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise _unwritable(path, error) from None


def _write(target: Path, text: str, path: str) -> None:
    try:
        with target.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: str, error: OSError) -> InputError:
    return InputError.at(
        path,
        found=f"it can't be written ({error.strerror or error})",
        expected="a file in a folder that exists",
        hint="check the path after -o and its permissions",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def command_line() -> str:
    """What was typed, for the provenance."""
    return shlex.join(["metaeval", *sys.argv[1:]])
