"""Corrected means of systems, their differences, and whether the labelled items look like a random sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metaeval.analyses.levels import LevelEstimate
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import InputError, Problem, conflict, pluralize, refuse, setting, shortened
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import MAX_GROUPS, deal_groups
from metaeval.inference.pairs import Evidence, Order, PairTests, compare_pairs
from metaeval.inference.parts import Parts, group_sums
from metaeval.judges.correct.estimates import (
    INDEPENDENT,
    DesignEffects,
    Deviations,
    Estimate,
    Limits,
    Rates,
    Sums,
    explained_variance,
    human_mean,
    judge_mean,
    judge_weight,
    labels_for,
    powered_mean,
    quantile,
    rogan_gladen_limits,
    rogan_gladen_mean,
    share_limits,
    stratified_limits,
    stratified_mean,
    units_per_label,
    width_with,
)
from metaeval.judges.correct.settings import CorrectSettings, Sample
from metaeval.judges.correct.study import CorrectStudy
from metaeval.stats.intervals import Interval, difference_of_shares, effective_share
from metaeval.stats.rank import mean_ranks
from metaeval.stats.rater_pairs import Pairs, RunConsistency, run_consistency
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import Progress, refuse_long_work

SIGNS = 4999
"""Number of random signs of groups of items, for the tests."""

MOST_LABELS = 10**9
"""Number of human scores of a system above which there is no answer."""

MOST_CELLS = 5
"""Number of cells of the judge's scores: five remove nine tenths of what a choice of items by them adds (Cochran)."""

WIDER = 1.1
"""How much wider than the interval of people alone a corrected one may be."""

RANDOM_P = 0.01
"""Adjusted p-value from which on the labelled items count as a random sample: few random ones are refused."""


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
class Method:
    """Means of S systems by one method, NaN where it has none; reasons: why not, '' for others, (S,)."""

    estimate: Estimate
    limits: Limits
    reasons: tuple[str, ...] = ()

    def without(self, problems: Sequence[Problem | None]) -> Method:
        """The means without those of systems with a problem."""
        usable = np.array([problem is None for problem in problems])
        value, *limits = (np.where(usable, array, np.nan) for array in (self.estimate.value, *self.limits))
        reasons = tuple(problem.found if problem else "" for problem in problems)
        return Method(self.estimate._replace(value=value), Limits(*limits), reasons)


class Differences(NamedTuple):
    """The tests of all pairs of systems, the order by them, and the tests of their means by people alone."""

    tests: PairTests
    order: Order
    human: PairTests


@dataclass(frozen=True)
class Corrected:
    """Means of S systems by the judge alone, by people alone, and by both; arrays are (S,).

    human, mean: without the units of the scores, for variances. human_interval, interval: 95 %. sampled_by: how people
    chose the items. alone: systems whose corrected mean is that of people, because the judge makes it no more precise.
    weight: λ, or sensitivity and specificity, by name. labels, others: numbers of items. groups: of items with labels.
    effective: number of human scores alone, of random items, that would give an interval as narrow. differences: None
    for one system. constant: systems whose human scores are all equal. flat: others whose corrected mean does not vary,
    without tests. labels_needed: by people alone and by both, if requested; 0 where impossible. widths: of the
    intervals with more labels, if requested. methods: the means by every method, for two classes. units: effective
    number of labels, one more than the degrees of freedom. influences: what each cluster adds to a deviation, (K, S);
    empty where items are none, or where clusters are dealt into fewer groups. runs: how consistent the judge is, if it
    has repeated runs.
    """

    judge: Floats
    human: Floats
    human_interval: Interval
    mean: Floats
    interval: Interval
    sampled_by: Sample
    alone: Bools
    weight: dict[str, Floats]
    labels: Ints
    others: Ints
    groups: Ints
    effective: Floats
    differences: Differences | None
    sample: SampleTest | None
    constant: Bools
    flat: Bools
    labels_needed: tuple[Ints, Ints] | None
    widths: Floats | None
    methods: dict[str, Method]
    units: Floats
    influences: Floats
    runs: RunConsistency | None


def check(study: CorrectStudy, settings: CorrectSettings) -> None:
    """Raise an `InputError` for systems that cannot be corrected, with the reason."""
    labels = (~np.isnan(study.human)).sum(axis=1)
    path = study.origin.files[0].path if study.origin.files else None
    few = [
        Problem(f"{pluralize(count, 'human score')} of system '{shortened(name)}'", "at least two", path)
        for name, count in zip(study.systems, labels.tolist(), strict=True)
        if count < 2
    ]
    if few and not (settings.label and not labels.any()):
        raise InputError(few, hints=["add human scores, or leave these systems out"])
    if settings.sampled_by == "class" and not study.two_classes:
        one, hint = setting("sampled_by", "class"), f"use {setting('sampled_by', 'verdict')}"
        raise refuse(None, conflict(one, "scores other than 0 and 1", "labels of two classes", hint))
    systems = len(study.systems)
    what = f"differences of {pluralize(systems, 'system')} from each other"
    refuse_long_work(2e4 * systems**2, what, "correct the systems in several parts")


@dataclass(frozen=True)
class Means:
    """Corrected means of systems, which are those of people where the judge does not help.

    alone: where it does not, (S,). weight, methods: see `Corrected`.
    """

    people: Method
    both: Method
    alone: Bools
    weight: dict[str, Floats]
    methods: dict[str, Method]

    @property
    def estimate(self) -> Estimate:
        """The means."""
        return self.people.estimate.where(self.alone, self.both.estimate)

    @property
    def limits(self) -> Limits:
        """Their intervals."""
        pairs = zip(self.people.limits, self.both.limits, strict=True)
        return Limits(*(np.where(self.alone, one, other) for one, other in pairs))


def means_of(study: CorrectStudy, sums: Sums, sampled_by: Sample) -> Means:
    """The corrected means of items that were chosen so; an `InputError` where the method has none."""
    total, people, both = sums.total, _people(study, sums), _both(study, sums, sampled_by)
    alone = (total.pooled.labels == total.pooled.items)[0]
    methods: dict[str, Method] = {}
    weight = {"lambda": judge_weight(total)}
    if sampled_by == "random":
        alone |= (weight["lambda"] == 0) | (both.limits.width > WIDER * people.limits.width)
        weight["lambda"] = np.where(alone, 0.0, weight["lambda"])
    if study.two_classes:
        corrected = _rogan_gladen(study, sums)
        problems = _refusals(study, sums, corrected.limits)
        methods = {"human": people, "ppi": both, "rogan-gladen": corrected.without(problems)}
        if sampled_by == "class":
            _raise(problems)
            rates, both = Rates.of(total), corrected
            weight = {"sensitivity": rates.sensitivity, "specificity": 1 - rates.false_alarms}
    return Means(people, both, alone, weight, methods)


def analyse(study: CorrectStudy, settings: CorrectSettings, *, progress: Progress) -> Corrected | None:
    """Correct the means of all systems, and test their differences; None where people have scored nothing yet."""
    check(study, settings)
    if np.isnan(study.human).all():
        return None
    groups = _groups(study)
    sample = _test_sample(study)
    sampled_by = settings.sampled_by or _sampled_by(study, sample)
    (judge, judge_centre, judge_unit), (human, centre, unit) = (
        _centred(study.judge, centred=True),
        _centred(study.human, centred=not study.bounded),
    )
    cells = _cells(study, sampled_by)
    sums = Sums.of(judge, human, cells, groups)
    total = sums.total
    labels, items = (array[0] for array in (total.pooled.labels, total.pooled.items))
    means = means_of(study, sums, sampled_by)
    people, estimate, limits = means.people, means.estimate, means.limits
    constant = np.nanmax(study.human, axis=1) == np.nanmin(study.human, axis=1)
    flat = ~constant & ~(estimate.variance > 0)
    sizes = np.bincount(groups).astype(np.float64)
    differences = None
    if len(study.systems) > 1:
        comparison, human_comparison = (
            _compare(study, mean_estimate._replace(value=mean_estimate.value + centre), sizes, untested, unit)
            for mean_estimate, untested in ((estimate, constant | flat), (people.estimate, constant))
        )
        differences = Differences(*comparison, human=human_comparison[0])
    # People alone, of a random sample of these items.
    random = people.limits
    if study.bounded and sampled_by != "random":
        random = Limits(*share_limits(estimate.value, labels), np.zeros(len(labels)))
    labels_needed = None
    if settings.interval_width is not None:
        width, most = settings.interval_width / unit, MOST_LABELS if sampled_by == "class" else items
        labels_needed = _count_labels(random, labels, width, MOST_LABELS), _count_labels(limits, labels, width, most)
    widths = None
    if settings.label:
        widths = width_with(limits, labels, np.minimum(settings.label, items - labels)) * unit
    return Corrected(
        judge=_in_scores(judge_mean(total), judge_centre, judge_unit),
        human=_in_scores(people.estimate.value, centre, unit),
        human_interval=_ends(people.limits, centre, unit),
        mean=_in_scores(estimate.value, centre, unit),
        interval=_ends(limits, centre, unit),
        sampled_by=sampled_by,
        alone=means.alone & (labels < items),
        weight=means.weight,
        labels=labels.astype(np.int64),
        others=(items - labels).astype(np.int64),
        groups=(sums.pooled.labels[:, 0] > 0).sum(axis=0),
        effective=labels * divide(random.width, limits.width) ** 2,
        differences=differences,
        sample=sample,
        constant=constant,
        flat=flat,
        labels_needed=labels_needed,
        widths=widths,
        methods=means.methods,
        units=estimate.df + 1,
        influences=_by_cluster(study, groups, estimate.influence),
        runs=_runs(study),
    )


def _by_cluster(study: CorrectStudy, groups: Indices, influence: Floats) -> Floats:
    """What each cluster adds to a deviation, (K, S), from the influence of the groups; see `Corrected`."""
    _, first = np.unique(study.clusters, return_index=True)
    if study.independent or len(first) != len(influence):
        return np.empty((0, influence.shape[1]))
    return np.asarray(influence[groups[first]])


def _runs(study: CorrectStudy) -> RunConsistency | None:
    """How consistent the judge is, beside how well single runs agree with people."""
    if len(study.runs) < 2:
        return None
    values = study.runs.reshape(len(study.runs), -1)
    groups = (np.tile(study.clusters, len(study.systems)),) * 2
    people = Pairs.of(study.human.reshape(1, -1), values, groups)
    return run_consistency(values, groups, people, categories=study.categories)


def estimates_of_level(study: CorrectStudy, settings: CorrectSettings, result: Corrected | None) -> list[LevelEstimate]:
    """The corrected mean of each system."""
    if result is None:
        return []
    keys = study.keys if len(result.influences) else ()
    return [
        LevelEstimate(
            names=(name,),
            what=f"the corrected {study.mean} of {name}",
            value=float(result.mean[row]),
            low=float(result.interval[0][row]),
            high=float(result.interval[1][row]),
            size=float(result.labels[row] + result.others[row]),
            units=float(result.units[row]),
            influences=dict(zip(keys, result.influences[:, row].tolist(), strict=len(keys) > 0)),
        )
        for row, name in enumerate(study.systems)
    ]


def _count_labels(limits: Limits, labels: Floats, width: float, most: Floats | int) -> Ints:
    """The labels whose interval has this width, at least two, (S,); 0 where more than the most would be needed."""
    number = labels_for(limits, labels, width)
    return np.where(number <= most, np.maximum(number, 2), 0).astype(np.int64)


def _sampled_by(study: CorrectStudy, sample: SampleTest | None) -> Sample:
    """How people chose the items, by what they have in common; an `InputError` where that does not tell it."""
    if sample is None or sample.p > RANDOM_P:
        return "random"
    by_class, by_verdict = (study.two_classes and is_balanced(side, study.human) for side in (study.human, study.judge))
    if by_class != by_verdict:
        return "class" if by_class else "verdict"
    options = [setting("sampled_by", name) for name in ("verdict", "class") if study.two_classes or name == "verdict"]
    hint = f"say how people chose them: {options[0]} (by what the judge says)"
    if study.two_classes:
        hint += f", {options[1]} (by what people say, as many of each class)"
    items = f"labelled items of which the mean of the judge differs by {sample.gap:.3g} from that of the other items"
    found = f"{items} (system '{shortened(study.systems[sample.system])}', p = {sample.p:.2g})"
    remedy = f"{hint}, or {setting('sampled_by', 'random')} if chance alone made the difference"
    raise refuse(None, found, "a random sample", remedy, kind="conflict")


def is_balanced(scores: Floats, human: Floats) -> bool:
    """Whether the labelled items of every system are as many of each class, but for one."""
    labelled = ~np.isnan(human)
    ones, labels = np.where(labelled, scores, 0.0).sum(axis=1), labelled.sum(axis=1)
    return bool((np.abs(2 * ones - labels) <= 1).all())


def _cells(study: CorrectStudy, sampled_by: Sample) -> Indices:
    """The cell of each score of the judge, (S, N): its values if they are few, else parts of its ranks.

    One cell for all where the judge's scores have a linear weight. There are as many parts as have labels.
    """
    if not study.bounded and sampled_by != "verdict":
        return np.zeros(study.judge.shape, dtype=np.intp)
    has_score, labelled = ~np.isnan(study.judge), ~np.isnan(study.human)
    values = np.unique(study.judge[has_score])
    if study.two_classes:
        cells = np.where(has_score, study.judge, 0).astype(np.intp)
        _check_cells(study, cells, sampled_by, [f"{value:g}" for value in (0, 1)])
        return cells
    ranks = np.where(has_score, mean_ranks(study.judge) - 0.5, 0.0) / has_score.sum(axis=1, keepdims=True)
    exact = len(values) <= MOST_CELLS
    for number in (len(values),) if exact else range(MOST_CELLS, 1, -1):
        cells = np.searchsorted(values, study.judge) if exact else (ranks * number).astype(np.intp)
        cells = np.where(has_score, np.minimum(cells, number - 1), 0)
        fewest = min(int(np.bincount(row[has], minlength=1).min()) for row, has in zip(cells, labelled, strict=True))
        if fewest > 1:
            break
    names = [f"{value:g}" for value in values] if exact else [f"part {part + 1} of {number}" for part in range(number)]
    _check_cells(study, cells, sampled_by, names)
    return np.asarray(cells)


def _check_cells(study: CorrectStudy, cells: Indices, sampled_by: Sample, names: list[str]) -> None:
    """Raise an `InputError` for items chosen by the judge's verdict without any label of some verdict."""
    if sampled_by != "verdict":
        return
    problems = []
    for system, row, judge, human in zip(study.systems, cells, study.judge, study.human, strict=True):
        for cell, name in enumerate(names):
            inside = (row == cell) & ~np.isnan(judge)
            if inside.any() and np.isnan(human[inside]).all():
                found = f"no human score of {pluralize(int(inside.sum()), 'item')} of system '{shortened(system)}'"
                problems.append(Problem(f"{found} with the verdict {name}", "some of every verdict"))
    if problems:
        raise InputError(problems, hints=[f"let people score items that {setting('label', 20)} lists"])


def _people(study: CorrectStudy, sums: Sums) -> Method:
    """Means of the human scores alone."""
    estimate, pooled = Estimate.of(human_mean, sums), sums.total.pooled
    if not study.bounded:
        return Method(estimate, estimate.limits())
    number = (pooled.labels * units_per_label(pooled))[0] / _few_clusters(study, sums)
    return Method(estimate, Limits(*share_limits(estimate.value, number), np.zeros(len(number))))


def _both(study: CorrectStudy, sums: Sums, sampled_by: Sample) -> Method:
    """Means by prediction-powered inference, or with weights of the judge's verdicts."""
    total = sums.total
    if not study.bounded and sampled_by != "verdict":
        estimate = Estimate.of(powered_mean, sums)
        return Method(estimate, estimate.limits(explained_variance(total)))
    estimate = Estimate.of(stratified_mean, sums)
    if not study.bounded:
        estimate = estimate._replace(df=estimate.df + 1 - (total.labels > 0).sum(axis=0))
        return Method(estimate, estimate.limits())
    return Method(estimate, stratified_limits(total, _effects(study, estimate, Deviations.stratified(sums), sums)))


def _rogan_gladen(study: CorrectStudy, sums: Sums) -> Method:
    """Shares by the judge's sensitivity and specificity, within 0 and 1."""
    estimate = Estimate.of(rogan_gladen_mean, sums)
    limits = rogan_gladen_limits(sums.total, _effects(study, estimate, Deviations.rogan_gladen(sums), sums))
    return Method(estimate._replace(value=np.clip(estimate.value, 0, 1)), limits)


def _effects(study: CorrectStudy, estimate: Estimate, deviations: Deviations, sums: Sums) -> DesignEffects:
    """The design effects of clusters; 1 where every item is one."""
    if study.independent:
        return INDEPENDENT
    labels = sums.pooled.labels[:, 0]
    people = Deviations.stratified(sums.pooled)
    alone = people.effects(np.zeros(len(study.systems)), np.ones(len(study.systems)), np.ones(len(study.systems)))
    few = np.maximum(_few_clusters(study, sums) / alone.labels, 1.0)
    per_cluster = divide(labels.sum(axis=0), (labels > 0).sum(axis=0))
    return deviations.effects(estimate.variance, per_cluster, few)


def _few_clusters(study: CorrectStudy, sums: Sums) -> Floats:
    """The design effect of clusters on the share of human scores, (S,), with a margin if they are few."""
    if study.independent:
        return np.ones(len(study.systems))
    pooled = sums.pooled
    _, number = effective_share(pooled.human[:, 0].T, pooled.labels[:, 0].T)
    return np.asarray(pooled.labels.sum(axis=0)[0] / number)


def _refusals(study: CorrectStudy, sums: Sums, limits: Limits) -> list[Problem | None]:
    """Why systems have no share by sensitivity and specificity; None for those that have."""
    rates, few = Rates.of(sums.total), _few_clusters(study, sums)
    skill = difference_of_shares(rates.sensitivity, rates.ones / few, rates.false_alarms, rates.zeros / few)
    refusals: list[Problem | None] = []
    for index, name in enumerate(study.systems):
        system, refusal = f"system '{shortened(name)}'", None
        if not (rates.ones[index] > 0 and rates.zeros[index] > 0):
            found = f"human scores of {system} that are all {'1' if rates.ones[index] else '0'}"
            refusal = Problem(found, "both classes, for the sensitivity and the specificity of the judge")
        elif not skill.low[index] > 0:
            both = f"sensitivity {rates.sensitivity[index]:.3g} + specificity {1 - rates.false_alarms[index]:.3g}"
            span = f"{skill.value[index]:.3g} (95 % interval {skill.low[index]:.3g} to {skill.high[index]:.3g})"
            expected = "significantly above 0: this judge may know no more about the class than chance"
            refusal = Problem(f"{both} − 1 = {span} of the judge for {system}", expected)
        elif np.isnan(limits.low[index]):
            found = f"a corrected share of {system} outside 0 to 1 by more than its error"
            refusal = Problem(found, "a judge with the same errors on labelled and other items of a class")
        refusals.append(refusal)
    return refusals


def _raise(refusals: Sequence[Problem | None]) -> None:
    """Raise an `InputError` for the systems without a share."""
    if problems := [problem for problem in refusals if problem]:
        hint = f"if the labelled items are a random sample, set {setting('sampled_by', 'random')}; if they were chosen"
        raise InputError(problems, hints=[f"{hint} by what the judge says, {setting('sampled_by', 'verdict')}"])


def items_to_label(study: CorrectStudy, number: int) -> list[tuple[int, int]]:
    """Systems and items that people should score next: a random sample of each system's other items.

    Every k-th of them in the order of the judge's scores, random among equal ones, so that every verdict has its share.
    """
    random, rows = generator(seed_for(study.config.seed, "label")), []
    for system, (judge, human) in enumerate(zip(study.judge, study.human, strict=True)):
        others = np.flatnonzero(~np.isnan(judge) & np.isnan(human))
        items = others[np.lexsort((random.random(len(others)), judge[others]))]
        size = min(number, len(others))
        positions = np.floor((np.arange(size) + random.random()) * len(others) / max(size, 1)).astype(np.intp)
        rows += [(system, item) for item in random.permutation(items[positions]).tolist()]
    return rows


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


def _ends(limits: Limits, centre: Floats, unit: float) -> Interval:
    return _in_scores(limits.low, centre, unit), _in_scores(limits.high, centre, unit)


def _compare(
    study: CorrectStudy, estimate: Estimate, sizes: Floats, untested: Bools, unit: float
) -> tuple[PairTests, Order]:
    """Test the differences of all pairs of systems; parts of the groups are wider where few have labels."""
    from scipy.special import ndtri

    items = sizes.sum()
    # How much wider an interval by Student's t is than a normal one: random signs know no few degrees of freedom.
    wider = quantile(estimate.df) / float(ndtri(0.975))
    influence = np.where(untested, np.nan, estimate.influence) * wider * items
    value = round_to_grid(estimate.value)
    parts = sizes[:, np.newaxis] * (value - influence.sum(axis=0) / items) + influence
    random = generator(seed_for(study.config.seed, "signs"))
    evidence = Evidence.draw([Parts(value, parts, sizes, unit, jackknife=True)], random, SIGNS)
    tests = compare_pairs(evidence)
    return tests, Order.of(np.where(evidence.defined, value, np.nan), tests, evidence.defined)


def _test_sample(study: CorrectStudy) -> SampleTest | None:
    """Test whether people scored items whose ranks by the judge are those of a random sample, by Bonferroni.

    Sums of the ranks (Wilcoxon) and of their distances from the middle, which a choice of extreme items changes, are
    compared with those of random items, or of random clusters if people scored whole ones.
    """
    from scipy.special import ndtr

    has_score, labelled = ~np.isnan(study.judge), ~np.isnan(study.human)
    sizes = has_score.sum(axis=1, keepdims=True)
    ranks = np.where(has_score, mean_ranks(study.judge) - (sizes + 1) / 2, 0.0)
    away = np.abs(ranks)
    distances = np.where(has_score, away - away.sum(axis=1, keepdims=True) / sizes, 0.0)
    number = int(study.clusters.max()) + 1
    items, labels = (group_sums(values.astype(np.float64), study.clusters, number) for values in (has_score, labelled))
    sample, units = labels > 0, items > 0
    # A constant judge has no ranks; two values have one order.
    scores = [ranks] if study.two_classes else [ranks, distances]
    if (labels[sample] == items[sample]).all():
        scores = [group_sums(values, study.clusters, number) for values in scores]
    else:
        sample, units, scores = labelled.T, has_score.T, [values.T for values in scores]
    n, some = units.sum(axis=0), sample.sum(axis=0)
    share = divide(some * (n - some), n * (n - 1.0), undefined=0.0)
    z = np.stack([divide((values * sample).sum(axis=0), np.sqrt(share * (values**2).sum(axis=0))) for values in scores])
    if np.isnan(z).all():
        return None
    largest = np.unravel_index(np.nanargmax(np.abs(z)), z.shape)
    p = 2 * float(ndtr(-abs(z[largest]))) * int((~np.isnan(z)).sum())
    system = int(largest[1])
    judge, scored = study.judge[system], labelled[system]
    rest = has_score[system] & ~scored
    return SampleTest(min(p, 1.0), system, float(judge[scored].mean() - judge[rest].mean()))
