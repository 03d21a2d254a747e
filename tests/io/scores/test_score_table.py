"""Scores of items that another tool computed: every form of file, every way to be wrong, policies, and the way back."""

import csv
import io
import json
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas
import pytest
from command_line import Write, refusal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.errors import InputError, UnknownName
from metaeval.io.dataset import Dataset
from metaeval.io.files.columns import MISSING_WORDS
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import Policies, Policy
from metaeval.io.scores.formats import ScoreRows
from metaeval.io.scores.table import read_score_table
from metaeval.model.scores import Direction, ItemScores

Row = tuple[str, str, str, float]

SCORES = ItemScores(
    np.array([[[0.1, 0.2, 0.3], [1e-3, -2.5, 7.0]], [[3.0, 2.0, 1.0], [0.30000000000000004, 0.0, 5e300]]]),
    ("bleu", "ter"),
    ("svm", "abs:bert"),
    ("x", "7", "a b"),
    (Direction.HIGHER, Direction.LOWER),
)
ROWS = list(ScoreRows(SCORES))
DROP = Policy("drop")


def read(
    *paths: str, measures: Sequence[str] = (), lower: Sequence[str] = (), policies: Policies | None = None, **names: str
) -> Dataset[ItemScores]:
    return read_score_table(
        paths,
        measures=measures,
        lower_is_better=lower,
        policies=policies or Policies(),
        columns=Columns(names.get("id"), names.get("label")),
        progress=lambda items, _: items,
    )


refused = partial(refusal, read)


def same(scores: ItemScores, expected: ItemScores) -> bool:
    """Whether two are the same bit for bit."""
    names = [(one.measures, one.systems, one.items, one.directions) for one in (scores, expected)]
    return names[0] == names[1] and scores.values.tobytes() == expected.values.tobytes()


def tidy(
    rows: Sequence[Sequence[object]],
    separator: str = ",",
    header: Sequence[str] = ("measure", "system", "item", "value"),
) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def wide_records(rows: Sequence[Row]) -> list[dict[str, str | float]]:
    records: dict[tuple[str, str], dict[str, str | float]] = {}
    for measure, system, item, value in rows:
        records.setdefault((system, item), {"system": system, "item": item})[measure] = value
    return list(records.values())


def wide(rows: Sequence[Row]) -> str:
    records = wide_records(rows)
    return tidy([tuple(record.values()) for record in records], header=list(records[0]))


def tidy_records(rows: Sequence[Row]) -> list[dict[str, str | float]]:
    return [
        {"item": item, "measure": measure, "value": value, "system": system} for measure, system, item, value in rows
    ]


def json_lines(records: Sequence[dict[str, str | float]]) -> str:
    return "\n\n".join(map(json.dumps, records)) + "\n"


def parquet(records: Sequence[dict[str, str | float]]) -> bytes:
    stored = io.BytesIO()
    pandas.DataFrame(records).to_parquet(stored, engine="pyarrow")
    return stored.getvalue()


FORMS: dict[str, tuple[str, str | bytes]] = {
    "tidy": ("t.csv", tidy(ROWS)),
    "tabs, any ending": ("t", tidy(ROWS, "\t")),
    "further columns": (
        "t.csv",
        tidy([(*row, "en") for row in ROWS], header=("measure", "system", "id", "value", "lang")),
    ),
    "wide": ("w.csv", wide(ROWS)),
    "tidy JSON": ("t.jsonl", json_lines(tidy_records(ROWS))),
    "wide JSON": ("w.json", json_lines(wide_records(ROWS))),
    "tidy Parquet": ("t.parquet", parquet(tidy_records(ROWS))),
    "wide Parquet": ("w.parquet", parquet(wide_records(ROWS))),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(write: Write, form: str) -> None:
    dataset = read(write(*FORMS[form]), lower=["ter"])
    assert same(dataset.runs, SCORES)
    assert dataset.notes == (("not read: lang",) if form == "further columns" else ())
    assert not any(dataset.repairs.values())
    assert dataset.paths == (FORMS[form][0],) * 2
    assert [(file.path, file.role) for file in dataset.files] == [(FORMS[form][0], "run")]


def test_columns_can_have_other_names_and_orders(write: Write) -> None:
    rows = [(value, item, system, measure) for measure, system, item, value in ROWS]
    path = write("t.csv", tidy(rows, header=("x", "doc", "system", "measure")))
    assert same(read(path, id="doc", label="x", lower=["ter"]).runs, SCORES)


def test_files_are_put_together_and_keep_the_systems_that_they_name(write: Write) -> None:
    by_measure = [write(f"{name}/all.csv", tidy([row for row in ROWS if row[0] == name])) for name in SCORES.measures]
    assert same(read(*by_measure, lower=["ter"]).runs, SCORES)
    write("systems/svm.csv", "item,bleu,ter\n" + "".join(f"{i},{b},{t}\n" for i, b, t in system_rows(0)))
    bert = write("other/x.csv", "item,bleu,ter\n" + "".join(f"{i},{b},{t}\n" for i, b, t in system_rows(1)))
    dataset = read("systems", f"abs:bert={bert}", lower=["ter"])
    assert same(dataset.runs, SCORES)
    assert dataset.paths == ("systems/svm.csv", "other/x.csv")
    one, two = write("1.csv", "system,item,bleu,ter\nsvm,a,1,\n"), write("2.csv", "system,item,bleu,ter\nsvm,a,,2\n")
    assert read(one, two).runs.values.tolist() == [[[1.0]], [[2.0]]]
    one, two = write("bleu/svm.csv", "item,bleu\na,1\n"), write("ter/svm.csv", "item,ter\na,2\n")
    assert read(one, two).runs.values.tolist() == [[[1.0]], [[2.0]]]
    renamed = read(f"me={write('svm.csv', tidy([row for row in ROWS if row[1] == 'svm']))}", lower=["ter"])
    assert renamed.runs.systems == ("me",)
    assert renamed.notes == ()
    np.testing.assert_array_equal(renamed.runs.values, SCORES.values[:, :1])
    dataset = read(f"me={write('t.csv', tidy(ROWS))}")
    assert dataset.runs.systems == SCORES.systems
    assert dataset.notes == ("t.csv: the name 'me' is not used, because the file has several systems",)


def system_rows(system: int) -> list[tuple[str, str, str]]:
    values = SCORES.values[:, system].tolist()
    return [(item, repr(bleu), repr(ter)) for item, bleu, ter in zip(SCORES.items, *values, strict=True)]


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"item,bleu\na,1\n")))
    dataset = read("-")
    assert dataset.runs.systems == ("stdin",)
    assert dataset.paths == ("standard input",)


def test_measures_are_chosen_and_ordered_and_nothing_else_is_looked_at(write: Write) -> None:
    for name, text in (("t.csv", tidy(ROWS)), ("w.csv", wide(ROWS))):
        scores = read(write(name, text), measures=["ter", "bleu", "ter"], lower=["ter"]).runs
        assert scores.measures == ("ter", "bleu")
        assert scores.directions == (Direction.LOWER, Direction.HIGHER)
        assert np.array_equal(scores.values, SCORES.values[::-1])
        assert np.array_equal(read(name, measures=["ter"]).runs.values, SCORES.values[1:])
    path = write("w.csv", "system,item,doc,,bleu,ter\nsvm,a,talk 1,0,0.5,x\n")
    other = write("t.csv", "measure,system,item,value\nbleu,bert,a,1\nter,mt,b,oops\n")
    dataset = read(path, other, measures=["bleu"])
    assert (dataset.runs.systems, dataset.runs.items) == (("svm", "bert"), ("a",))
    assert dataset.notes == ("systems without scores of the chosen measures are not used: mt",)
    only = write("n.csv", "system,item,note\nsvm,b,x\n")
    assert read(path, only, measures=["bleu"]).runs.items == ("a",)
    path = write("w.csv", "system,item,doc,bleu\nsvm,a,talk 1,0.5\n")
    assert read(path, label="bleu").runs.measures == ("bleu",)


@pytest.mark.parametrize(
    "text",
    ["system,bleu,ter\nsvm,1,2\nbert,3,4\n", "measure,system,value\nbleu,svm,1\nbleu,bert,3\nter,svm,2\nter,bert,4\n"],
)
def test_scores_of_whole_systems_need_no_item(write: Write, text: str) -> None:
    scores = read(write("t.csv", text)).runs
    assert (scores.items, scores.systems) == (("all items",), ("svm", "bert"))
    assert scores.values.tolist() == [[[1.0], [3.0]], [[2.0], [4.0]]]


def test_items_under_another_name_are_not_taken_for_one(write: Write) -> None:
    with pytest.raises(InputError, match="name the column of items with id_column"):
        read(write("t.csv", "system,chapter,bleu\nsvm,1,2\nsvm,2,4\n"), measures=["bleu"])


@pytest.mark.parametrize("options", [{"measures": ["blue"]}, {"lower": ["blue"]}])
def test_an_unknown_measure_is_told_with_the_nearest(write: Write, options: dict[str, list[str]]) -> None:
    with pytest.raises(UnknownName, match=r"unknown measure 'blue'\. Did you mean 'bleu'"):
        read(write("t.csv", tidy(ROWS)), **options)  # type: ignore[arg-type]


HEADER = "measure,system,item,value\n"
BAD: dict[str, tuple[str, str]] = {
    "like item": ("system,items,bleu\na,b,1\n", "expected a column 'item' | id_column='items'"),
    "no value": ("measure,system,item,number\na,b,c,1\n", "bad.csv:1: header | a column 'value' | label_column"),
    "no scores": (
        "system,item\na,b\n",
        "bad.csv:1: header 'system,item'; expected a column 'measure' | add the scores",
    ),
    "header only": (HEADER, "bad.csv:1: a header and no rows"),
    "cut short": (HEADER + "a,b,c,1\na,b\n", "bad.csv:3: 2 cells | truncated"),
    "column twice": ("item,bleu,bleu\na,1,2\n", "bad.csv:1: column 'bleu' again"),
    "row numbers": (",item,Unnamed: 1\n0,a,1\n", "bad.csv:1: header ',item,Unnamed: 1'; expected a column 'measure'"),
    "empty item": (
        HEADER + "a,b,,1\na,,c,1\n",
        "bad.csv:2: no value of 'item' | bad.csv:3: no value of",
    ),
    "empty system beside other faults": (
        HEADER + "bleu,,a,x\nbleu,,a,1\nbleu,svm,b,1\nbleu,svm,b,2\nter,svm,a,1\n",
        (
            "4 problems\n | bad.csv:2: no value of 'system' | bad.csv:2: score 'x' for bleu/line 2 of  | "
            "bad.csv:3: no value of 'system' | bad.csv:5: score 'bleu/svm/b' again, first on line 4 | "
            "1 of 5 scores is without a finite number"
        ),
    ),
    "no measure column": (
        "kind,system,item,score\nbleu,svm,a,1\nter,svm,a,1\n",
        "bad.csv:3: score 'score/svm/a' again | name the column of the measures 'measure'",
    ),
    "no number": (
        HEADER + "bleu,svm,a,x\nbleu,svm,b,nan\nbleu,svm,c,-inf\nbleu,svm,d,1\n",
        (
            "bad.csv:2: score 'x' for bleu/svm/a; expected a finite number | bad.csv:3: score 'nan' for bleu/svm/b | "
            "bad.csv:4: score '-inf' for bleu/svm/c | "
            "3 of 4 scores are without a finite number: correct them, or drop such items for every | "
            "system with on_unknown='drop'."
        ),
    ),
    "other digits": (
        HEADER + "bleu,svm,a,1_000\nbleu,svm,b,\u0663\nbleu,svm,c,\uff11\nbleu,svm,d,1\u00a0000\n",
        "bad.csv:2: score '1_000' for bleu/svm/a | bad.csv:3: score | bad.csv:4: score | bad.csv:5: score",
    ),
    "twice": (
        HEADER + "bleu,svm,a,1\nbleu,svm,b,1\n\nbleu,svm,a,1\n",
        "bad.csv:5: score 'bleu/svm/a' again, first on line 2; expected every score once | remove 1 repeated score",
    ),
    "missing": (
        HEADER + "bleu,svm,a,1\nter,svm,a,1\nter,svm,b,\n",
        (
            "2 problems\n | bad.csv:4: no score for ter/svm/b; expected one | "
            "bad.csv: no score for bleu/svm/b; expected one of every measure | "
            "2 of 4 scores are missing: add them, drop such items for every system with on_missing='drop', compare "
            "each two systems on the items that both have with on_missing='pairwise', or count them as 0 with "
            "on_missing='zero'."
        ),
    ),
    "never scored": (
        HEADER + "bleu,svm,a,1\nbleu,mt,a,1\nter,svm,a,1\n",
        "no score for ter/mt/a | system 'mt' has no score of 'ter': choose measures",
    ),
    "all together": (
        HEADER + "bleu,svm,a,1\nbleu,svm,a,2\nbleu,svm,b,x\nter,svm,a,1\n",
        "bad.csv:3: score 'bleu/svm/a' again | bad.csv:4: score 'x' for bleu/svm/b | bad.csv: no score for ter/svm/b",
    ),
    "JSON object": ('{"item": "a",\n"bleu": 1}', "bad.csv:1: an object over several lines; expected an object {"),
    "JSON cut": ('{"item": "a", "bleu": 1}\n{"item": "b", "bl', "bad.csv:2: JSON cannot be read | truncated"),
    "JSON blanks": ('{"item": "a", "bleu": 1, "bleu ": 2}', "bad.csv:1: both 'bleu' and 'bleu '"),
    "JSON nested": ('{"item": "a", "bleu": {"p": 1}}', "bad.csv:1: no number in column 'bleu', for example '[…]'"),
    "JSON empty": ("{}\n{}\n", "bad.csv:1: header ''; expected a column 'item'"),
    "JSON true": ('{"item": "a", "bleu": true, "ter": null}', "column 'bleu', for example 'True'"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told_with_its_place_and_its_remedy(write: Write, name: str) -> None:
    text, parts = BAD[name]
    message = refused(write("bad.csv", text))
    assert [part for part in parts.split(" | ") if part not in message] == []


def test_problems_of_several_files_are_told_together_the_first_of_many_listed(write: Write) -> None:
    one, two = write("one.csv", "item,score\na,1\nb,2\n"), write("two.csv", "item,score\nb,2\n")
    message = refused(f"svm={one}", f"svm={two}")
    assert "two.csv:2: score 'score/svm/b' again, first on line 3 of one.csv; expected every score once" in message
    assert "name the column of systems 'system', or name the system, as in other=one.csv" in message
    assert "rename the column, for example to 'bleu'" in message
    message = refused("gone.csv", write("empty.csv", ""), write("fine.csv", "item,bleu\na,1\n"))
    assert "2 problems in 2 files" in message
    assert "gone.csv: no such file" in message
    assert "empty.csv: the file is empty" in message
    some_missing = "".join(f"svm,{item},1,\n" for item in range(50))
    message = refused(write("w.csv", "system,item,bleu,ter\n" + some_missing + "svm,x,1,1\n"))
    assert message.count("no score for ter/svm/") == 20
    assert "50 of 102 scores are missing (the first 20 are listed)" in message
    twice = refused(write("t.csv", "item,bleu\n" + "a,1\n" * 50))
    assert "20 times, first t.csv:3: score 'bleu/t/a' again, first on line 2;" in twice
    assert "remove 49 repeated scores (the first 20 are listed)" in twice
    text = HEADER + "".join(f"m{row},s{row},i{row},1\n" for row in range(3000))
    assert "26,999,997,000 of 27,000,000,000 scores are missing" in refused(write("t.csv", text))
    message = refused("t.csv", policies=Policies(on_missing=DROP))
    assert "t.csv: no item is left: each lacks a usable score of some system" in message
    assert "exclude_systems='s0', or choose another on_missing than drop, or choose measures" in message
    path = write("t.csv", tidy(ROWS))
    assert "t.csv: file 't.csv' again" in refused(path, "t.csv")
    assert "no file of scores" in refused()


@pytest.mark.parametrize("policy", [Policy("worst"), Policy("label", "x")])
def test_policies_of_labels_are_refused(write: Write, policy: Policy) -> None:
    path = write("t.csv", tidy(ROWS))
    assert f"on_missing='{policy}', but" in refused(path, policies=Policies(on_missing=policy))
    expected = "expected error, drop or, for tables of scores, pairwise"
    assert expected in refused(path, policies=Policies(on_unknown=policy))
    assert "drop_gold='a,b', but" in refused(path, policies=Policies(drop_gold=("a", "b")))


def test_items_without_all_scores_are_dropped_for_every_system(write: Write) -> None:
    path = write(
        "w.csv", "system,item,bleu,ter\nsvm,a,1,\nsvm,b,2,3\nsvm,c,x,4\nmt,b,5,6\nmt,a,7,8\nmt,c,8,9\nmt,d,0,0\n"
    )
    dataset = read(path, policies=Policies(on_missing=DROP, on_unknown=DROP))
    assert dataset.runs.items == ("b",)
    assert dataset.runs.values.tolist() == [[[2.0], [5.0]], [[3.0], [6.0]]]
    assert dataset.repairs == {"missing": 3, "unknown": 1, "items_dropped": 3, "scores_dropped": 8}
    assert dataset.notes == (
        "3 missing scores: their items are dropped",
        "1 score without a finite number: their items are dropped",
        "dropped 3 items for every system, which removes 8 present scores of other systems or measures",
    )
    assert "bleu/svm/c" in refused(path, policies=Policies(on_missing=DROP))
    assert "3 of 16 scores are missing" in refused(path, policies=Policies(on_unknown=DROP))


TEXTS = ",document,system,item,bleu,lang,Unnamed: 6\n0,d1,a,1,2,de,7\n1,,b,1,3,de,8\n"


def test_columns_of_texts_and_of_row_numbers_are_ignored_with_a_note(write: Write) -> None:
    path = write("w.csv", TEXTS)
    dataset = read(path)
    assert (dataset.runs.measures, dataset.runs.values.tolist()) == (("bleu",), [[[2.0], [3.0]]])
    assert dataset.notes == (
        "columns of row numbers are ignored: '', 'Unnamed: 6'",
        (
            "columns without numbers are no measures and are ignored: document, lang; if one of them groups the items, "
            "set it as clusters='document' or group='document'"
        ),
    )
    assert "w.csv:2: no number in column 'lang', for example 'de'" in refused(path, measures=("bleu", "lang"))
    assert read(path, measures=("Unnamed: 6",)).runs.values.tolist() == [[[7.0], [8.0]]]


def test_other_encodings_and_keys_that_some_objects_have_are_read(write: Write) -> None:
    dataset = read(write("t.csv", "item,bleu\ncaf\xe9,1\n".encode("latin-1")))
    assert dataset.runs.items == ("café",)
    assert dataset.notes == ("t.csv is not UTF-8: its lines that are not were read as cp1252",)
    path = write("t.jsonl", '{"item": 1, "bleu": 1}\n{"item": 2, "bleu": 2, "ter": 3}\n')
    assert "t.jsonl:1: no score for ter/t/1" in refused(path)
    assert read(path, measures=["bleu"]).runs.items == ("1", "2")
    message = refused(write("t.txt", "\tbleu\na\t1\n"))
    assert "t.txt:1: header ',bleu'; expected a column 'item'" in message


names = some.text(some.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda name: name == name.strip() and name not in MISSING_WORDS
)


@some.composite
def item_scores(draw: some.DrawFn) -> ItemScores:
    shape = draw(array_shapes(min_dims=3, max_dims=3, max_side=4))
    values = draw(arrays(np.float64, shape, elements=some.floats(allow_nan=False, allow_infinity=False)))
    measures, systems, items = (
        tuple(draw(some.lists(names, min_size=size, max_size=size, unique=True))) for size in shape
    )
    lower = draw(some.lists(some.booleans(), min_size=shape[0], max_size=shape[0]))
    directions = tuple(Direction.LOWER if is_lower else Direction.HIGHER for is_lower in lower)
    return ItemScores(values, measures, systems, items, directions)


@given(scores=item_scores())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_rows_that_are_written_are_read_back_bit_for_bit(write: Write, scores: ItemScores) -> None:
    lower = [name for name, way in zip(scores.measures, scores.directions, strict=True) if way is Direction.LOWER]
    assert same(read(write("t.csv", tidy(ScoreRows(scores))), lower=lower).runs, scores)
    assert same(read(write("t.jsonl", json_lines(tidy_records(ScoreRows(scores)))), lower=lower).runs, scores)


def test_rows_are_a_sequence() -> None:
    rows = ScoreRows(SCORES)
    assert len(rows) == 12
    assert list(rows) == [rows[number] for number in range(12)]
    assert rows[-1] == ("ter", "abs:bert", "a b", 5e300)
    assert rows[2:8:3] == [rows[2], rows[5]]
    assert type(rows[0][3]) is type(next(iter(rows))[3]) is float
    with pytest.raises(IndexError):
        rows[12]


@needs_shared_data
@pytest.mark.parametrize("path", ["realsumm/realsumm_scores.csv", "newsroom/newsroom.csv"])
def test_means_of_real_files_are_those_of_pandas(path: str) -> None:
    scores = read(str(SHARED_DATA / path), lower=["n_tokens"] if "newsroom" in path else []).runs
    frame = pandas.read_csv(SHARED_DATA / path, dtype={"item": str})
    expected = frame.groupby("system", sort=False).mean(numeric_only=True)
    assert scores.systems == tuple(expected.index)
    assert scores.measures == tuple(expected.columns)
    means = expected.to_numpy().T
    # Means are on a grid of the largest score of a measure.
    assert (np.abs(scores.mean().values - means) <= 1e-11 * np.abs(means).max(axis=1, keepdims=True)).all()
