"""Corrected means of systems, their differences, and whether the labelled items look like a random sample.

Means of a population of which a judge scores all items and people some, from sums over groups of items.

Every estimator is a function of sums, so that its values without each group of items, of which the jackknife takes the
variance, come from the sums less those of the group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import InputError, Problem, conflict, pluralize, refuse, setting, shortened
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, deal_groups
from metaeval.inference.pairs import Evidence, Order, PairTests, compare_pairs
from metaeval.inference.parts import Parts, group_sums
from metaeval.judges.correct.settings import CorrectSettings
from metaeval.judges.correct.study import CorrectStudy
from metaeval.stats.intervals import LEVEL
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import Progress, refuse_long_work

Z = 1.959963984540054
"""The two-sided 95 % quantile of the normal distribution."""


@dataclass(frozen=True)
class Sums:
    """Sums over items of S systems, (S,), or over those of each of G groups, (G, S).

    labels: items that people scored; judge, human, both, squares: sums of the scores of the judge f and of people y on
    them, of f y and of f². others: items that people did not score; judge_others, squares_others: sums of f and f².
    """

    labels: Floats
    judge: Floats
    human: Floats
    both: Floats
    squares: Floats
    others: Floats
    judge_others: Floats
    squares_others: Floats

    @classmethod
    def of(cls, judge: Floats, human: Floats, groups: Indices, number: int) -> Sums:
        """The sums of groups; judge, human: scores, NaN where missing, (S, N). groups: of the items, from 0, (N,)."""
        labelled, other = ~np.isnan(human), ~np.isnan(judge) & np.isnan(human)

        def sums(values: Floats) -> Floats:
            rows = [np.bincount(groups, weights=row, minlength=number) for row in values]
            return np.stack(rows, axis=1)

        f, y, rest = np.where(labelled, judge, 0.0), np.where(labelled, human, 0.0), np.where(other, judge, 0.0)
        return cls(*map(sums, (labelled, f, y, f * y, f**2, other, rest, rest**2)))

    @property
    def total(self) -> Sums:
        """The sums over all groups."""
        return Sums(*(getattr(self, each.name).sum(axis=0) for each in fields(self)))

    def without_each(self, total: Sums) -> Sums:
        """The sums over all groups but each one."""
        return Sums(*(getattr(total, each.name) - getattr(self, each.name) for each in fields(self)))


Estimator = Callable[[Sums], Floats]


def judge_mean(sums: Sums) -> Floats:
    """The mean of the judge's scores of all items."""
    return divide(sums.judge + sums.judge_others, sums.labels + sums.others)


def human_mean(sums: Sums) -> Floats:
    """The mean of the human scores."""
    return divide(sums.human, sums.labels)


def tuned_lambda(sums: Sums) -> Floats:
    """The weight λ of the judge with the smallest variance of `powered_mean` (Angelopoulos et al. 2023, PPI++).

    Cov(f, y) / ((1 + n/N) Var(f)) with n labelled and N other items; 0 for a constant judge and without other items.
    """
    items = sums.labels + sums.others
    covariance = divide(sums.both - divide(sums.judge * sums.human, sums.labels, undefined=0.0), sums.labels - 1)
    f = sums.judge + sums.judge_others
    squares = sums.squares + sums.squares_others
    spread = squares - divide(f**2, items, undefined=0.0)
    # Less is rounding: the judge's scores do not vary.
    variance = np.where(spread > 1e-12 * squares, divide(spread, items - 1), 0.0)
    return divide(covariance * sums.others, variance * items, undefined=0.0)


def powered_mean(sums: Sums) -> Floats:
    """The mean by prediction-powered inference: that of people, plus λ times what the judge says of the other items."""
    gap = sample_gap(sums)
    return np.asarray(human_mean(sums) - tuned_lambda(sums) * np.where(sums.others > 0, gap, 0.0))


def rogan_gladen(positive: Floats, sensitivity: Floats, specificity: Floats) -> Floats:
    """The share of a class from the share that a judge says, (p + q₀ − 1) / (q₀ + q₁ − 1) (Rogan & Gladen 1978).

    positive: share p that the judge says. sensitivity, specificity: q₁ and q₀.

    >>> rogan_gladen(np.array(0.4), np.array(0.9), np.array(0.7)).round(4).item()
    0.1667
    """
    return divide(positive + specificity - 1, sensitivity + specificity - 1)


def sensitivity(sums: Sums) -> Floats:
    """The share of items of class 1 of which the judge says 1."""
    return divide(sums.both, sums.human)


def specificity(sums: Sums) -> Floats:
    """The share of items of class 0 of which the judge says 0."""
    return 1 - divide(sums.judge - sums.both, sums.labels - sums.human)


def rogan_gladen_mean(sums: Sums) -> Floats:
    """The share of class 1 by Rogan & Gladen: labelled items give q₀ and q₁, the others p.

    Without other items it is that of people.
    """
    positive = divide(sums.judge_others, sums.others)
    corrected = rogan_gladen(positive, sensitivity(sums), specificity(sums))
    return np.where(sums.others > 0, corrected, human_mean(sums))


def sample_gap(sums: Sums) -> Floats:
    """The judge's mean on labelled items less that on the others."""
    return divide(sums.judge, sums.labels) - divide(sums.judge_others, sums.others)


def design_effect(sums: Sums, variance: Floats) -> Floats:
    """The variance of `rogan_gladen_mean` relative to that of independent items, at least 1, (S,)."""
    q1, q0, share = sensitivity(sums), specificity(sums), rogan_gladen_mean(sums)
    p, zeros = divide(sums.judge_others, sums.others), sums.labels - sums.human
    independent = p * (1 - p) / sums.others + (1 - share) ** 2 * q0 * (1 - q0) / zeros
    independent = divide(independent + share**2 * q1 * (1 - q1) / sums.human, (q0 + q1 - 1) ** 2)
    return np.maximum(divide(variance, independent, undefined=1.0), 1.0)


def rogan_gladen_interval(sums: Sums, *, z: Floats | float = Z, effect: Floats | float = 1.0) -> tuple[Floats, Floats]:
    """The 95 % interval of `rogan_gladen_mean` (Lee et al. 2025, after Lang & Reiczigel).

    A Wald interval with z²/2 added to the positive and negative answers on the other items, 1 to those on labelled
    items of each class, and a shift of its middle; all shares, if the judge is no better than chance with them. It
    reaches to the estimate, to which nothing is added. In clusters items count as fewer: `design_effect`, and z is a
    quantile of Student's t.
    """
    value = rogan_gladen_mean(sums)
    sums = Sums(*(getattr(sums, each.name) / effect for each in fields(sums)))
    ones, zeros = sums.human, sums.labels - sums.human
    p, n = (sums.judge_others + z**2 / 2) / (sums.others + z**2), sums.others + z**2
    q1, q0 = (sums.both + 1) / (ones + 2), (zeros - (sums.judge - sums.both) + 1) / (zeros + 2)
    share = rogan_gladen(p, q1, q0)
    of_zeros, of_ones = q0 * (1 - q0) / (zeros + 2), q1 * (1 - q1) / (ones + 2)
    middle = share + 2 * z**2 * (share * of_ones - (1 - share) * of_zeros)
    variance = p * (1 - p) / n + (1 - share) ** 2 * of_zeros + share**2 * of_ones
    half, skilled = divide(z * np.sqrt(variance), q0 + q1 - 1), q0 + q1 - 1 > 1e-12
    low, high = (np.where(skilled, np.clip(middle + side * half, 0, 1), end) for side, end in ((-1, 0), (1, 1)))
    return np.minimum(low, value), np.maximum(high, value)


@dataclass(frozen=True)
class Estimate:
    """An estimate for S systems and its jackknife.

    value: (S,). influence: what each group adds to the deviation, the root of whose sum of squares is the standard
    error, (G, S); NaN where the estimate without a group is undefined. labelled: the part of the variance of groups
    with labels, (S,). df: degrees of freedom, (S,).
    """

    value: Floats
    influence: Floats
    labelled: Floats
    df: Floats

    @classmethod
    def of(cls, estimator: Estimator, sums: Sums) -> Estimate:
        """By leaving out each group; groups with and without labels are two strata. sums: of the groups."""
        total = sums.total
        value = estimator(total)
        with_labels = sums.labels > 0
        strata = (with_labels, ~with_labels & (sums.others > 0))
        deviations = value - estimator(sums.without_each(total))
        factor = sum(each * np.sqrt(divide(n - 1.0, n, undefined=0.0)) for each in strata for n in [each.sum(axis=0)])
        influence = np.where(strata[0] | strata[1], deviations, 0.0) * factor
        labelled = np.where(with_labels, influence**2, 0.0).sum(axis=0)
        return cls(value, influence, labelled, with_labels.sum(axis=0) - 1.0)

    def undefined(self, systems: Bools) -> Estimate:
        """The estimate without a variance of some systems, (S,)."""
        influence, labelled = (np.where(systems, np.nan, each) for each in (self.influence, self.labelled))
        return Estimate(self.value, influence, labelled, self.df)

    @property
    def variance(self) -> Floats:
        """Its variance, (S,)."""
        return np.asarray((self.influence**2).sum(axis=0))

    def interval(self) -> tuple[Floats, Floats]:
        """A 95 % confidence interval by Student's t, (S,); NaN for fewer than two groups with labels."""
        half = quantile(self.df) * np.sqrt(self.variance)
        return self.value - half, self.value + half


def quantile(df: Floats) -> Floats:
    """The two-sided 95 % quantile of Student's t; NaN below one degree of freedom."""
    from scipy.special import stdtrit

    return np.asarray(np.where(df >= 1, stdtrit(np.maximum(df, 1), (1 + LEVEL) / 2), np.nan))


def labels_needed(
    per_label: Floats, fixed: Floats, groups: Floats, *, width: float, at_most: NDArray[np.integer]
) -> Ints:
    """The fewest labels whose interval is no wider, (S,); 0 where not even `at_most` suffice.

    per_label, fixed: the variance with n labels is per_label / n + fixed. groups: groups of items for each label.
    """
    low, high = np.full(len(at_most), 2), np.maximum(at_most, 2).astype(np.int64)

    def wide(labels: Ints) -> Bools:
        half = quantile(labels * groups - 1) * np.sqrt(per_label / labels + fixed)
        return np.asarray(~(2 * half <= width))

    impossible = wide(high)
    while (low < high).any():
        middle = (low + high) // 2
        above = wide(middle)
        low, high = np.where(above & (low < high), middle + 1, low), np.where(above, high, middle)
    return np.where(impossible, 0, high)


SIGNS = 4999
"""Number of random signs of groups of items, for the tests."""

MOST_LABELS = 10**9
"""Number of human scores of a system above which there is no answer."""

Interval = tuple[Floats, Floats]


@dataclass(frozen=True)
class SampleTest:
    """Whether the judge scores labelled items and others alike.

    p: adjusted p-value of all systems. system: the one with the largest statistic. gap: difference of its means on
    labelled items and on others.
    """

    p: float
    system: int
    gap: float


@dataclass(frozen=True)
class Corrected:
    """Means of S systems by the judge alone, by people alone, and by both; arrays are (S,).

    human, mean: without the units of the scores, for variances. human_interval, interval: 95 %. weight: λ, or
    sensitivity and specificity, by name. labels, others: numbers of items. groups: of items with labels. effective:
    number of human scores alone that would give the variance of the corrected mean. tests, order: of pairs of systems;
    None for one system. human_tests: of their means by people alone. constant: systems whose human scores are all
    equal, without intervals. flat: others whose corrected mean does not vary, without tests. needed: labels that people
    alone and both need, if requested; 0 where impossible.
    """

    judge: Floats
    human: Floats
    human_interval: Interval
    mean: Floats
    interval: Interval
    weight: dict[str, Floats]
    labels: Ints
    others: Ints
    groups: Ints
    effective: Floats
    tests: PairTests | None
    order: Order | None
    human_tests: PairTests | None
    sample: SampleTest | None
    constant: Bools
    flat: Bools
    needed: tuple[Ints, Ints] | None


def check(study: CorrectStudy, settings: CorrectSettings) -> None:
    """Raise an `InputError` for systems that cannot be corrected, with the reason."""
    labels = (~np.isnan(study.human)).sum(axis=1)
    few = [
        Problem(f"{pluralize(count, 'human score')} of system '{shortened(name)}'", "at least two")
        for name, count in zip(study.systems, labels.tolist(), strict=True)
        if count < 2
    ]
    if few:
        raise InputError(few, hints=["add human scores, or leave these systems out"])
    if study.method == "rogan-gladen":
        _check_classes(study)
    systems = len(study.systems)
    what = f"differences of {pluralize(systems, 'system')} from each other"
    refuse_long_work(2e4 * systems**2, what, "correct the systems in several parts")


def _check_classes(study: CorrectStudy) -> None:
    """Rogan & Gladen's estimate needs labels of both classes and a judge that is better than chance."""
    if (
        not np.isin(study.judge[~np.isnan(study.judge)], (0, 1)).all()
        or not np.isin(study.human[~np.isnan(study.human)], (0, 1)).all()
    ):
        one = setting("method", "rogan-gladen")
        other = "scores other than 0 and 1"
        raise refuse(None, conflict(one, other, "labels of two classes", f"use {setting('method', 'ppi')}"))
    total = Sums.of(study.judge, study.human, study.clusters, int(study.clusters.max()) + 1).total
    shares = zip(study.systems, total.human, total.labels, sensitivity(total), specificity(total), strict=True)
    problems = []
    for name, ones, labels, q1, q0 in shares:
        system = f"system '{shortened(name)}'"
        if ones in (0, labels):
            found = f"human scores of {system} that are all {'1' if ones else '0'}"
            problems.append(Problem(found, "both classes, for the sensitivity and the specificity of the judge"))
        elif q0 + q1 <= 1 + 1e-12:
            found = f"sensitivity {q1:.3g} + specificity {q0:.3g} of the judge for {system}"
            problems.append(Problem(found, "a sum above 1: this judge knows no more about the class than chance"))
    if problems:
        hint = f"if the labelled items are a random sample, use {setting('method', 'ppi')}, which gives such a judge "
        raise InputError(problems, hints=[f"{hint}little weight; check that 1 means the same for judge and people"])


def analyse(study: CorrectStudy, settings: CorrectSettings, *, progress: Progress) -> Corrected:
    """Correct the means of all systems, and test their differences."""
    check(study, settings)
    groups = _groups(study)
    number, binary = int(groups.max()) + 1, study.method == "rogan-gladen"
    (judge, judge_centre, judge_unit), (human, centre, unit) = (
        _centred(each, centred=not binary) for each in (study.judge, study.human)
    )
    sums = Sums.of(judge, human, groups, number)
    total = sums.total
    alone = Estimate.of(human_mean, sums)
    estimate = Estimate.of(rogan_gladen_mean if binary else powered_mean, sums)
    constant = np.nanmax(study.human, axis=1) == np.nanmin(study.human, axis=1)
    flat = ~constant & (estimate.variance == 0)
    effect = design_effect(total, estimate.variance) if binary and not study.independent else 1.0
    alone, estimate = alone.undefined(constant), estimate.undefined(constant | flat)
    low, high = estimate.interval()
    if binary:
        z = Z if study.independent else quantile(estimate.df)
        adjusted, exact = rogan_gladen_interval(total, z=z, effect=effect), total.others > 0
        low, high = (np.where(exact, one, other) for one, other in zip(adjusted, (low, high), strict=True))
    # What a human score adds to the variance of a mean; of a random sample, which labelled items need not be.
    per_label = total.labels * alone.variance
    if binary:
        shares = (np.clip(each.value, 0, 1) for each in (estimate, alone))
        spread, own = (share * (1 - share) for share in shares)
        per_label = np.where(spread > 0, per_label * divide(spread, own), np.nan)
    sizes = np.bincount(groups, minlength=number).astype(np.float64)
    (tests, order), (human_tests, _) = (
        _compare(study, replace(each, value=each.value + centre), sizes, unit) for each in (estimate, alone)
    )
    weight = {"sensitivity": sensitivity(total), "specificity": specificity(total)}
    if not binary:
        weight = {"lambda": tuned_lambda(total) * (unit / judge_unit)}
    needed = None
    if settings.interval_width is not None:
        width = settings.interval_width / unit
        needed = _needed(total, per_label, alone, estimate, width=width, binary=binary)
    human_low, human_high = alone.interval()
    return Corrected(
        judge=_in_scores(judge_mean(total), judge_centre, judge_unit),
        human=_in_scores(alone.value, centre, unit),
        human_interval=(_in_scores(human_low, centre, unit), _in_scores(human_high, centre, unit)),
        mean=_in_scores(estimate.value, centre, unit),
        interval=(_in_scores(low, centre, unit), _in_scores(high, centre, unit)),
        weight=weight,
        labels=total.labels.astype(np.int64),
        others=total.others.astype(np.int64),
        groups=(sums.labels > 0).sum(axis=0),
        effective=divide(per_label, estimate.variance),
        tests=tests,
        order=order,
        human_tests=human_tests,
        sample=_test_sample(study, total, judge_unit),
        constant=constant,
        flat=flat,
        needed=needed,
    )


def _groups(study: CorrectStudy) -> Indices:
    """Groups of whole clusters: those with labels of any system apart, so that few labels stay many groups, (N,)."""
    sizes = np.bincount(study.clusters)
    labelled = np.bincount(study.clusters, weights=(~np.isnan(study.human)).any(axis=0)) > 0
    random, groups, first = generator(seed_for(study.config.seed, "groups")), np.zeros(len(sizes), dtype=np.intp), 0
    for part in (labelled, ~labelled):
        if part.any():
            groups[part] = first + deal_groups(sizes[part], random, MAX_GROUPS // 2)
            first = int(groups[part].max()) + 1
    return groups[study.clusters]


def _centred(scores: Floats, *, centred: bool) -> tuple[Floats, Floats, float]:
    """Scores whose squares are exact enough and finite: in a unit, less the mean of the system; both."""
    largest = float(np.nanmax(np.abs(scores)))
    unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if centred and largest else 1.0
    scaled = scores / unit
    centre = np.nanmean(scaled, axis=1) if centred else np.zeros(len(scores))
    return scaled - centre[:, np.newaxis], centre, unit


def _in_scores(means: Floats, centre: Floats, unit: float) -> Floats:
    """Means of `_centred` scores as means of scores; those that are equal on paper are equal."""
    with np.errstate(over="ignore"):
        return np.asarray(round_to_grid(means + centre) * unit)


def _compare(
    study: CorrectStudy, estimate: Estimate, sizes: Floats, unit: float
) -> tuple[PairTests | None, Order | None]:
    """Test the differences of all pairs of systems; parts of the groups are wider where few have labels."""
    from scipy.special import ndtri

    if len(study.systems) < 2:
        return None, None
    items = sizes.sum()
    # How much wider an interval by Student's t is than a normal one: random signs know no few degrees of freedom.
    wider = quantile(estimate.df) / float(ndtri(0.975))
    influence = estimate.influence * wider * items
    value = round_to_grid(estimate.value)
    parts = sizes[:, np.newaxis] * (value - influence.sum(axis=0) / items) + influence
    random = generator(seed_for(study.config.seed, "signs"))
    evidence = Evidence.draw([Parts(value, parts, sizes, unit, jackknife=True)], random, SIGNS)
    tests = compare_pairs(evidence)
    return tests, Order.of(np.where(evidence.defined, value, np.nan), tests, evidence.defined)


def _test_sample(study: CorrectStudy, total: Sums, unit: float) -> SampleTest | None:
    """Test whether people scored items whose ranks by the judge are those of a random sample, by Bonferroni.

    Sums of the ranks (Wilcoxon) and of their distances from the middle, which a choice of extreme items changes, are
    compared with those of random items, or of random clusters if people scored whole ones.
    """
    from scipy.special import ndtr

    known, labelled = ~np.isnan(study.judge), ~np.isnan(study.human)
    sizes = known.sum(axis=1, keepdims=True)
    ranks = np.where(known, mean_ranks(study.judge) - (sizes + 1) / 2, 0.0)
    away = np.abs(ranks)
    distances = np.where(known, away - away.sum(axis=1, keepdims=True) / sizes, 0.0)
    number = int(study.clusters.max()) + 1
    items, of_people = (group_sums(each.astype(np.float64), study.clusters, number) for each in (known, labelled))
    chosen, units = of_people > 0, items > 0
    # A constant judge has no ranks; two values have one order.
    scores = [ranks] if study.method == "rogan-gladen" else [ranks, distances]
    if (of_people[chosen] == items[chosen]).all():
        scores = [group_sums(each, study.clusters, number) for each in scores]
    else:
        chosen, units, scores = labelled.T, known.T, [each.T for each in scores]
    n, some = units.sum(axis=0), chosen.sum(axis=0)
    share = divide(some * (n - some), n * (n - 1.0), undefined=0.0)
    z = np.stack([divide((each * chosen).sum(axis=0), np.sqrt(share * (each**2).sum(axis=0))) for each in scores])
    if np.isnan(z).all():
        return None
    largest = np.unravel_index(np.nanargmax(np.abs(z)), z.shape)
    p = 2 * float(ndtr(-abs(z[largest]))) * int((~np.isnan(z)).sum())
    system = int(largest[1])
    return SampleTest(min(p, 1.0), system, float(sample_gap(total)[system]) * unit)


def _needed(
    total: Sums, per_label: Floats, alone: Estimate, estimate: Estimate, *, width: float, binary: bool
) -> tuple[Ints, Ints]:
    """The labels that people alone and both need; clusters and the judge stay as they are."""
    labels, items = total.labels, (total.labels + total.others).astype(np.int64)
    most = np.full(len(items), MOST_LABELS)
    if binary:
        both = labels * estimate.labelled, estimate.variance - estimate.labelled
    else:
        # The part ρ² of the variance that the judge knows shrinks with all items, not with the labels.
        saved = 1 - divide(estimate.variance, alone.variance, undefined=1.0)
        explained = np.clip(divide(saved, total.others / items, undefined=0.0), 0, 1)
        both = per_label * (1 - explained), per_label * explained / items
    groups = (alone.df + 1) / labels
    of_people = labels_needed(per_label, np.zeros(len(labels)), groups, width=width, at_most=most)
    return of_people, labels_needed(*both, groups, width=width, at_most=most if binary else items)
