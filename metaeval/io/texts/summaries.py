"""Texts of systems beside reference texts, in whichever of their layouts.

folders       reference/ITEM.txt or ITEM.ANNOTATOR.txt, system/ITEM.txt: a sentence a line
rows          JSON lines or a table with a text a row: see `io.text_rows`
settings      the XML of ROUGE-1.5.5, which names references and systems: see `io.rouge_settings`
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from metaeval.errors import Gathered, InputError, Problem
from metaeval.io.dataset import Dataset, Track
from metaeval.io.files.large_source import or_large
from metaeval.io.files.source import Open, Source, open_source
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.run_files import RunFile, find_run_files, is_gold
from metaeval.io.texts.encoder import GivenUp, scribe_of
from metaeval.io.texts.folders import (
    is_folder,
    read_reference_folder,
    read_system_folder,
    runs_in_folder,
    sentences_of_file,
)
from metaeval.io.texts.outputs import (
    ItemJoin,
    Opened,
    check_any_system,
    check_policies,
    check_standard_input,
    join_outputs,
)
from metaeval.io.texts.reorder import texts_in_order
from metaeval.io.texts.rouge_settings import TextFile, is_settings, read_settings
from metaeval.io.texts.rows import empty_name, text_rows
from metaeval.io.texts.spill import MEMORY, Room
from metaeval.io.texts.store import TextShelf, TextShelves
from metaeval.model.texts import Encoder, TextRuns


def read_texts(
    gold: str,
    runs: Sequence[str],
    *,
    encoder: Encoder,
    columns: Columns,
    policies: Policies,
    track: Track,
    needs_runs: bool = True,
    open_file: Open = open_source,
    memory: int = MEMORY,
    executor: Executor | None = None,
) -> Dataset[TextRuns]:
    """Read references and every system, and join them by item.

    gold: a folder, a file of rows, ROUGE's settings or '-'. runs: folders, files, patterns, `name=path`; none where the
    settings bring the systems along. encoder: numbers the words of each sentence as soon as it is read.
    columns: for rows, other names for 'item' and 'text'. needs_runs: whether references alone are an error.
    open_file: what opens them. memory: bytes that the words of all texts may take, 4 each; those beyond are read from
    a temporary file, which is gone with them. executor: where to cut texts into words, if there are many and the
    encoder is a `SharedEncoder`; nothing depends on it but the time.
    Whatever is wrong with any file is told in one `InputError`; want of room or of processes at once, and alone.
    """
    check_policies(policies)
    run_files, notes = find_run_files(runs, gold=gold, in_folder=runs_in_folder)
    check_standard_input(gold, [file.path for file in run_files])
    _check_own_files(gold, run_files)
    with Room(memory) as room:
        scribe = scribe_of(encoder, room, executor)
        reading = _Reading(TextShelves(scribe, gold), columns, Opened(or_large(open_file)))
        try:
            systems = _read_all(reading, gold, run_files, track, needs_runs)
            scribe.finish()
        except GivenUp as given_up:
            raise given_up.error from None
        finally:
            scribe.stop()
        joined = _join(reading, systems, policies)
        shelves = (reading.shelves.references, *systems)
        references, *outputs = texts_in_order(shelves, (joined.references, *joined.outputs), room)
    return Dataset(
        TextRuns(
            joined.items,
            tuple(shelf.system for shelf in systems),
            tuple(outputs),
            references,
            joined.reference_counts,
            encoder.words(),
        ),
        tuple(shelf.path for shelf in systems),
        reading.opened.files,
        joined.touched,
        (*notes, *reading.notes, *reading.opened.notes, *joined.notes),
    )


def _read_all(
    reading: _Reading, gold: str, run_files: Sequence[RunFile], track: Track, needs_runs: bool
) -> list[TextShelf]:
    """The shelves of the systems, when all that can be read has been read; raise where nothing can be joined."""
    gathered = reading.gathered
    with gathered.errors():
        reading.gold(gold, run_files, track)
    for file in track(run_files, "Reading runs"):
        with gathered.errors():
            reading.run(file)
    systems = list(reading.shelves.systems.values())
    if not gathered.errors_so_far and needs_runs:
        check_any_system(systems, gold)
    if not reading.shelves.references.has_texts or (run_files and not systems):
        gathered.raise_any()
    return systems


def _join(reading: _Reading, systems: Sequence[TextShelf], policies: Policies) -> ItemJoin:
    with reading.gathered.errors():
        references = reading.shelves.references.written()
        joined = join_outputs(references, [shelf.written() for shelf in systems], policies)
    reading.gathered.raise_any()
    return joined


def _check_own_files(gold: str, run_files: Sequence[RunFile]) -> None:
    """Raise where a run is the very file or folder of the references: whatever it says, it would score full marks."""
    # A path too long for the system does not exist, and is no error here.
    there = [file.path for file in run_files if os.path.exists(file.path)]  # noqa: PTH110
    same = [path for path in there if is_gold(Path(path), gold)]
    if same:
        kind = "folder" if is_folder(gold) else "file"
        raise InputError(
            [
                Problem(f"the {kind} is named as references and as a run", f"{kind}s of their own", path)
                for path in dict.fromkeys(same)
            ],
            hints=["name the references with --gold, and what systems wrote after the options"],
        )


class _Reading:
    """Puts texts on their shelves and keeps account of the files, and of what is wrong with them in `gathered`."""

    def __init__(self, shelves: TextShelves, columns: Columns, opened: Opened) -> None:
        self.shelves = shelves
        self.columns = columns
        self.gathered = Gathered()
        self.opened = opened
        self.notes: list[str] = []

    def gold(self, path: str, run_files: Sequence[RunFile], track: Track) -> None:
        """Read the references, and the systems where ROUGE's settings name them."""
        shelf = self.shelves.references
        if is_folder(path):
            self.notes += read_reference_folder(path, shelf, self.opened, self.gathered)
            return
        source = self.opened.open(path, "gold")
        if is_settings(source):
            self._settings(source, run_files, track)
            return
        faults = Gathered()
        with faults.errors():
            for row in text_rows(source, self.columns, faults):
                shelf.add(row.item, row.sentences, source.path_or_name, row.line, reference=row.reference)
        self._keep(faults, [shelf])

    def run(self, file: RunFile) -> None:
        """Read the systems of a file or folder."""
        if is_folder(file.path):
            folder = self.shelves.of(file.system, file.path)
            self.notes += read_system_folder(file.path, folder, self.opened, self.gathered)
            return
        source = self.opened.open(file.path, "run")
        path = source.path_or_name
        faults = Gathered()
        # For rows that name no system, and for all rows where the user did.
        own = self.shelves.apart(file.system, path)
        inside: dict[str, TextShelf] = {}
        names: dict[str, None] = {}
        nameless = array("q")
        with faults.errors():
            for row in text_rows(source, self.columns, faults):
                names[row.system] = None
                if not row.system:
                    nameless.append(row.line)
                elif not file.named and row.system not in inside:
                    inside[row.system] = self.shelves.of(row.system, path, inside=True)
                shelf = own if file.named or not row.system else inside[row.system]
                shelf.add(row.item, row.sentences, path, row.line)
        with faults.errors():
            _check_systems(file, path, list(filter(None, names)), nameless)
            if len(names) == 1 and not inside:
                self.shelves.put(own)
        self._keep(faults, [own, *inside.values()])

    def _keep(self, faults: Gathered, shelves: Sequence[TextShelf]) -> None:
        """Take up what is wrong with a file that filled some shelves."""
        for fault in faults.errors_so_far:
            self.gathered.keep(fault)
        if faults.errors_so_far:
            for shelf in shelves:
                shelf.whole = False

    def _settings(self, source: Source, run_files: Sequence[RunFile], track: Track) -> None:
        if run_files:
            raise InputError.at(
                source.path_or_name,
                found="settings that bring their systems along, and runs named beside them: "
                + ", ".join(file.path for file in run_files[:3]),
                expected="the settings alone",
                hint="leave out the runs, or name a folder of references with --gold",
            )
        for evaluation in track(read_settings(source), "Reading evaluations"):
            for model in evaluation.models:
                self._text(self.shelves.references, evaluation.item, model)
            for peer in evaluation.peers:
                self._text(self.shelves.of(peer.name, source.path_or_name), evaluation.item, peer)

    def _text(self, shelf: TextShelf, item: str, file: TextFile) -> None:
        sentences: list[str] = []
        with self.gathered.errors():
            sentences = sentences_of_file(file.path, "run" if shelf.system else "gold", self.opened)
        # One that can't be read is told, and need not be told as missing too.
        shelf.add(item, sentences, file.path, reference="" if shelf.system else file.name)


def _check_systems(file: RunFile, path: str, systems: Sequence[str], nameless: Sequence[int]) -> None:
    """Raise where some rows name a system and others none, or where several systems are to have one name.

    systems: those that rows name. nameless: the lines of rows that name none.
    """
    if systems and nameless:
        raise InputError(
            [empty_name("system", path, line).problems[0] for line in nameless],
            hints=["name the system on every line, or on none"],
        )
    if file.named and len(systems) > 1:
        raise InputError.at(
            path,
            found=f"one name, '{file.system}', for {len(systems)} systems",
            expected="no name for a file that names its systems",
            hint=f"leave out '{file.system}='",
        )
