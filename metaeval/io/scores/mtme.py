"""Scores of segments in a folder of mt-metrics-eval: human scores and those of metrics, of every language pair."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from metaeval.errors import Problem, invalid, no_rows, raise_any, refuse, setting, wrong_count
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.run_files import exists
from metaeval.io.files.source import Source, open_source
from metaeval.io.scores.rows import TIDY_COLUMNS
from metaeval.model.report import SourceFile

_SUFFIX = ".seg.score"
_LAYOUT = "human-scores/SRC-TGT.NAME.seg.score or metric-scores/SRC-TGT/NAME-REF.seg.score"
_MISSING = "None"


class _Place(NamedTuple):
    """What the path of a file says: the folder of the test set, the language pair, and the name of the measure."""

    folder: Path
    pair: str
    measure: str


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
