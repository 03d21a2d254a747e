"""Text without quotes is cut into columns at once; it reads as with `csv`, errors and lines included."""

from __future__ import annotations

import csv
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.io.files import delimited
from metaeval.io.files.delimited import read_rows
from metaeval.io.files.source import Source

_CELLS = st.text(st.sampled_from('ab" \té\u2028\u00a0\x1c\x0b;'), max_size=3)
_DELIMITERS = st.sampled_from(",\t")
_ENDS = st.sampled_from(["", "\n", "\n\n", "\r\n", "\r"])


@st.composite
def _tables(draw: st.DrawFn) -> tuple[str, str]:
    """Text that is mostly a table, with a few blank, short and long lines, and its delimiter."""
    delimiter, width = draw(_DELIMITERS), draw(st.integers(1, 3))
    cells = draw(st.sampled_from([_CELLS, st.sampled_from(["a", "b c", ""])]))
    usual = st.lists(cells, min_size=width, max_size=width)
    unusual = st.lists(cells, max_size=4)
    rows = draw(st.lists(usual if draw(st.booleans()) else usual | unusual, max_size=6))
    header = [f"c{number}" for number in range(width)] if draw(st.booleans()) else draw(usual)
    between = "\n" if draw(st.booleans()) else draw(_ENDS)
    return between.join(map(delimiter.join, [header, *rows])) + draw(_ENDS), delimiter


def _read(text: str, delimiter: str) -> object:
    """What there is to see: cells, also stripped and by key, and lines; or the error."""
    source = Source("a.csv", "run", text.encode(), "")
    try:
        rows = read_rows(source, delimiter)
        keyed = rows.with_key(",".join(rows.header[:2])).columns if len(rows.header) > 1 else {}
        return rows.columns, len(rows), keyed, [*map(rows.column, rows.header)], list(rows.lines())
    except InputError as error:
        return error.problems, error.hints


@given(_tables())
@example(("id,label\na,b\n\nc,d\n", ","))
@example(("\nid,label\na,b\n", ","))
@example(("id,label\na\nb,c,d\n", ","))
@example(("id\tlabel\na \t b\n", "\t"))
@example(("id,label\na,b\u00a0\n", ","))
@example(("id,label\n", ","))
@example(("id,id\na,b", ","))
@example(('id,label\n"a,b"\nc,"d', ","))
def test_both_ways_read_the_same(table: tuple[str, str]) -> None:
    text, delimiter = table
    with patch.object(delimited, "_cut", return_value=None):
        expected = _read(text, delimiter)
    assert _read(text, delimiter) == expected


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_text_without_quotes_is_cut(delimiter: str) -> None:
    text = "id,label\n1,a\n2,b\n".replace(",", delimiter)
    with patch.object(delimited, "_columns", side_effect=AssertionError):
        assert read_rows(Source("a.csv", "run", text.encode(), "")).columns == {"id": ["1", "2"], "label": ["a", "b"]}


def test_too_long_a_cell_is_rejected_either_way() -> None:
    limit = csv.field_size_limit()
    try:
        with patch.object(delimited, "MAX_CELL", 8), pytest.raises(InputError, match="field larger than field limit"):
            read_rows(Source("a.csv", "run", b"id,label\n1,123456789\n", ""), ",")
    finally:
        # It is one for the process, and other tests read with it.
        csv.field_size_limit(limit)
