"""Columns are read by their roles, under the names that people give them, alike in every reader."""

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import pyarrow
import pyarrow.parquet
import pytest
from command_line import CommandLine, Write

from metaeval.io.files.roles import (
    ANNOTATOR,
    GOLD,
    ITEM,
    LABEL,
    MEASURE,
    OUTPUT,
    PREDICTION,
    RATING,
    REFERENCE_TEXT,
    SCORE,
    SYSTEM,
    VOTE,
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


def renamed(table: Cells, old: str, new: str) -> Cells:
    return {new if name == old else name: cells for name, cells in table.items()}


TEXTS: Cells = {"system": list("sstt"), "item": ["1", "2"] * 2, "prediction": ["x y", "z", "x", "y z"]}
REFERENCES: Cells = {"item": ["1", "2"], "text": ["x z", "z"]}
SHARES: Cells = {"item": ["1", "2"], "a": [".2", "1"], "b": [".8", "0"]}
VOTES: Cells = {"item": list("1122"), "rater": list("pqpq"), "label": list("abba"), "count": list("1211")}
VERDICTS: Cells = {
    "item": list("1122"), "left": list("AAAB"), "right": list("BBBA"), "winner": ["left", "tie", "right", "left"],
    "judge": list("pqpq"),
}  # fmt: skip


class Reader(NamedTuple):
    """A command that reads a table (T) and perhaps another file (O), and the roles of the columns of the table."""

    words: str
    table: Cells
    roles: dict[str, Role]
    other: Cells = {"item": []}  # noqa: RUF012

    def command(self, path: str) -> list[str]:
        return [{"T": path, "O": "other.csv"}.get(word, word) for word in self.words.split()]


READERS = {
    "labels": Reader("score -m accuracy --gold T", LABELS, {"id": ITEM, "gold": GOLD, "prediction": PREDICTION}),
    "labels of a run": Reader(
        "score -m accuracy --gold O T",
        {"id": LABELS["id"], "prediction": LABELS["prediction"]},
        {"id": ITEM, "prediction": PREDICTION},
        LABELS,
    ),
    "long labels": Reader(
        "score -m accuracy --gold T", LONG, {"system": SYSTEM, "item": ITEM, "prediction": PREDICTION}
    ),
    "table": Reader("score --task table T", TABLE, {"system": SYSTEM, "item": ITEM}),
    "tidy table": Reader(
        "score --task table T", TIDY, {"measure": MEASURE, "system": SYSTEM, "item": ITEM, "value": SCORE}
    ),
    "ratings": Reader("agreement T", RATINGS, {"item": ITEM, "annotator": ANNOTATOR, "rating": RATING}),
    "texts": Reader(
        "score --task texts -m rouge-l --gold O T",
        TEXTS,
        {"system": SYSTEM, "item": ITEM, "prediction": OUTPUT},
        REFERENCES,
    ),
    "references": Reader(
        "score --task texts -m rouge-l --gold T O", REFERENCES, {"item": ITEM, "text": REFERENCE_TEXT}, TEXTS
    ),
    "distributions": Reader("score --task distributions -m jsd --gold O T", SHARES, {"item": ITEM}, VOTES),
    "votes": Reader(
        "score --task distributions -m jsd --gold T O",
        VOTES,
        {"item": ITEM, "rater": replace(ANNOTATOR, option=""), "label": VOTE},
        SHARES,
    ),
    "preferences": Reader("preferences T", VERDICTS, {"item": ITEM, "judge": ANNOTATOR}),
}
NAMES = [
    (key, column, name)
    for key, reader in READERS.items()
    for column, role in reader.roles.items()
    for name in (*role.names, *role.weaker, role.names[0].upper())
]


def csv_of(table: Cells, delimiter: str = ",") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([table, *zip(*table.values(), strict=True)])
    return out.getvalue().encode()


def objects_of(table: Cells) -> list[str]:
    return [json.dumps(dict(zip(table, row, strict=True))) for row in zip(*table.values(), strict=True)]


def parquet_of(table: Cells) -> bytes:
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(table), out)
    return out.getvalue()


FORMATS: dict[str, Callable[[Cells], bytes]] = {
    "csv": csv_of,
    "tsv": partial(csv_of, delimiter="\t"),
    "txt": partial(csv_of, delimiter=";"),
    "jsonl": lambda table: "\n".join(objects_of(table)).encode(),
    "json": lambda table: f"[{','.join(objects_of(table))}]".encode(),
    "parquet": parquet_of,
}


def results_of(metaeval: CommandLine, write: Write, reader: Reader, table: Cells, form: str = "csv") -> Any:
    """The tables of a command and its notes, or its message and none."""
    write("other.csv", csv_of(reader.other))
    outcome = metaeval(*reader.command(write(f"t.{form}", FORMATS[form](table))), "-f", "json")
    assert outcome.code in (0, 2)
    if outcome.code:
        return outcome.err, []
    report = json.loads(outcome.out)
    return report["tables"], report["notes"]


@pytest.mark.parametrize(("key", "column", "name"), NAMES)
def test_every_name_of_a_role_is_read(metaeval: CommandLine, write: Write, key: str, column: str, name: str) -> None:
    reader = READERS[key]
    expected, _ = results_of(metaeval, write, reader, reader.table)
    assert results_of(metaeval, write, reader, renamed(reader.table, column, name))[0] == expected
    assert isinstance(expected, dict)


def changed(reader: Reader, pick: random.Random) -> tuple[str, str, Cells]:
    """A kind of change, the column that it concerns, and the changed table."""
    column = pick.choice(list(reader.roles))
    role, cells = reader.roles[column], reader.table[column]
    other = pick.choice([*role.names, *role.weaker])
    table = dict(reader.table)
    kind = pick.choice(["rename", "duplicate", "drop", "add"])
    if kind == "rename":
        table = renamed(table, column, pick.choice([other, other.upper(), other.replace("_", " ")]))
    elif kind == "duplicate":
        table[other] = pick.sample(cells, len(cells)) if normal(other) != normal(column) else cells
    elif kind == "add":
        table[pick.choice(["note", "probability", "created_at", "headline"])] = ["zz"] * len(cells)
    else:
        del table[column]
    return kind, column, dict(pick.sample(list(table.items()), len(table)))


TRIALS = 40


@pytest.mark.parametrize("name", READERS)
def test_changed_columns_change_no_score_in_silence(metaeval: CommandLine, write: Write, name: str) -> None:
    """Columns are permuted, renamed, duplicated under a second name, added and dropped: same scores, or it is said."""
    reader, pick, refused = READERS[name], random.Random(8), 0
    expected, _ = results_of(metaeval, write, reader, reader.table)
    for _trial in range(TRIALS):
        kind, column, table = changed(reader, pick)
        form = pick.choice(list(FORMATS))
        results, notes = results_of(metaeval, write, reader, table, form)
        refused += isinstance(results, str)
        unread = [name for note in notes for name in note.partition("not read: ")[2].split(", ")]
        is_said = isinstance(results, str) or kind == "drop" or column in unread
        assert results == expected or is_said, (form, table, notes)
    assert refused > 0


TWO = [(name, column) for name, reader in READERS.items() for column in reader.roles]


@pytest.mark.parametrize(("name", "column"), TWO)
def test_two_columns_for_one_role_are_shown_with_the_option_that_chooses(
    metaeval: CommandLine, write: Write, name: str, column: str
) -> None:
    reader = READERS[name]
    other = next(usual_name for usual_name in reader.roles[column].names if usual_name != column)
    message, _ = results_of(metaeval, write, reader, {**reader.table, other: reader.table[column]})
    assert "expected one of them" in message
    assert f"'{column}'" in message
    assert f"'{other}'" in message
    option = reader.roles[column].option.replace("_", "-")
    assert (f"as in --{option} " if option else "rename or remove one of them") in message


def test_a_file_of_gold_and_predictions_may_have_a_name(metaeval: CommandLine, write: Write) -> None:
    path = write("t.csv", "case_id,human_label,judge_label\n1,x,x\n2,y,x\n3,y,y\n")
    report = metaeval.report("score", "-m", "accuracy", f"juno={path}")
    assert [row["system"] for row in report["tables"]["scores"]] == ["juno"]


@pytest.mark.parametrize(("gold", "label"), list(product(GOLD.names[:4], LABEL.names[:2])))
def test_gold_with_labels_of_its_own_name_and_runs_with_another(
    metaeval: CommandLine, write: Write, gold: str, label: str
) -> None:
    path = write("gold.csv", f"id,{gold}\n1,a\n2,b\n")
    run = write("run.csv", f"id,{label},text\n1,a,x\n2,a,y\n")
    report = metaeval.report("score", "-m", "accuracy", "--gold", path, run)
    assert report["tables"]["scores"] == [{"system": "run", "accuracy": 0.5}]
    assert "not read: text" in report["notes"]
