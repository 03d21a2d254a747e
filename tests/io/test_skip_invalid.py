"""Invalid runs are left out if the user wants it, in every reader, and the others score as if they were alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Write

import metaeval as api

SUFFIX = {"r4c": "json", "parquet": "parquet", "duckdb": "parquet"}
STEP = ["t", 0, ["a", "is", "b"]]
ROWS = {
    "labels": "id,label\n1,yes\n2,no\n3,yes\n",
    "texts": "item,text\n1,a b\n2,c d\n3,e f\n",
    "distributions": "item,no,yes\n1,.5,.5\n2,1,0\n3,.2,.8\n",
    "table": "item,bleu\n1,.5\n2,.1\n3,.2\n",
    "r4c": json.dumps({"re": {"1": [STEP], "2": [STEP]}}),
}
GOLD = {**ROWS, "r4c": json.dumps({"1": [[STEP]], "2": [[STEP], [STEP]]}), "table": ""}
FAULTS = {
    "labels": {"twice": "id,label\n1,yes\n1,no\n2,no\n3,yes\n", "odd": "id,label\n1,yes\n2,nope\n3,odd\n"},
    "texts": {"twice": ROWS["texts"] + "3,x\n", "unnamed": "item,text\n,a b\n2,c\n3,d\n"},
    "distributions": {"odd": "item,no,yes\n1,.5,.1\n2,1,0\n3,x,1\n"},
    "table": {
        "odd": "item,bleu\n1,.5\n2,x\n3,y\n",
        "twice": "item,bleu\n1,.5\n2,.1\n3,.2\n3,.2\n",
        "unnamed": "item,bleu\n,.5\n2,.1\n3,.2\n",
    },
    "r4c": {
        "odd": json.dumps({"re": {"1": [["t"]], "2": [STEP]}}),
        "short": json.dumps({"re": {"1": [STEP]}}),
        "more": json.dumps({"re": {"1": [STEP], "2": [STEP], "9": [STEP]}}),
    },
}
OF_EVERY: dict[str, Callable[[str], str]] = {
    "empty": lambda text: "",
    "short": lambda text: "\n".join(text.split("\n")[:3]),
    "more": lambda text: f"{text}9,{text.partition('1,')[2].partition(chr(10))[0]}\n",
}


def words(write: Write, task: str, *runs: str) -> list[str]:
    """The words of a command on valid runs and on these, in a folder of their own."""
    texts = {name: make(ROWS[task]) for name, make in OF_EVERY.items()} | FAULTS[task]
    folder = "-".join(("runs", *runs))
    for name in ("a", "b", *runs):
        write(f"{folder}/{name}.{SUFFIX.get(task, 'csv')}", texts.get(name, ROWS[task]))
    return ["--task", task, *(["--gold", write("gold", GOLD[task])] if GOLD[task] else []), folder]


@pytest.mark.parametrize("task", ROWS)
def test_valid_runs_score_as_without_the_invalid_ones(metaeval: CommandLine, write: Write, task: str) -> None:
    invalid = sorted({*FAULTS[task], *OF_EVERY})
    every = words(write, task, *invalid)
    assert "What to do: leave out invalid runs with --skip-invalid." in metaeval.refuses("score", *every)
    report = metaeval.report("score", *every, "--skip-invalid")
    rejected = report["tables"].pop("rejected")
    assert [row["system"] for row in rejected] == invalid
    assert all(row["file"] == f"{every[-1]}/{row['system']}.{SUFFIX.get(task, 'csv')}" for row in rejected)
    assert all(row["problems"] >= 1 and row["reason"] for row in rejected)
    assert report["tables"] == metaeval.tables("score", *words(write, task))
    names = ", ".join(invalid)
    assert f"{len(invalid)} of {len(invalid) + 2} runs are left out as invalid: {names}" in report["warnings"]
    assert f"|skip-invalid:{','.join(invalid)}|" in report["signature"]


@pytest.mark.parametrize("task", ROWS)
def test_without_a_valid_run_the_message_is_the_usual_one(metaeval: CommandLine, write: Write, task: str) -> None:
    gold, folder = words(write, task)[:-1], Path("bad")
    for name in ("c", "d"):
        write(f"bad/{name}.{SUFFIX.get(task, 'csv')}", ROWS[task].replace("1", "", 1) if task == "labels" else "")
    message = metaeval.refuses("score", *gold, folder)
    assert "skip-invalid" not in message
    assert metaeval.refuses("score", *gold, folder, "--skip-invalid") == message


@pytest.mark.parametrize("task", ["labels", "texts", "distributions", "r4c"])
def test_problems_of_gold_are_errors(metaeval: CommandLine, write: Write, task: str) -> None:
    every = words(write, task, "short")
    write("gold", "")
    message = metaeval.refuses("score", *every, "--skip-invalid")
    assert "gold: the file is empty" in message
    assert "skip-invalid" not in message


COMMANDS = ["score", "similarity", "summary", "stability --trials 10", "compare --permutations 19", "plan", "validate"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_on_systems_leaves_invalid_runs_out(metaeval: CommandLine, write: Write, command: str) -> None:
    items = [(number, "yes" if number % 3 else "no") for number in range(40)]
    for index, name in enumerate(("gold", "r/a", "r/b", "r/c")):
        labels = "".join(f"{number},{'no' if number % 7 < index else label}\n" for number, label in items)
        write(f"{name}.csv", "id,label\n" + labels)
    write("r/odd.csv", "id,label\n1,yes\n2,nope\n")
    data = ("-m", "accuracy", "-m", "macro-f1", "--gold", "gold.csv", "r", "--skip-invalid", "--output-dir", "out")
    assert "1 of 4 runs is left out as invalid: odd" in metaeval.succeeds(*command.split(), *data).err
    assert "odd" in Path("out/rejected.csv").read_text()


def test_standard_input_is_read_once(metaeval: CommandLine, write: Write) -> None:
    runs = words(write, "labels", "odd")[-1]
    outcome = metaeval.succeeds(
        "score", "--gold", "-", runs, "--skip-invalid", "-f", "csv", stdin=GOLD["labels"].encode()
    )
    assert list(outcome.column("accuracy")) == ["a", "b"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("wide", [False, True])
def test_parquet_and_columns_of_systems(metaeval: CommandLine, tmp_path: Path, engine: str, wide: bool) -> None:
    pandas = pytest.importorskip("pandas")
    gold: dict[str, Any] = {"id": ["1", "2", "3"], "gold": ["x", "y", "x"]}
    runs = {"a": ["x", "x", "x"], "b": ["y", "y", "x"], "odd": ["x", "no", "x"]}
    pandas.DataFrame(gold | runs if wide else gold).to_parquet(tmp_path / "gold.parquet")
    for name, labels in {} if wide else runs.items():
        pandas.DataFrame({"id": gold["id"], "label": labels}).to_parquet(tmp_path / f"{name}.parquet")
    paths = sorted(path for path in tmp_path.iterdir() if path.stem != "gold")
    data = ("--gold", tmp_path / "gold.parquet", *paths, "--engine", engine)
    assert "--skip-invalid" in metaeval.refuses("score", *data)
    tables = metaeval.tables("score", *data, "--skip-invalid")
    assert [row["system"] for row in tables["scores"]] == ["a", "b"]
    assert [(row["system"], row["problems"]) for row in tables["rejected"]] == [("odd", 1)]


def test_a_run_that_is_invalid_in_one_group_is_left_out_of_all(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label,lang\n1,yes,de\n2,no,de\n3,yes,fr\n4,no,fr\n")
    for name in ("a", "b"):
        write(f"r/{name}.csv", "id,label\n1,yes\n2,no\n3,yes\n4,yes\n")
    write("r/odd.csv", "id,label\n1,yes\n2,no\n3,odd\n4,yes\n")
    report = metaeval.report("score", "--gold", gold, "r", "--group", "lang", "--skip-invalid", "-m", "accuracy")
    assert {row["system"] for row in report["tables"]["scores"]} == {"a", "b"}
    assert [row["system"] for row in report["tables"]["rejected"]] == ["odd"]
    assert "1 of 3 runs is left out as invalid: odd" in report["warnings"]


def test_in_python(write: Write) -> None:
    gold, runs = words(write, "labels", "odd", "short")[-2:]
    read = api.read(runs, gold=gold, skip_invalid=True)
    assert read.systems == ("a", "b")
    assert list(api.score(read).to_pandas("rejected")["system"]) == ["odd", "short"]
    with pytest.raises(api.InputError, match="leave out invalid runs with skip_invalid"):
        api.read(runs, gold=gold)
    with pytest.raises(api.InputError) as refusal:
        api.from_labels({"a": ["x", "y"], "b": ["x", "z"]}, gold=["x", "y"])
    assert "skip_invalid" not in str(refusal.value)
