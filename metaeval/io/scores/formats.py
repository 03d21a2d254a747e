"""Scores of items in the formats of other tools: Every Eval Ever, lm-eval, mt-metrics-eval, trec_eval."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple, overload

from metaeval.errors import Problem, empty, invalid, no_rows, raise_any, refuse, setting, shortened, wrong_count
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.json import Pairs, json_cell, json_records
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
        for measure, of_measure in zip(scores.measures, scores.values, strict=True):
            for system, values in zip(scores.systems, of_measure, strict=True):
                yield from zip(repeat(measure), repeat(system), scores.items, values.tolist(), strict=False)


VERSION = "0.3"
_LINE = (
    '{"schema_version": "0.3.0", "model_id": …, "evaluation_name": …, "sample_id": …, '
    '"evaluation": {"score": …, "is_correct": …}}'
)
_AGAIN = "a model has each sample of an evaluation once: leave out the files of other runs, or average the runs"
_FORMAT = Format(f"{_AGAIN}, named as in tiny@1=FILE and tiny@2=FILE")
_KEYS = ("model_id", "evaluation_name", "sample_id")


@score_format(
    "every-eval-ever",
    {
        "s.jsonl": '{"schema_version": "0.3.0", "model_id": "m", "evaluation_name": "e", "sample_id": "1", '
        '"evaluation": {"score": 0.5, "is_correct": true}}\n'
    },
)
def every_eval_ever_rows(source: Source) -> Rows:
    """The measures `score` and `is_correct` of each sample as a tidy table with the name of the evaluation.

    An item is `EVALUATION_NAME:SAMPLE_ID`.
    """
    path = source.path_or_name
    body: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for line, record in json_records(source.text(), path, _LINE):
        if faults := _faults(record):
            problems += [fault.at(path, line) for fault in faults]
            continue
        model, evaluation, sample = (record[key] for key in _KEYS)
        scores = dict(record["evaluation"])
        for measure in ("score", "is_correct"):
            score = str(+scores[measure])
            body.append([measure, model, f"{evaluation}:{sample}", score, evaluation])
            lines.append(line)
    raise_any(problems, f"a line of an instance file is {_LINE}")
    return Rows(path, (*TIDY_COLUMNS, "evaluation_name"), body, lambda: lines, _FORMAT)


def _faults(record: dict[str, Any]) -> list[Problem]:
    """What is wrong with a line."""
    version = record.get("schema_version")
    if not isinstance(version, str) or version.split(".")[:2] != VERSION.split("."):
        return [invalid("schema_version", "" if version is None else str(version), f"{VERSION}.x")]
    evaluation = record.get("evaluation")
    members = dict(evaluation) if isinstance(evaluation, (Pairs, dict)) else {}
    faults = [
        invalid(key, "" if record.get(key) is None else str(record[key]), "a text")
        for key in _KEYS
        if not isinstance(record.get(key), str) or not record[key]
    ]
    if not isinstance(members.get("score"), (int, float)) or isinstance(members.get("score"), bool):
        faults.append(invalid("evaluation.score", json_cell(members.get("score")) or "", "a number"))
    if not isinstance(members.get("is_correct"), bool):
        faults.append(invalid("evaluation.is_correct", json_cell(members.get("is_correct")) or "", "true or false"))
    return faults


_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")
_OTHERS = frozenset(
    ["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"]
    + [f"{key}_hash" for key in ("doc", "prompt", "target")]
)
"""Keys of the log that are not metrics, where it does not list its metrics."""

_SAMPLE_LINE = '{"doc_id": …, "filter": …, "metrics": ["acc"], "acc": …}'


@score_format(
    "lm-eval",
    {"m/samples_arc.jsonl": '{"doc_id": 0, "metrics": ["acc"], "acc": 1.0}\n{"doc_id": 1, "acc": true}\n'},
)
def lm_eval_rows(source: Source) -> Rows:
    """The scores of a log as a tidy table with the task of each document.

    The model has the name of the folder of the log. An item is `TASK:DOC_ID`. A metric of a filter is `METRIC/FILTER`.
    """
    path = source.path_or_name
    name = _NAME.fullmatch(Path(path).name.removesuffix(".gz"))
    if name is None:
        expected = "samples_TASK_TIME.jsonl, in the folder of the model"
        hint = "name the folder of the results of lm-evaluation-harness, or its files samples_*.jsonl"
        raise refuse(path, invalid("name of a file", Path(path).name, expected, hint=hint))
    task, model = name["task"], Path(path).absolute().parent.name
    body: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for line, record in json_records(source.text(), path, _SAMPLE_LINE):
        document = record.get("doc_id")
        if not isinstance(document, (int, str)) or isinstance(document, bool):
            problems.append(empty("doc_id").at(path, line))
            continue
        scores = dict(_scores(record))
        if not scores:
            problems.append(
                empty(f"score of document {document}", f"one for each metric, as in {_SAMPLE_LINE}").at(path, line)
            )
        for measure, score in scores.items():
            body.append([measure, model, f"{task}:{document}", score, task])
            lines.append(line)
    raise_any(problems, "the logs have scores where lm-evaluation-harness ran with --log_samples")
    again = "leave out the older logs of a task that was evaluated again, or average the runs of a model"
    layout = Format(
        f"{again}, named as in {model}@1=FILE and {model}@2=FILE",
        "tasks with different metrics are not one table: choose a metric of every task with "
        f"{setting('measures')}, or name the logs of one task",
    )
    return Rows(path, (*TIDY_COLUMNS, "task"), body, lambda: lines, layout)


def _scores(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Measures and scores of a document; a list is no score of a document, as that of corpus BLEU."""
    chosen = record.get("filter")
    suffix = f"/{chosen}" if isinstance(chosen, str) and chosen != "none" else ""
    listed = record.get("metrics")
    names: Sequence[Any] = listed if isinstance(listed, list) else [key for key in record if key not in _OTHERS]
    for name in names:
        score = record.get(name) if isinstance(name, str) else None
        if isinstance(score, (bool, int, float)):
            yield name + suffix, str(+score)
        elif isinstance(listed, list) and (score is None or isinstance(score, str)):
            yield shortened(str(name)) + suffix, score or ""


_SUFFIX = ".seg.score"
_LAYOUT = "human-scores/SRC-TGT.NAME.seg.score or metric-scores/SRC-TGT/NAME-REF.seg.score"
_MISSING = "None"


class _Place(NamedTuple):
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
    place = _place(path)
    documents, files = _documents(place, path)
    body: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    seen: Counter[str] = Counter()
    for line, text in enumerate(source.text().split("\n"), start=1):
        if not (fields := text.split()):
            continue
        if len(fields) != 2:
            problems.append(wrong_count(len(fields), "field", 2, ", a system and a score").at(path, line))
            continue
        system, score = fields
        seen[system] += 1
        # Further segments are reported below.
        of_segment = documents[min(seen[system], len(documents)) - 1] if documents else ()
        value = "" if score == _MISSING else score
        body.append([place.measure, system, f"{place.pair}:{seen[system]}", value, place.pair, *of_segment])
        lines.append(line)
    raise_any(problems, f"the scores of segments have a line 'SYSTEM SCORE' for each ({_LAYOUT})")
    _check_segments(seen, documents, place, path)
    names = ("language_pair", *(("domain", "document") if documents else ()))
    layout = Format(
        "a measure has one file for a language pair: leave out the others, such as compressed copies",
        f"where some systems have no human scores, name the others with {setting('only_systems')}",
        files,
    )
    return Rows(path, (*TIDY_COLUMNS, *names), body, lambda: lines, layout)


def _place(path: str) -> _Place:
    name = Path(path).name.removesuffix(".gz")
    folders = Path(path).absolute().parents
    if name.endswith(_SUFFIX) and folders[0].name == "human-scores":
        pair, dot, measure = name.removesuffix(_SUFFIX).partition(".")
        if dot and measure:
            return _Place(folders[1], pair, measure)
    if name.endswith(_SUFFIX) and len(folders) > 2 and folders[1].name == "metric-scores":
        return _Place(folders[2], folders[0].name, name.removesuffix(_SUFFIX))
    hint = "name the folder of the test set, such as wmt22, or files in it"
    raise refuse(path, invalid("name of a file", name, _LAYOUT, hint=hint))


def _documents(place: _Place, near: str) -> tuple[Sequence[tuple[str, str]], tuple[SourceFile, ...]]:
    """Domain and document of each segment, and their file; empty if there is none. near: a file as named."""
    folder = place.folder if Path(near).is_absolute() else Path(os.path.relpath(place.folder))
    path = str(folder / "documents" / f"{place.pair}.docs")
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


def _check_segments(seen: Counter[str], documents: Sequence[object], place: _Place, path: str) -> None:
    """Reject systems with more or fewer scores than the others, or than the file of documents has segments."""
    if not seen:
        raise refuse(path, no_rows("no score"))
    segments = len(documents) or max(seen.values())
    of_what = f"documents/{place.pair}.docs" if documents else "the longest block"
    problems = [
        wrong_count(count, "score", segments, f", as {of_what} has", where=f" of '{system}'").at(path)
        for system, count in seen.items()
        if count != segments
    ]
    hint = "write None for a missing score: segments are counted, so that a missing line moves all that follow"
    raise_any(problems, hint)


_SUMMARY = "all"
_MEASURE = re.compile(r"[A-Za-z]\w*(\([^()]*\))?(@\d+)?")
_TREC_FORMAT = Format(
    "lines of three fields are of one run: write a file for each run, and name runs of the same name, as in bm25=FILE",
    "a topic for which a run retrieved nothing has no line: print it with trec_eval -q -c",
)
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
    rows = [(line, fields) for line, fields in rows if fields[2] != _SUMMARY and fields[1] != "runid"]
    if not rows:
        hint = "print the scores of each topic, with trec_eval -q or ir_measures -q"
        raise refuse(path, no_rows("scores of all topics together only"), hint=hint)
    numbers = [(line, fields[1]) for line, fields in rows if fields[1].isdecimal()]
    raise_any(
        [invalid("measure", name, "the name of a measure").at(path, line) for line, name in numbers],
        "name the output of trec_eval -q or ir_measures -q, not the judgements (qrels) or the run",
    )
    lines = [line for line, _ in rows]
    body = [[measure, system, topic, value] for _, (system, measure, topic, value) in rows]
    if width == 3 and not run:
        # The file is of one system, with its own name.
        return Rows(
            path, ("measure", "item", "value"), [[row[0], *row[2:]] for row in body], lambda: lines, _TREC_FORMAT
        )
    return Rows(path, TIDY_COLUMNS, body, lambda: lines, _TREC_FORMAT)


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
