"""Files as they come out of a bad disk, a bad connection, a bad editor or bad intentions."""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
import json
import re
import unicodedata
from collections.abc import Callable
from random import Random
from typing import Any

WORDS: tuple[bytes, ...] = (
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xfe\xff", b"\r", b"\r\n", b"\n\n", b"\t", b"\x0b", b"\x1c", b"\x85", b""),
    *(sign.encode() for sign in "\"',;{}[]<>&:#|%=+\\@`~"),
    *(letter.encode() for letter in "\u2028\u2029\u202e\ufeff\U0001f984\u0301"),
    *(b"\xc3", b"- ", b"\\ud800", b"\\u0000", b"\\n", b"null", b"true"),
    *(b"NaN", b"-Infinity", b"1e999", b"-1e-999", b"0x1F", b"1_000", b"-0", b"-1", b"0o17", b"1:30", b".inf"),
    *(b"9" * 400, b"9" * 5000, b"0." + b"3" * 4000, b"1" * 30 + b".5", b"18446744073709551616"),
    *(b"!!python/object/apply:os.system ['false']", b"!!int x", b"!!float [1]", b"!!set {a}", b"!!binary ="),
    *(b"&a *a", b"*a", b"<<: *a", b"? [a, b]\n: c\n", b"!!timestamp 2001-13-45", b"---\n", b"%YAML 9.9\n---\n"),
    *(b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>', b"<![CDATA[", b"<!--"),
    b"<?xml version='1.0' encoding='utf-16'?>",
    *(b"[" * 3000, b"{" * 3000, b'{"a":' * 3000, b"<a>" * 3000, b"(" * 3000, b"a" * 70000, b"- " * 2000),
    b"not " * 2000,
)
"""What readers may stumble over."""

COLUMNS = (
    *(
        "id",
        "ID",
        "item",
        "gold",
        "label",
        "LABEL",
        "prediction",
        "system",
        "measure",
        "value",
        "score",
        "text",
        "sentences",
    ),
    *(
        "",
        " ",
        "Unnamed: 0",
        "index",
        "__index_level_0__",
        "annotator",
        "id.1",
        "gold ",
        "nan",
        "1",
        "ｉｄ",
        "id\u200b",
    ),
)
"""Names of columns that readers know, or that other tools write."""

CELLS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 0.5, -0.0, 1e300, float("nan"), float("inf"), "", " ", "1", "no"),
    *(b"no", b"\xff", [], ["no"], [[1]], {"label": "no"}, {"": None}),
    *(decimal.Decimal("1.50"), datetime.date(2001, 2, 3), datetime.datetime(2001, 2, 3, 4, 5)),
    *(datetime.timedelta(seconds=1), datetime.time(1, 2)),
)
"""Cells of every type that Parquet and JSON have."""

Mutation = Callable[[bytes, Random], bytes]


def flip(content: bytes, rng: Random) -> bytes:
    """Some bits of some bytes."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def delete(content: bytes, rng: Random) -> bytes:
    """A block less."""
    begin, end = _block(content, rng)
    return content[:begin] + content[end:]


def double(content: bytes, rng: Random) -> bytes:
    """A block twice or very often."""
    begin, end = _block(content, rng)
    return content[:end] + content[begin:end] * rng.choice((1, 1, 2, 50)) + content[end:]


def move(content: bytes, rng: Random) -> bytes:
    """A block somewhere else."""
    begin, end = _block(content, rng)
    rest = content[:begin] + content[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + content[begin:end] + rest[at:]


def insert(content: bytes, rng: Random) -> bytes:
    """One of `WORDS` more."""
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(WORDS) + content[at:]


def replace(content: bytes, rng: Random) -> bytes:
    """One of `WORDS` for a word, number or sign of the file."""
    begin = end = rng.randrange(len(content) + 1)
    while end < len(content) and content[end : end + 1].isalnum():
        end += 1
    while begin and content[begin - 1 : begin].isalnum():
        begin -= 1
    return content[:begin] + rng.choice(WORDS) + content[max(end, begin + 1) :]


def columns(content: bytes, rng: Random) -> bytes:
    """One column more, less, twice, elsewhere, of another name, or of row numbers, in a table with commas or tabs."""
    separator = b"\t" if b"\t" in content else b","
    rows = [line.split(separator) for line in content.split(b"\n")]
    name, row_numbers = rng.choice(COLUMNS).encode(), rng.random() < 0.3
    at, to = (rng.randrange(len(rows[0])) for _ in range(2))
    change = rng.choice(("name", "drop", "twice", "move", "new"))
    for index, row in enumerate(rows):
        if at >= len(row) or row == [b""]:
            continue
        if change == "name":
            row[at] = row[at] if index else name
        elif change == "new":
            row.insert(to, name if index == 0 else str(index).encode() if row_numbers else row[at])
        else:
            cell = row[at] if change == "twice" else row.pop(at)
            if change != "drop":
                row.insert(to, cell)
    return b"\n".join(separator.join(row) for row in rows)


def spell(content: bytes, rng: Random) -> bytes:
    """One or all places of a word in other letters that look the same: case, blanks, widths, composition."""
    words = list(re.finditer(r"\w+", content.decode("utf-8", "replace")))
    if not words:
        return content
    word = rng.choice(words)[0]
    other = rng.choice((
        word.upper(), word.title(), f"{word} ", f" {word}", f"{word}\u00a0", f"{word}\u200b", f"\ufeff{word}",
        unicodedata.normalize("NFD", f"{word}é"),
        "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in word),
    ))  # fmt: skip
    return content.replace(word.encode(), other.encode(), rng.choice((1, -1)))


def types(content: bytes, rng: Random) -> bytes:
    """A column of Parquet, a value of JSON or the cells of a column of CSV with values of another type."""
    if content.startswith(b"PAR1") and content.endswith(b"PAR1"):
        return _parquet_types(content, rng)
    if content.lstrip().startswith((b"{", b"[")):
        values = list(re.finditer(rb'(?<=[:,\[])\s*("[^"]*"|[-.0-9a-z]+)', content))
        if not values:
            return content
        begin, end = rng.choice(values).span()
        return content[:begin] + json.dumps(rng.choice(CELLS), default=str).encode() + content[end:]
    separator = b"\t" if b"\t" in content else b","
    head, *rows = [line.split(separator) for line in content.split(b"\n")]
    at, cell = rng.randrange(len(head)), rng.choice(CELLS)
    for row in rows:
        if at < len(row) and row != [b""] and rng.random() < 0.7:
            row[at] = str(cell).encode()
    return b"\n".join(separator.join(row) for row in (head, *rows))


def _parquet_types(content: bytes, rng: Random) -> bytes:
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError):
        return content  # it is broken already
    if not table.num_columns:
        return content
    at, cell = rng.randrange(table.num_columns), rng.choice(CELLS)
    cells = [cell if rng.random() < 0.7 else None for _ in range(table.num_rows)]
    column = pyarrow.array([cell, *cells])[1:]
    if rng.random() < 0.2:
        plain = not (pyarrow.types.is_nested(column.type) or pyarrow.types.is_null(column.type))
        column = column.dictionary_encode() if plain else column
    name = rng.choice((table.column_names[at], table.column_names[at], rng.choice(COLUMNS)))
    changed = table.append_column(name, column) if rng.random() < 0.2 else table.set_column(at, name, column)
    written = io.BytesIO()
    parquet.write_table(changed, written)
    return written.getvalue()


def grow(content: bytes, rng: Random) -> bytes:
    """Much larger: a row, a word or the whole hundreds or thousands of times, or hundreds of columns."""
    times = rng.choice((100, 1000, 5000))
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    change = rng.choice(("row", "new ids", "columns", "word", "whole"))
    if change == "row":
        return b"\n".join((*lines[:at], *[lines[at][:100]] * times, *lines[at:]))
    if change == "new ids":
        new = (re.sub(rb"\d+", str(100 + index).encode(), lines[at][:100], count=1) for index in range(times))
        return b"\n".join((*lines[:at], *new, *lines[at:]))
    if change == "columns":
        few = min(times, 1000)
        return b"\n".join(
            line + b"".join(b",%s%d" % (b"c" * (index == 0), number) for number in range(few)) if line else line
            for index, line in enumerate(lines[:50])
        )
    if change == "word":
        word = rng.choice(re.findall(rb"\w+", content[:10_000]) or [b"a"])[:20]
        return content.replace(word, word * times, 1)
    return content[:2000] * min(times, 100)


def cut(content: bytes, rng: Random) -> bytes:
    """The end is missing."""
    return content[: rng.randrange(len(content) + 1)]


def encode(content: bytes, rng: Random) -> bytes:
    """In another encoding, or packed."""
    if rng.random() < 0.2:
        return gzip.compress(content, mtime=0)[: rng.choice((None, -3, 12))]
    text = content.decode("utf-8", "replace")
    return text.encode(
        rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp1252", "utf-7")), "replace"
    )


MUTATIONS: tuple[Mutation, ...] = (
    *(flip, delete, double, move, cut),
    *(insert, insert, replace, replace, replace),
    *(columns, columns, types, types, spell, encode, grow),
)
"""As often as they are drawn."""


def mutated(content: bytes, seed: int) -> bytes:
    """The content after one to three mutations, the same for the same seed."""
    drawing, rng = Random(seed), Random(f"{seed}")
    for mutate in [drawing.choice(MUTATIONS) for _ in range(drawing.choice((1, 1, 2, 3)))]:
        content = mutate(content, rng)
    return content


def _block(content: bytes, rng: Random) -> tuple[int, int]:
    begin = rng.randrange(len(content) + 1)
    return begin, min(len(content), begin + rng.choice((1, 2, 5, 20, 100)))
