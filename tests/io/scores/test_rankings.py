"""`--task ranking`: average precision and reciprocal rank of queries from scores and relevance."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import CommandLine, Write, item_scores
from hypothesis import given
from hypothesis import strategies as some
from sklearn.metrics import average_precision_score

from metaeval.io.scores.rankings import by_query

RNG = np.random.default_rng(3)


@given(some.lists(some.tuples(some.integers(0, 3), some.booleans(), some.integers(0, 5)), min_size=1, max_size=40))
def test_queries_are_those_of_scikit_learn_also_with_ties(items: list[tuple[int, bool, int]]) -> None:
    rows = np.array(items)
    names, query = np.unique(rows[:, 0], return_inverse=True)
    relevant, scores = rows[:, 1].astype(bool), rows[:, 2].astype(float)
    precision, reciprocal = by_query(query, relevant, scores)
    for number in range(len(names)):
        is_relevant, ranked = relevant[query == number], scores[query == number]
        if is_relevant.any():
            assert precision[number] == pytest.approx(average_precision_score(is_relevant, ranked))
            assert reciprocal[number] == pytest.approx(1 / (ranked >= ranked[is_relevant].max()).sum())


def ranking(systems: tuple[str, ...]) -> tuple[str, dict[str, list[tuple[str, bool, list[float]]]]]:
    lines, by_name = [",".join(("query", "item", "relevance", *systems))], {}
    for query in ("q1", "q2", "q3"):
        rows = []
        for item in range(6):
            relevance, scores = int(RNG.integers(2)) if item else 1, RNG.random(len(systems)).tolist()
            lines.append(",".join([query, f"d{item}", str(relevance), *map(repr, scores)]))
            rows.append((f"d{item}", bool(relevance), scores))
        by_name[query] = rows
    return "\n".join(lines) + "\n", by_name


def test_systems_are_columns_or_files(metaeval: CommandLine, write: Write) -> None:
    content, rows = ranking(("bm25", "dense"))
    scores = item_scores(metaeval, "--task", "ranking", write("wide.csv", content))
    expected = {
        (query, system): average_precision_score(
            [is_relevant for _, is_relevant, _ in query_rows], [row[index] for *_, row in query_rows]
        )
        for query, query_rows in rows.items()
        for index, system in enumerate(("bm25", "dense"))
    }
    for (query, system), value in expected.items():
        assert scores["map", system, query] == pytest.approx(value)
    content, rows = ranking(("score",))
    scores = item_scores(metaeval, "--task", "ranking", write("mine.csv", content))
    assert {system for _, system, _ in scores} == {"mine"}
    assert {measure for measure, _, _ in scores} == {"map", "mrr"}


def test_queries_without_a_relevant_item_are_left_out_with_a_note(metaeval: CommandLine, write: Write) -> None:
    file = write("a.csv", "query,item,relevance,score\nq1,d1,1,2\nq1,d2,0,3\nq2,d1,0,1\n")
    outcome = metaeval.succeeds("score", "--task", "ranking", file, "-f", "csv")
    assert outcome.column("map") == {"a": 0.5}
    assert "a.csv: 1 query without a relevant item left out: q2" in outcome.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("query,item,score\nq,d,1\n", "expected a column 'relevance'"),
        ("query,item,relevance\nq,d,1\n", "no column of scores"),
        ("query,item,relevance,score\nq,d,1,high\n", "a.csv:2: score 'high'; expected a number"),
        ("query,item,relevance,score\nq,d,0,1\n", "no relevant item"),
    ],
)
def test_broken_tables_are_told(metaeval: CommandLine, write: Write, content: str, message: str) -> None:
    assert message in metaeval.refuses("score", "--task", "ranking", write("a.csv", content))
