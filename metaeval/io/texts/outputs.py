"""Outputs (texts, derivations or distributions) with their references by item, from folders and settings of ROUGE.

The settings file of ROUGE-1.5.5, which names the outputs and references of each item.

<ROUGE-EVAL version="1.5.5">
  <EVAL ID="1">
    <PEER-ROOT>systems</PEER-ROOT>
    <MODEL-ROOT>models</MODEL-ROOT>
    <INPUT-FORMAT TYPE="SPL"></INPUT-FORMAT>
    <PEERS><P ID="A">1.A.txt</P></PEERS>
    <MODELS><M ID="1">1.1.txt</M></MODELS>
  </EVAL>
</ROUGE-EVAL>
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Indices
from metaeval.errors import (
    Gathered,
    InputError,
    Problem,
    empty,
    excluded,
    invalid,
    no_common_item,
    pluralize,
    raise_any,
    refuse,
    repeated,
    setting,
    unreadable,
    wrong_type,
)
from metaeval.io.files.archives import is_remark
from metaeval.io.files.run_files import (
    RunFile,
    Runs,
    entries,
    files_in_folder,
    has_data,
    ignored_note,
    is_folder,
    is_gold,
    reject_pipe,
    same_names,
)
from metaeval.io.files.source import BLANKS_BEFORE_TEXT, STANDARD_INPUT, Source, SourceFiles
from metaeval.io.forms import numbers_note
from metaeval.io.groups import Membership
from metaeval.io.labels.columns import repetitions
from metaeval.io.labels.join import ERROR, Policies, dropped_items_note, extra_hints, mostly, truncation_hint
from metaeval.io.texts.rows import CodeArrays, ReadingStopped, Text, TextEncoder, sentences_of_see
from metaeval.model.runs import Letters, TokenizedTexts, Word


@dataclass(frozen=True)
class OutputIndex:
    """The items of the outputs of one system, or of the references, a row each.

    system: '' for references. path: file or folder, for messages. items: of each row. empty: whether a row is empty,
    (R,). location: the file and line of a row. references: the names of the references, () for a system.
    complete: False if some row could not be read. hint: a remedy for ids that gold does not have.
    """

    system: str
    path: str
    items: Sequence[str]
    empty: NDArray[np.bool_]
    location: Callable[[int], tuple[str, int | None]]
    references: Sequence[str] = ()
    complete: bool = True
    hint: str = ""


@dataclass(frozen=True)
class ItemJoin:
    """The rows of each item.

    items: N ids. references: rows of gold, those of an item together. reference_counts: of each item, (N,).
    outputs: for each system the row of each item, (N,); −1 for a missing output, which counts as empty.
    """

    items: tuple[str, ...]
    references: NDArray[np.intp]
    reference_counts: Indices
    outputs: tuple[NDArray[np.intp], ...]
    repairs: Mapping[str, int]
    notes: tuple[str, ...]


def check_policies(policies: Policies) -> None:
    """Reject policies about labels, which texts and derivations do not have."""
    problems = []
    if policies.on_missing.action in ("label", "miss"):
        missing, expected = setting("on_missing", str(policies.on_missing)), "error, drop, or worst for an empty text"
        problems.append(excluded(missing, "texts have no labels", expected))
    for name, value, default in (
        ("on_unknown", str(policies.on_unknown), str(ERROR)),
        ("drop_gold", ",".join(policies.drop_gold), ""),
    ):
        if value != default:
            problems.append(excluded(setting(name, value), "texts have no labels", hint=f"leave out {setting(name)}"))
    raise_any(problems)


def join_outputs(
    gold: OutputIndex, systems: Sequence[OutputIndex], policies: Policies, *, worst: str = "worst for empty outputs"
) -> ItemJoin:
    """Join references and outputs by item, in the order of the first reference of each item.

    worst: the policy for missing outputs beside 'drop', for a remedy; '' if there is none.

    Duplicate ids, outputs of unknown items and items without an output are one `InputError`, unless the policies
    allow them.
    """
    item_numbers: dict[str, int] = {}
    item_of_reference = np.array([item_numbers.setdefault(name, len(item_numbers)) for name in gold.items], np.intp)
    names = list(item_numbers)
    problems = policies.systems.gathered()
    with problems.errors():
        _reject_duplicates(gold)
    rows, extra = [], []
    for system in systems:
        system_rows, unknown = _align(system, item_numbers)
        rows.append(system_rows)
        extra.append(len(unknown))
        with problems.errors(system.system):
            _reject_duplicates(system)
        if gold.complete and not policies.drop_extra:
            with problems.errors(system.system):
                _reject_extra(system, unknown, names, gold.hint)
    remedies = ["drop"] if rows and not mostly(np.any(np.array(rows) < 0, axis=0)) else []
    for system, system_rows in zip(systems, rows, strict=True):
        if system.complete and policies.on_missing.action == "error":
            with problems.errors(system.system):
                _reject_missing(system, system_rows, names, [*remedies, *filter(None, [worst])])
    problems.raise_any()
    return _apply_policies(
        gold,
        systems=systems,
        policies=policies,
        names=names,
        item_of_reference=item_of_reference,
        rows=rows,
        extra=extra,
    )


def _align(system: OutputIndex, item_numbers: Mapping[str, int]) -> tuple[NDArray[np.intp], list[int]]:
    """The row of each item, −1 if it has none, (N,); and the rows of unknown items."""
    rows = np.full(len(item_numbers), -1, dtype=np.intp)
    unknown = []
    for row, name in enumerate(system.items):
        item = item_numbers.get(name)
        if item is None:
            unknown.append(row)
        else:
            rows[item] = row
    return rows, unknown


def _reject_duplicates(index: OutputIndex) -> None:
    """Reject two outputs of one system, or two references of one name, for one item."""
    keys = list(zip(index.items, index.references, strict=True)) if index.references else index.items
    problems = [_duplicate(index, before, row) for row, before in repetitions(keys)]
    hint = (
        'give each reference of an item its own name (JSON lines and tables: "reference"; folders: ITEM.NAME.txt)'
        if index.references
        else "keep one output for each item of a system"
    )
    raise_any(problems, hint)


def _duplicate(index: OutputIndex, before: int, row: int) -> Problem:
    path, line = index.location(row)
    first_path, first_line = index.location(before)
    first = f"on line {first_line}" if path == first_path and first_line else f"in {first_path}"
    if path != first_path and first_line:
        first += f", line {first_line}"
    reference = index.references[row] if index.references else ""
    whose = f" for reference '{reference}'" if reference else f" for '{index.system}'" if index.system else ""
    return repeated("item", index.items[row], first, where=whose, hint="").at(path, line)


def _reject_extra(system: OutputIndex, unknown: Sequence[int], names: Sequence[str], hint: str) -> None:
    if unknown:
        raise InputError(
            [
                invalid("item", system.items[row], "an item with a reference").at(*system.location(row))
                for row in unknown
            ],
            hints=[
                hint,
                system.hint,
                *extra_hints([system.items[row] for row in unknown], system.items, names, "outputs"),
            ],
        )


def _reject_missing(system: OutputIndex, rows: NDArray[np.intp], names: Sequence[str], policies: Sequence[str]) -> None:
    missing = np.flatnonzero(rows < 0).tolist()
    if missing:
        raise InputError(
            [
                empty(f"output of '{system.system}' for item '{names[item]}'", "one for every item").at(system.path)
                for item in missing
            ],
            hints=[
                # Data in memory cannot be truncated files.
                truncation_hint(rows, names) if not system.path.startswith("<") else "",
                "add the outputs"
                + (f", or set {setting('on_missing')} to {', or to '.join(policies)}" if policies else ""),
            ],
        )


def _apply_policies(
    gold: OutputIndex,
    systems: Sequence[OutputIndex],
    policies: Policies,
    names: Sequence[str],
    item_of_reference: NDArray[np.intp],
    rows: Sequence[NDArray[np.intp]],
    extra: Sequence[int],
) -> ItemJoin:
    """The join without dropped items, and what the policies repaired."""
    keep = np.ones(len(names), dtype=np.bool_)
    if policies.on_missing.action == "drop":
        for system_rows in rows:
            keep &= system_rows >= 0
    if not keep.any():
        fewest = systems[int(np.argmin([np.count_nonzero(system_rows >= 0) for system_rows in rows]))]
        raise no_common_item(fewest.path, "output", fewest.system)
    references = np.argsort(item_of_reference, kind="stable")
    references = references[keep[item_of_reference[references]]]
    outputs = tuple(system_rows[keep] for system_rows in rows)
    counts = {
        "extra_dropped": extra,
        "missing": [int((system_rows < 0).sum()) for system_rows in rows],
        "items_dropped": [int((~keep).sum())],
        "empty_outputs": [int(system.empty[of[of >= 0]].sum()) for system, of in zip(systems, outputs, strict=True)],
        "empty_references": [int(gold.empty[references].sum())],
    }
    return ItemJoin(
        tuple(name for name, stays in zip(names, keep.tolist(), strict=True) if stays),
        references=references,
        reference_counts=np.bincount(item_of_reference, minlength=len(names))[keep],
        outputs=outputs,
        repairs={name: sum(numbers) for name, numbers in counts.items()},
        notes=(*numbers_note(names), *_notes(counts, [system.system for system in systems], policies)),
    )


def _notes(counts: Mapping[str, Sequence[int]], systems: Sequence[str], policies: Policies) -> tuple[str, ...]:
    """The repairs as text; counts: of each system, or of all items or references."""
    extra, missing, items, outputs, references = (sum(numbers) for numbers in counts.values())
    notes = []
    if extra:
        shares = _shares(systems, counts["extra_dropped"])
        notes.append(f"dropped {pluralize(extra, 'output')} for items without a reference ({shares})")
    if missing:
        effect = "their items are dropped" if policies.on_missing.action == "drop" else "counted as empty, score 0"
        notes.append(f"{pluralize(missing, 'missing output')}: {effect} ({_shares(systems, counts['missing'])})")
    if items:
        notes.append(dropped_items_note(items))
    if outputs:
        whose = _shares(systems, counts["empty_outputs"])
        notes.append(f"{pluralize(outputs, 'empty output')} of {whose} {'scores' if outputs == 1 else 'score'} 0")
    if references:
        notes.append(pluralize(references, "empty reference"))
    return tuple(notes)


def _shares(systems: Sequence[str], counts: Sequence[int]) -> str:
    """The systems with a count, and the counts if there are several."""
    present = [(name, count) for name, count in zip(systems, counts, strict=True) if count]
    return present[0][0] if len(present) == 1 else ", ".join(f"{name} {count:,}" for name, count in present)


_SETTINGS = "<ROUGE-EVAL version=…> of the settings of ROUGE-1.5.5"


class TextFile(NamedTuple):
    """A file in the settings. name: of its system, or of the reference. line: of the settings file."""

    name: str
    path: str
    line: int


class Evaluation(NamedTuple):
    """An EVAL: the outputs (peers) and references (models) of one item."""

    item: str
    peers: tuple[TextFile, ...]
    models: tuple[TextFile, ...]


@dataclass
class _Element:
    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[_Element] = field(default_factory=list)

    def all(self, tag: str) -> list[_Element]:
        return [child for child in self.children if child.tag == tag]


def is_settings(source: Source) -> bool:
    """Whether a file is XML, and not the HTML of a text."""
    start = source.content.lstrip(BLANKS_BEFORE_TEXT)[:20].upper()
    return source.suffix == ".xml" or start.startswith((b"<?XML", b"<ROUGE"))


def read_settings(source: Source) -> tuple[Evaluation, ...]:
    """The evaluations of a settings file, with paths relative to the working directory.

    Broken XML, a document type, an input format other than SPL and SEE, and missing or repeated elements are
    `InputError`s with their lines; all except the first two are reported together.
    """
    path = source.path_or_name
    root = _parse(source.text(), path)
    if root.tag != "ROUGE-EVAL":
        raise refuse((path, root.line), invalid("element", root.tag, _SETTINGS))
    folder = Path() if source.path == STANDARD_INPUT else Path(source.path).parent
    problems = Gathered()
    evaluations: list[Evaluation] = []
    first: dict[str, int] = {}
    for element in root.all("EVAL"):
        with problems.errors():
            evaluations.append(_evaluation(element, folder, path))
            item = evaluations[-1].item
            if item in first:
                raise refuse((path, element.line), repeated("EVAL", item, first[item], hint="give each a unique ID"))
            first[item] = element.line
    problems.raise_any()
    if not evaluations:
        raise refuse((path, root.line), empty("<EVAL>", "one for each item"))
    return tuple(evaluations)


def _evaluation(element: _Element, folder: Path, path: str) -> Evaluation:
    item = _identity(element, path)
    formats = element.all("INPUT-FORMAT")
    kind = formats[0].attributes.get("TYPE", "").strip() if formats else ""
    if kind.upper() not in ("SPL", "SEE"):
        line, expected = formats[0].line if formats else element.line, 'TYPE="SPL", a sentence on each line, or "SEE"'
        raise refuse((path, line), invalid("input format", kind, expected, f" in EVAL '{item}'"))
    problems = Gathered()
    peers = _files(element, kind="PEER", tag="P", folder=folder, path=path, problems=problems)
    models = _files(element, kind="MODEL", tag="M", folder=folder, path=path, problems=problems)
    if not models and not problems.errors_so_far:
        raise refuse((path, element.line), empty(f"<M> in EVAL '{item}'", "at least one reference (model)"))
    problems.raise_any()
    return Evaluation(item, peers, models)


def _files(element: _Element, kind: str, tag: str, folder: Path, path: str, problems: Gathered) -> tuple[TextFile, ...]:
    """The files of the peers or models of an EVAL; kind: 'PEER' or 'MODEL'."""
    roots = element.all(f"{kind}-ROOT")
    # An absolute path remains unchanged.
    root = folder / (roots[0].text.strip() if roots else "")
    files: list[TextFile] = []
    for child in (child for group in element.all(f"{kind}S") for child in group.all(tag)):
        with problems.errors():
            name, file = _identity(child, path), child.text.strip()
            if not file:
                raise refuse((path, child.line), empty(f'file in <{tag} ID="{name}">', "a path"))
            before = next((other for other in files if other.name == name), None)
            if before is not None:
                raise refuse((path, child.line), repeated("ID", name, before.line, where=f" in <{tag}> of one EVAL"))
            files.append(TextFile(name, str(root / file), child.line))
    return tuple(files)


def _identity(element: _Element, path: str) -> str:
    name = element.attributes.get("ID", "").strip()
    if not name:
        raise refuse((path, element.line), empty(f"ID in <{element.tag}>", 'ID="…"'))
    return name


def _parse(text: str, path: str) -> _Element:
    """The root of an XML document, tags and attributes in upper case, as ROUGE ignores case.

    Unlike xml.etree, expat reports the line of every element.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = _Element("", {}, 0)
    open_elements = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        members = {name.upper(): value for name, value in attributes.items()}
        element = _Element(tag.upper(), members, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(tag: str) -> None:  # noqa: ARG001 (expat passes it)
        open_elements.pop()

    def characters(data: str) -> None:
        open_elements[-1].text += data

    def document_type(*declared: object) -> NoReturn:  # noqa: ARG001 (expat passes it)
        # Entities can expand a small file to gigabytes.
        raise refuse((path, parser.CurrentLineNumber), wrong_type("a document type (<!DOCTYPE …>)", "", _SETTINGS))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        reason = f"{expat.ErrorString(error.code)} at column {error.offset + 1}"
        hint = "check the tags, and write & as &amp;"
        raise refuse((path, error.lineno), unreadable("XML", reason, hint)) from None
    return root.children[0]


_TAG = re.compile(r"</[A-Za-z]\w*>|<br */?>")


@dataclass
class TextStore:
    """The texts of one system, or the references, as word codes, a row each.

    system: '' for references. path: for messages. named_inside: whether the file itself names the system.
    complete: False if some text could not be read. hint: as in `OutputIndex`. names: items of all stores, so that each
    name is in memory once. member: the group whose texts are stored. is_restricted: whether others were left out.
    letters: of the texts. tag: the first that was found in a text, such as '</p>'. stopped: the number of texts with
    several ' . ' that were not split. unsplit: that of those which are one sentence.
    """

    encoder: TextEncoder
    system: str
    path: str
    named_inside: bool = False
    complete: bool = True
    hint: str = ""
    names: dict[str, str] = field(default_factory=dict)
    member: Membership | None = None
    is_restricted: bool = False
    letters: Letters = field(default_factory=Letters)
    tag: str = ""
    stopped: int = 0
    unsplit: int = 0
    _items: list[str] = field(default_factory=list)
    _references: list[str] = field(default_factory=list)
    _lines: array[int] = field(default_factory=lambda: array("q"))
    # Most systems have one file, so each path is stored with its first row.
    _paths: list[str] = field(default_factory=list)
    _first_rows: list[int] = field(default_factory=list)

    def add(self, item: str, text: Text, path: str, line: int = 0, *, reference: str = "") -> None:
        """Add a text; line: 0 if the text has a file of its own."""
        if self.member is not None and self.member.excludes(item):
            self.is_restricted = True
            return
        if not self._paths or self._paths[-1] != path:
            self._paths.append(path)
            self._first_rows.append(len(self._items))
        self._items.append(self.names.setdefault(item, item))
        self._lines.append(line)
        if not self.system:
            self._references.append(reference)
        for sentence in (text,) if isinstance(text, str) else text:
            self.letters.add(sentence)
            if not self.tag and "<" in sentence and (match := _TAG.search(sentence)):
                self.tag = match.group()
        if not isinstance(text, str) and sum(sentence.count(" . ") for sentence in text) > 1:
            self.stopped += 1
            self.unsplit += len(text) == 1
        try:
            self.encoder.add(text, self.arrays)
        except InputError as error:
            raise ReadingStopped(error) from None

    @property
    def has_texts(self) -> bool:
        """Whether there is any text."""
        return bool(self._items)

    @cached_property
    def arrays(self) -> CodeArrays:
        """The encoded texts; complete when the encoder has finished."""
        return CodeArrays.empty()

    @cached_property
    def texts(self) -> TokenizedTexts:
        """The texts in the order in which they were added; asked for when all are."""
        return self.arrays.texts()

    def check_letters(self, words: Sequence[Word]) -> None:
        """Reject texts of which the tokenizer drops most letters; words: the vocabulary."""
        whose = f" of system '{self.system}'" if self.system else " of the references"
        self.letters.check(words, self.texts.codes, self.path, whose=whose)

    def index(self) -> OutputIndex:
        """The items of the texts, for the join."""
        return OutputIndex(
            self.system,
            path=self.path,
            items=self._items,
            # A text without words, such as '...', counts as empty.
            empty=self.texts.words_of_texts == 0,
            location=self._location,
            references=self._references,
            complete=self.complete,
            hint=self.hint,
        )

    def _location(self, row: int) -> tuple[str, int | None]:
        return self._paths[bisect_right(self._first_rows, row) - 1], self._lines[row] or None


class TextStores:
    """The store of the references and those of the systems, in the order of their first appearance."""

    def __init__(self, encoder: TextEncoder, gold: str, member: Membership | None = None) -> None:
        self._encoder = encoder
        self._member = member
        self._names: dict[str, str] = {}
        self.references = self.new("", gold)
        self.systems: dict[str, TextStore] = {}

    def new(self, system: str, path: str, *, named_inside: bool = False) -> TextStore:
        """A store that is not yet one of the systems."""
        return TextStore(self._encoder, system, path, named_inside, names=self._names, member=self._member)

    def store_of(self, system: str, path: str, *, named_inside: bool = False) -> TextStore:
        """The store of a system, to which a file adds texts.

        Several files may add to it if each of them names the system inside; otherwise a second use of a name is an
        `InputError`.
        """
        store = self.systems.setdefault(system, self.new(system, path, named_inside=named_inside))
        if store.path != path and not (store.named_inside and named_inside):
            raise same_names([(system, other_path) for other_path in dict.fromkeys((store.path, path))])
        return store

    def put(self, store: TextStore) -> None:
        """Add a filled store to the systems; a name in use is an `InputError`."""
        other = self.systems.setdefault(store.system, store)
        if other is not store:
            raise same_names([(store.system, path) for path in dict.fromkeys((other.path, store.path))])


def notes_on_texts(stores: Sequence[TextStore]) -> Iterator[str]:
    """Notes on texts with tags, which are not left out, and on texts whose sentences are on one line."""
    if tagged := [store for store in stores if store.tag]:
        yield f"texts of {_names(tagged)} have tags, such as '{tagged[0].tag}', which are read as text"
    if whole := [store for store in stores if 2 * store.unsplit > store.stopped]:
        yield f"most texts of {_names(whole)} with several ' . ' are one sentence: write each sentence on its own line"


def _names(stores: Sequence[TextStore]) -> str:
    """Whose texts stores have."""
    first = f"system '{stores[0].system}'" if stores[0].system else "the references"
    return f"{first} and {len(stores) - 1:,} more" if len(stores) > 1 else first


def reorder_texts(store: TextStore, rows: NDArray[np.intp]) -> TokenizedTexts:
    """The texts of a store at the given rows, without a copy if these are all; row −1 stands for an empty text."""
    texts = store.texts
    return texts if np.array_equal(rows, np.arange(len(texts))) else texts.take(rows)


_SHOWN_FILES = 5


def add_file(
    store: TextStore, item: str, path: str, files: SourceFiles, problems: Gathered, reference: str = ""
) -> None:
    """Add the text of a file to a store; its sentences are those of SEE, or else the lines that are not blank."""
    sentences: list[str] = []
    with problems.errors():
        source = files.open(path, "run" if store.system else "gold")
        # An empty file is an empty output.
        if not source.is_blank:
            lines = sentences_of_see(text := source.text()) or text.split("\n")
            sentences = [line.strip() for line in lines if line.strip()]
    # An unreadable text is reported once, and not as missing as well.
    store.add(item, sentences, path, reference=reference)


_NAMES = "references are named ITEM.txt or ITEM.NAME.txt, or have the number of their item as all outputs do"


@dataclass(frozen=True)
class FileNames:
    """Which part of the names of files in folders is the item.

    outputs: the names of all outputs without suffixes. whole: whether names of references with a dot are items.
    numbered: whether items are the last numbers of names.
    """

    outputs: frozenset[str]
    whole: bool
    numbered: bool

    @classmethod
    def of(cls, gold: str, folders: Sequence[str]) -> FileNames:
        """The names of a folder of references and of folders of outputs; numbers count where nothing else fits."""
        references = [_stem(path) for path in _text_files(gold)[0]]
        systems = [[_stem(path) for path in _text_files(folder)[0]] for folder in folders]
        outputs = frozenset(chain.from_iterable(systems))
        with_dots = not outputs.isdisjoint(stem.rpartition(".")[0] for stem in references)
        whole = not with_dots and not outputs.isdisjoint(references)
        numbers = [sorted(map(_number, stems)) for stems in systems]
        gold_ids = sorted(set(map(_number, references)))
        return cls(
            outputs, whole, not (whole or with_dots) and "" not in gold_ids and {*map(tuple, numbers)} == {(*gold_ids,)}
        )

    def item_and_name(self, path: Path) -> tuple[str, str]:
        """The item of a reference, and its name.

        >>> names = FileNames(frozenset(["doc.1"]), whole=False, numbered=False)
        >>> names.item_and_name(Path("doc.1.A.txt")), names.item_and_name(Path("t01.txt.gz"))
        (('doc.1', 'A'), ('t01', ''))
        """
        stem = _stem(path)
        if self.numbered:
            return _number(stem), stem
        item, dot, name = stem.rpartition(".")
        return (item, name) if dot and item and not self.whole and stem not in self.outputs else (stem, "")

    def item_of(self, path: Path) -> str:
        """The item of an output."""
        return _number(_stem(path)) if self.numbered else _stem(path)


def _number(stem: str) -> str:
    """The last number of a name, '' if there is none."""
    numbers: list[str] = re.findall(r"\d+", stem)
    return numbers[-1] if numbers else ""


def read_reference_folder(
    folder: str, names: FileNames, store: TextStore, files: SourceFiles, problems: Gathered
) -> tuple[str, ...]:
    """Add the texts of a folder of references in the order of items and names; returns notes."""
    paths, notes = _text_files(folder)
    if not paths:
        raise refuse(folder, empty("reference in this folder", "files named ITEM.txt or ITEM.NAME.txt"))
    store.hint = _NAMES
    for item, name, path in sorted((*names.item_and_name(path), str(path)) for path in paths):
        add_file(store, item=item, path=path, files=files, problems=problems, reference=name)
    if names.numbered:
        notes = (
            *notes,
            f"{folder}: items are the last numbers of names, such as {names.item_of(paths[0])} of {paths[0].name}",
        )
    return notes


def read_system_folder(
    folder: str, names: FileNames, store: TextStore, files: SourceFiles, problems: Gathered
) -> tuple[str, ...]:
    """Add the texts of a folder of outputs, whose names are items; returns notes."""
    paths, notes = _text_files(folder)
    store.hint = "a file in a folder is the text of an item; name files with a text on each line one by one"
    for path in paths:
        add_file(store, names.item_of(path), str(path), files, problems)
    return notes


def runs_in_folder(folder: str, gold: str | None) -> Runs:
    """The runs of a folder and notes: the folder itself, the folders in it, or the files in it."""
    if _text_files(folder)[0]:
        return [RunFile.of(folder)], []
    systems = _system_folders(folder, gold)
    others = [entry for entry in _folders(folder, gold) if entry not in systems]
    # Systems one level deeper are an error even if there are systems here, because they may be the intended ones.
    deeper = [str(entry) for entry in others if _system_folders(str(entry), gold)]
    if deeper:
        expected = "a folder of systems, or of the texts of one system"
        hint = f"did you mean {' or '.join(deeper[:_SHOWN_FILES])}?"
        raise refuse(folder, wrong_type("a folder that contains folders of systems", "", expected, hint))
    if not systems:
        return files_in_folder(folder, gold)
    names = [entry.name for entry in entries(folder) if entry not in systems and not is_gold(entry, gold)]
    return [RunFile.of(str(entry)) for entry in systems], ignored_note(folder, names)


def _folders(folder: str, gold: str | None) -> list[Path]:
    inner = [entry for entry in entries(folder) if is_folder(str(entry)) and not is_remark(entry.name)]
    return [entry for entry in inner if not is_gold(entry, gold)]


def _system_folders(folder: str, gold: str | None) -> list[Path]:
    return [entry for entry in _folders(folder, gold) if _text_files(str(entry))[0]]


def _text_files(folder: str) -> tuple[list[Path], tuple[str, ...]]:
    """The text files in the order of their names, and a note on all other entries."""
    files: list[Path] = []
    others: list[str] = []
    inside = entries(folder)
    # A page in HTML beside other files is no text.
    suffixes = ".txt" if any(has_data(entry.name) for entry in inside) else (".html", ".htm")
    for entry in inside:
        reject_pipe(entry)
        is_text = entry.name.lower().removesuffix(".gz").endswith(suffixes) and not is_remark(entry.name)
        if is_text and not is_folder(str(entry)):
            files.append(entry)
        else:
            others.append(entry.name)
    return files, ignored_note(folder, others)


def _stem(path: Path) -> str:
    """The name of a file without its suffix."""
    return Path(path.name[: -len(".gz")] if path.name.lower().endswith(".gz") else path.name).stem
