"""The samples that come with metaeval: experiments, each with the data it is made on."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from metaeval.config import read_config
from metaeval.errors import InputError
from metaeval.model.report import Column, Provenance, Report, Table, signature
from metaeval.version import __version__

CONFIGS, DATA = "configs", "sample_data"
"""The folders of the samples, which name each other's files and so stay side by side."""

NOT_SHIPPED = "files that are not shipped"

_SENTENCE_ENDS = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_INSTALL = re.compile(r"pip install '[^']+'")


@dataclass(frozen=True)
class Sample:
    """An experiment that can be run as it is, but for what it needs.

    shows: a sentence. needs: what has to be there first, '' for nothing. command: to be pasted into a shell.
    """

    name: str
    shows: str
    needs: str
    command: str


def samples_report(copy_to: str | None = None, *, command_line: str = "") -> Report:
    """Where the samples are, and how to run them (table `samples`).

    copy_to: a folder for a copy, which is then what the commands run; made where it does not exist. An `InputError`
    where samples are in it already: nothing is written over.
    """
    folder = samples_folder() if copy_to is None else _copied(samples_folder(), copy_to)
    found = [_sample(path) for path in sorted((folder / CONFIGS).glob("*.yaml"))]
    found.sort(key=lambda sample: bool(sample.needs))
    columns = tuple(Column(name) for name in ("name", "shows", "needs", "command"))
    rows = tuple((sample.name, sample.shows, sample.needs, sample.command) for sample in found)
    table = Table("samples", f"{len(rows)} samples in {folder}", columns, rows)
    # A terminal may fold a long command in the table, but never a note.
    notes = [f"to begin with: {sample.command}" for sample in found[:1]]
    if copy_to is None:
        notes.append("`metaeval demo --copy DIR` copies the samples into a folder where you can change them")
    line = signature(__version__, [("samples", len(rows))])
    return Report("demo", line, (table,), tuple(notes), Provenance(__version__, command_line))


def samples_folder() -> Path:
    """The folder that holds the samples: inside the package, or around it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "shipped", package.parent):
        if (folder / CONFIGS).is_dir() and (folder / DATA).is_dir():
            return folder
    raise InputError.at(
        str(package),
        found="no samples in this installation",
        expected=f"the folders {CONFIGS} and {DATA} in it",
        hint="install metaeval again, from a wheel or a checkout",
    )


def _copied(folder: Path, copy_to: str) -> Path:
    """The folder of the copy; the scripts that made the data stay where they are."""
    if not copy_to:
        raise InputError.at(found="--copy without a folder", expected="a path")
    target = Path(copy_to)
    for name in (CONFIGS, DATA):
        if (target / name).exists():
            raise InputError.at(
                str(target / name), found="it is there already", expected="a name that is free", hint="copy elsewhere"
            )
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in (CONFIGS, DATA):
            shutil.copytree(folder / name, target / name, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    except OSError as error:
        raise InputError.at(
            copy_to,
            found=f"it can't be written ({error.strerror or error})",
            expected="a folder, or a name that is free",
            hint="copy elsewhere",
        ) from None
    return target


def _sample(path: Path) -> Sample:
    """What the comment at the head of an experiment says of it: paragraphs, then the command that runs it."""
    comment = _leading_comment(path.read_text(encoding="utf-8"))
    shows = _SENTENCE_ENDS.split(" ".join(comment.partition("\n\n")[0].split()))[0]
    command = next((line.strip() for line in comment.splitlines() if line.strip().startswith("metaeval ")), "")
    install = _INSTALL.search(" ".join(comment.split()))
    needs = install[0] if install else "" if read_config(str(path)).data.gold else NOT_SHIPPED
    real = command or f"metaeval run {CONFIGS}/{path.name}"
    return Sample(path.stem, shows, needs, real.replace(f"{CONFIGS}/{path.name}", shlex.quote(str(path))))


def _leading_comment(text: str) -> str:
    """The comment that a file begins with, without its signs."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines)
