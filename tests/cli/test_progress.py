"""Progress on standard error, and the estimate of long work: with a clock that tests set, not with time that passes."""

import sys
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some

from metaeval.cli import progress
from metaeval.cli.progress import Tracker, tracking
from metaeval.study.study import no_progress

Work = Callable[[list[float]], tuple[list[str], str]]


def lines_of(steps: list[float], *, bar: bool = False) -> tuple[list[str], str]:
    """The estimates of steps that take so many seconds, and the line at the end of them."""
    now, said = [0.0], list[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.monotonic", lambda: now[0])
        patch.setattr(progress, "_say", said.append)
        patch.setattr(progress, "LONG", 60.0)
        tracker, line = Tracker(bar=bar), ""
        for seconds in tracker(steps, "Tests"):
            now[0] += seconds
            line = tracker.line()
        assert tracker.line() == f"Progress: working; {now[0]:.0f} s so far"
    return said, line


def test_quiet_commands_show_nothing_and_others_a_bar_or_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal, ci in product((True, False), repeat=2):
        monkeypatch.setattr(type(sys.stderr), "isatty", lambda _self, terminal=terminal: terminal)
        monkeypatch.setenv("CI", "true" if ci else "")
        with tracking(quiet=True) as shown:
            assert shown is no_progress
        with tracking(quiet=False) as shown:
            assert isinstance(shown, Tracker)
            assert shown.bar == (terminal and not ci)
    for patience in (60.0, -1.0):  # without the bar, and with it
        monkeypatch.setattr(progress, "PATIENCE", patience)
        assert list(Tracker(bar=True)([1, 2, 3], "Counting")) == [1, 2, 3]


def test_a_line_says_what_is_done_and_long_work_is_estimated_once() -> None:
    assert lines_of([6.0] * 9) == ([], "Progress: Tests, 8 of 9 steps done; 54 s so far")
    said, line = lines_of([1.0] * 300)
    assert said == ["Tests: about 5 minutes, estimated from 3 of 300 steps"]
    assert line == "Progress: Tests, 299 of 300 steps done; 300 s so far"


@given(some.lists(some.floats(3.0, 6.0), min_size=25, max_size=60))
def test_estimates_are_within_a_factor_of_two_where_steps_are(steps: list[float]) -> None:
    said, _ = lines_of(steps)
    minutes = [int(line.split(" about ")[1].split()[0]) for line in said]
    assert len(said) == 1 or sum(steps) <= 120
    assert all(abs(each - sum(steps) / 60) <= max(sum(steps) / 60, 0.5 + sum(steps) / 120) for each in minutes)


def test_lines_come_while_a_command_works(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.001)
    with tracking(quiet=False) as shown:
        for _ in shown([1], "Reading"):
            lines = iter(lambda: capsys.readouterr().err, "no line ends the loop")
            assert next(line for line in lines if line).startswith("Progress: ")
