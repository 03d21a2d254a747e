"""The command line, run inside the test's own process."""

import csv
import io
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

from metaeval.cli import BUG, main
from metaeval.errors import InputError


class Write(Protocol):
    """Writes a file and gives its path back."""

    def __call__(self, name: str, content: str | bytes) -> str: ...


class Outcome(NamedTuple):
    """What one call of `metaeval` left behind."""

    code: int
    out: str
    err: str

    def rows(self) -> list[dict[str, str]]:
        """The rows of a CSV result."""
        return list(csv.DictReader(io.StringIO(self.out)))

    def column(self, name: str) -> dict[str, float]:
        """One column of numbers by system; an empty cell is NaN."""
        return {row["system"]: float(row[name] or "nan") for row in self.rows()}


def csv_text(rows: Iterable[Mapping[str, object]]) -> str:
    """A table in CSV, with the columns of its first row."""
    first, *others = rows
    out = io.StringIO()
    writer = csv.DictWriter(out, [*first], lineterminator="\n")
    writer.writeheader()
    writer.writerows([first, *others])
    return out.getvalue()


def sentences(report: Mapping[str, Any]) -> list[str]:
    """The sentences of the findings of a report."""
    return [finding["sentence"] for finding in report["findings"]]


def refusal(call: Callable[..., object], *arguments: object, **more: object) -> str:
    """The message with which a function refuses its input."""
    with pytest.raises(InputError) as error:
        call(*arguments, **more)
    return str(error.value)


def refusals(table: str) -> pytest.MarkDecorator:
    """Parametrises by lines `words => part | part`: a command and its message; an indented line goes on."""
    cases = [line.partition(" => ") for line in table.replace("\n    ", " ").strip().splitlines()]
    return pytest.mark.parametrize(
        ("words", "parts"), [(tuple(shlex.split(words)), parts.split(" | ")) for words, _, parts in cases]
    )


class CommandLine:
    """Calls `metaeval` as a shell would."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        words: Sequence[str] = [str(argument) for argument in arguments]
        self.monkeypatch.setattr(sys, "argv", ["metaeval", *words])
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        # An unexpected exception shows its traceback, and is a failure here.
        self.monkeypatch.setenv("METAEVAL_DEBUG", "1")
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as exit_of:
            main(words)
        captured = self.capsys.readouterr()
        code = exit_of.value.code
        assert isinstance(code, int)
        assert "Traceback" not in captured.err, captured.err
        assert code != BUG
        return Outcome(code, captured.out, captured.err)

    def refuses(self, *arguments: object, stdin: bytes = b"") -> str:
        """The message of a call that is refused: exit code 2, and nothing on standard output."""
        outcome = self(*arguments, stdin=stdin)
        assert (outcome.code, outcome.out) == (2, "")
        return outcome.err

    def refuses_with(self, parts: Sequence[str], *arguments: object) -> None:
        """A call is refused with a message that contains all these parts."""
        message = self.refuses(*arguments)
        assert [part for part in parts if part not in message] == [], message

    def succeeds(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        """The outcome of a call that must succeed."""
        outcome = self(*arguments, stdin=stdin)
        assert outcome.code == 0, outcome.err
        return outcome

    def report(self, *arguments: object) -> dict[str, Any]:
        """The JSON of a call that must succeed."""
        report: dict[str, Any] = json.loads(self.succeeds(*arguments, "-f", "json").out)
        return report

    def tables(self, *arguments: object) -> dict[str, list[dict[str, Any]]]:
        """The tables of that JSON, by name."""
        tables: dict[str, list[dict[str, Any]]] = self.report(*arguments)["tables"]
        return tables


def item_scores(metaeval: CommandLine, *arguments: str) -> dict[tuple[str, str, str], float]:
    """The scores by measure, system and item."""
    assert metaeval.tables("score", "--per-item", "i.csv", *arguments)["scores"]
    with Path("i.csv").open(newline="") as file:
        return {(row["measure"], row["system"], row["item"]): float(row["value"]) for row in csv.DictReader(file)}
