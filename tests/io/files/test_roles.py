"""Columns are read by their roles, under the names that people give them, alike in every reader."""

import csv
import io
import random
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import pytest
from command_line import CommandLine, Write

from metaeval.io.files.roles import (
    ANNOTATOR,
    GOLD,
    ITEM,
    LABEL,
    MEASURE,
    PREDICTION,
    RATING,
    SCORE,
    SYSTEM,
    Role,
    normal,
)

Cells = dict[str, list[str]]

LABELS: Cells = {"id": ["1", "2", "3"], "gold": ["a", "b", "a"], "prediction": ["a", "a", "b"]}
LONG: Cells = {
    "system": ["s", "s", "t", "t"],
    "item": ["1", "2"] * 2,
    "gold": ["a", "b"] * 2,
    "prediction": list("aabb"),
}
TABLE: Cells = {
    "system": ["s"] * 3 + ["t"] * 3, "item": ["1", "2", "3"] * 2, "m": [".1", ".5", ".2", ".7", ".4", ".9"]
}  # fmt: skip
TIDY: Cells = {
    "measure": ["m"] * 4,
    "system": ["s", "s", "t", "t"],
    "item": ["1", "2"] * 2,
    "value": ["1", "0", "1", "1"],
}
RATINGS: Cells = {"item": ["1", "1", "2", "2"], "annotator": ["x", "y"] * 2, "rating": ["1", "2", "3", "3"]}


class Reader(NamedTuple):
    """A command that reads a table, and the roles of its columns."""

    words: tuple[str, ...]
    table: Cells
    roles: dict[str, Role]
    runs: bool = False


READERS = {
    "labels": Reader(("score", "-m", "accuracy"), LABELS, {"id": ITEM, "gold": GOLD, "prediction": PREDICTION}),
    "long labels": Reader(
        ("score", "-m", "accuracy"), LONG, {"system": SYSTEM, "item": ITEM, "prediction": PREDICTION}
    ),
    "table": Reader(("score", "--task", "table"), TABLE, {"system": SYSTEM, "item": ITEM}),
    "tidy table": Reader(
        ("score", "--task", "table"), TIDY, {"measure": MEASURE, "system": SYSTEM, "item": ITEM, "value": SCORE}
    ),
    "ratings": Reader(("agreement",), RATINGS, {"item": ITEM, "annotator": ANNOTATOR, "rating": RATING}),
}
NAMES = [
    (reader, column, name)
    for reader, each in READERS.items()
    for column, role in each.roles.items()
    for name in (*role.names, *role.weaker, role.names[0].upper())
]


def text_of(table: Cells) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table, *zip(*table.values(), strict=True)])
    return out.getvalue()


def renamed(table: Cells, old: str, new: str) -> Cells:
    return {new if name == old else name: cells for name, cells in table.items()}


def rows_of(metaeval: CommandLine, words: Sequence[str], path: str) -> list[dict[str, object]]:
    gold = () if words[0] == "agreement" or "table" in words else ("--gold",)
    tables = metaeval.report(*words, *gold, path)["tables"]
    rows: list[dict[str, object]] = tables.get("scores") or tables["agreement"]
    return rows


@pytest.mark.parametrize(("reader", "column", "name"), NAMES)
def test_every_name_of_a_role_is_read(metaeval: CommandLine, write: Write, reader: str, column: str, name: str) -> None:
    words, table, *_ = READERS[reader]
    known = rows_of(metaeval, words, write("t.csv", text_of(table)))
    assert rows_of(metaeval, words, write("t.csv", text_of(renamed(table, column, name)))) == known


@pytest.mark.parametrize("reader", READERS)
def test_changed_columns_change_no_score_in_silence(metaeval: CommandLine, write: Write, reader: str) -> None:
    """Columns are permuted, renamed, duplicated under a second name, added and dropped: same scores, or an error."""
    words, table, roles, _ = READERS[reader]
    known = rows_of(metaeval, words, write("t.csv", text_of(table)))
    pick = random.Random(8)
    refused = 0
    for _trial in range(60):
        changed, said = dict(table), ""
        column = pick.choice(list(roles))
        role = roles[column]
        other = pick.choice([*role.names, *role.weaker])
        kind = pick.choice(["rename", "duplicate", "drop", "add"])
        if kind == "rename":
            changed = renamed(changed, column, other)
        elif kind == "duplicate" and normal(other) != normal(column):
            changed[other] = pick.sample(changed[column], len(changed[column]))
        elif kind == "add":
            changed[pick.choice(["text", "note", "probability"])] = ["zz"] * len(changed[column])
        elif kind == "drop":
            del changed[column]
        changed = dict(pick.sample(list(changed.items()), len(changed)))
        path = write("t.csv", text_of(changed))
        gold = () if words[0] == "agreement" or "table" in words else ("--gold",)
        outcome = metaeval(*words, *gold, path, "-f", "json")
        if outcome.code:
            refused += 1
            assert outcome.code == 2
            continue
        said = outcome.err
        rows = rows_of(metaeval, words, path)
        assert rows == known or "not read" in said or kind == "drop", (changed, said)
    assert refused > 3


TWO = [(reader, column) for reader, each in READERS.items() for column in each.roles]


@pytest.mark.parametrize(("reader", "column"), TWO)
def test_two_columns_for_one_role_are_shown_with_the_option_that_chooses(
    metaeval: CommandLine, write: Write, reader: str, column: str
) -> None:
    words, table, roles, _ = READERS[reader]
    other = next(name for name in roles[column].names if name != column)
    path = write("t.csv", text_of({**table, other: table[column]}))
    gold = () if words[0] == "agreement" or "table" in words else ("--gold",)
    message = metaeval.refuses(*words, *gold, path)
    assert "expected one of them" in message
    assert f"'{column}'" in message
    assert f"'{other}'" in message


@pytest.mark.parametrize(
    ("header", "words", "systems"),
    [
        ("model,prompt_id,score\na,1,.5\na,2,.7\nb,1,.2\nb,2,.9\n", ("score",), ["a", "b"]),
        ("case_id,human_label,judge_label\n1,x,x\n2,y,x\n3,y,y\n", ("score", "-m", "accuracy"), ["t"]),
        ("human_label,judge_label\nx,x\ny,x\ny,y\n", ("score", "-m", "accuracy"), ["t"]),
        ("metric,model,id,value\nf,a,1,.5\nf,a,2,.7\nf,b,1,.2\nf,b,2,.9\n", ("score",), ["a", "b"]),
    ],
)
def test_the_task_follows_from_the_header(
    metaeval: CommandLine, write: Write, header: str, words: tuple[str, ...], systems: list[str]
) -> None:
    report = metaeval.report(*words, write("t.csv", header))
    assert sorted(row["system"] for row in report["tables"]["scores"]) == systems


@pytest.mark.parametrize(("gold", "label"), list(product(GOLD.names[:4], LABEL.names[:2])))
def test_gold_with_labels_of_its_own_name_and_runs_with_another(
    metaeval: CommandLine, write: Write, gold: str, label: str
) -> None:
    path = write("gold.csv", f"id,{gold}\n1,a\n2,b\n")
    run = write("run.csv", f"id,{label},text\n1,a,x\n2,a,y\n")
    report = metaeval.report("score", "-m", "accuracy", "--gold", path, run)
    assert report["tables"]["scores"] == [{"system": "run", "accuracy": 0.5}]
    assert "not read: text" in report["notes"]
