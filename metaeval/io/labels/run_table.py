"""What every run says of the items, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, did_you_mean, setting, shortened
from metaeval.io.labels.alignment import align, check_extra, truncation_hint
from metaeval.io.labels.codes import MISSING, UNKNOWN, Read
from metaeval.io.labels.gold_items import GoldItems
from metaeval.io.labels.policies import Policies, Policy
from metaeval.io.labels.raw_labels import Answers


@dataclass(frozen=True)
class Prediction:
    """What the systems predict, and how messages speak of it.

    read: turns texts into values and their states. expected: what is usable, in words. known: the labels that a wrong
    one may stand for. remedies: the policies that there are beside 'error', in words.
    """

    read: Callable[[Sequence[str]], Read]
    expected: str
    known: Sequence[str]
    remedies: str


@dataclass(frozen=True)
class RunTable:
    """What the runs say of the items, values and states (S, N); and how many of their rows answer no item."""

    values: NDArray[Any]
    states: NDArray[np.uint8]
    extra: int


def read_runs(
    gold: Answers, items: GoldItems, runs: Sequence[Answers], policies: Policies, prediction: Prediction
) -> RunTable:
    """Every run brought into the order of the items; whatever is wrong with any run is one `InputError`."""
    gathered = Gathered()
    # Empty tables to begin with, so that no run at all is no special case.
    values = [prediction.read(())[0].reshape(0, len(items.codes))]
    states = [np.zeros((0, len(items.codes)), dtype=np.uint8)]
    extra = 0
    for run in runs:
        with gathered.errors():
            alignment = align(gold, run)
            extra += len(alignment.extra)
            if not policies.drop_extra:
                with gathered.errors():
                    check_extra(gold, run, alignment.extra)
            said, usable = prediction.read(run.labels)
            rows = alignment.rows[items.rows]
            state = np.where(rows >= 0, usable[rows], np.uint8(MISSING))
            _Check(run, items, rows, state, prediction).against(policies)
            values.append(said[np.newaxis, rows])
            states.append(state[np.newaxis])
    gathered.raise_any()
    return RunTable(np.concatenate(values), np.concatenate(states), extra)


@dataclass(frozen=True)
class _Check:
    """A run beside the items: its row for each of them and the state of what stands there, both (N,)."""

    run: Answers
    items: GoldItems
    rows: NDArray[np.intp]
    state: NDArray[np.uint8]
    prediction: Prediction

    def against(self, policies: Policies) -> None:
        """Raise where predictions are missing or unknown and the policies call that an error."""
        unknown = self._where(UNKNOWN, policies.on_unknown)
        missing = self._where(MISSING, policies.on_missing)
        if unknown or missing:
            problems = [*self._unknown(unknown), *self._missing(missing)]
            raise InputError(problems, hints=[*self._hints(unknown, missing), self._hint_of_columns()])

    def _where(self, state: int, policy: Policy) -> list[int]:
        """The items of a state that a policy calls errors."""
        return [int(item) for item in np.flatnonzero(self.state == state)] if policy.action == "error" else []

    def _unknown(self, affected: Sequence[int]) -> list[Problem]:
        return [
            Problem(
                f"'{shortened(self._label(item))}'{self._in_column()}", self.prediction.expected, *self._place(item)
            )
            for item in affected
        ]

    def _missing(self, affected: Sequence[int]) -> list[Problem]:
        return [
            Problem(
                f"no prediction for id '{self.items.ids[item]}'{self._in_column()}",
                "one for every item",
                *self._place(item),
            )
            for item in affected
        ]

    def _hints(self, unknown: Sequence[int], missing: Sequence[int]) -> list[str]:
        remedies = self.prediction.remedies
        hints = []
        if unknown:
            hints = [
                did_you_mean(shortened(self._label(unknown[0])), self.prediction.known),
                f"correct such predictions, or choose what becomes of them with {setting('on_unknown')} {remedies}",
            ]
        if missing:
            hints += [
                truncation_hint(self.rows),
                f"add the predictions, or choose what becomes of such items with {setting('on_missing')} {remedies}",
            ]
        return hints

    def _label(self, item: int) -> str:
        return self.run.labels[int(self.rows[item])]

    def _place(self, item: int) -> tuple[str, int | None]:
        return self.run.path, self._lines[self.rows[item]] if self.rows[item] >= 0 else None

    @cached_property
    def _lines(self) -> Sequence[int]:
        return self.run.lines()

    def _in_column(self) -> str:
        return f" in column '{self.run.column}'" if self.run.column else ""

    def _hint_of_columns(self) -> str:
        return (
            "every column but id and gold is a system: remove those that are none, or name the one of the labels with "
            "--label-column"
            if self.run.column
            else ""
        )
