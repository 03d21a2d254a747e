"""Readers of outputs and reference texts.

folders       reference/ITEM.txt or ITEM.ANNOTATOR.txt, system/ITEM.txt: a sentence on each line
rows          JSON lines, a table with a text in each row, or a text on each line: see `texts.rows`
settings      the settings file of ROUGE-1.5.5, which names references and systems: see `texts.outputs`
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from metaeval.errors import MEGABYTE, Gathered, InputError, excluded, refuse, setting, too_large, wrong_count
from metaeval.io.dataset import Dataset, Progress, no_run
from metaeval.io.files.run_files import (
    RunFile,
    SystemChoice,
    exists,
    find_run_files,
    is_folder,
    is_gold,
    one_name_for_several,
    without_gold,
)
from metaeval.io.files.source import Open, Source, SourceFiles, open_source
from metaeval.io.groups import Membership
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies
from metaeval.io.texts.outputs import (
    FileNames,
    TextStore,
    TextStores,
    add_file,
    check_policies,
    is_settings,
    join_outputs,
    notes_on_texts,
    read_reference_folder,
    read_settings,
    read_system_folder,
    reorder_texts,
    runs_in_folder,
)
from metaeval.io.texts.rows import ReadingStopped, Text, TextReader, empty_name, text_encoder
from metaeval.model.runs import Encoder, TextRuns

MEMORY = 512 << 20
"""Default number of bytes that the words of all texts may take."""

_LARGE = 64 << 20
"""Size in bytes from which the memory for reading a file of texts is estimated before it is read."""

_BY_LINE = "in a file without names of items, an item is the number of a line"

_BYTES_A_BYTE = 4
"""Memory while a file is read: the file, its text, its lines, and the words."""


def read_texts(
    gold: str,
    runs: Sequence[str],
    *,
    encoder: Encoder,
    columns: Columns,
    policies: Policies,
    progress: Progress,
    needs_runs: bool = True,
    open_file: Open = open_source,
    memory: int = MEMORY,
    executor: Executor | None = None,
    member: Membership | None = None,
) -> Dataset[TextRuns]:
    """Read references and every system, and join them by item.

    gold: a folder, a file of rows, a settings file of ROUGE-1.5.5 or '-'. runs: folders, files, patterns or
    `name=path`; none if the settings name the systems. columns: for rows, other names of 'item' and 'text'.
    needs_runs: whether references without systems are an error. memory: bytes for the words of all texts, 4 each, and
    for a file of rows while it is read. executor: tokenizes in parallel if other processes can encode; the result
    is the same. member: the group whose items are read.
    All problems of the files are one `InputError`; too little memory and a failure of workers are raised immediately.
    """
    check_policies(policies)
    run_files, notes = find_run_files(runs, gold=gold, in_folder=runs_in_folder)
    # A file of references and outputs is named once, perhaps with the name of its system.
    system_files = [file for file in run_files if file.system not in policies.systems.always]
    is_itself = len(system_files) == 1 and not is_folder(gold) and is_gold(Path(system_files[0].path), gold)
    itself = system_files[0] if is_itself else None
    if itself is not None:
        run_files = tuple(file for file in run_files if file is not itself)
    run_files, gold_notes = without_gold(run_files, gold)
    writer = text_encoder(encoder, memory, executor)

    def open_checked(path: str, role: str) -> Source:
        _check_size(path, memory)
        return open_file(path, role)

    stores_by_system = TextStores(writer, gold, member)
    files = SourceFiles(open_checked)
    reading = _Reading(stores_by_system, columns, files, policies.systems, itself, alone=not system_files)
    try:
        systems = _read_all(reading, gold, run_files, progress, needs_runs)
        writer.finish()
    except ReadingStopped as stopped:
        raise stopped.error from None
    finally:
        writer.stop()
    names = list(reading.stores.systems)
    with reading.problems.errors():
        selection = policies.systems.of(names)
        systems = [store for store in systems if store.system in selection]
    stores, words = (reading.stores.references, *systems), encoder.words()
    for store in stores:
        # Sources may be of another language.
        if store.system not in policies.systems.always:
            with reading.problems.errors(store.system):
                store.check_letters(words)
    with reading.problems.errors():
        references_index, *indexes = (store.index() for store in stores)
        join = join_outputs(references_index, indexes, policies)
    reading.problems.raise_any(store.system for store in systems)
    references, *outputs = map(reorder_texts, stores, (join.references, *join.outputs))
    read = tuple(store.system for store in systems)
    return Dataset(
        TextRuns(
            join.items,
            systems=read,
            outputs=tuple(outputs),
            references=references,
            reference_counts=join.reference_counts,
            words=words,
        ),
        tuple(store.path for store in systems),
        reading.files.files,
        join.repairs,
        (
            *notes,
            *gold_notes,
            *policies.systems.notes(names),
            *dict.fromkeys(reading.notes),
            *reading.files.notes,
            *notes_on_texts(stores),
            *join.notes,
        ),
    )


def _read_all(
    reading: _Reading, gold: str, run_files: Sequence[RunFile], progress: Progress, needs_runs: bool
) -> list[TextStore]:
    """Read all files; returns the stores of the systems, or raises if there is nothing to join."""
    problems = reading.problems
    with problems.errors():
        reading.gold(gold, run_files, progress)
    for file in progress(run_files, "Reading runs"):
        with problems.errors(file.system):
            reading.run(file)
    # A system may lack all items of a group.
    systems = [store for store in reading.stores.systems.values() if store.has_texts or not store.is_restricted]
    if not problems.errors_so_far and needs_runs and not systems:
        column = f"the column of outputs in this file with {setting('prediction_column')}"
        raise no_run(gold, f"name the files or folders of the systems, or {column}", "at least one system")
    if not reading.stores.references.has_texts or (run_files and not systems):
        problems.raise_any(())
    return systems


def _check_size(path: str, memory: int) -> None:
    """Refuse a file that would not fit into memory while it is read; other problems of its path are found later."""
    size = Path(path).stat().st_size if exists(path) and not is_folder(path) else 0
    peak = _BYTES_A_BYTE * size
    if size < _LARGE or peak <= memory:
        return
    file = f"the texts of a file of {size // MEGABYTE:,} MB"
    raise ReadingStopped(refuse(path, too_large(file, peak, memory, "write each system to a file of its own")))


class _Reading:
    """Reads files into stores; collects their problems in `problems`.

    itself: the run that is the file of gold. alone: whether there is no other.
    """

    def __init__(
        self,
        stores: TextStores,
        columns: Columns,
        files: SourceFiles,
        systems: SystemChoice,
        itself: RunFile | None,
        *,
        alone: bool,
    ) -> None:
        self.itself = itself
        self.alone = alone
        self.stores = stores
        self.columns = columns
        self.problems = systems.gathered()
        self.files = files
        self.notes: list[str] = []
        self._sources = systems.always
        self._names = FileNames(frozenset(), whole=False, numbered=False)
        self._lines: int | None = None

    def gold(self, path: str, run_files: Sequence[RunFile], progress: Progress) -> None:
        """Read the references, and the systems that a settings file names."""
        store = self.stores.references
        if is_folder(path):
            self._names = FileNames.of(path, [file.path for file in run_files if is_folder(file.path)])
            self.notes += read_reference_folder(path, self._names, store, self.files, self.problems)
            return
        source = self.files.open(path, "gold")
        if is_settings(source):
            self._settings(source, run_files, progress)
            return
        faults = Gathered()
        with faults.errors():
            reader = TextReader(source, self.columns)
            before: dict[tuple[str, str], Text] = {}
            for row in reader.rows(faults):
                # Beside the outputs of several systems, references are written again.
                key = row.item, row.reference
                if not row.system or key not in before:
                    store.add(row.item, row.sentences, source.path_or_name, row.line, reference=row.reference)
                elif before[key] != row.sentences:
                    found = f"another reference of item '{row.item}' beside system '{row.system}'"
                    same = "the same reference in every row of an item"
                    faults.keep(refuse((source.path_or_name, row.line), found, same, kind="conflict"))
                before |= {key: row.sentences} if row.system else {}
            self._lines = reader.lines
            store.hint = _BY_LINE if reader.lines is not None else ""
            if reader.has_outputs and (self.itself is not None or self.alone):
                self.run(self.itself or RunFile.of(path), references=reader)
            else:
                self.notes += reader.notes()
                if self.itself is not None:
                    without_gold([self.itself], path)
        self._add_faults(faults, [store])

    def run(self, file: RunFile, references: TextReader | None = None) -> None:
        """Read the systems of a file or folder; references: of the same file."""
        if is_folder(file.path):
            folder = self.stores.store_of(file.system, file.path)
            self.notes += read_system_folder(file.path, self._names, folder, self.files, self.problems)
            return
        source = self.files.open(file.path, "run")
        path = source.path_or_name
        faults = Gathered()
        # For rows without a system, or for all rows if the user named the run.
        file_store = self.stores.new(file.system, path)
        inside: dict[str, TextStore] = {}
        names: dict[str, None] = {}
        nameless = array("q")
        columns = self.columns if file.system not in self._sources else replace(self.columns, prediction=None)
        reader = TextReader(source, columns, outputs_beside=references is not None)
        with faults.errors():
            for row in reader.rows(faults):
                names[row.system] = None
                if not row.system:
                    nameless.append(row.line)
                elif not file.is_named and row.system not in inside:
                    inside[row.system] = self.stores.store_of(row.system, path, named_inside=True)
                store = file_store if file.is_named or not row.system else inside[row.system]
                store.add(row.item, row.sentences, path, row.line)
        self.notes += reader.notes(references.texts if references is not None else ())
        with faults.errors():
            _check_systems(file, path, list(filter(None, names)), nameless)
            if reader.lines is not None:
                file_store.hint = _BY_LINE
            if self._lines is not None and reader.lines not in (None, self._lines):
                hint = "write a text of each item on its line, and an empty line for an empty one"
                raise refuse(path, wrong_count(reader.lines, "line", self._lines, ", as in the references", hint=hint))
            if len(names) == 1 and not inside:
                self.stores.put(file_store)
        self._add_faults(faults, [file_store, *inside.values()])

    def _add_faults(self, faults: Gathered, stores: Sequence[TextStore]) -> None:
        """Add the problems of a file, whose stores are then incomplete."""
        self.problems.keep(*faults.errors_so_far, runs=[store.system for store in stores if store.has_texts] or None)
        if faults.errors_so_far:
            for store in stores:
                store.complete = False

    def _settings(self, source: Source, run_files: Sequence[RunFile], progress: Progress) -> None:
        if run_files or self.itself:
            runs = f"runs {', '.join(file.path for file in run_files[:3])}"
            hint = f"leave out the runs, or name a folder of references with {setting('gold')}"
            problem = excluded(runs, "the settings file names its systems", "the settings file alone", hint)
            raise refuse(source.path_or_name, problem)
        references = self.stores.references
        for evaluation in progress(read_settings(source), "Reading evaluations"):
            for model in evaluation.models:
                add_file(
                    references,
                    item=evaluation.item,
                    path=model.path,
                    files=self.files,
                    problems=self.problems,
                    reference=model.name,
                )
            for peer in evaluation.peers:
                store = self.stores.store_of(peer.name, source.path_or_name)
                add_file(store, evaluation.item, peer.path, self.files, self.problems)


def _check_systems(file: RunFile, path: str, systems: Sequence[str], nameless: Sequence[int]) -> None:
    """Reject files in which only some rows name a system, and one name for several; nameless: lines without a name."""
    if systems and nameless:
        raise InputError(
            [empty_name("system", path, line).problems[0] for line in nameless],
            hints=["name the system on every line, or on none"],
        )
    if file.is_named and len(systems) > 1:
        raise one_name_for_several(file, path, len(systems))
