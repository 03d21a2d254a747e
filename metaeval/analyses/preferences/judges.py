"""Agreement of judges with people, and their biases: order, length, and their own family."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.preferences.ratios import UNDEFINED, Groups, Ratio
from metaeval.analyses.preferences.verdicts import Verdicts
from metaeval.inference.order import Order
from metaeval.inference.pairs import PairTests, compare_pairs
from metaeval.stats.ratio import divide

Numbers = NDArray[np.float64]

PEOPLE = "people"
AGREEMENT, UNTIED_AGREEMENT, FLIPS = "agreement", "agreement without ties", "flips"
FIRST, LONGER, OWN = "prefers first", "prefers longer", "prefers own family"
NULL = 0.5
"""The share without a bias, and the agreement by chance without ties."""


@dataclass(frozen=True)
class JudgeStatistic:
    """A share of the verdicts of a judge.

    share: with the p-value against ½; without one for agreement with ties, whose chance depends on the ties, and for
    flips, of which one is enough to refute none. people: the share of people's verdicts on the same outputs, or NaN.
    difference: the share less that of people. verdicts: the denominator of the share, for agreement and flips pairs of
    verdicts. compared: number of verdicts on which the difference is based.
    """

    judge: str
    name: str
    share: Ratio
    people: float
    difference: Ratio
    verdicts: int
    compared: int
    groups: Groups


def statistics_of_judges(verdicts: Verdicts, judged: NDArray[np.bool_], seed: int) -> list[JudgeStatistic]:
    """The statistics of every judge and of the people together, where they are defined."""
    units, outcome, people = verdicts.units, _outcomes(verdicts), ~judged
    votes = _counts(units[people], outcome[people], int(units.max()) + 1)
    judges = [(name, judged & (verdicts.judges == code)) for code, name in enumerate(verdicts.names_of_judges)]
    results = []
    for name, rows in [*((name, rows) for name, rows in judges if rows.any()), (PEOPLE, people)]:
        for statistic, places, numerator, denominator, others in _shares(verdicts, units, outcome, votes, rows, name):
            # Clusters without a denominator are no evidence.
            used = denominator > 0
            if used.any():
                places, numerator, denominator = places[used], numerator[used], denominator[used]
                groups = Groups.of(verdicts.clusters[places], seed)
                sums = groups.sums(np.stack([numerator, denominator])).T
                share = groups.ratio(*sums, null=NULL, lowest=0.0)
                if statistic in (AGREEMENT, FLIPS):
                    share = share._replace(p=float("nan"))
                people_share, difference, compared = _against_people(verdicts, places, numerator, others, seed)
                # Of people each pair is there from both sides.
                number = int(denominator.sum()) // (2 if name == PEOPLE and AGREEMENT in statistic else 1)
                one = JudgeStatistic(name, statistic, share, people_share, difference, number, compared, groups)
                results.append(one)
    return results


def _outcomes(verdicts: Verdicts) -> NDArray[np.intp]:
    """0 where the system of the lower code wins, 1 where the other does, 2 for ties, (V,)."""
    first = np.where(verdicts.left < verdicts.right, verdicts.winner, -verdicts.winner)
    return np.select([first > 0, first < 0], [0, 1], 2)


def _counts(keys: NDArray[np.intp], outcome: NDArray[np.intp], number: int) -> Numbers:
    """Numbers of each outcome by key, (K, 3)."""
    return np.bincount(keys * 3 + outcome, minlength=number * 3).reshape(number, 3).astype(np.float64)


Share = tuple[str, NDArray[np.intp], Numbers, Numbers, Numbers | None]
"""Name, verdicts, and for each its numerator, its denominator, and the share of people where that can be compared."""


def _shares(
    verdicts: Verdicts,
    units: NDArray[np.intp],
    outcome: NDArray[np.intp],
    votes: Numbers,
    rows: NDArray[np.bool_],
    judge: str,
) -> Iterator[Share]:
    """The shares of a judge; votes: numbers of the outcomes of people on each unit, (U, 3)."""
    places = np.flatnonzero(rows)
    unit, of_verdict = units[places], outcome[places]
    by_judge = np.unique(verdicts.judges[places] * len(votes) + unit, return_inverse=True)[1]
    others = votes[unit]
    if judge == PEOPLE:
        # A person is compared with the other ones.
        others = others - _counts(by_judge, of_verdict, int(by_judge.max(initial=-1)) + 1)[by_judge]
    for name, chosen, equal, number in _agreements(of_verdict, others):
        yield name, places[chosen], equal, number, None
    decided = of_verdict < 2
    swapped, displayed = verdicts.left[places] > verdicts.right[places], verdicts.displayed[places]
    shown, again = displayed & ~swapped, displayed & swapped
    swaps = _counts(by_judge[again], of_verdict[again], int(by_judge.max(initial=-1)) + 1)[by_judge[shown]]
    same = np.take_along_axis(swaps, of_verdict[shown, np.newaxis], axis=1)[:, 0]
    yield FLIPS, places[shown], swaps.sum(axis=1) - same, swaps.sum(axis=1), None
    first = places[displayed & decided]
    yield FIRST, first, (verdicts.winner[first] > 0).astype(np.float64), np.ones(len(first)), None
    longer = np.sign(verdicts.length[:, 0] - verdicts.length[:, 1])
    for name, side in ((LONGER, longer), (OWN, verdicts.own)):
        chosen = places[decided & np.isin(side[places], (-1, 1))]
        # The outcome in which the side wins.
        column = np.where((verdicts.left[chosen] < verdicts.right[chosen]) == (side[chosen] > 0), 0, 1)
        won, of_people = (column == outcome[chosen]).astype(np.float64), votes[units[chosen], :2]
        share = divide(np.take_along_axis(of_people, column[:, np.newaxis], axis=1)[:, 0], of_people.sum(axis=1))
        yield name, chosen, won, np.ones(len(chosen)), None if judge == PEOPLE else share


def _agreements(
    of_verdict: NDArray[np.intp], others: Numbers
) -> Iterator[tuple[str, NDArray[np.intp], Numbers, Numbers]]:
    """Names of the agreements, their verdicts, and how many of the others are equal, of how many.

    others: numbers of the outcomes of others on the same outputs, (V, 3).
    """
    equal = np.take_along_axis(others, of_verdict[:, np.newaxis], axis=1)[:, 0]
    yield AGREEMENT, np.arange(len(equal)), equal, others.sum(axis=1)
    decided = np.flatnonzero(of_verdict < 2)
    yield UNTIED_AGREEMENT, decided, equal[decided], others[decided, :2].sum(axis=1)


@dataclass(frozen=True)
class JudgeComparison:
    """The agreements of J judges with people on the comparisons, of two systems on an item, that all of them judged.

    tests, order: of the differences of all pairs of judges. comparisons, excluded: numbers of comparisons that people
    and all judges judged, and of those that people and only some judges did.
    """

    statistic: str
    judges: tuple[str, ...]
    tests: PairTests
    order: Order
    comparisons: int
    excluded: int
    groups: Groups


def compare_judges(verdicts: Verdicts, judged: NDArray[np.bool_], seed: int) -> list[JudgeComparison]:
    """The tests of differences of each agreement; none of fewer than two judges that judged the same as people."""
    units, outcome, rows = verdicts.units, _outcomes(verdicts), np.flatnonzero(judged)
    codes, judges = np.unique(verdicts.judges[rows], return_inverse=True)
    number = int(units.max()) + 1
    votes = _counts(units[~judged], outcome[~judged], number)
    by_people = votes.any(axis=1)
    some = np.bincount(np.unique(judges * number + units[rows]) % number, minlength=number) * by_people
    complete = some == len(codes)
    own = complete[units[rows]]
    if len(codes) < 2 or not own.any():
        return []
    rows, judges = rows[own], judges[own]
    names = tuple(verdicts.names_of_judges[code] for code in codes.tolist())
    results = []
    for statistic, places, equal, total in _agreements(outcome[rows], votes[units[rows]]):
        groups = Groups.of(verdicts.clusters[rows[places]], seed)
        of_judge = judges[places] == np.arange(len(codes))[:, np.newaxis]
        evidence = groups.compared(groups.sums(of_judge * equal), groups.sums(of_judge * total))
        tests = compare_pairs(evidence)
        order = Order.of(evidence.scores, tests, evidence.defined)
        all_judged = int(complete.sum())
        excluded = int((some > 0).sum()) - all_judged
        results.append(JudgeComparison(statistic, names, tests, order, all_judged, excluded, groups))
    return results


def _against_people(
    verdicts: Verdicts, places: NDArray[np.intp], own: Numbers, others: Numbers | None, seed: int
) -> tuple[float, Ratio, int]:
    """The share of people on the verdicts that they judged, too, the judge's less it, and the number of verdicts."""
    known = np.zeros(0, dtype=np.bool_) if others is None else ~np.isnan(others)
    if others is None or not known.any():
        return float("nan"), UNDEFINED, 0
    groups = Groups.of(verdicts.clusters[places[known]], seed)
    less = groups.sums((own - others)[np.newaxis, known])[:, 0]
    difference = groups.ratio(less, groups.sizes.astype(np.float64), null=0.0, lowest=-1.0)
    return float(others[known].mean()), difference, int(known.sum())
