"""Scores of items in the formats of other tools: mt-metrics-eval, trec_eval; `logs` reads those with JSON."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import NamedTuple, overload

from metaeval.digits import finite
from metaeval.errors import Problem, invalid, no_rows, pluralize, raise_any, refuse, setting, shortened, wrong_count
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.run_files import exists
from metaeval.io.files.source import Source, open_source
from metaeval.io.labels.tasks import score_format
from metaeval.model.report import SourceFile
from metaeval.model.scores import ItemScores

TIDY_COLUMNS = ("measure", "system", "item", "value")
"""The header of `ScoreRows`."""


class ScoreRows(Sequence[tuple[str, str, str, float]]):
    """Scores as the rows of a tidy file, which `read_score_table` can read; rows are created on access.

    >>> import numpy as np
    >>> from metaeval.model.scores import Direction
    >>> scores = ItemScores(np.array([[[0.5, 1.0]]]), ("bleu",), ("svm",), ("a", "b"), (Direction.HIGHER,))
    >>> list(ScoreRows(scores))
    [('bleu', 'svm', 'a', 0.5), ('bleu', 'svm', 'b', 1.0)]
    """

    def __init__(self, scores: ItemScores) -> None:
        self._scores = scores

    def __len__(self) -> int:
        return self._scores.values.size

    @overload
    def __getitem__(self, index: int) -> tuple[str, str, str, float]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, str, str, float]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str, str, float] | list[tuple[str, str, str, float]]:
        if isinstance(index, slice):
            return [self[row] for row in range(len(self))[index]]
        scores = self._scores
        row, item = divmod(range(len(self))[index], len(scores.items))
        measure, system = divmod(row, len(scores.systems))
        value = float(scores.values[measure, system, item])
        return scores.measures[measure], scores.systems[system], scores.items[item], value

    def __iter__(self) -> Iterator[tuple[str, str, str, float]]:
        scores = self._scores
        for measure, system_scores in zip(scores.measures, scores.values, strict=True):
            for system, values in zip(scores.systems, system_scores, strict=True):
                yield from zip(repeat(measure), repeat(system), scores.items, values.tolist(), strict=False)


@dataclass
class TidyScores:
    """The scores of a file, which its reader collects.

    columns: further ones. problems: of its rows. errors: the number of results without scores that ended in an error.
    """

    path: str
    columns: tuple[str, ...] = ()
    body: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    errors: int = 0

    def add(self, line: int, cells: Iterable[str]) -> None:
        """Add a row: measure, system ('' if all are of that of the file), item, score, and the further columns."""
        self.body.append(list(cells))
        self.lines.append(line)

    def reject(self, line: int, problem: Problem) -> None:
        """Add the problem of a line."""
        self.problems.append(problem.at(self.path, line))

    def rows(self, layout: Format, noun: str = "result") -> Rows:
        """The rows, without measures whose scores are texts or lists, if there are others; noun: what a result is."""
        if self.errors:
            note = f"{self.path}: {pluralize(self.errors, noun)} ended in an error: the scores are missing"
            hint = f"a {noun} that ended in an error has no score: evaluate it again, or treat it as missing"
            if_missing = "; ".join(filter(None, [hint, layout.if_missing]))
            layout = layout._replace(notes=(*layout.notes, note), if_missing=if_missing)
        values: dict[str, set[str]] = {}
        for measure, _, _, value, *_ in self.body:
            values.setdefault(measure, set()).add(value)
        texts = [name for name, cells in values.items() if cells != {""} and not any(map(_is_number, cells))]
        if texts and len(texts) < len(values):
            names = ", ".join(map(shortened, texts))
            note = f"{self.path}: the scores of some measures are no numbers, and are left out: {names}"
            layout = layout._replace(notes=(*layout.notes, note))
            remaining = [row for row, cells in enumerate(self.body) if cells[0] not in texts]
            self.body, self.lines = [self.body[row] for row in remaining], [self.lines[row] for row in remaining]
        columns = {name: [row[index] for row in self.body] for index, name in enumerate((*TIDY_COLUMNS, *self.columns))}
        if not any(columns["system"]):
            del columns["system"]
        return Rows(self.path, columns, lambda: self.lines, layout)


def _is_number(text: str) -> bool:
    """Whether a text is a number, also one that is not finite, which is an error."""
    try:
        float(text)
    except ValueError:
        return False
    return True


_SUFFIX = ".seg.score"
_LAYOUT = "human-scores/SRC-TGT.NAME.seg.score or metric-scores/SRC-TGT/NAME-REF.seg.score"
_MISSING = "None"


class _Location(NamedTuple):
    """What the path of a file says: the folder of the test set, the language pair, and the name of the measure."""

    folder: Path
    pair: str
    measure: str


@score_format(
    "mtme",
    {"t/human-scores/en-de.m.seg.score": "a -1\na 0\nb -5\nb 1.5\n", "t/documents/en-de.docs": "n d\nn e\n"},
)
def mtme_rows(source: Source) -> Rows:
    """The scores of a file as a tidy table with the language pair, and document and domain if the folder has them.

    An item is `SRC-TGT:NUMBER`, the number being the line in the source text.
    """
    path = source.path_or_name
    location = _location(path)
    documents, files = _documents(location, path)
    table = TidyScores(path, ("language_pair", *(("domain", "document") if documents else ())))
    counts: Counter[str] = Counter()
    for line, text in enumerate(source.text().split("\n"), start=1):
        if not (fields := text.split()):
            continue
        if len(fields) != 2:
            table.reject(line, wrong_count(len(fields), "field", 2, ", a system and a score"))
            continue
        system, score = fields
        counts[system] += 1
        # Further segments are reported below.
        cells = documents[min(counts[system], len(documents)) - 1] if documents else ()
        value = "" if score == _MISSING else score
        table.add(line, [location.measure, system, f"{location.pair}:{counts[system]}", value, location.pair, *cells])
    raise_any(table.problems, f"the scores of segments have a line 'SYSTEM SCORE' for each ({_LAYOUT})")
    _check_segments(counts, documents, location, path)
    layout = Format(
        "a measure has one file for a language pair: leave out the others, such as compressed copies",
        f"where some systems have no human scores, name the others with {setting('only_systems')}",
        files,
        clusters="document" if documents else "",
    )
    return table.rows(layout)


def _location(path: str) -> _Location:
    name = Path(path).name.removesuffix(".gz")
    folders = Path(path).absolute().parents
    if name.endswith(_SUFFIX) and folders[0].name == "human-scores":
        pair, dot, measure = name.removesuffix(_SUFFIX).partition(".")
        if dot and measure:
            return _Location(folders[1], pair, measure)
    if name.endswith(_SUFFIX) and len(folders) > 2 and folders[1].name == "metric-scores":
        return _Location(folders[2], folders[0].name, name.removesuffix(_SUFFIX))
    hint = "name the folder of the test set, such as wmt22, or files in it"
    raise refuse(path, invalid("name of a file", name, _LAYOUT, hint=hint))


def _documents(location: _Location, near: str) -> tuple[Sequence[tuple[str, str]], tuple[SourceFile, ...]]:
    """Domain and document of each segment, and their file; empty if there is none. near: a file as named."""
    folder = location.folder if Path(near).is_absolute() else Path(os.path.relpath(location.folder))
    path = str(folder / "documents" / f"{location.pair}.docs")
    if not exists(path):
        return (), ()
    source = open_source(path, "documents")
    rows = [(line, text.split()) for line, text in enumerate(source.text().split("\n"), start=1)]
    wrong = [(line, fields) for line, fields in rows if len(fields) not in (0, 2)]
    raise_any(
        [wrong_count(len(fields), "field", 2, ", a domain and a document").at(path, line) for line, fields in wrong],
        "the file of documents has a line 'DOMAIN DOCUMENT' for each segment",
    )
    return [(fields[0], fields[1]) for _, fields in rows if fields], source.files


def _check_segments(counts: Counter[str], documents: Sequence[object], location: _Location, path: str) -> None:
    """Reject systems with more or fewer scores than the others, or than the file of documents has segments."""
    if not counts:
        raise refuse(path, no_rows("no score"))
    segments = len(documents) or max(counts.values())
    reference = f"documents/{location.pair}.docs" if documents else "the longest block"
    problems = [
        wrong_count(count, "score", segments, f", as {reference} has", where=f" of '{system}'").at(path)
        for system, count in counts.items()
        if count != segments
    ]
    hint = "write None for a missing score: segments are counted, so that a missing line moves all that follow"
    raise_any(problems, hint)


_SUMMARY = "all"
_MEASURE = re.compile(r"11pt_avg|[A-Za-z]\w*(\.\d+)?(\([^()]*\))?(@\d+(\.\d+)?)?")
_TEXTS = re.compile(r"runid|relstring.*")
"""Rows of trec_eval whose values are texts."""
_LINES = (
    "a line 'MEASURE TOPIC VALUE' (trec_eval -q), 'TOPIC MEASURE VALUE' (ir_measures -q) or 'RUN MEASURE TOPIC VALUE'"
)

Lines = list[tuple[int, list[str]]]


@score_format("trec", {"bm25.txt": "runid\tall\tbm25\nmap   \t1\t0.5\nmap   \t2\t.25\nmap\tall\t0.375\n"})
def trec_rows(source: Source) -> Rows:
    """The scores of topics as a tidy table; the lines of all topics are left out.

    The system is the run of each line, or that of the line `runid all NAME`, or else has the name of the file.
    """
    path = source.path_or_name
    texts = enumerate(source.text().split("\n"), start=1)
    rows = [(line, fields) for line, text in texts if (fields := _fields(text))]
    width = len(rows[0][1])
    fields_expected = width if width in (3, 4) else 3
    problems = [
        wrong_count(len(fields), "field", fields_expected, f": {_LINES}").at(path, line)
        for line, fields in rows
        if len(fields) != fields_expected
    ]
    raise_any(problems, "print the scores of topics, as with trec_eval -q, without other output")
    run = ""
    if width == 3:
        rows = _measures_first(rows, path)
        names = [fields[2] for _, fields in rows if fields[:2] == ["runid", _SUMMARY]]
        run = names[0] if names else ""
        rows = [(line, [run, *fields]) for line, fields in rows]
    topic_rows = [(line, fields) for line, fields in rows if fields[2] != _SUMMARY and not _TEXTS.fullmatch(fields[1])]
    if not topic_rows:
        hint = "print the scores of each topic, with trec_eval -q or ir_measures -q"
        raise refuse(path, no_rows("scores of all topics together only"), hint=hint)
    numbers = [(line, fields[1]) for line, fields in topic_rows if fields[1].isdecimal()]
    raise_any(
        [invalid("measure", name, "the name of a measure").at(path, line) for line, name in numbers],
        "name the output of trec_eval -q or ir_measures -q, not the judgements (qrels) or the run",
    )
    table = TidyScores(path)
    for line, (system, measure, topic, value) in topic_rows:
        table.add(line, [measure, system, topic, value])
    zero = setting("on_missing", "zero")
    layout = Format(
        "lines of three fields are of one run: write a file for each run, and name runs of the same name, as in "
        "bm25=FILE",
        "a topic for which a run retrieved nothing has no line, except with trec_eval -q -c from version 10 on: "
        f"count it as 0 with {zero}",
        notes=tuple(
            f"{path}: {absence}: topics without a line count as 0 with {zero} if another run lists them"
            for absence in _absent(rows)
        ),
    )
    return table.rows(layout)


def _absent(rows: Lines) -> Iterator[str]:
    """What the lines of all topics of each run say of topics without a line."""
    scores_by_run: dict[str, dict[str, dict[str, float]]] = {}
    for _, (run, measure, topic, value) in rows:
        if (number := finite(value)) is not None:
            scores_by_run.setdefault(run, {}).setdefault(measure, {})[topic] = number
    for run, by_measure in scores_by_run.items():
        topics = {topic for scores in by_measure.values() for topic in scores} - {_SUMMARY}
        count = by_measure.get("num_q", {}).get(_SUMMARY, 0)
        reasons = [f"num_q is {count:.0f}"] if len(topics) < count else []
        for measure, scores in by_measure.items():
            values = [value for topic, value in scores.items() if topic != _SUMMARY]
            mean, summary = sum(values) / max(len(values), 1), scores.get(_SUMMARY, 0)
            # Both are rounded to four decimals, and counts are summed.
            if measure not in _NO_MEANS and 0 < summary < mean - 2e-4:
                reasons.append(f"{measure} of all topics is {summary:.4f}, not {mean:.4f}")
                break
        if reasons:
            subject = f"{pluralize(len(topics), 'topic is', 'topics are')} listed{run and f' of {run}'}"
            yield f"{subject}, but {' and '.join(reasons)}"


_NO_MEANS = ("num_q", "gm_map", "gm_bpref", "GMAP")
"""Measures of which the value of all topics is no arithmetic mean, and no sum."""


def _fields(text: str) -> list[str]:
    """The fields of a line; with tabs only these separate, because a measure may have blanks in parentheses."""
    return [field.strip() for field in text.split("\t")] if text.count("\t") > 1 else text.split()


def _measures_first(rows: Lines, path: str) -> Lines:
    """The lines with the measure first, as trec_eval prints them, although ir_measures prints the topic first."""
    first, second = ({fields[index] for _, fields in rows} for index in (0, 1))
    if (_SUMMARY in first) != (_SUMMARY in second):
        topics_first = _SUMMARY in first
    else:
        are_measures = [all(map(_MEASURE.fullmatch, names)) for names in (first, second)]
        if are_measures[0] == are_measures[1]:
            hint = "keep the lines of all topics, which show the order, or add the run as the first field"
            found = f"'{shortened(rows[0][1][0])}' and '{shortened(rows[0][1][1])}': either may be the topic"
            raise refuse((path, rows[0][0]), found, _LINES, hint, kind="ambiguous")
        topics_first = are_measures[1]
    return [(line, [fields[1], fields[0], fields[2]] if topics_first else fields) for line, fields in rows]
