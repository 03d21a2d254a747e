"""Rankings of items for queries: relevance and scores of systems in one table, as average precision and RR by query."""

from __future__ import annotations

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import empty, join_all, missing_column, no_rows, pluralize, raise_any, refuse
from metaeval.io.files.columns import USABLE, invalid_number, read_numbers, read_table
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.source import Source, notes_on_sheets
from metaeval.io.labels.tasks import score_format
from metaeval.io.scores.formats import TidyScores

QUERY, ITEM, RELEVANCE, SCORE = "query", "item", "relevance", "score"
_LAYOUT = "the columns query, item and relevance, and score or a column for each system"


@score_format("ranking", {"bm25.csv": "query,item,relevance,score\nq1,d1,1,2.5\nq1,d2,0,3\nq2,d1,0,1\nq2,d3,1,4\n"})
def ranking_rows(source: Source) -> Rows:
    """Average precision (map) and reciprocal rank (mrr) of each query as a tidy table.

    Items with a relevance above 0 are relevant. Items with equal scores have the rank of the last of them, so that
    their order in the file does not matter. Queries without a relevant item are left out.
    """
    rows = read_table(source)
    path = rows.path
    for name in (QUERY, RELEVANCE):
        if name not in rows.header:
            raise refuse((path, 1), missing_column(rows.header, name, f"write {_LAYOUT}"))
    systems = [name for name in rows.header if name not in (QUERY, ITEM, RELEVANCE)]
    if not systems:
        raise refuse((path, 1), empty("column of scores", _LAYOUT))
    if not len(rows):
        raise refuse(path, no_rows())
    relevance = _numbers(rows, RELEVANCE) > 0
    names, query = np.unique(rows.column(QUERY), return_inverse=True)
    first = np.unique(query, return_index=True)[1]
    lines = rows.lines()
    relevant = np.bincount(query, relevance) > 0
    table = TidyScores(path)
    for system in systems:
        precision, reciprocal = by_query(query, relevance, _numbers(rows, system))
        for number in np.flatnonzero(relevant).tolist():
            name = "" if system == SCORE and len(systems) == 1 else system
            for measure, values in (("map", precision), ("mrr", reciprocal)):
                table.add(lines[first[number]], [measure, name, names[number], repr(float(values[number]))])
    without = names[~relevant].tolist()
    if len(without) == len(names):
        raise refuse(path, "no relevant item", f"a {RELEVANCE} above 0 for some item of a query")
    notes = notes_on_sheets(source)
    if without:
        queries = pluralize(len(without), "query", "queries")
        notes = (*notes, f"{path}: {queries} without a relevant item left out: {join_all(without[:3])}")
    return table.rows(Format(f"a query has each system once: {_LAYOUT}", notes=notes))


def _numbers(rows: Rows, name: str) -> Floats:
    texts = rows.column(name)
    numbers, states = read_numbers(texts)
    lines = rows.lines()
    problems = [
        (invalid_number(name, texts[row], "a number") if texts[row] else empty(name, "a number in every row")).at(
            rows.path, lines[row]
        )
        for row in np.flatnonzero(states != USABLE).tolist()
    ]
    raise_any(problems, "write a number for each item that is ranked")
    return np.asarray(numbers)


def by_query(query: Indices, relevant: Bools, scores: Floats) -> tuple[Floats, Floats]:
    """Average precision and reciprocal rank of each query, (Q,); 0 without a relevant item.

    query: of each item, from 0; relevant, scores: of the items, (N,).

    >>> by_query(np.array([0, 0, 0]), np.array([True, False, True]), np.array([0.9, 0.5, 0.4]))
    (array([0.83333333]), array([1.]))
    """
    order = np.lexsort((-scores, query))
    query, relevant, scores = query[order], relevant[order], scores[order]
    starts = np.flatnonzero(np.diff(query, prepend=-1))
    offsets = np.repeat(starts, np.diff(starts, append=len(query)))
    relevant_counts: Indices = np.cumsum(relevant)
    # The last item of those with the same score.
    ends = np.flatnonzero((np.diff(query, append=-1) != 0) | (np.diff(scores, append=np.nan) != 0))
    last = ends[np.searchsorted(ends, np.arange(len(query)))]
    rank = last - offsets + 1
    hits = relevant_counts[last] - (relevant_counts - relevant)[offsets]
    number = np.bincount(query, relevant)
    precision = np.bincount(query, np.where(relevant, hits / rank, 0.0)) / np.maximum(number, 1)
    reciprocal = np.zeros(len(number))
    np.maximum.at(reciprocal, query[relevant], 1.0 / rank[relevant])
    return precision, reciprocal
