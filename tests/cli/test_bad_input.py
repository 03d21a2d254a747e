"""Whatever is wrong with files, configurations and command lines: where, what, what was expected, what to do."""

import gzip
import re
from pathlib import Path
from typing import BinaryIO

import pytest
from command_line import CommandLine, Write, refusals

from metaeval.cli import COMMANDS
from metaeval.cli.options import as_key

GOLD = "id,label\na,yes\nb,no\nc,yes\n"
RUN = GOLD
FNC1 = "Headline,Body ID,Stance\n"


@pytest.fixture
def gold(write: Write) -> str:
    write("run.csv", RUN)
    return write("gold.csv", GOLD)


BAD_RUNS: dict[str, tuple[str, bytes, str]] = {
    "empty": ("r.csv", b"", "r.csv: the file is empty | What to do: check that it was written"),
    "blank": ("r.csv", b" \n\n", "r.csv: the file is empty"),
    "byte order mark": ("r.csv", b"\xef\xbb\xbf\n", "r.csv: the file is empty"),
    "a header alone": ("r.csv", b"id,label\n", "r.csv:1: a header and no rows"),
    "a bare header alone": ("r.csv", b"label\n", "r.csv:1: a header and no rows"),
    "no id column": ("r.csv", b"key,label\na,yes\n", "r.csv:1: header 'key,label' | column 'id' | --id-column"),
    "a column twice": ("r.csv", b"id,label,label\na,yes,no\n", "r.csv:1: column 'label' again"),
    "no prediction column": ("r.csv", b"id,gold\na,yes\nb,no\nc,no\n", "r.csv:1: no column of a system"),
    "a duplicate id": ("r.csv", b"id,label\na,yes\nb,no\na,no\n", "r.csv:4: id 'a' again, first on line 2"),
    "an empty id": ("r.csv", b"id,label\na,yes\n,no\n", "r.csv:3: no id; expected one in every row"),
    "an unknown id": ("r.csv", b"id,label\na,yes\nbb,no\nc,no\n", "r.csv:3: id 'bb' | mean 'b'? | --on-extra drop"),
    "a missing prediction": ("r.csv", b"id,label\na,yes\nb,no\n", "r.csv: no prediction for id 'c' | --on-missing"),
    "an unknown label": ("r.csv", b"id,label\na,Yes\nb,no\nc,no\n", "r.csv:2: prediction 'Yes' | --on-unknown"),
    "cut mid-row": ("r.csv", b"id,label\na,yes\nb\n", "r.csv:3: 1 cell; expected 2 (id, label) | truncated"),
    "too many cells": ("r.csv", b"id,label\na,b,c\nb,no\nc,no\n", "r.csv:2: 3 cells | quote cells"),
    "cut mid-quote": ("r.csv", b'id,label\na,yes\nb,"no\n', "r.csv:3: CSV cannot be read | truncated"),
    "a stray quote": ("r.csv", b'id,label\na,"y"es\nb,no\nc,no\n', "r.csv:2: CSV cannot be read | doubled"),
    "cut gzip": ("r.csv.gz", gzip.compress(RUN.encode())[:-9], "r.csv.gz: .gz file cannot be read | truncated"),
    "cut JSON": ("r.jsonl", b'{"id": "a", "label": "yes"}\n{"id": "b", "la', "r.jsonl:2: JSON cannot be read"),
    "bad JSON": ("r.jsonl", b'{"id": "a" "label": "yes"}\n', "r.jsonl:1: JSON cannot be read | check quotes"),
    "deep JSON": ("r.jsonl", b'{"id": ' + b"[" * 100_000, "r.jsonl:1: JSON cannot be read (nested too deeply)"),
    "an endless number": ("r.jsonl", b'{"id": ' + b"9" * 5000 + b"}", "r.jsonl:1: JSON cannot be read (a number"),
    "no object": ("r.jsonl", b'{"id": "a", "label": "yes"}\n3\n', "r.jsonl:2: a line that is not a JSON object"),
    "binary": ("r.csv", b"id,label\na,y\x00es\n", "r.csv: text cannot be read (it contains NUL bytes) | UTF-8"),
    "UTF-16 without its mark": ("r.csv", RUN.encode("utf-16-le"), "r.csv: text cannot be read"),
    "no encoding at all": ("r.csv", b"id,label\na,yes\nb,\x81\n", "r.csv:3: text in UTF-8 or cp1252 cannot be read"),
}


@pytest.mark.parametrize("case", BAD_RUNS)
@pytest.mark.parametrize("command", ["score", "validate"])
def test_a_bad_run_is_told(metaeval: CommandLine, write: Write, gold: str, command: str, case: str) -> None:
    name, content, expected = BAD_RUNS[case]
    metaeval.refuses_with(["Error: ", *expected.split(" | ")], command, "--gold", gold, write(name, content))


def test_gold_that_is_bad_or_of_one_class_is_told_with_a_way_out(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD + "d,\ne,may be\n")
    message = metaeval.refuses("score", "--labels", "yes,no", "--gold", gold, write("run.csv", RUN))
    assert "gold.csv:5: no gold label; expected one of yes, no" in message
    assert "gold.csv:6: gold label 'may be'; expected one of yes, no" in message
    assert "What to do: leave such items out, as with --drop-gold 'may be', or declare every class" in message
    gold = write("gold.csv", "id,label\na,yes\nb,yes\n")
    parts = ("gold.csv: 1 gold label 'yes'; expected 2 or more", "--labels")
    metaeval.refuses_with(parts, "score", "--gold", gold, f"me={gold}")
    gold, run = (
        write(f"{name}.csv", f"{FNC1}A headline,1,{stance}\n")
        for name, stance in (("gold", "agree"), ("me", "discuss"))
    )
    assert "|task:fnc1|" in metaeval.succeeds("score", "--gold", gold, run).out


def test_no_class_is_dropped_only_where_a_file_drops_one(metaeval: CommandLine, write: Write, gold: str) -> None:
    run = write("run.csv", RUN)
    parts = ("--drop-gold ''; expected a gold class", "leave out --drop-gold ''")
    metaeval.refuses_with(parts, "score", "--gold", gold, run, "--drop-gold", "")
    config = write("e.yaml", f"data: {{gold: {gold}, runs: [{run}], drop-gold: [yes]}}\n".replace("[yes]", "['yes']"))
    assert "drop-gold" not in metaeval.succeeds("score", "--config", config, "--drop-gold", "", "--labels", "yes,no")
    metaeval.refuses_with(parts, "score", "--config", config, "--drop-gold", "", "--drop-gold", "no")


def test_missing_files_are_told_with_the_nearest(metaeval: CommandLine, gold: str) -> None:
    parts = ("gld.csv: no such file", "did you mean 'gold.csv'?", "did you mean 'run.csv'?", "there is no folder 'no'")
    metaeval.refuses_with(parts, "score", "--gold", "gld.csv", "rnu.csv", "no/where.csv")
    assert gold == "gold.csv"


def test_a_folder_as_gold_and_an_unreadable_file_are_told(
    metaeval: CommandLine, gold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("folder").mkdir()
    assert "folder: a folder; expected a file" in metaeval.refuses("score", "--gold", "folder", "run.csv")

    def denied(_path: Path, _mode: str) -> BinaryIO:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert "gold.csv: file cannot be read (Permission denied)" in metaeval.refuses("score", "--gold", gold, "run.csv")


def test_remedies_are_keys_where_settings_are_in_an_experiment(metaeval: CommandLine, write: Write) -> None:
    wide = write("wide.csv", "id,label,one,other\n1,no,no,b\n2,b,b,b\n")
    experiment = write("experiment.yaml", f"data: {{runs: [{wide}]}}\nscore: {{}}\nstability: {{}}\n")
    remedy = "with data.gold, or set data.task: table for scores of items, or data.gold-column: label for labels"
    metaeval.refuses_with([remedy], "run", experiment)
    metaeval.refuses_with([remedy], "report", experiment, "-o", "page.html")
    metaeval.refuses_with([remedy], "check", experiment, "--fail-if", "score.x < 1")
    metaeval.refuses_with([re.sub(r"data\.([\w-]+):?", r"--\1", remedy)], "score", "--config", experiment)


@pytest.mark.parametrize(
    ("value", "key"), [("no", "'no'"), ("#1", "'#1'"), ("a: b", "'a: b'"), ("a<b", "a<b"), (5, "5")]
)
def test_values_of_keys_are_quoted_where_yaml_would_read_others(value: str, key: str) -> None:
    spelled = as_key("drop_gold", value, flags=frozenset(), otherwise=lambda name, _: name)
    assert spelled == f"data.drop-gold: {key}"
    assert as_key("drop_gold", "", flags=frozenset({"--drop-gold"}), otherwise=lambda name, _: name) == "drop_gold"


def test_no_gold_and_no_run_are_told(metaeval: CommandLine, gold: str) -> None:
    assert "no gold labels; expected at least one" in metaeval.refuses("score", "run.csv")
    Path("wide.csv").write_text("id,label,one,other\n1,a,a,b\n2,b,b,b\n")
    assert "or --gold-column label for labels in one file" in metaeval.refuses("score", "wide.csv")
    assert metaeval("score", "--gold-column", "label", "wide.csv").code == 0
    assert "gold.csv: no run beside gold" in metaeval.refuses("score", "--gold", gold)
    assert "no path" in metaeval.refuses("score", "--gold", "", "run.csv")
    assert "no name of a run" in metaeval.refuses("score", "--gold", gold, "")
    assert "file 'standard input' again" in metaeval.refuses("score", "--gold", "-", "-")
    assert "standard input: the file is empty" in metaeval.refuses("score", "--gold", "-", "run.csv")


def test_problems_of_many_files_are_told_at_once_the_first_twenty_spelt_out(
    metaeval: CommandLine, write: Write, gold: str
) -> None:
    unreadable = write("unreadable.csv", 'id,label\na,"yes\n')
    unknown = write("unknown.csv", "id,label\na,yes\nb,no\nc,may\n")
    short = write("short.csv", "id,label\na,yes\nb,no\n")
    message = metaeval.refuses("score", "--gold", gold, unreadable, unknown, short, "nowhere.csv", "run.csv")
    assert "4 problems in 4 files" in message
    for part in (
        "unreadable.csv:2: CSV cannot",
        "unknown.csv:4: prediction 'may'",
        "short.csv: no pred",
        "nowhere.csv: no such",
    ):
        assert part in message
    assert "run.csv" not in message.partition("What to do")[0]
    runs = [write(f"r{run}.csv", f"id,label\na,{run}x\nb,{run}y\nc,{run}z\n") for run in range(50)]
    message = metaeval.refuses("score", "--gold", gold, *runs)
    assert "Error: 150 problems in 50 files" in message
    assert message.count("expected one of") == 20
    assert "in other files" in message


@refusals("""
-m kappa:weights=linea => unknown weights of kappa 'linea' | 'linear'
-m cem-ord => on the nominal scale 'no,yes' | --labels 'no<yes'
-m 'zz*' => unknown measure 'zz*' | Known: accuracy
-m wauc => no class weights for the scale 'no,yes' | each of no, yes in --class-weights
-m wauc --class-weights yes=1,maybe=2 => class 'maybe'; expected one of no, yes | no class weight for 'no'
--class-weights yes => 'yes' in --class-weights yes | class=number
--class-values yes=1,no=2 => class values, but the scale 'no,yes' has no order | declare the order
--labels yes => 1 label in the scale 'yes'
--on-unknown label: => --on-unknown 'label:' | label:NAME
--sort-by mcc -m accuracy => --sort-by mcc, which is not in the table | accuracy | add --measure mcc
--gol x => No such option | --gol | --gold
--config '' => no path
""")
def test_a_bad_option_is_told(metaeval: CommandLine, gold: str, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, "score", "--gold", gold, "run.csv", *words)


def test_whole_texts_and_many_classes_are_cut_in_messages(metaeval: CommandLine, write: Write) -> None:
    labels = ",".join(f"class{label}" for label in range(50))
    gold = write("gold.csv", "id,label\na,class0\nb,class1\n")
    run = write("run.csv", f"id,label\na,{'long ' * 1000}\nb,class1\n")
    message = metaeval.refuses("score", "--labels", labels, "--gold", gold, run)
    assert "class19 and 30 more" in message
    assert len(message) < 600


def test_validate_says_whether_measures_fit(metaeval: CommandLine, write: Write, gold: str) -> None:
    assert "--labels 'no<yes'" in metaeval.refuses("validate", "--gold", gold, "run.csv", "-m", "cem-ord")
    assert "--class-weights" in metaeval.refuses("validate", "--gold", gold, "run.csv", "-m", "wauc")
    numbers = write("n.csv", "id,score\na,1\nb,2\nc,3\n")
    options = ("--task", "scores", "--labels", "no<yes", "--gold", gold, numbers)
    assert "with --task scores" in metaeval.refuses("validate", *options, "-m", "mcc")
    assert metaeval.succeeds("validate", *options).out


def test_an_unknown_command_names_the_nearest(metaeval: CommandLine) -> None:
    assert "No such command 'scoer': did you mean 'score'?" in metaeval.refuses("scoer")
    assert f"the commands are {', '.join(COMMANDS)}" in metaeval.refuses("xyzzy")


def test_a_file_that_can_not_be_written_leaves_the_old_one(metaeval: CommandLine, write: Write, gold: str) -> None:
    old = write("old.csv", "old")
    message = metaeval.refuses("score", "--gold", gold, "run.csv", "-o", "no/out.csv")
    assert "no/out.csv: it cannot be written" in message
    assert "unknown measure" in metaeval.refuses("score", "--gold", gold, "run.csv", "-m", "x", "-o", old)
    assert Path(old).read_text() == "old"
    Path("folder").mkdir()
    assert "folder: it cannot be written" in metaeval.refuses("score", "--gold", gold, "run.csv", "-o", "folder")
    assert sorted(path.name for path in Path().iterdir()) == ["folder", "gold.csv", "old.csv", "run.csv"]
