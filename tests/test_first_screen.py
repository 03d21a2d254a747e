"""What a command prints at first: a short finding, a table that fits, and a reading aid, all on standard output."""

from __future__ import annotations

import json
import re
import shlex
from inspect import cleandoc
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from command_line import CommandLine
from rich.cells import cell_len

from metaeval.cli import command_line
from metaeval.io.report_file import read_report
from metaeval.model.report import Column, Kind
from metaeval.registry import ANALYSES
from metaeval.render import render

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parent.parent
MOST_WORDS, MOST_SENTENCES, MOST_WORDS_A_SENTENCE = 75, 3, 25
MOST_WORDS_OF_AID = 60
WIDEST, LONGEST = 100, 45
LONGER = ("score", "compare", "similarity", "correlate", "preferences", "contrast", "explain")
"""Analyses that may have more lines: for each system, rater, judge, phenomenon or pair of measures."""


class Screen(NamedTuple):
    """What a command writes without options of output. in_terminal: of 100 columns. err: on standard error."""

    text: str
    in_terminal: str
    report: dict[str, Any]
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines in a terminal, without the signature, which is one line so that it can be copied."""
        return [line for line in self.in_terminal.splitlines() if not line.startswith("metaeval:")]

    @property
    def width(self) -> int:
        """The width of the widest table; prose is wrapped in a terminal."""
        blocks = [block.splitlines() for block in self.text.split("\n\n") if "───" in block]
        return max(cell_len(line) for block in blocks for line in block)

    @property
    def sentences(self) -> list[str]:
        """The sentences of the findings."""
        findings = (finding["sentence"] for finding in self.report["findings"])
        return [part for sentence in findings for part in re.split(r"(?<=[^\W\d_]|[)%\]\d])\.\s+", sentence)]

    @property
    def aid(self) -> list[str]:
        """The meanings that stand below the tables."""
        shown = [layout for layout in self.report["layout"].values() if not layout.get("detail")]
        meanings = {column.get("about", "") for layout in shown for column in layout["columns"]}
        return [about for about in meanings if about and f"  {about}\n" in self.text]


def words(*texts: str) -> int:
    """The number of words of texts."""
    return len(" ".join(texts).split())


def examples(name: str) -> list[str]:
    """The command lines in the help of a command."""
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    text = cleandoc(command.help or "").partition("\b\n")[2].replace("\\\n", " ")
    return [line.strip() for line in text.splitlines() if line.strip().startswith(f"metaeval {name} ")]


EXAMPLES = [pytest.param(line, id=line[9:60]) for name in ANALYSES for line in examples(name)[:2] if "-f " not in line]


@pytest.fixture
def screen_of(metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs a command line in the repository."""
    monkeypatch.chdir(REPOSITORY)

    def run(line: str) -> Screen:
        arguments = [word for word in shlex.split(line)[1:] if not word.endswith(".svg") and word != "--plot"]
        if "correlate" in arguments or "tsc3" in line:
            pytest.importorskip("sudachipy")
        printed = metaeval.succeeds(*arguments)
        results = tmp_path / "results.json"
        metaeval.succeeds(*arguments, "-q", "-f", "json", "-o", str(results))
        shown = render(read_report(str(results)), "table", width=WIDEST)
        return Screen(printed.out, shown, json.loads(results.read_text(encoding="utf-8")), printed.err)

    return run


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_answer_of_an_example_is_short_and_fits_the_screen(screen_of: Any, line: str) -> None:
    screen: Screen = screen_of(line)
    screen_text = " ".join(screen.text.split())
    assert all(line.startswith("Note: ") for line in screen.err.splitlines()), "warnings about the input alone"
    assert len(screen.sentences) <= MOST_SENTENCES
    assert [sentence for sentence in screen.sentences if words(sentence) > MOST_WORDS_A_SENTENCE] == []
    assert words(*screen.sentences) <= MOST_WORDS
    assert words(*screen.aid) <= MOST_WORDS_OF_AID
    for finding in screen.report["findings"]:
        # A sentence begins with a capital letter, if its first word is no name.
        assert f"{finding['sentence'][1:]}." in screen_text
    assert screen.width <= WIDEST
    assert len(screen.lines) <= LONGEST or shlex.split(line)[1] in LONGER
    # No small p has digits, every p is declared as one, and intervals and letters belong to columns of their table.
    shown = "\n".join([screen.text, *screen.report["notes"]])
    assert re.findall(r"\bp (?:[=<≤] )?(?:0\.0000|0\.000\d|\d(?:\.\d+)?e-\d+)", shown) == []
    for layout in screen.report["layout"].values():
        names = {column["name"] for column in layout["columns"]}
        for column in layout["columns"]:
            is_p = column["name"] in ("p", "p_adjusted") or column["name"].endswith(("_p", "_p_adjusted"))
            assert is_p <= (column["kind"] == Kind.P.value), column["name"]
            plain = {**column, "kind": Kind(column["kind"]), "interval": tuple(column.get("interval", ()))}
            assert names >= set(Column(**plain).companions), column["name"]


def test_an_experiment_of_seven_analyses_fits_120_lines(screen_of: Any) -> None:
    screen: Screen = screen_of("metaeval run configs/stance.yaml")
    assert screen.err == ""
    assert len(screen.text.splitlines()) <= 120
