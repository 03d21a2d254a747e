import json
import math

import numpy as np
import pandas as pd
import pytest

from metaeval.model.report import Column, Kind, Note, Provenance, Report, SourceFile, Table, count, plain, table, text

COLUMNS = (Column("system"), Column("mae", Kind.SCORE, higher_is_better=False), Column("items", Kind.COUNT))
RANKS = Table("ranks", "Ranks", (Column("system"), Column("mae", Kind.COUNT)), (("a", 1), ("b", 2)))
SCORES = Table("scores", "Scores", COLUMNS, (("a", 0.1 + 0.2, 7), ("b", math.nan, 7)), beside=RANKS)
NOTES = Table("touched", "What the policies touched", (Column("policy"), Column("items", Kind.COUNT)), ())


def report() -> Report:
    provenance = Provenance(
        "0.1.0",
        command_line="metaeval score --gold gold.csv a.csv",
        files=(SourceFile("gold.csv", "gold", "ab12"),),
        versions={"numpy": "2.0"},
        settings={"seed": 20201},
        repairs={"dropped": 3},
    )
    return Report("score", "metaeval:0.1.0|n:7", (SCORES, NOTES), (Note("b is undefined"),), provenance)


@pytest.mark.parametrize("cell", [math.nan, math.inf, -math.inf, float(np.float64("nan")), np.float64("inf")])
def test_a_number_that_json_lacks_is_none(cell: float) -> None:
    assert plain(cell) is None


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(ValueError, match="a row of 1 cells under 3 columns in table 'scores'"):
        Table("scores", "Scores", COLUMNS, (("a",),))


def test_the_json_shape_is_the_documented_one_and_strict_json() -> None:
    found = json.loads(json.dumps(report().to_dict(), allow_nan=False))
    assert list(found) == ["schema", "command", "signature", "findings", "tables", "notes", "provenance", "layout"]
    assert found["command"] == "score"
    assert found["signature"] == "metaeval:0.1.0|n:7"
    assert list(found["tables"]) == ["scores", "ranks", "touched"]
    assert found["tables"]["scores"] == [
        {"system": "a", "mae": 0.30000000000000004, "items": 7},
        {"system": "b", "mae": None, "items": 7},
    ]
    assert found["tables"]["ranks"] == [{"system": "a", "mae": 1}, {"system": "b", "mae": 2}]
    assert found["tables"]["touched"] == []
    assert found["notes"] == ["b is undefined"]
    assert found["provenance"] == {
        "version": "0.1.0",
        "command_line": "metaeval score --gold gold.csv a.csv",
        "files": [{"path": "gold.csv", "role": "gold", "sha256": "ab12"}],
        "versions": {"numpy": "2.0"},
        "settings": {"seed": 20201},
        "repairs": {"dropped": 3},
        "titles": {},
        "sources": {},
        "measures": {},
        "title": "",
    }


def test_the_main_table_is_the_first_and_one_beside_another_follows_it() -> None:
    assert report().main is SCORES
    assert [table.name for table in report().all_tables()] == ["scores", "ranks", "touched"]


def test_a_table_becomes_a_data_frame() -> None:
    frame = report().to_pandas()
    assert list(frame.columns) == ["system", "mae", "items"]
    assert frame["mae"].tolist()[0] == 0.1 + 0.2
    assert pd.isna(frame["mae"].tolist()[1])
    assert report().to_pandas("ranks")["mae"].tolist() == [1, 2]
    assert list(report().to_pandas("touched").columns) == ["policy", "items"]


def test_a_count_stands_only_where_there_is_one() -> None:
    whole = table("t", "Means", text("measure", ["a", "b"]), count("rank", np.array([1, 0]), where=[True, False]))
    assert whole.rows == (("a", 1), ("b", None))
