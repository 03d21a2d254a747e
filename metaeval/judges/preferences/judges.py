"""Agreement of judges with people, and differences of judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Bools, Floats, Indices
from metaeval.inference.pairs import Order, PairTests, compare_pairs
from metaeval.judges.preferences.groups import Groups, Ratio, compact
from metaeval.judges.preferences.study import PEOPLE, Raters, Verdicts
from metaeval.stats.ratio import effective_number

AGREEMENT, UNTIED_AGREEMENT, FLIPS = "agreement", "agreement without ties", "flips"

CHANCE = 0.5
"""The agreement by chance without ties."""


@dataclass(frozen=True)
class JudgeStatistic:
    """A share of the verdicts of a judge.

    share: with the p-value against ½; without one for agreement with ties, whose chance depends on the ties, and for
    flips, of which one is enough to refute none. verdicts: the denominator of the share, pairs of verdicts. units:
    effective number of groups. influences: what each cluster adds to the deviation, by its code.
    """

    judge: str
    name: str
    share: Ratio
    verdicts: int
    groups: Groups
    units: float
    influences: Mapping[int, float]


def statistics_of_judges(
    verdicts: Verdicts, judges: Sequence[Raters], people: Bools, seed: int
) -> list[JudgeStatistic]:
    """The statistics of every judge and of the people together, where they are defined; people: their verdicts."""
    votes = votes_of(verdicts.units[people], verdicts.outcomes_of_units[people], int(verdicts.units.max()) + 1)
    results = []
    for name, rows in [*judges, Raters(PEOPLE, people)]:
        for statistic, indices, share in _shares(verdicts, votes, rows, by_people=name == PEOPLE):
            # Clusters without a denominator are no evidence.
            used = share[1] > 0
            if used.any():
                results.append(_judge_statistic(verdicts, (name, statistic), indices[used], share[:, used], seed))
    return results


def _judge_statistic(
    verdicts: Verdicts, names: tuple[str, str], rows: Indices, share: Floats, seed: int
) -> JudgeStatistic:
    """A statistic from some verdicts; names: of the judge, and its own. share: numerators and denominators, (2, V)."""
    judge, name = names
    groups = Groups.of(verdicts.clusters[rows], seed, verdicts.weight[rows])
    sums = groups.sums(share).T
    ratio = groups.ratio(*sums, null=CHANCE, lowest=0.0)
    if name in (AGREEMENT, FLIPS):
        ratio = ratio._replace(p=float("nan"))
    number = round(float(share[1].sum()))
    if judge == PEOPLE and AGREEMENT in name:
        # Of people each pair is there from both sides.
        number //= 2
    influences = groups.by_cluster(groups.deviations(*sums), verdicts.clusters[rows])
    return JudgeStatistic(
        judge=judge,
        name=name,
        share=ratio,
        verdicts=number,
        groups=groups,
        units=effective_number(sums[1]),
        influences=influences,
    )


def _shares(
    verdicts: Verdicts, votes: Floats, mask: Bools, *, by_people: bool
) -> Iterator[tuple[str, Indices, Floats]]:
    """The shares of the chosen verdicts: names, verdicts, and numerators and denominators, (2, V).

    votes: numbers of the outcomes of people on each unit, (U, 3).
    """
    rows = np.flatnonzero(mask)
    unit, outcomes = verdicts.units[rows], verdicts.outcomes_of_units[rows]
    _, by_judge = compact(verdicts.judges[rows] * len(votes) + unit)
    number = int(by_judge.max(initial=-1)) + 1
    others = votes[unit]
    if by_people:
        # A person is compared with the other ones.
        others = others - votes_of(by_judge, outcomes, number)[by_judge]
    for name, equal, total in _agreements(outcomes, others):
        yield name, rows, np.stack([equal, total])
    swapped, displayed = verdicts.left[rows] > verdicts.right[rows], verdicts.displayed[rows]
    first, again = displayed & ~swapped, displayed & swapped
    swaps = votes_of(by_judge[again], outcomes[again], number)[by_judge[first]]
    _, equal, total = next(_agreements(outcomes[first], swaps))
    yield FLIPS, rows[first], np.stack([total - equal, total])


def votes_of(keys: Indices, outcomes: Floats, number: int) -> Floats:
    """The weight of each outcome by key, (K, 3); outcomes: of the verdicts, (V, 3)."""
    return np.stack([np.bincount(keys, weights, minlength=number) for weights in outcomes.T], axis=1)


def _agreements(outcomes: Floats, others: Floats) -> Iterator[tuple[str, Floats, Floats]]:
    """Names of the agreements, and of each verdict how many of the others are equal, of how many.

    outcomes, others: weights of the outcomes of verdicts, and of others on the same outputs, (V, 3).
    """
    for name, number in ((AGREEMENT, 3), (UNTIED_AGREEMENT, 2)):
        one, other = outcomes[:, :number], others[:, :number]
        yield name, (one * other).sum(axis=1), one.sum(axis=1) * other.sum(axis=1)


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


def compare_judges(verdicts: Verdicts, judged: Bools, seed: int) -> list[JudgeComparison]:
    """The tests of differences of each agreement; none of fewer than two judges that judged the same as people."""
    units, rows = verdicts.units, np.flatnonzero(judged)
    codes, judges = np.unique(verdicts.judges[rows], return_inverse=True)
    number = int(units.max()) + 1
    votes = votes_of(units[~judged], verdicts.outcomes_of_units[~judged], number)
    by_people = votes.any(axis=1)
    some = np.bincount(np.unique(judges * number + units[rows]) % number, minlength=number) * by_people
    complete = some == len(codes)
    compared = complete[units[rows]]
    if len(codes) < 2 or not compared.any():
        return []
    rows, judges = rows[compared], judges[compared]
    all_judged = int(complete.sum())
    results = []
    for statistic, equal, total in _agreements(verdicts.outcomes_of_units[rows], votes[units[rows]]):
        used = total > 0
        equal, total = equal[used], total[used]
        groups = Groups.of(verdicts.clusters[rows[used]], seed, verdicts.weight[rows[used]])
        by_judge = judges[used] == np.arange(len(codes))[:, np.newaxis]
        evidence = groups.evidence(groups.sums(by_judge * equal), groups.sums(by_judge * total))
        tests = compare_pairs(evidence)
        comparison = JudgeComparison(
            statistic=statistic,
            judges=tuple(verdicts.names_of_judges[code] for code in codes.tolist()),
            tests=tests,
            order=Order.of(evidence.scores, tests, evidence.defined),
            comparisons=all_judged,
            excluded=int((some > 0).sum()) - all_judged,
            groups=groups,
        )
        results.append(comparison)
    return results
