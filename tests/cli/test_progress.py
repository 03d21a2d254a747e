"""Progress on standard error, and the estimate of long work: with a clock that tests set, not with time that passes."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from hypothesis import given
from hypothesis import strategies as some
from label_studies import label_study
from score_cubes import score_table

from metaeval.cli import progress
from metaeval.cli.progress import Tracker, tracking
from metaeval.steps import no_progress, shown_by, step, steps


@contextmanager
def watched() -> Iterator[tuple[Tracker, list[float], list[str]]]:
    """A tracker of lines that steps are shown by, the seconds of its clock, and what it says."""
    now, messages = [0.0], list[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.monotonic", lambda: now[0])
        patch.setattr(progress, "_say", messages.append)
        patch.setattr(progress, "LONG", 60.0)
        tracker = Tracker(bar=False)
        with shown_by(tracker):
            yield tracker, now, messages


def lines_of(seconds: list[float]) -> tuple[list[str], str]:
    """The estimates of steps that take so many seconds, and the line at the end of them."""
    with watched() as (tracker, now, messages):
        line = ""
        for duration in tracker(seconds, "Tests"):
            now[0] += duration
            line = tracker.line()
        assert tracker.line() == f"Progress: working; {now[0]:.0f} s so far"
    return messages, line


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
    assert lines_of([6.0] * 9) == ([], "Progress: Tests: 8 of 9 done, less than a minute left; 54 s so far")
    messages, line = lines_of([1.0] * 300)
    assert messages == ["Tests: about 5 minutes, estimated from 3 of 300 steps"]
    assert line == "Progress: Tests: 299 of 300 done, less than a minute left; 300 s so far"


@given(some.lists(some.floats(3.0, 6.0), min_size=25, max_size=60))
def test_estimates_are_within_a_factor_of_two_where_steps_are(steps: list[float]) -> None:
    messages, _ = lines_of(steps)
    minutes = [int(line.split(" about ")[1].split()[0]) for line in messages]
    assert len(messages) == 1 or sum(steps) <= 120
    assert all(abs(estimate - sum(steps) / 60) <= max(sum(steps) / 60, 0.5 + sum(steps) / 120) for estimate in minutes)


def test_lines_come_while_a_command_works(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.001)
    with tracking(quiet=False) as shown:
        for _ in shown([1], "Reading"):
            lines = iter(lambda: capsys.readouterr().err, "no line ends the loop")
            assert next(line for line in lines if line).startswith("Progress: ")


def test_steps_within_steps_say_what_the_whole_takes_at_least_before_the_first_is_done() -> None:
    with watched() as (tracker, now, messages), step("compare"):
        for number in steps(range(9), "Tests"):
            for pair in steps(range(20), "Pairs"):
                now[0] += 1
                if (number, pair) == (0, 3):
                    line = "Progress: compare: Tests: 0 of 9 done, at least 2 minutes left; 4 s so far"
                    assert tracker.line() == line
                    assert messages == ["Tests: at least 3 minutes, estimated from a part of the first of 9 steps"]
            now[0] += 10
    assert messages[1:] == ["Tests: about 4 minutes, estimated from 1 of 9 steps"]


def test_a_run_says_what_is_left_of_it_and_of_the_analysis() -> None:
    lines = []
    with watched() as (tracker, now, _):
        for name in steps(["score", "compare", "plan"], "Analyses"):
            with step(name):
                for _ in steps(range(10), "Tests"):
                    for _ in steps(range(30), "Random signs"):
                        now[0] += 1
                    lines.append(tracker.line())
    assert (
        lines[14] == "Progress: Analyses: 1 of 3 done; compare: Tests: 4 of 10 done, about 2 minutes left; 450 s so far"
    )
    assert not any("signs" in line for line in lines)


def test_bars_are_those_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    tracker = Tracker(bar=True)
    with shown_by(tracker):
        for name in steps(["compare", "plan"], "Analyses"):
            with step(name):
                for _ in steps(range(3), "Tests"):
                    for _ in steps(range(30), "Random signs"):
                        pass
                    assert tracker._bars is not None
                    assert [task.description for task in tracker._bars.tasks] == ["Analyses", "Tests"]


def test_one_step_is_a_name_and_the_steps_within_it_are_estimated() -> None:
    with watched() as (_, now, messages):
        for _ in steps([0], "Tests"):
            for _ in steps(range(100), "Pairs"):
                now[0] += 1
    assert messages == ["Pairs: about 2 minutes, estimated from 3 of 100 steps"]


@given(some.lists(some.lists(some.floats(0.0, 9.0), min_size=1, max_size=9), min_size=2, max_size=9))
def test_what_work_takes_at_least_is_no_more_than_as_many_of_its_first_steps(blocks: list[list[float]]) -> None:
    first = [max(blocks[0])] * len(blocks[0])
    with watched() as (_, now, messages):
        for durations in steps([first, *blocks[1:]], "Tests"):
            for seconds in steps(durations, "Pairs"):
                now[0] += seconds
    least = [int(line.split(" at least ")[1].split()[0]) for line in messages if " at least " in line]
    assert all(60 * minutes <= sum(first) * len(blocks) * (1 + 1e-9) for minutes in least)
    assert len(messages) == len({" at least " in line for line in messages})


def test_work_that_fails_is_no_longer_shown() -> None:
    with watched() as (tracker, _, _):
        with pytest.raises(ValueError, match="not in list"), step("compare"):
            [1].index(next(number for number in steps([1, 0], "Tests") if [1].index(number)))
        assert tracker.line() == "Progress: working; 0 s so far"


class Recorder:
    """The `Progress` that keeps the descriptions of all loops of several steps, with those that they are within."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._open: list[str] = []

    def __call__(self, items: Sequence[Any], description: str) -> Iterator[Any]:
        self._open.append(description)
        if len(items) > 1:
            self.seen.add(": ".join(self._open))
        yield from items
        self._open.pop()


ROOT = Path(__file__).resolve().parents[2]
LABELS = ("--labels", "lo<mid<hi", "--gold", "gold.csv", "runs", "-m", "f-beta", "-m", "kappa")
SCORES = ("--task", "table", "scores.csv", "-m", "one", "-m", "other")
R4C = ("--config", str(ROOT / "configs/r4c.yaml"))
COEFFICIENTS = ("--coefficient", "pearson", "--coefficient", "acc-eq")
MANY = ("--permutations", "20000")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("compare", *MANY, *LABELS), ["Tests of differences: Differences by chance: Random signs"]),
        (("power", *MANY, *LABELS), ["Tests of differences: Random signs"]),
        (("power", "--test", "tukey", *MANY, *SCORES), ["Permutations of systems: Permutations within items"]),
        (("plan", *MANY, *LABELS), ["Planning: Differences by chance", "Planning: Random signs"]),
        (("stability", *MANY, *LABELS), ["Tests of measures: Differences by chance", "Random signs"]),
        (("similarity", *MANY, *LABELS), ["Agreement of rankings by chance"]),
        (
            ("correlate", *SCORES, "--human", "human.csv", *COEFFICIENTS, "--permutations", "9999"),
            [
                "Correlations: acc-eq with rating at level item: Bootstrap of correlations",
                "Correlations: pearson with rating at level item: Swaps of scores",
                "Correlations: acc-eq with rating at level item: Intervals of accuracies",
            ],
        ),
        (("references", *R4C, "-m", "r4c-rouge:level=full", "--trials", "3000"), ["Drawing references"]),
        (("reliability", *SCORES), ["Components of variance"]),
    ],
)
def test_analyses_show_steps_of_their_longest_work_and_those_within_the_first(
    words: tuple[str, ...], shown: list[str], metaeval: CommandLine, files: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder()

    @contextmanager
    def recording(*, quiet: bool) -> Iterator[Recorder]:
        with shown_by(recorder):
            yield recorder

    monkeypatch.setattr("metaeval.cli.output.tracking", recording)
    metaeval.succeeds(*words)
    assert [path for path in shown if f"{words[0]}: {path}" not in recorder.seen] == [], sorted(recorder.seen)


@pytest.fixture
def files(write: Write) -> None:
    """Labels and scores of seven systems, and human scores of them."""
    label_study(write, {f"runs/s{number}": 0.4 + number / 20 for number in range(7)}, 90, classes=("lo", "mid", "hi"))
    one, other, rating = np.random.default_rng(1).random((3, 7, 60))
    write("scores.csv", score_table({"one": one, "other": other}))
    write("human.csv", score_table({"rating": rating}))
