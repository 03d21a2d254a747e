"""Folders with a file for each text, of references or of systems; each line is a sentence."""

from __future__ import annotations

from pathlib import Path

from metaeval.errors import Gathered, InputError
from metaeval.io.files.run_files import files_in_folder, is_gold, reject_pipe
from metaeval.io.files.source import READABLE, SourceFiles
from metaeval.io.texts.store import TextStore

_SHOWN_FILES = 5


def add_file(
    store: TextStore, item: str, path: str, files: SourceFiles, gathered: Gathered, reference: str = ""
) -> None:
    """Add the text of a file to a store; its sentences are the lines that are not blank."""
    sentences: list[str] = []
    with gathered.errors():
        source = files.open(path, "run" if store.system else "gold")
        # An empty file is an empty output.
        if not source.is_blank:
            sentences = [line.strip() for line in source.text().split("\n") if line.strip()]
    # An unreadable text is reported once, and not as missing as well.
    store.add(item, sentences, path, reference=reference)


def read_reference_folder(folder: str, store: TextStore, files: SourceFiles, gathered: Gathered) -> tuple[str, ...]:
    """Add the texts of ITEM.txt or ITEM.ANNOTATOR.txt in the order of items and annotators; returns notes.

    The last dot of the stem separates them: doc.1.A.txt is the text of annotator A for item doc.1.
    """
    paths, notes = _text_files(folder)
    if not paths:
        raise InputError.at(
            folder, found="a folder without references", expected="files named ITEM.txt or ITEM.ANNOTATOR.txt",
            hint="name the folder that contains the references",
        )  # fmt: skip
    store.hint = "in a folder of references, doc.1.txt is reference 1 of item doc"
    for item, annotator, path in sorted((*_item_and_annotator(path), str(path)) for path in paths):
        add_file(store, item, path, files, gathered, annotator)
    return notes


def read_system_folder(folder: str, store: TextStore, files: SourceFiles, gathered: Gathered) -> tuple[str, ...]:
    """Add the texts of ITEM.txt, where the item is the whole stem; returns notes."""
    paths, notes = _text_files(folder)
    for path in paths:
        add_file(store, _stem(path), str(path), files, gathered)
    return notes


def runs_in_folder(folder: str, gold: str | None) -> tuple[list[str], list[str]]:
    """The runs of a folder and notes: the folder itself, the folders in it, or the files in it."""
    if _text_files(folder)[0]:
        return [folder], []
    systems = _system_folders(folder, gold)
    others = [entry for entry in _folders(folder, gold) if entry not in systems]
    # Systems one level deeper are an error even if there are systems here, because they may be the intended ones.
    deeper = [str(entry) for entry in others if _system_folders(str(entry), gold)]
    if deeper:
        raise InputError.at(
            folder, found="a folder that contains folders of systems",
            expected="a folder of systems, or of the texts of one system",
            hint=f"did you mean {' or '.join(deeper[:_SHOWN_FILES])}?",
        )  # fmt: skip
    if not systems:
        return files_in_folder(folder, gold)
    ignored = [entry.name for entry in _entries(folder) if entry not in systems and not is_gold(entry, gold)]
    return [str(entry) for entry in systems], list(_ignored(folder, ignored))


def _folders(folder: str, gold: str | None) -> list[Path]:
    inner = [entry for entry in _entries(folder) if entry.is_dir() and not entry.name.startswith(".")]
    return [entry for entry in inner if not is_gold(entry, gold)]


def _system_folders(folder: str, gold: str | None) -> list[Path]:
    return [entry for entry in _folders(folder, gold) if _text_files(str(entry))[0]]


def _entries(folder: str) -> list[Path]:
    try:
        return sorted(Path(folder).iterdir())
    except OSError as error:
        raise InputError.at(
            folder, found=f"it cannot be read ({error.strerror or error})", expected="a readable folder", hint=READABLE
        ) from None


def _text_files(folder: str) -> tuple[list[Path], tuple[str, ...]]:
    """The text files in the order of their names, and a note on all other entries."""
    files: list[Path] = []
    others: list[str] = []
    for entry in _entries(folder):
        reject_pipe(entry)
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
    """The item and the annotator of a file name.

    >>> _item_and_annotator(Path("doc.1.A.txt")), _item_and_annotator(Path("t01.txt.gz"))
    (('doc.1', 'A'), ('t01', ''))
    """
    stem = _stem(path)
    item, dot, annotator = stem.rpartition(".")
    return (item, annotator) if dot and item else (stem, "")
