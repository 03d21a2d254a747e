"""A remedy in a message works on the input; ids and labels that only look the same are distinguished."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

import pytest
from command_line import CommandLine, Write

IDS = ["doc1", "caf\u00e9", "x y", "7", "12"]
DIFFERENCES = {
    "Unicode form ('cafe\\u0301' and 'caf\\xe9')": ["doc1", "cafe\u0301", "x y", "7", "12"],
    "in case ('DOC1' and 'doc1')": ["DOC1", "caf\u00e9", "X y", "7", "12"],
    "in blanks ('xy' and 'x y')": ["doc1", "caf\u00e9", "xy", "7", "12"],
    "in how a number is written, as in a column of floats ('7.0' and '7')": ["doc1", "caf\u00e9", "x y", "7.0", "12.0"],
    "in a folder or a suffix ('out/doc1.txt' and 'doc1')": [f"out/{name}.txt" for name in IDS],
    "in how all begin or end ('id-doc1' and 'doc1')": [f"id-{name}" for name in IDS],
}


def labels(ids: list[str]) -> str:
    return "id,label\n" + "".join(f"{name},{'ab'[number % 2]}\n" for number, name in enumerate(ids))


def texts(ids: list[str]) -> str:
    return "item,text\n" + "".join(f"{name},word {number}\n" for number, name in enumerate(ids))


def scores(ids: list[str]) -> str:
    return "item,bleu\n" + "".join(f"{name},{number}\n" for number, name in enumerate(ids))


@pytest.mark.parametrize(("difference", "ids"), DIFFERENCES.items())
@pytest.mark.parametrize(("task", "write_ids"), [("labels", labels), ("texts", texts), ("table", scores)])
def test_what_ids_differ_in_is_told(
    metaeval: CommandLine,
    write: Write,
    task: str,
    write_ids: Callable[[list[str]], str],
    difference: str,
    ids: list[str],
) -> None:
    gold, run = write("g.csv", write_ids(IDS)), write("r.csv", write_ids(ids))
    other = sum(one != two for one, two in zip(IDS, ids, strict=True))
    message = metaeval.refuses("score", "--task", task, *([gold] if task == "table" else ["--gold", gold]), run)
    assert f"write the ids as in {'the other systems' if task == 'table' else 'gold'}: {other} of {other} " in message
    assert difference in message or task == "table"
    assert "drop" not in message.partition("What to do")[2].partition("\n")[0]


def test_most_items_are_never_dropped_as_a_remedy(metaeval: CommandLine, write: Write) -> None:
    ids = [f"item{number}" for number in range(10)]
    gold, half = write("g.csv", labels(ids)), write("h.csv", labels(ids[::2]))
    less, wrong = (
        write("l.csv", labels(ids[:4])),
        write("w.csv", labels(ids).replace(",a", ",odd").replace(",b", ",odd")),
    )
    extra = write("e.csv", labels([*ids[:2], *"qrstuvwxyz"]))
    assert "--on-missing to drop, miss" in metaeval.refuses("score", "--gold", gold, half)
    for runs in ([less], [half, less]):
        assert "--on-missing to miss or" in metaeval.refuses("score", "--gold", gold, *runs)
    message = metaeval.refuses("score", "--gold", gold, wrong)
    assert "10 times, first w.csv:2: prediction 'odd'; expected one of a, b" in message
    assert "--on-unknown to miss or label:NAME" in message
    assert "--on-extra" not in metaeval.refuses("score", "--gold", gold, extra)
    parts = "".join(f"{system},{item},1\n" for system, item in [("a", 1), ("a", 2), ("a", 3), ("b", 3), ("b", 4)])
    message = metaeval.refuses("score", "--task", "table", write("t.csv", "system,item,m\n" + parts))
    assert "--on-missing drop" not in message
    assert "--on-missing pairwise" in message


@pytest.mark.parametrize(
    ("classes", "names"),
    [
        ("L,N,R", ["Left", "Neutral", "Right"]),
        ("pos,neg", ["POS", "Neg"]),
        ("1,2", ["1.0", "2.0"]),
        ("caf\u00e9,b", ["cafe\u0301", "B"]),
        ('"x, y",z', ["X, y", "Z"]),
    ],
)
@pytest.mark.parametrize("in_gold", [True, False])
def test_labels_that_may_mean_classes_are_mapped_by_the_remedy(
    metaeval: CommandLine, write: Write, classes: str, names: list[str], in_gold: bool
) -> None:
    rows = [f'{number},"{name}"\n' for number, name in enumerate(names * 3)]
    class_names = [text.strip('"') for text in re.findall('"[^"]*"|[^,]+', classes)]
    class_rows = [f'{number},"{name}"\n' for number, name in enumerate(class_names * 3)]
    gold = write("g.csv", "id,label\n" + "".join(rows if in_gold else class_rows))
    run = write("r.csv", "id,label\n" + "".join(class_rows if in_gold else rows))
    command = ["score", "--gold", gold, run, "--labels", classes, "-m", "accuracy", "-f", "json"]
    message = metaeval.refuses(*command)
    remedy = re.search(r"(--map-labels .*), with which (\d+) of (\d+) such labels are of a class", message)
    assert remedy is not None
    assert remedy[2] == remedy[3] == str(len(rows))
    report = metaeval.report(*command[:-2], *shlex.split(remedy[1]))
    assert report["tables"]["scores"] == [{"system": "r", "accuracy": 1.0}]
    assert f"|map-labels:{shlex.split(remedy[1])[1]}|" in report["signature"]


def test_a_mapping_beside_one_that_is_set_is_proposed_with_it(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("g.csv", "id,label\n1,a\n2,b\n"), write("r.csv", "id,label\n1,yes\n2,B\n")
    message = metaeval.refuses("score", "--gold", gold, run, "--map-labels", "yes=a")
    assert "--map-labels yes=a,B=b, with which 1 of 1" in message
    metaeval.succeeds("score", "--gold", gold, run, "--map-labels", "yes=a,B=b")


def test_a_wide_run_with_a_further_column_is_read_without_it(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("g.csv", "id,label\n1,a\n2,b\n"), write("r.csv", "id,svm,comment\n1,a,fine\n2,b,bad\n")
    message = metaeval.refuses("score", "--gold", gold, run)
    remedy = re.search(r"--exclude-system \w+", message)
    assert remedy is not None
    metaeval.succeeds("score", "--gold", gold, run, *remedy[0].split())


def test_ratings_of_other_ids_show_both(metaeval: CommandLine, write: Write) -> None:
    names = [(system, item) for system in "abc" for item in (1, 2)]
    table = write("t.csv", "system,item,m\n" + "".join(f"{s},{i},.{i}\n" for s, i in names))
    human = write("h.csv", "system,item,human\n" + "".join(f"{s},{i}.0,{i}\n" for s, i in names))
    message = metaeval.refuses("correlate", "--task", "table", table, "--human", human)
    assert "such as '1', but of '1.0'" in message
    assert "differ only in how a number is written" in message


@pytest.mark.parametrize(
    ("command", "table"),
    [
        ("agreement", "item,a,b\n1,Low,lo\n2,hi,High\n3,lo,lo\n"),
        ("correct", "item,judge,human\n1,Low,lo\n2,hi,High\n3,lo,\n"),
    ],
)
def test_ratings_and_scores_of_judges_are_mapped(metaeval: CommandLine, write: Write, command: str, table: str) -> None:
    plain = table.replace("Low", "lo").replace("High", "hi")
    one, other = write("mapped.csv", table), write("plain.csv", plain)
    words = ("--labels", "lo<hi", "--map-labels")
    report = metaeval.report(command, one, *words, "Low=lo,High=hi")
    assert report["signature"].count("|map-labels:Low=lo,High=hi") == 1
    assert report["tables"] == metaeval.report(command, other, "--labels", "lo<hi")["tables"] or command == "correct"
    assert "label in --map-labels 'Lo'; expected one of High, Low, hi, lo" in metaeval.refuses(
        command, one, *words, "Lo=lo,Low=lo,High=hi"
    )


@pytest.mark.parametrize(("task", "write_ids"), [("labels", labels), ("texts", texts), ("table", scores)])
def test_ids_that_are_one_number_are_told_once(
    metaeval: CommandLine, write: Write, task: str, write_ids: Callable[[list[str]], str]
) -> None:
    path = write("g.csv", write_ids(["1", "1.0", "01", "2", "3.5"]))
    words = ("score", "--task", task, *([] if task == "table" else ["--gold", path]))
    other = (
        path if task == "table" else write("run.csv", write_ids(["1", "1.0", "01", "2", "3.5"]).replace("word 1", "no"))
    )
    notes = [note for note in metaeval.report(*words, other)["notes"] if "one number" in note]
    assert notes == [
        "'1.0' and '1' (and 1 other pair) are ids of different items, though they are one number: are they one item?"
    ]


def test_floats_in_place_of_body_ids_are_explained(metaeval: CommandLine, write: Write) -> None:
    floats = write("f.csv", "Headline,Body ID,Stance\nh1,1.0,agree\n")
    assert "1.0 is of a column of floats" in metaeval.refuses("score", "--task", "fnc1", "--gold", floats)


@pytest.mark.parametrize("scale", ["1<2<10", "low<mid<high"])
def test_agreement_and_score_use_the_same_values(metaeval: CommandLine, write: Write, scale: str) -> None:
    names, pairs = scale.split("<"), [(0, 1), (1, 1), (2, 2), (1, 0), (2, 1)]
    rows = "".join(f"{item},{names[one]},{names[two]}\n" for item, (one, two) in enumerate(pairs))
    ratings, wide = write("r.csv", "item,a,b\n" + rows), write("w.csv", "id,gold,b\n" + rows)
    agreement = metaeval.report("agreement", ratings, "--labels", scale)["tables"]["agreement"]
    measures = {"cohen:weights=linear": "kappa:weights=linear", "cohen:weights=quadratic": "kappa:weights=quadratic"}
    measures["alpha:level=interval"] = "alpha:level=interval"
    words = [word for name in measures.values() for word in ("-m", name)]
    scores = metaeval.report("score", "--gold", wide, "--labels", scale, *words)["tables"]["scores"][0]
    statistics = {row["statistic"]: row["value"] for row in agreement}
    assert [statistics[name] for name in measures] == pytest.approx([scores[name] for name in measures.values()])
    # Cohen's kappa of scikit-learn on 0, 1 and 2.
    assert statistics["cohen:weights=linear"] == pytest.approx(0.2105, abs=1e-4)
    assert statistics["cohen:weights=quadratic"] == pytest.approx(0.4)


@pytest.mark.parametrize("name", ["x, y", "x<y", "x=y"])
def test_a_class_with_a_separator_is_named_in_quotes(metaeval: CommandLine, write: Write, name: str) -> None:
    wide = write("w.csv", f'id,gold,s\n1,"{name}","{name}"\n2,z,z\n')
    report = metaeval.report("score", "--gold", wide, "--labels", f'"{name}",z', "-m", f'f1:class="{name}"')
    assert report["tables"]["scores"] == [{"system": "s", f'f1:class="{name}"': 1.0}]
    assert f'|scale:"{name}",z|' in report["signature"]
