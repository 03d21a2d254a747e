"""What metaeval knows without data: its measures, and the samples that come with it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from metaeval.config import DataConfig
from metaeval.config.read import read_config
from metaeval.errors import empty, invalid, refuse, setting, unwritable
from metaeval.measures import PRESETS, REGISTRY, Declaration, measure
from metaeval.measures.presets import explain
from metaeval.model.report import Column, Provenance, Report, Table, as_notes, signature
from metaeval.version import __version__

CONFIGS, DATA = "configs", "sample_data"
"""The folders of the samples; experiments name data by relative paths, so the folders stay side by side."""

NOT_SHIPPED = "its files"

_SENTENCE_ENDS = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_INSTALL = re.compile(r"pip install 'metaeval\[(\w+)\]'")


def measures_report(name: str | None = None, *, command_line: str = "") -> Report:
    """All measures, one row each (table `measures`), or the description of one measure (table `measure`)."""
    if name is None:
        columns = (*map(Column, ("name", "title", "better", "uses")), Column("parameters", detail=True))
        title = f"{len(REGISTRY)} measures; `metaeval measures NAME` explains one"
        table = Table("measures", title, columns, tuple(map(_row, REGISTRY.values())))
    elif name in PRESETS:
        raise refuse(
            None,
            invalid("measure", name, "the name of a measure", ", which is a preset"),
            hint=f"name one of its measures: {', '.join(PRESETS[name])}",
        )
    else:
        declaration = measure(name).declaration
        rows = tuple((heading.lower(), text) for heading, text in explain(declaration))
        title = f"{declaration.name}: {declaration.title}"
        table = Table("measure", title, (Column("aspect"), Column("explanation")), rows)
    line = signature(__version__, [("measures", name or len(REGISTRY))])
    return Report("measures", line, (table,), (), Provenance(__version__, command_line))


def _row(declaration: Declaration) -> tuple[str, ...]:
    parameters = " ".join(
        f"{entry.name}={entry.format(entry.default)}" for entry in declaration.parameters if not entry.common
    )
    uses = measure(declaration.name).uses
    return declaration.name, declaration.title, declaration.better.value, uses, parameters


class Sample(NamedTuple):
    """An experiment; a row of the table `samples`.

    shows: its subject in a few words. needs: an extra to install or files to download, or ''. command: for a shell.
    """

    name: str
    shows: str
    needs: str
    command: str


def samples_report(copy_to: str | None = None, *, command_line: str = "") -> Report:
    """Where the samples are, and how to run them (table `samples`).

    copy_to: a folder for a copy, whose commands are then shown; it is created if it does not exist. Raises InputError
    if it already contains samples: nothing is overwritten.
    """
    folder = samples_folder() if copy_to is None else _copy(samples_folder(), copy_to)
    if folder.is_relative_to(Path.cwd()):
        folder = folder.relative_to(Path.cwd())
    samples = [_sample(path) for path in sorted((folder / CONFIGS).glob("*.yaml"))]
    samples.sort(key=lambda sample: (bool(sample.needs), sample.name != "stance"))
    title = f"{len(samples)} samples in {folder.absolute() if copy_to is None else folder}; start with the first"
    extras = dict.fromkeys(sample.needs for sample in samples if sample.needs not in ("", NOT_SHIPPED))
    install = [f"{extra}: pip install 'metaeval{extra}'" for extra in extras]
    about = "; ".join([*install, f"{NOT_SHIPPED}: not included, see the experiment"])
    columns = (Column(name, about=about if name == "needs" else "") for name in Sample._fields)
    table = Table("samples", title, tuple(columns), tuple(samples))
    notes = []
    if copy_to is None:
        notes.append(f"with {setting('copy_to', 'DIR')} the samples are copied into a folder where you can change them")
    line = signature(__version__, [("samples", len(samples))])
    return Report("demo", line, (table,), as_notes(notes), Provenance(__version__, command_line))


def samples_folder() -> Path:
    """The folder of the samples: inside the package, or the checkout around it."""
    package = Path(__file__).resolve().parent
    for folder in (package / "shipped", package.parent):
        if (folder / CONFIGS).is_dir() and (folder / DATA).is_dir():
            return folder
    raise refuse(
        str(package),
        empty("samples in this installation", f"the folders {CONFIGS} and {DATA} in it"),
        hint="reinstall metaeval from a wheel or a checkout",
    )


def _copy(folder: Path, copy_to: str) -> Path:
    """Copy the samples, all or none, without the scripts that generated the data, and return the folder of the copy."""
    if not copy_to:
        raise refuse(None, empty(f"folder for {setting('copy_to')}", "a path"))
    target = Path(copy_to)
    for name in (CONFIGS, DATA):
        if (target / name).exists():
            raise refuse(target / name, "it already exists", "a new name", "choose another folder")
    is_new = not target.exists()
    stage = target / f".metaeval-{os.urandom(8).hex()}"
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file in (*folder.glob(f"{CONFIGS}/**/*"), *folder.glob(f"{DATA}/**/*")):
            if file.is_file() and file.suffix != ".py" and file.parent.name != "__pycache__":
                copy = stage / file.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
        for name in (CONFIGS, DATA):
            (stage / name).replace(target / name)
    except OSError as error:
        raise unwritable(copy_to, error) from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if is_new:
            with suppress(OSError):
                target.rmdir()  # only if it is empty
    return target


def _sample(path: Path) -> Sample:
    """The sample that the leading comment of an experiment describes: paragraphs, then the command that runs it."""
    comment = _leading_comment(path.read_text(encoding="utf-8"))
    shows = _SENTENCE_ENDS.split(" ".join(comment.partition("\n\n")[0].split()))[0].removesuffix(".")
    command = next((line.strip() for line in comment.splitlines() if line.strip().startswith("metaeval ")), "")
    install = _INSTALL.search(" ".join(comment.split()))
    data = read_config(str(path)).data
    # Analyses of tables of their own have no section of data.
    needs = f"[{install[1]}]" if install else "" if data.gold or data == DataConfig() else NOT_SHIPPED
    real = command or f"metaeval run {CONFIGS}/{path.name}"
    return Sample(path.stem, shows, needs, real.replace(f"{CONFIGS}/{path.name}", shlex.quote(str(path))))


def _leading_comment(text: str) -> str:
    """The comment at the start of a file, without the comment signs."""
    lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines)
