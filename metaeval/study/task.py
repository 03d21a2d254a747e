"""The task of files whose header leaves no doubt, where the user names none."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from metaeval.config.data import DataConfig
from metaeval.errors import InputError
from metaeval.io.files.archives import ARCHIVE, WORKBOOKS
from metaeval.io.files.columns import read_table
from metaeval.io.files.roles import GOLD, ITEM, MEASURE, SYSTEM, TEXT, VOTE
from metaeval.io.files.run_files import split_name
from metaeval.io.files.source import GZIP_MAGIC, UTF16_BOMS, open_source
from metaeval.io.labels.shared_tasks import HEADER
from metaeval.io.texts.rows import has_both

_OPENING = 1 << 16
"""Number of bytes that hold a header."""

_OF_ONE_FILE = ("labels", "scores", "texts")
"""The tasks of which one file may have gold and systems."""


def with_task(data: DataConfig) -> DataConfig:
    """The data with the task that the header of gold, or else of the first run, shows.

    One file with gold and systems is gold; one with systems or measures, and without labels, is a table of scores.
    """
    is_open = data.task == DataConfig().task and data.labels is None
    if data.task not in _OF_ONE_FILE or data.memory or data.group_by_file:
        return data
    name, path = ("", data.gold) if data.gold is not None or not data.runs else split_name(data.runs[0])
    header, alone = header_of(path or ""), data.gold is None and len(data.runs) == 1
    is_texts = data.task == "texts"
    if alone and (has_both(header, data.columns) if is_texts else GOLD.among(header) or data.gold_column in header):
        return replace(data, gold=path, runs=data.runs if name else ())
    if not is_open:
        return data
    if data.gold is not None:
        if set(HEADER) <= set(header):
            return replace(data, task="fnc1")
        has_texts = ITEM.among(header) and any(map(TEXT.is_usual, header))
        return replace(data, task="texts") if has_texts and not _has_labels(header, data) else data
    has_scores = SYSTEM.among(header) or MEASURE.among(header) or data.system_column in header
    has_others = _has_labels(header, data) or any(map(TEXT.is_usual, header))
    return replace(data, task="table") if has_scores and not has_others else data


def _has_labels(header: Sequence[str], data: DataConfig) -> bool:
    column = data.gold_column or data.prediction_column or data.label_column
    # Exports of annotation tools have labels inside.
    return bool(column or VOTE.among(header) or GOLD.among(header) or "annotations" in header)


def header_of(path: str) -> list[str]:
    """The names of the columns, or the keys, at the start of a file; [] where there are none."""
    if not Path(path).is_file():
        return []
    try:
        if path.lower().endswith(".parquet"):
            from metaeval.io.parquet import column_names

            return column_names(path)
        with Path(path).open("rb") as file:
            packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        with gzip.open(path) if packed else Path(path).open("rb") as file:
            content = file.read(_OPENING)
        start = content.decode("utf-16" if content.startswith(UTF16_BOMS) else "utf-8-sig", "replace").lstrip()
        if start.startswith(("{", "[")):
            row = json.JSONDecoder().raw_decode(start.lstrip("[ \r\n\t"))[0]
            return list(row) if isinstance(row, dict) else []
        if Path(path).suffix.lower() in (*WORKBOOKS, ARCHIVE):
            return list(read_table(open_source(path, "run")).header)
        first = start.partition("\n")[0]
        delimiter = next((sign for sign in (",\t;|", "\t,;|")[".tsv" in path.lower()] if sign in first), ",")
        return next(csv.reader([first], delimiter=delimiter), [])
    except (ImportError, OSError, EOFError, ValueError, RecursionError, zlib.error, csv.Error, InputError):
        # The reader of the file says what is wrong.
        return []
