"""A text a file and a sentence a line: folders of references, of one system, or of a folder for each system."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from metaeval.errors import Gathered, InputError
from metaeval.io.labels.run_files import files_in_folder, is_gold
from metaeval.io.texts.outputs import Opened
from metaeval.io.texts.store import TextShelf

_SHOWN_FILES = 5


def sentences_of_file(path: str, role: str, opened: Opened) -> list[str]:
    """The lines of a file that are not blank; none where it is empty."""
    source = opened.open(path, role)
    # A system may have had nothing to say.
    if source.is_blank:
        return []
    return [line.strip() for text in source.stretches() for line in text.split("\n") if line.strip()]


def read_reference_folder(folder: str, shelf: TextShelf, opened: Opened, faults: Gathered) -> tuple[str, ...]:
    """Put the texts of ITEM.txt or ITEM.ANNOTATOR.txt on the shelf, in order of items and annotators; gives notes.

    The item is what stands before the last dot of the stem: doc.1.A.txt is by A and of doc.1.
    """
    files, notes = _text_files(folder)
    if not files:
        raise InputError.at(
            folder,
            found="a folder without references",
            expected="files called ITEM.txt or ITEM.ANNOTATOR.txt",
            hint="name the folder that holds the references",
        )
    shelf.hint = "in a folder of references doc.1.txt is reference 1 of item doc"
    for item, annotator, path in sorted((*_item_and_annotator(path), str(path)) for path in files):
        _put(path, item, annotator, shelf, opened, faults)
    return notes


def read_system_folder(folder: str, shelf: TextShelf, opened: Opened, faults: Gathered) -> tuple[str, ...]:
    """Put the texts of ITEM.txt on the shelf; the item is the whole stem. Gives notes."""
    files, notes = _text_files(folder)
    for path in files:
        _put(str(path), _stem(path), "", shelf, opened, faults)
    return notes


def runs_in_folder(folder: str, gold: str | None) -> tuple[list[str], list[str]]:
    """The runs that a folder stands for, as `io.run_files.InFolder`: itself, the folders in it, or the files in it."""
    if _text_files(folder)[0]:
        return [folder], []
    inner = [entry for entry in _entries(folder) if entry.is_dir() and not entry.name.startswith(".")]
    inner = [entry for entry in inner if not is_gold(entry, gold)]
    systems = [entry for entry in inner if _text_files(str(entry))[0]]
    _reject_deeper(folder, [entry for entry in inner if entry not in systems], gold)
    if not systems:
        return files_in_folder(folder, gold)
    passed_over = [entry.name for entry in _entries(folder) if entry not in systems and not is_gold(entry, gold)]
    return [str(entry) for entry in systems], list(_ignored(folder, passed_over))


def _reject_deeper(folder: str, passed_over: Sequence[Path], gold: str | None) -> None:
    """Raise where one of the folders that are no systems holds some: then it was meant, and not what lies beside it."""
    deeper = [
        str(entry)
        for entry in passed_over
        if any(
            system.is_dir()
            and not system.name.startswith(".")
            and not is_gold(system, gold)
            and _text_files(str(system))[0]
            for system in _entries(str(entry))
        )
    ]
    if deeper:
        raise InputError.at(
            folder,
            found="a folder of folders of systems",
            expected="a folder of systems, or of one system's texts",
            hint=f"did you mean {' or '.join(deeper[:_SHOWN_FILES])}?",
        )


def _put(path: str, item: str, annotator: str, shelf: TextShelf, opened: Opened, faults: Gathered) -> None:
    sentences: list[str] = []
    with faults.errors():
        sentences = sentences_of_file(path, "run" if shelf.system else "gold", opened)
    # One that can't be read is told, and need not be told as missing too.
    shelf.add(item, sentences, path, reference=annotator)


def _entries(folder: str) -> list[Path]:
    try:
        return sorted(Path(folder).iterdir())
    except OSError as error:
        raise InputError.at(
            folder, found=f"it can't be read ({error.strerror or error})", expected="a readable folder"
        ) from None


def _text_files(folder: str) -> tuple[list[Path], tuple[str, ...]]:
    """The files of texts, by name, and a note about whatever else there is."""
    files: list[Path] = []
    others: list[str] = []
    for entry in _entries(folder):
        is_text = entry.name.lower().removesuffix(".gz").endswith(".txt") and not entry.name.startswith(".")
        if is_text and not entry.is_dir():
            files.append(entry)
        else:
            others.append(entry.name)
    return files, _ignored(folder, others)


def _ignored(folder: str, names: list[str]) -> tuple[str, ...]:
    more = f" and {len(names) - _SHOWN_FILES} more" if len(names) > _SHOWN_FILES else ""
    return (f"{folder}: ignored {', '.join(names[:_SHOWN_FILES])}{more}",) if names else ()


def _stem(path: Path) -> str:
    name = path.name[: -len(".gz")] if path.name.lower().endswith(".gz") else path.name
    return name[: -len(".txt")]


def _item_and_annotator(path: Path) -> tuple[str, str]:
    """What a file's name says.

    >>> _item_and_annotator(Path("doc.1.A.txt")), _item_and_annotator(Path("t01.txt.gz"))
    (('doc.1', 'A'), ('t01', ''))
    """
    stem = _stem(path)
    item, dot, annotator = stem.rpartition(".")
    return (item, annotator) if dot and item else (stem, "")


def is_folder(path: str) -> bool:
    """Whether a path is a folder; one that is too long to exist is none."""
    return os.path.isdir(path)  # noqa: PTH112 (no error for a path too long)
