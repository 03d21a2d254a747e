import math

import numpy as np
import pytest

from metaeval.model.report import Column, Kind, Provenance, Report, Table, count, plain, table, text

COLUMNS = (Column("system"), Column("mae", Kind.SCORE, higher_is_better=False), Column("items", Kind.COUNT))
RANKS = Table("ranks", "Ranks", (Column("system"), Column("mae", Kind.COUNT)), (("a", 1), ("b", 2)))
SCORES = Table("scores", "Scores", COLUMNS, (("a", 0.1 + 0.2, 7), ("b", math.nan, 7)), beside=RANKS)
NOTES = Table("touched", "What the policies touched", (Column("policy"), Column("items", Kind.COUNT)), ())


@pytest.mark.parametrize("cell", [math.nan, math.inf, -math.inf, float(np.float64("nan")), np.float64("inf")])
def test_a_number_that_json_lacks_is_none(cell: float) -> None:
    assert plain(cell) is None


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(ValueError, match="a row of 1 cells under 3 columns in table 'scores'"):
        Table("scores", "Scores", COLUMNS, (("a",),))


def test_the_main_table_is_the_first_and_one_beside_another_follows_it() -> None:
    report = Report("score", "metaeval:0.1.0|n:7", (SCORES, NOTES), (), Provenance("0.1.0"))
    assert report.main is SCORES
    assert [table.name for table in report.all_tables()] == ["scores", "ranks", "touched"]


def test_a_count_stands_only_where_there_is_one() -> None:
    whole = table("t", "Means", text("measure", ["a", "b"]), count("rank", np.array([1, 0]), where=[True, False]))
    assert whole.rows == (("a", 1), ("b", None))
