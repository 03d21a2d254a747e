"""A table with two columns for one thing is asked which to read; columns that number its rows are told."""

import pytest
from command_line import CommandLine, Write

VERDICTS = "item,left,right,winner\n1,a,b,left\n2,b,a,left\n3,a,b,tie\n"
RATINGS = "item,annotator,label\n1,x,1\n1,y,2\n2,x,2\n2,y,2\n3,x,3\n3,y,3\n"
VOTES = "item,rater,label\n1,x,yes\n1,y,no\n2,x,yes\n2,y,yes\n"
SCORES = "measure,system,item,value\nm,a,1,.2\nm,a,2,.4\nm,b,1,.3\nm,b,2,.5\n"
TEXTS = "item,text\n1,a cat\n2,a dog\n"
PAIRS = "item,phenomenon,good,bad,gold\n1,p,yes,no,yes\n2,p,no,yes,no\n"


def _with(table: str, **columns: str) -> str:
    """The table with further columns of the same cell in every row."""
    header, *rows = table.splitlines()
    lines = [[header, *columns], *([row, *columns.values()] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines)


PREFERENCES = ("preferences",)
AGREEMENT = ("agreement", "--labels", "1<2<3")
DISTRIBUTIONS = ("score", "--task", "distributions", "--labels", "no,yes", "--gold")
TABLE = ("score", "--task", "table")
OUTPUTS = ("score", "--task", "texts", "-m", "rouge-n", "--gold", "references.csv")
CONTRAST = ("contrast", "--labels", "no,yes")
ASKED = {
    "forms of verdicts": (PREFERENCES, _with(VERDICTS, better="a", worse="b"), "'left' and 'better'", "rename"),
    "language pairs": (PREFERENCES, _with(VERDICTS, lp="x", language_pair="y"), "'language_pair' and 'lp'", "--lang"),
    "judges": (PREFERENCES, _with(VERDICTS, judge="x", Judge="y"), "'judge' and 'Judge'", "rename"),
    "counts": (DISTRIBUTIONS, _with(VOTES, count="1", Count="2"), "'count' and 'Count'", "rename"),
    "values": (TABLE, _with(SCORES, Score="1"), "'value' and 'Score'", "--label-column value"),
    "systems": (TABLE, _with(SCORES, System="x"), "'system' and 'System'", "rename"),
    "keys of texts": (
        OUTPUTS,
        '{"item": "1", "sentences": ["a"], "output": "b"}\n',
        "'sentences' and 'output'",
        "--prediction-column sentences",
    ),
    "phenomena": (CONTRAST, _with(PAIRS, phenomena="p"), "'phenomenon' and 'phenomena'", "rename"),
    "gold of pairs": (CONTRAST, _with(PAIRS, reference="x"), "'gold' and 'reference'", "rename"),
}


@pytest.mark.parametrize("case", ASKED)
def test_of_two_columns_for_one_thing_a_command_asks_which(metaeval: CommandLine, write: Write, case: str) -> None:
    command, table, pair, remedy = ASKED[case]
    write("references.csv", TEXTS)
    path = write("t.jsonl" if table[0] == "{" else "t.csv", table)
    runs = (f"me={write('run.csv', table)}",) if command is DISTRIBUTIONS else ()
    metaeval.refuses_with((f"{path}:1: both {pair}; expected one of them", remedy), *command, path, *runs)


def test_the_column_that_a_user_names_is_read_beside_others(metaeval: CommandLine, write: Write) -> None:
    write("references.csv", TEXTS)
    metaeval.succeeds(*PREFERENCES, write("v.csv", _with(VERDICTS, id="7")), "--id-column", "item")
    ratings = write("r.csv", _with(RATINGS, rater="z"))
    metaeval.succeeds(*AGREEMENT, ratings, "--judge-column", "annotator")
    judge = write("j.csv", _with(RATINGS.replace(",x,", ",z,").replace(",y,", ",w,"), rater="z"))
    metaeval.succeeds(*AGREEMENT, ratings, "--judge-column", "annotator", "--judge", judge)
    texts = write("t.csv", _with(TEXTS, output="a", Text="b"))
    metaeval.succeeds(*OUTPUTS, texts, "--label-column", "text")
    votes = write("d.csv", _with(VOTES, prediction="no"))
    metaeval.succeeds(*DISTRIBUTIONS, votes, write("me.csv", _with(VOTES, prediction="no")), "--label-column", "label")


NUMBERED = {
    "preferences": (PREFERENCES, VERDICTS),
    "contrast": (CONTRAST, PAIRS),
    "correct": (("correct",), "item,judge,human\n1,1,1\n2,0,0\n3,1,\n4,1,0\n5,0,\n6,1,1\n"),
    "distributions": (DISTRIBUTIONS, VOTES),
    "shares": (DISTRIBUTIONS, "item,no,yes\n1,.5,.5\n2,0,1\n"),
}


@pytest.mark.parametrize("name", ["", "Unnamed: 0.1", "\u200b"])
@pytest.mark.parametrize("case", NUMBERED)
def test_a_column_of_row_numbers_is_told_as_ignored(metaeval: CommandLine, write: Write, case: str, name: str) -> None:
    command, table = NUMBERED[case]
    header, *rows = table.splitlines()
    numbered = "".join(f"{cell},{row}\n" for cell, row in zip([name, *"0123456789"], [header, *rows], strict=False))
    path = write("t.csv", numbered)
    runs = (f"me={write('run.csv', numbered)}",) if command is DISTRIBUTIONS else ()
    notes = metaeval.report(*command, path, *runs)["notes"]
    assert notes.count(f"columns of row numbers are ignored: '{name}'") == 1


@pytest.mark.parametrize(("name", "first"), [("index", 0), ("index", 1), ("level_0", 0), ("unnamed: 0", 5)])
def test_an_index_is_no_measure_and_no_annotator(metaeval: CommandLine, write: Write, name: str, first: int) -> None:
    rows = [
        f"{first + row},{system},{item},.{item}"
        for row, (system, item) in enumerate([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    ]
    path = write("t.csv", "\n".join([f"{name},system,item,bleu", *rows]) + "\n")
    report = metaeval.report(*TABLE, path)
    assert list(report["tables"]["scores"][0]) == ["system", "bleu"]
    assert f"columns of row numbers are ignored: '{name}'" in report["notes"]
    ratings = write(
        "r.csv", f"{name},item,x,y\n" + "".join(f"{first + row},{row},{row % 3 + 1},2\n" for row in range(4))
    )
    assert f"columns of row numbers are ignored: '{name}'" in metaeval.report(*AGREEMENT, ratings)["notes"]


def test_a_measure_called_index_that_does_not_number_the_rows_is_one(metaeval: CommandLine, write: Write) -> None:
    path = write("t.csv", "system,item,index\na,1,0\na,2,1\nb,1,3\nb,2,2\n")
    report = metaeval.report(*TABLE, path)
    assert list(report["tables"]["scores"][0]) == ["system", "index"]
