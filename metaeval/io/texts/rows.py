"""Texts of many items in one file: JSON lines, or a table with a row a text.

outputs       {"system": …, "item": …, "text": …}       system,item,text
references    {"item": …, "reference": …, "text": …}    item,reference,text

'system' and 'reference' may be left out; "sentences": […] may stand for "text"; 'id' for 'item'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metaeval.errors import Gathered, InputError, Problem, did_you_mean, shortened
from metaeval.io.files.delimited import MAX_FAULTS, delimiter_of, first_line, not_read_on, stream_rows
from metaeval.io.files.json_text import Pairs, key_again, kind_of, parse_json, reject_half_letters, reject_no_lines
from metaeval.io.files.source import InMemorySource, Source
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.texts.encoder import Text

_JSON_LINES = '{"item": …, "text": …}'
_KEYS = ("item", "id", "system", "reference")


class TextRow(NamedTuple):
    """A text as it stands in a file. sentences: or a running text. system, reference: '' where none is given."""

    item: str
    sentences: Text
    line: int
    system: str = ""
    reference: str = ""


@dataclass(frozen=True)
class InMemoryTexts(InMemorySource):
    """Texts of systems, or references, that a program handed over."""

    rows: Sequence[TextRow]


def text_rows(source: Source, columns: Columns, faults: Gathered) -> Iterator[TextRow]:
    """The texts of a file, one by one; rows that can't be used are left out and told in `faults`.

    columns: other names for 'item' and 'text'. A file of which nothing can be used is an `InputError`, and so is one of
    which `MAX_FAULTS` rows can't.
    """
    if isinstance(source, InMemoryTexts):
        return iter(source.rows)
    if source.suffix == ".parquet":
        raise InputError.at(
            source.path_or_name, found="a Parquet file", expected="JSON lines, CSV or TSV", hint="save it as JSON lines"
        )
    opening = _opening(source, None)
    if not opening:
        raise InputError.at(source.path_or_name, found="the file is empty", expected="texts")
    if opening[0] == "<":
        raise InputError.at(
            source.path_or_name,
            1,
            found="XML",
            expected="JSON lines, CSV or TSV, or a folder of texts",
            hint="ROUGE-1.5.5's settings are named with --gold, and bring their systems along",
        )
    if opening[0] not in "{[":
        return _table(source, columns, faults)
    reject_no_lines(opening, source.path_or_name, _JSON_LINES)
    return _json_lines(source, columns, faults)


def _opening(source: Source, blanks: str | None) -> str:
    """The first line with anything but some blanks (None: all of them), from there on; '' where there is none."""
    begun = filter(None, (text.lstrip(blanks) for text in source.chunks()))
    return "".join(next(begun, "").partition("\n")[:2])


def _table(source: Source, columns: Columns, faults: Gathered) -> Iterator[TextRow]:
    first = first_line(_opening(source, "\n"))
    if source.suffix == ".txt" and not ("\t" in first or "," in first):
        raise InputError.at(
            source.path_or_name,
            1,
            found=f"'{shortened(first)}', which is no header of columns",
            expected="a file with the texts of all items, or a folder of texts",
            hint="for one text a file, name the folder that holds ITEM.txt",
        )
    path = source.path_or_name
    header, rows = stream_rows(source, delimiter_of(source, first))
    item = _column(header, (columns.id,) if columns.id else ("item", "id"), path, "id")
    said = _column(header, (columns.label or "text",), path, "label")
    # Where there is no such column, a blank cell behind the others stands for it.
    at, text_at, system_at, reference_at = (
        header.index(name) if name in header else len(header) for name in (item, said, "system", "reference")
    )
    for line, cells in rows:
        cells.append("")
        name, system = cells[at].strip(), cells[system_at].strip()
        empty = item if not name else "system" if "system" in header and not system else ""
        if empty:
            _keep(empty_name(empty, path, line), faults, path, line)
        else:
            yield TextRow(name, cells[text_at].strip(), line, system, cells[reference_at].strip())


def _keep(error: InputError, faults: Gathered, path: str, line: int) -> None:
    """Take up what is wrong with a row; raise it where so much is wrong that the rest need not be read."""
    faults.keep(error)
    if len(faults.errors_so_far) >= MAX_FAULTS:
        raise not_read_on(error, path, line)


def _column(header: Sequence[str], names: Sequence[str], path: str, kind: str) -> str:
    for name in names:
        if name in header:
            return name
    raise InputError.at(
        path,
        1,
        found=f"header '{shortened(','.join(header))}'",
        expected=f"a column '{names[0]}'",
        hint=did_you_mean(names[0], header)
        or (_hint_of_wide(header, "column") if names[0] == "text" else "")
        or f"name the column with --{kind}-column",
    )


def _hint_of_wide(names: Sequence[str], kind: str) -> str:
    """What to say where no column is called 'text' and several may be texts of systems or references; else ''."""
    others = [name for name in names if name not in _KEYS]
    # To name one of them with --label-column would take the same texts for outputs and for references.
    wide = len(others) > 1 or "gold" in others
    return f"write outputs and references to files of their own, each with a {kind} 'text'" if wide else ""


def empty_name(key: str, path: str, line: int) -> InputError:
    """What to say of a row without the name of its item or system."""
    return InputError.at(path, line, found=f"nothing under '{key}'", expected=f"a name under '{key}' in every row")


def _json_lines(source: Source, columns: Columns, faults: Gathered) -> Iterator[TextRow]:
    path = source.path_or_name
    lines = (line for text in source.chunks() for line in _lines(text))
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                record = parse_json(line, path, first_line=number)
                reject_half_letters(record, line, path, number)
                row = _json_row(record, path, number, columns)
            except InputError as error:
                _keep(error, faults, path, number)
            else:
                yield row


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, without another copy of it."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield text[begin:end]
        begin = end + 1


def _json_row(record: object, path: str, line: int, columns: Columns) -> TextRow:
    if not isinstance(record, Pairs):
        raise InputError.at(path, line, found="a line that is no JSON object", expected=f"{_JSON_LINES} on every line")
    again = key_again(record, path, line)
    if again is not None:
        raise InputError([again])
    members = dict(record)
    item_key = _key(members, (columns.id,) if columns.id else ("item", "id"), path, line)
    text_key = _key(members, (columns.label,) if columns.label else ("sentences", "text"), path, line)
    return TextRow(
        _name(members, item_key, path, line),
        _sentences(members[text_key], text_key, path, line),
        line,
        _name(members, "system", path, line) if "system" in members else "",
        _name(members, "reference", path, line) if members.get("reference") is not None else "",
    )


def _key(members: dict[str, object], names: Sequence[str], path: str, line: int) -> str:
    for name in names:
        if name in members:
            return name
    raise InputError.at(
        path,
        line,
        found=f"keys {', '.join(repr(shortened(key)) for key in list(members)[:6])}" if members else "an empty object",
        expected=f"the key {' or '.join(repr(name) for name in names)}",
        hint=did_you_mean(names[-1], list(members)[:20])
        or (_hint_of_wide(list(members), "key") if names[-1] == "text" else "")
        or "name the keys with --id-column and --label-column",
    )


def _name(members: dict[str, object], key: str, path: str, line: int) -> str:
    value = members[key]
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise InputError.at(path, line, found=f"{kind_of(value)} under '{key}'", expected="a text or a whole number")
    name = str(value).strip()
    if not name and key != "reference":
        raise empty_name(key, path, line)
    return name


def _sentences(value: object, key: str, path: str, line: int) -> Text:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not isinstance(value, Pairs):
        sentences = [sentence for sentence in value if isinstance(sentence, str)]
        if len(sentences) == len(value):
            # A blank sentence is none, as in a file with a sentence a line.
            return [sentence for sentence in sentences if sentence.strip()]
        raise InputError(
            [Problem(f"a list under '{key}' that holds more than texts", "a list of sentences", path, line)]
        )
    raise InputError.at(
        path,
        line,
        found=f"{kind_of(value)} under '{key}'",
        expected="a text, or a list of sentences",
        hint='an empty output is ""; leave the line out where there is no output, and choose an --on-missing',
    )
