"""Names that would control a terminal, or that a spreadsheet would run, in all output."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine, Write

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CLASSES = ("a", "\x1b[1mb", "=1+1")
RUNS = ("\x1b[31mred", "\u202eevil", "x\x9bm", '=HYPERLINK("x")', "-1 b", "@c")
COMMANDS = ("score", "compare", "similarity", "stability", "merge-classes", "robustness", "summary", "power", "plan")


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    gold = [CLASSES[item % 3] for item in range(30)]
    runs = []
    for index, name in enumerate(RUNS):
        labels = [CLASSES[(item + (item % (index + 2) == 0)) % 3] for item in range(29)]
        runs.append(
            "./" + write(f"{name}.csv", "id,label\n" + "".join(f"{item},{x}\n" for item, x in enumerate(labels)))
        )
    path = write("gold.csv", "id,label\n" + "".join(f"{item},{label}\n" for item, label in enumerate(gold)))
    measures = ("-m", "accuracy", "-m", "macro-f1")
    return ("--labels", "<".join(CLASSES), "--gold", path, *runs, *measures, "--on-missing", "miss")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_controls_the_terminal(metaeval: CommandLine, data: tuple[str, ...], command: str) -> None:
    for options in (
        (),
        ("-f", "markdown"),
        ("-f", "latex"),
        ("-f", "chart"),
        ("-f", "csv", "--safe-csv"),
        ("-f", "json"),
    ):
        outcome = metaeval.succeeds(command, *data, *options)
        assert not CONTROL.findall(outcome.out + outcome.err)


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_no_spreadsheet_runs_a_safe_table(metaeval: CommandLine, data: tuple[str, ...], form: str) -> None:
    safe = metaeval.succeeds("score", *data, "-f", form, "--safe-csv", "-q").out.splitlines()[1:]
    tab = form == "tsv"
    names = [row[0] for row in csv.reader(safe, delimiter="\t" if tab else ",", quoting=csv.QUOTE_NONE if tab else 0)]
    # TSV escapes backslashes, as always.
    escaped = [name.replace("\\", "\\" * (1 + tab)) for name in (r"\x1b[31mred", r"\u202eevil", r"x\x9bm")]
    assert sorted(names) == sorted([*escaped, "'-1 b", "'@c", '\'=HYPERLINK("x")'])
    as_they_are = metaeval.succeeds("score", *data, "-f", form, "-q").out
    assert all(name in as_they_are for name in ("\x1b[31mred", "\u202eevil", "x\x9bm"))


def test_folders_and_scores_of_items_are_safe_too(metaeval: CommandLine, data: tuple[str, ...], write: Write) -> None:
    metaeval.succeeds("score", *data, "--safe-csv", "--output-dir", "out")
    table = write("t.csv", "system,item,m\n" + "".join(f"{s},{i},{i}\n" for s in ("=a", "@b") for i in range(3)))
    metaeval.succeeds("score", "--task", "table", table, "--safe-csv", "--per-item", "items.csv")
    tables = [Path("items.csv"), *Path("out").glob("*.csv")]
    assert len(tables) > 2
    for path in tables:
        text = path.read_text(encoding="utf-8")
        assert not CONTROL.findall(text)
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        assert not [cell for cell in cells if re.match(r"[=+@]|-(?!\d)", cell)]
    assert "m,'=a,0,0.0" in Path("items.csv").read_text(encoding="utf-8")
    refused = metaeval.refuses("report", "out", "-o", "page.html")
    assert "out/provenance.json: tables of results, but --safe-csv changed their text" in refused


def test_json_has_the_same_names_without_control_characters(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    text = metaeval.succeeds("score", *data, "-f", "json").out
    assert {row["system"] for row in json.loads(text)["tables"]["scores"]} == set(RUNS)
    assert r"x\u009bm" in text


MEASURES = Path(__file__).resolve().parents[2] / "docs/examples/my_measures.py"
EVIL = "\x1b]0;EVIL\x07"


@pytest.mark.parametrize(
    "words", [(EVIL,), ("score", f"--{EVIL}"), ("report", "x", "--names", EVIL), ("score", "-m", EVIL, "--gold", EVIL)]
)
def test_wrong_words_of_the_command_line_are_escaped(metaeval: CommandLine, words: tuple[str, ...]) -> None:
    message = metaeval.refuses(*words)
    assert r"EVIL\x07" in message
    assert not CONTROL.findall(message)


def test_remedies_are_escaped(metaeval: CommandLine, write: Write) -> None:
    message = metaeval.refuses("run", write("e.yaml", '"\\e[31mX\\a": 1\n'))
    assert r"What to do: remove '\x1b[31mX\x07'" in message
    assert not CONTROL.findall(message)
    header = "pair,reference,good,bad,phenomenon,severity\n"
    pairs = write("p.csv", header + f"1,a b,a b,a,word,{EVIL}\n2,a b,a b,b,word,minor\n")
    message = metaeval.refuses("contrast", pairs, "-m", "rouge-l")
    assert "--severities" in message
    assert not CONTROL.findall(message)


def test_warnings_of_plugins_and_of_packages_are_escaped(write: Write) -> None:
    gold = write("g.csv", "id,label\n1,a\n2,b\n")
    warn = f"import logging, warnings\nwarnings.warn({EVIL!r})\nlogging.getLogger('p').warning({EVIL!r})\n"
    plugin = write(
        "p.py", warn + MEASURES.read_text(encoding="utf-8").replace("from __future__ import annotations", "")
    )
    settings = write("matplotlibrc", f"{EVIL}.x: 1\n")
    command = (sys.executable, "-m", "metaeval", "score", "--gold", gold, gold, "--plot", "p.svg", "--plugin", plugin)
    folders = {"PYTHONPATH": os.pathsep.join(sys.path), "MATPLOTLIBRC": settings}
    err = subprocess.run(command, env=os.environ | folders, capture_output=True, text=True, check=False).stderr
    assert err.count(r"EVIL\x07") >= 3, err
    assert not CONTROL.findall(err)
