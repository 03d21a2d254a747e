"""The command line, run inside the test's own process."""

import csv
import io
import sys
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import pytest

from metaeval.cli import main


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


class CommandLine:
    """Calls `metaeval` as a shell would."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        words: Sequence[str] = [str(argument) for argument in arguments]
        self.monkeypatch.setattr(sys, "argv", ["metaeval", *words])
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as exit_of:
            main(words)
        captured = self.capsys.readouterr()
        code = exit_of.value.code
        assert isinstance(code, int)
        assert "Traceback" not in captured.err
        return Outcome(code, captured.out, captured.err)

    def refuses(self, *arguments: object, stdin: bytes = b"") -> str:
        """The message of a call that is refused: exit code 2, and nothing on standard output."""
        outcome = self(*arguments, stdin=stdin)
        assert (outcome.code, outcome.out) == (2, "")
        return outcome.err

    def succeeds(self, *arguments: object, stdin: bytes = b"") -> Outcome:
        """The outcome of a call that does what it is asked."""
        outcome = self(*arguments, stdin=stdin)
        assert outcome.code == 0, outcome.err
        return outcome
