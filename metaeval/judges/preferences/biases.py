"""Biases of judges: for the first output, for longer ones and for their own family."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.judges.preferences.study import Verdicts
from metaeval.stats.ratio import divide

FIRST, LONGER, OWN = "prefers first", "prefers longer", "prefers own family"
NULL = 0.5
"""The share without a bias, and the agreement by chance without ties."""


def outcomes_of(verdicts: Verdicts) -> Indices:
    """0 where the system of the lower code wins, 1 where the other does, 2 for ties, (V,)."""
    first = np.where(verdicts.left < verdicts.right, verdicts.winner, -verdicts.winner)
    return np.select([first > 0, first < 0], [0, 1], 2)


def counts_of(keys: Indices, outcome: Indices, number: int) -> Floats:
    """Floats of each outcome by key, (K, 3)."""
    return np.bincount(keys * 3 + outcome, minlength=number * 3).reshape(number, 3).astype(np.float64)


class Share(NamedTuple):
    """A share of the verdicts of a judge, by verdict; people: their share on the same outputs, where there is one."""

    name: str
    rows: Indices
    numerator: Floats
    denominator: Floats
    people: Floats | None = None

    def select(self, chosen: Bools) -> Share:
        """The share of some of the verdicts."""
        people = None if self.people is None else self.people[chosen]
        return Share(self.name, self.rows[chosen], self.numerator[chosen], self.denominator[chosen], people)


def bias_shares(
    verdicts: Verdicts, outcome: Indices, votes: Floats, rows: Indices, *, of_people: bool
) -> Iterator[Share]:
    """The shares of verdicts for the first output, for the longer one and for the judge's family."""
    decided, displayed = outcome[rows] < 2, verdicts.displayed[rows]
    first = rows[displayed & decided]
    yield Share(FIRST, first, (verdicts.winner[first] > 0).astype(np.float64), np.ones(len(first)))
    longer = np.sign(verdicts.length[:, 0] - verdicts.length[:, 1])
    for name, side in ((LONGER, longer), (OWN, verdicts.own)):
        subset = rows[decided & np.isin(side[rows], (-1, 1))]
        # The outcome in which the side wins.
        column = np.where((verdicts.left[subset] < verdicts.right[subset]) == (side[subset] > 0), 0, 1)
        won, votes_of_people = (column == outcome[subset]).astype(np.float64), votes[verdicts.units[subset], :2]
        share = divide(
            np.take_along_axis(votes_of_people, column[:, np.newaxis], axis=1)[:, 0], votes_of_people.sum(axis=1)
        )
        yield Share(name, subset, won, np.ones(len(subset)), None if of_people else share)
