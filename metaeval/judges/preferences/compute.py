"""Agreement of metrics and judges with people, biases of judges, and the strengths of the systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import join_names
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import MAX_GROUPS, deal_groups, number_of_different
from metaeval.inference.pairs import Evidence, Order, PairTests, compare_pairs
from metaeval.inference.parts import Parts, Signs, group_sums
from metaeval.judges.preferences.davidson import Counts, bootstrap_strengths, corrected_interval, influences, strengths
from metaeval.judges.preferences.settings import PreferencesSettings, Ties
from metaeval.judges.preferences.study import PreferencesStudy, Verdicts
from metaeval.stats.intervals import Bounded, expanded_level
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import MOST_SECONDS, Progress, refuse_long_work

SIGNS = 4999
"""Number of random signs of clusters."""

STATISTICS = ("discordant", "left-out", "half", "accuracy")
"""Kendall-like tau with ties of the metric as discordant pairs, left out and half concordant; pairwise accuracy."""

AVERAGE = "all (average)"
"""The name of the average over language pairs, beside theirs."""

PEOPLE = "people"
AGREEMENT, UNTIED_AGREEMENT, FLIPS = "agreement", "agreement without ties", "flips"
FIRST, LONGER, OWN = "prefers first", "prefers longer", "prefers own family"
NULL = 0.5
"""The share without a bias, and the agreement by chance without ties."""

_FEWEST_RESAMPLES = 100
"""Number of resamples below which fewer are not proposed."""


class Ratio(NamedTuple):
    """A ratio with its 95 % interval, and the p-value of the hypothesis that it has a null value; NaN if undefined."""

    value: float
    low: float
    high: float
    p: float


UNDEFINED = Ratio(value=float("nan"), low=float("nan"), high=float("nan"), p=float("nan"))


@dataclass(frozen=True)
class Groups:
    """The groups of whole clusters to which V verdicts belong, and random signs of them.

    codes: of the verdicts, (V,). sizes: number of verdicts of each group, (G,). clusters: their number.
    """

    codes: Indices
    sizes: Ints
    signs: Signs
    clusters: int

    @classmethod
    def of(cls, clusters: Indices, seed: int) -> Groups:
        """The groups of verdicts in these clusters, (V,)."""
        names, codes = np.unique(clusters, return_inverse=True)
        random = generator(seed_for(seed, "groups of verdicts"))
        groups = deal_groups(np.bincount(codes), random)[codes]
        sizes = np.bincount(groups).astype(np.int64)
        return cls(groups, sizes, Signs.draw(random, len(sizes), SIGNS), len(names))

    @property
    def effective(self) -> float:
        """The effective number of groups."""
        return effective_number(self.sizes)

    def sums(self, values: Floats) -> Floats:
        """Sums of values of the verdicts, (M, V), in each group, (G, M)."""
        return group_sums(values, self.codes, len(self.sizes))

    def ratio(self, numerator: Floats, denominator: Floats, *, null: float, lowest: float) -> Ratio:
        """The ratio of two sums over groups, (G,), from `lowest` to 1, with the interval and test of `Bounded`."""
        used = int((denominator > 0).sum())
        if not used:
            return UNDEFINED
        total = float(denominator.sum())
        value, effective = float(numerator.sum()) / total, effective_number(denominator)
        error = np.sqrt(((numerator - value * denominator) ** 2).sum() * used / max(used - 1, 1)) / total
        ratio = Bounded.of(value, error, lowest=lowest, units=effective)
        low, high = ratio.interval() if used > 1 else (lowest, 1.0)
        return Ratio(value, low, high, ratio.p(null) if used > 1 else 1.0)

    def compared(self, numerators: Floats, denominators: Floats) -> Evidence:
        """The evidence to compare M ratios of sums over groups, (G, M), by random signs."""
        scores = divide(numerators.sum(axis=0), denominators.sum(axis=0))
        if (denominators == denominators[:, :1]).all():
            return Evidence((Parts(scores, numerators, denominators[:, 0]),), (self.signs,))
        without = divide(numerators.sum(axis=0) - numerators, denominators.sum(axis=0) - denominators)
        return Evidence((Parts.of_jackknife(scores, without, self.sizes),), (self.signs,))


@dataclass(frozen=True)
class MetricAgreement:
    """The agreement of M metrics with the verdicts of people on a language pair, or on average over several.

    estimates: of each statistic, for each metric. ties: share of the decided verdicts that the metric ties, (M,).
    tests, order: of the differences of the chosen statistic. verdicts, decided: numbers of verdicts, and of those
    without ties. excluded: number of verdicts that lack a score.
    """

    language_pair: str
    metrics: tuple[str, ...]
    estimates: dict[str, list[Ratio]]
    ties: Floats
    tests: PairTests
    order: Order
    decided: int
    groups: Groups
    verdicts: int = 0
    excluded: int = 0


Sums = dict[str, tuple[Floats, Floats]]
"""Numerators and denominators of the statistics, by group and metric, (G, M)."""


def agreement_of_metrics(verdicts: Verdicts, people: Bools, ties: Ties, seed: int) -> list[MetricAgreement]:
    """The agreement on each language pair where some metric has scores, on the verdicts that all its metrics score.

    Of several language pairs the last is the average over them, of the metrics that have scores on all.
    """
    results: list[MetricAgreement] = []
    chosen: list[Indices] = []
    for code, language_pair in enumerate(verdicts.names_of_language_pairs):
        rows = people & (verdicts.language_pairs == code)
        scored = {name: ~np.isnan(scores).any(axis=1) & rows for name, scores in verdicts.scores.items()}
        metrics = tuple(name for name, present in scored.items() if present.any())
        complete = np.flatnonzero(np.logical_and.reduce([rows, *(scored[name] for name in metrics)]))
        if metrics and len(complete):
            groups = Groups.of(verdicts.clusters[complete], seed)
            sums = _sums_of(verdicts, complete, metrics, groups)
            excluded = int(rows.sum()) - len(complete)
            agreement = _agreement(language_pair, metrics, sums, ties, groups=groups)
            results.append(replace(agreement, verdicts=len(complete), excluded=excluded))
            chosen.append(complete)
    common = tuple(name for name in verdicts.scores if all(name in one.metrics for one in results))
    if len(results) > 1 and common:
        groups = Groups.of(verdicts.clusters[np.concatenate(chosen)], seed)
        codes = np.split(groups.codes, np.cumsum([len(rows) for rows in chosen])[:-1])
        sums_by_pair = [
            _sums_of(verdicts, rows, common, replace(groups, codes=codes_of_pair))
            for rows, codes_of_pair in zip(chosen, codes, strict=True)
        ]
        average = _agreement(AVERAGE, common, average_of(sums_by_pair), ties, groups=groups)
        shares = [[one.ties[one.metrics.index(name)] for name in common] for one in results]
        decided = sum(one.decided for one in results)
        average = replace(average, ties=np.mean(shares, axis=0), verdicts=len(groups.codes), decided=decided)
        results.append(average)
    return results


def _sums_of(verdicts: Verdicts, rows: Indices, metrics: tuple[str, ...], groups: Groups) -> Sums:
    scores = np.stack([verdicts.scores[name][rows] for name in metrics])
    return ratios_of(np.sign(scores[..., 0] - scores[..., 1]), verdicts.winner[rows], groups)


def _agreement(
    language_pair: str, metrics: tuple[str, ...], sums: Sums, ties: Ties, *, groups: Groups
) -> MetricAgreement:
    estimates = {
        name: [
            groups.ratio(*both, null=0.0, lowest=0.0 if name == "accuracy" else -1.0)
            for both in zip(numerators.T, denominators.T, strict=True)
        ]
        for name, (numerators, denominators) in sums.items()
    }
    evidence = groups.compared(*sums[ties])
    tests = compare_pairs(evidence)
    decided = sums["half"][1].sum(axis=0)
    tied = 1 - sums["left-out"][1].sum(axis=0) / np.maximum(decided, 1)
    return MetricAgreement(
        language_pair=language_pair,
        metrics=metrics,
        estimates=estimates,
        ties=np.where(decided > 0, tied, np.nan),
        tests=tests,
        order=Order.of(evidence.scores, tests, evidence.defined),
        decided=int(decided[0]),
        groups=groups,
    )


def average_of(sums: Sequence[Sums]) -> Sums:
    """The statistics averaged over language pairs, as ratios of sums over groups.

    sums: those of each language pair, over the same groups. A group adds to an average its share of the verdicts, times
    the average, and what it adds to the deviation of each pair from that pair's own value: language pairs are fixed,
    and differences between them are no variation by chance.
    """
    averages = {}
    for name in STATISTICS:
        weights = [each["accuracy" if name == "accuracy" else "half"][1] for each in sums]
        values = [divide(top.sum(axis=0), bottom.sum(axis=0)) for top, bottom in (each[name] for each in sums)]
        value = np.mean(values, axis=0)
        denominator = np.mean([divide(each, each.sum(axis=0)) for each in weights], axis=0)
        deviations = [
            _deviations(*each[name], np.where((each[name][1] > 0).sum(axis=0) > 1, own, value))
            for each, own in zip(sums, values, strict=True)
        ]
        averages[name] = (denominator * value + np.mean(deviations, axis=0), denominator)
    return averages


def _deviations(numerators: Floats, denominators: Floats, values: Floats) -> Floats:
    """What each group adds to the deviations of ratios from values, (G, M), as in an unbiased variance."""
    number = (denominators > 0).sum(axis=0)
    factor = np.sqrt(divide(number, number - 1.0, undefined=1.0))
    return divide(numerators - values * denominators, denominators.sum(axis=0)) * factor


def ratios_of(preferred: Floats, winner: NDArray[np.int8], groups: Groups) -> Sums:
    """The sums of the statistics.

    preferred: 1 where a metric prefers left, −1 right, 0 for a tie, (M, V). winner: that of people, (V,).
    """
    decided = np.broadcast_to(winner != 0, preferred.shape).astype(np.float64)
    product, tied = groups.sums(preferred * winner), groups.sums(decided * (preferred == 0))
    pairs, every = groups.sums(decided), groups.sums(np.ones(preferred.shape))
    equal = groups.sums((preferred == winner).astype(np.float64))
    return {
        "discordant": (product - tied, pairs),
        "left-out": (product, pairs - tied),
        "half": (product, pairs),
        "accuracy": (equal, every),
    }


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


def statistics_of_judges(verdicts: Verdicts, judged: Bools, seed: int) -> list[JudgeStatistic]:
    """The statistics of every judge and of the people together, where they are defined."""
    units, outcome, people = verdicts.units, _outcomes(verdicts), ~judged
    votes = _counts(units[people], outcome[people], int(units.max()) + 1)
    judges = [(name, judged & (verdicts.judges == code)) for code, name in enumerate(verdicts.names_of_judges)]
    results = []
    for name, rows in [*((name, rows) for name, rows in judges if rows.any()), (PEOPLE, people)]:
        for share in _shares(verdicts, outcome, votes, rows, of_people=name == PEOPLE):
            # Clusters without a denominator are no evidence.
            used = share.denominator > 0
            if used.any():
                results.append(_judge_statistic(verdicts, name, share.select(used), seed))
    return results


def _judge_statistic(verdicts: Verdicts, judge: str, share: Share, seed: int) -> JudgeStatistic:
    groups = Groups.of(verdicts.clusters[share.rows], seed)
    sums = groups.sums(np.stack([share.numerator, share.denominator])).T
    ratio = groups.ratio(*sums, null=NULL, lowest=0.0)
    if share.name in (AGREEMENT, FLIPS):
        ratio = ratio._replace(p=float("nan"))
    number = int(share.denominator.sum())
    if judge == PEOPLE and AGREEMENT in share.name:
        # Of people each pair is there from both sides.
        number //= 2
    known = np.zeros(0, dtype=np.bool_) if share.people is None else ~np.isnan(share.people)
    people, difference = float("nan"), UNDEFINED
    if share.people is not None and known.any():
        compared = Groups.of(verdicts.clusters[share.rows[known]], seed)
        less = compared.sums((share.numerator - share.people)[np.newaxis, known])[:, 0]
        difference = compared.ratio(less, compared.sizes.astype(np.float64), null=0.0, lowest=-1.0)
        people = float(share.people[known].mean())
    return JudgeStatistic(
        judge=judge,
        name=share.name,
        share=ratio,
        people=people,
        difference=difference,
        verdicts=number,
        compared=int(known.sum()),
        groups=groups,
    )


def _outcomes(verdicts: Verdicts) -> Indices:
    """0 where the system of the lower code wins, 1 where the other does, 2 for ties, (V,)."""
    first = np.where(verdicts.left < verdicts.right, verdicts.winner, -verdicts.winner)
    return np.select([first > 0, first < 0], [0, 1], 2)


def _counts(keys: Indices, outcome: Indices, number: int) -> Floats:
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


def _shares(verdicts: Verdicts, outcome: Indices, votes: Floats, chosen: Bools, *, of_people: bool) -> Iterator[Share]:
    """The shares of the chosen verdicts; votes: numbers of the outcomes of people on each unit, (U, 3)."""
    rows = np.flatnonzero(chosen)
    unit, outcomes = verdicts.units[rows], outcome[rows]
    by_judge = np.unique(verdicts.judges[rows] * len(votes) + unit, return_inverse=True)[1]
    number = int(by_judge.max(initial=-1)) + 1
    others = votes[unit]
    if of_people:
        # A person is compared with the other ones.
        others = others - _counts(by_judge, outcomes, number)[by_judge]
    for name, subset, equal, total in _agreements(outcomes, others):
        yield Share(name, rows[subset], equal, total)
    decided = outcomes < 2
    swapped, displayed = verdicts.left[rows] > verdicts.right[rows], verdicts.displayed[rows]
    shown, again = displayed & ~swapped, displayed & swapped
    swaps = _counts(by_judge[again], outcomes[again], number)[by_judge[shown]]
    same = np.take_along_axis(swaps, outcomes[shown, np.newaxis], axis=1)[:, 0]
    yield Share(FLIPS, rows[shown], swaps.sum(axis=1) - same, swaps.sum(axis=1))
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


def _agreements(of_verdict: Indices, others: Floats) -> Iterator[tuple[str, Indices, Floats, Floats]]:
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


def compare_judges(verdicts: Verdicts, judged: Bools, seed: int) -> list[JudgeComparison]:
    """The tests of differences of each agreement; none of fewer than two judges that judged the same as people."""
    units, outcome, rows = verdicts.units, _outcomes(verdicts), np.flatnonzero(judged)
    codes, judges = np.unique(verdicts.judges[rows], return_inverse=True)
    number = int(units.max()) + 1
    votes = _counts(units[~judged], outcome[~judged], number)
    by_people = votes.any(axis=1)
    some = np.bincount(np.unique(judges * number + units[rows]) % number, minlength=number) * by_people
    complete = some == len(codes)
    compared = complete[units[rows]]
    if len(codes) < 2 or not compared.any():
        return []
    rows, judges = rows[compared], judges[compared]
    all_judged = int(complete.sum())
    results = []
    for statistic, subset, equal, total in _agreements(outcome[rows], votes[units[rows]]):
        groups = Groups.of(verdicts.clusters[rows[subset]], seed)
        by_judge = judges[subset] == np.arange(len(codes))[:, np.newaxis]
        evidence = groups.compared(groups.sums(by_judge * equal), groups.sums(by_judge * total))
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


@dataclass(frozen=True)
class Strengths:
    """The strengths of S systems on a language pair: logarithms with mean 0, with intervals, (S,).

    NaN without strengths, see `obstacle`. ties: ν, the tendency to ties. order: which systems
    are significantly stronger. wins: verdicts for the row against the column, (S, S). tied: verdicts of ties, (S, S).
    """

    language_pair: str
    systems: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    ties: float
    order: Order
    wins: Indices
    tied: Indices
    groups: Groups

    @property
    def obstacle(self) -> tuple[str, str]:
        """Why there are no strengths, and the remedy."""
        from scipy.sparse.csgraph import connected_components

        beaten = (self.wins + self.tied) > 0
        number, parts = connected_components(beaten, connection="weak")
        names = [join_names([self.systems[row] for row in np.flatnonzero(parts == part)]) for part in range(number)]
        if number > 1:
            groups = f"{number} groups, which were never compared with each other ({'; '.join(names)})"
            return f"the systems are in {groups}", "add verdicts on systems of different groups"
        if not self.wins.any():
            return "all verdicts are ties", "add verdicts that prefer an output"
        number, parts = connected_components(beaten, connection="strong")
        inside = parts[:, np.newaxis] == parts
        first = next(part for part in range(number) if not (beaten & ~inside)[:, parts == part].any())
        best = join_names([self.systems[row] for row in np.flatnonzero(parts == first)])
        return f"no other system wins or ties against {best}", f"add such verdicts, or remove the rows of {best}"


@dataclass(frozen=True)
class Preferences:
    """The result of the analysis; each part is empty where the verdicts do not allow it."""

    metrics: list[MetricAgreement]
    judges: list[JudgeStatistic]
    comparisons: list[JudgeComparison]
    strengths: list[Strengths]


def check(study: PreferencesStudy, settings: PreferencesSettings) -> None:
    """Refuse what would take more than about half a minute, from the measured costs of each part of the work."""
    verdicts, people = study.verdicts, ~study.judged
    codes, systems = verdicts.language_pairs[people], len(verdicts.systems)
    language_pairs = len(np.unique(codes))
    sides = np.sort([verdicts.left[people], verdicts.right[people]], axis=0)
    # By language pair: its clusters, its systems, and pairs of these.
    clusters = number_of_different(codes, verdicts.clusters[people])
    several = number_of_different(np.tile(codes, 2), sides.ravel()).astype(np.float64)
    pairs = number_of_different(codes, sides[0] * systems + sides[1])
    resample = 2e4 * language_pairs + 1.2e3 * pairs.sum() + 0.26 * (several**3).sum()
    measures = len(verdicts.scores)
    test = 1e6 * language_pairs + 2e3 * np.minimum(clusters, MAX_GROUPS).sum()
    tests_of_pairs = 1e4 * (language_pairs * measures**2 + (several**2).sum())
    work = 2e7 * language_pairs + test * 4 * measures + tests_of_pairs
    most = int(max(0.0, MOST_SECONDS * 1e9 - work) / max(resample, 1.0))
    remedy = "leave out systems, language pairs or metrics"
    if most >= _FEWEST_RESAMPLES:
        remedy = f"set {setting('resamples', str(most))}"
    refuse_long_work(
        work + resample * settings.resamples,
        f"verdicts on {pluralize(systems, 'system')} ({pluralize(int(pairs.sum()), 'pair')}), "
        f"{pluralize(language_pairs, 'language pair')} and {pluralize(measures, 'metric')}, "
        f"with {settings.resamples:,} resamples",
        remedy,
    )


def analyse(study: PreferencesStudy, settings: PreferencesSettings, *, progress: Progress) -> Preferences:
    """Compute every statistic that the verdicts allow."""
    check(study, settings)
    verdicts, seed, people = study.verdicts, study.config.seed, ~study.judged
    metrics = agreement_of_metrics(verdicts, people, settings.ties, seed)
    judges = statistics_of_judges(verdicts, study.judged, seed), compare_judges(verdicts, study.judged, seed)
    codes = np.unique(verdicts.language_pairs[people]).tolist()
    fitted = [
        strengths_of(verdicts, np.flatnonzero(people & (verdicts.language_pairs == code)), settings.resamples, seed)
        for code in codes
    ]
    return Preferences(metrics, *judges, fitted)


def strengths_of(verdicts: Verdicts, rows: Indices, resamples: int, seed: int) -> Strengths:
    """The strengths by some verdicts, all of one language pair."""
    present, both = np.unique(np.stack([verdicts.left[rows], verdicts.right[rows]]), return_inverse=True)
    left, right = both.reshape(2, -1)
    winner, groups = verdicts.winner[rows], Groups.of(verdicts.clusters[rows], seed)
    counts = Counts.of(left, right, winner, groups.codes, len(present))
    values, low, high = np.full((3, len(present)), np.nan)
    order, ties = Order(values, np.zeros((len(present), len(present)), dtype=np.bool_), ~np.isnan(values)), np.nan
    if counts.connected:
        fitted = strengths(counts, counts.all[np.newaxis])[0]
        values, ties = fitted[:-1], float(np.exp(fitted[-1]))
        random = generator(seed_for(seed, "resamples of verdicts"))
        if len(groups.sizes) > 1:
            sample = bootstrap_strengths(counts, fitted, random, resamples)
            low, high = corrected_interval(values, sample, level=expanded_level(groups.effective))
        sizes = groups.sizes.astype(np.float64)[:, np.newaxis]
        parts = sizes * values + sizes.sum() * influences(counts, fitted)
        evidence = Evidence((Parts(values, parts, sizes[:, 0], jackknife=True),), (groups.signs,))
        order = Order.of(values, compare_pairs(evidence), evidence.defined)
    wins, tied = np.zeros((2, len(present), len(present)), dtype=np.intp)
    np.add.at(wins, (np.where(winner > 0, left, right), np.where(winner > 0, right, left)), winner != 0)
    np.add.at(tied, (left, right), winner == 0)
    return Strengths(
        language_pair=verdicts.names_of_language_pairs[verdicts.language_pairs[rows[0]]],
        systems=tuple(verdicts.systems[code] for code in present.tolist()),
        values=values,
        low=low,
        high=high,
        ties=ties,
        order=order,
        wins=wins,
        tied=tied + tied.T,
        groups=groups,
    )
