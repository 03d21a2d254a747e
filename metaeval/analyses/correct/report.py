"""Tables of corrected means of systems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.correct.compute import SIGNS, Corrected, SampleTest
from metaeval.analyses.correct.estimators import Numbers
from metaeval.analyses.correct.settings import CorrectSettings
from metaeval.analyses.correct.study import CorrectStudy
from metaeval.analyses.sentences import ALPHA, join_names, lead
from metaeval.errors import pluralize
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.model.works import METAEVAL, cite
from metaeval.stats.rank import competition_ranks
from metaeval.study.study import AnalysisOutput
from metaeval.version import __version__

MIN_GROUPS, MIN_SHARE = 30, 0.05
"""Labelled groups of items, and share of labelled items, below which intervals cover less often than they claim if the
scores are skewed, by simulation."""

_ROWS_SHOWN = 30
"""Number of differences up to which the terminal shows them."""


def tabulate(study: CorrectStudy, settings: CorrectSettings, result: Corrected) -> AnalysisOutput:
    """Tables of the means of systems.

    Table `corrected`: system, judge, human, human_low, human_high, corrected, low, high, then lambda or sensitivity and
    specificity, effective, labels, items. For several systems `corrected_ranks`: system, judge_rank, human_rank, rank,
    rank_low, rank_high, letters; and `corrected_differences`: system, other, judge, human, human_low, human_high,
    difference, low, high, p, p_adjusted. With an interval width `labels_needed`: system, human_only, corrected, labels.
    """
    tables = [_corrected(study, result)]
    if result.tests is not None:
        tables += [_ranks(study, result), _differences(study, result)]
    if result.needed is not None:
        tables.append(_needed(study, settings, result))
    return AnalysisOutput(
        tables, _notes(study, result), _findings(study, settings, result), methods=_methods(study, result)
    )


def _corrected(study: CorrectStudy, result: Corrected) -> Table:
    numbers = (
        result.judge, result.human, *result.human_interval, result.mean, *result.interval, *result.weight.values(),
        result.effective,
    )  # fmt: skip
    rows = zip(study.systems, *map(_cells, numbers), result.labels.tolist(), _items(result).tolist(), strict=True)
    scores = ("judge", "human", "human_low", "human_high", "corrected", "low", "high", *result.weight, "effective")
    heads = (Column("system"), *columns(Kind.SCORE, *scores), *columns(Kind.COUNT, "labels", "items"))
    labels = pluralize(int(result.labels.sum()), "human score")
    title = f"Means of {pluralize(len(study.systems), 'system')} by a judge, corrected by {labels}"
    return Table("corrected", title, heads, tuple(rows))


def _cells(values: Numbers) -> list[float]:
    listed: list[float] = values.tolist()
    return listed


def _items(result: Corrected) -> NDArray[np.int64]:
    return np.asarray(result.labels + result.others)


def _ranks(study: CorrectStudy, result: Corrected) -> Table:
    order = result.order
    assert order is not None
    known = order.defined.tolist()
    sets = zip(*(each.tolist() for each in order.rank_sets), order.letters, strict=True)
    ranks = (competition_ranks(each).tolist() for each in (result.judge, result.human, result.mean))
    rows: list[tuple[Cell, ...]] = [
        (name, *own, *(of_set if defined else (None, None, "")))
        for name, own, of_set, defined in zip(study.systems, zip(*ranks, strict=True), sets, known, strict=True)
    ]
    heads = (Column("system"), *columns(Kind.COUNT, "judge_rank", "human_rank", "rank", "rank_low", "rank_high"))
    title = f"Ranks of {pluralize(len(study.systems), 'system')}, 1 the highest mean"
    return Table(
        "corrected_ranks", title, (*heads, Column("letters")), tuple(sorted(rows, key=lambda row: _rank(row[3])))
    )


def _rank(cell: Cell) -> int:
    assert isinstance(cell, int)
    return cell


def _differences(study: CorrectStudy, result: Corrected) -> Table:
    tests, human = result.tests, result.human_tests
    assert tests is not None
    assert human is not None
    judge = result.judge[tests.one] - result.judge[tests.other]
    names = ([study.systems[place] for place in side.tolist()] for side in (tests.one, tests.other))
    of_people = (human.difference, human.low, human.high)
    numbers = (judge, *of_people, tests.difference, tests.low, tests.high, tests.raw, tests.p)
    rows = tuple(zip(*names, *map(_cells, numbers), strict=True))
    heads = (*columns(Kind.TEXT, "system", "other"),
             *columns(Kind.SCORE, "judge", "human", "human_low", "human_high", "difference", "low", "high", "p",
                      "p_adjusted"))  # fmt: skip
    pairs = f"{pluralize(len(rows), 'pair')} of systems (system − other)"
    title = f"Differences of {pairs}: of the judge, of people, and corrected"
    return Table("corrected_differences", title, heads, rows, detail=len(rows) > _ROWS_SHOWN)


def _needed(study: CorrectStudy, settings: CorrectSettings, result: Corrected) -> Table:
    assert result.needed is not None
    counts = ([number or None for number in each.tolist()] for each in result.needed)
    rows = tuple(zip(study.systems, *counts, result.labels.tolist(), strict=True))
    title = f"Human scores of a system that a 95 % interval of width {settings.interval_width:g} takes"
    return Table(
        "labels_needed", title, (Column("system"), *columns(Kind.COUNT, "human_only", "corrected", "labels")), rows
    )


def _notes(study: CorrectStudy, result: Corrected) -> list[str]:
    binary, (one, several) = study.method == "rogan-gladen", study.cluster
    independent = binary and study.independent
    number = pluralize(len(np.unique(study.clusters)), one, several)
    jackknife = f"jackknife over the {number}, Student's t"
    how = "adjusted Wald interval of Lee et al." if independent else jackknife
    notes = [f"judge, human: means by each alone; low, high: 95 % interval ({how})"]
    if independent:
        notes[0] += f"; human_low, human_high: {jackknife}"
    notes.append("effective: number of human scores of a random sample that would be as precise without the judge")
    if binary:
        notes.append("sensitivity, specificity: shares of human 1 and 0 on which the judge agrees")
    else:
        notes.append("lambda: weight of the judge, from the variances of the scores; 0 for a judge that knows nothing, "
                     "and if people scored all items")  # fmt: skip
    if result.tests is not None:
        notes.append(
            f"p: test with {SIGNS:,} random signs of what items add to a difference; p_adjusted and both intervals of "
            "differences are simultaneous, and rank_low, rank_high and letters derive from the corrected ones"
        )
    if result.needed is not None:
        never = "even with human scores of all items"
        if binary:
            never = "with any number of human scores on so many items"
        notes.append(f"labels_needed: if judge and clusters stay the same; —: unknown, or not {never}")
    return [*notes, *_on_sample(study, result.sample), *_on_few(study, result), *_on_values(study, result)]


def _on_sample(study: CorrectStudy, sample: SampleTest | None) -> list[str]:
    """What the test of the labelled items says."""
    if sample is None:
        return []
    largest = (
        f"largest for {study.systems[sample.system]}: mean difference {sample.gap:.3g}, adjusted p = {sample.p:.2g}"
    )
    if sample.p > ALPHA:
        return [f"the judge's scores of labelled and other items do not differ significantly ({largest})"]
    assumed = "sensitivity and specificity must be the same for all items"
    if study.method == "ppi":
        assumed = "the corrected means hold for items such as the labelled ones only"
    return [f"the labelled items are not a random sample ({largest}): {assumed}"]


def _on_few(study: CorrectStudy, result: Corrected) -> list[str]:
    """A note where intervals may be too narrow."""
    groups, share = int(result.groups.min()), float((result.labels / _items(result)).min())
    if groups < 2:
        return [f"{pluralize(groups, *study.cluster)} with human scores: no interval and no test, which take two"]
    if (groups >= MIN_GROUPS and share >= MIN_SHARE) or result.constant.all():
        return []
    few = f"human scores of {_percent(share)} % of the items, less than {100 * MIN_SHARE:.0f} %"
    if groups < MIN_GROUPS:
        few = f"{pluralize(groups, *study.cluster)} with human scores, fewer than {MIN_GROUPS}"
    if study.method == "rogan-gladen" and study.independent:
        return [f"{few}: human_low and human_high are too close together if one class is rare"]
    return [f"{few}: intervals are too narrow if scores are skewed"]


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"


def _on_values(study: CorrectStudy, result: Corrected) -> list[str]:
    """Notes on human scores that do not vary, and on corrected shares that cannot be."""
    notes = []
    if result.constant.any():
        names = join_names([study.systems[place] for place in np.flatnonzero(result.constant).tolist()])
        known = f"the human scores of {names} are all equal, which does not show how much others would vary"
        notes.append(f"{known}: no interval, and no test")
    if result.flat.any():
        names = join_names([study.systems[place] for place in np.flatnonzero(result.flat).tolist()])
        notes.append(f"the corrected mean of {names} stays the same without any one item: too few data for a test")
    outside = study.method == "rogan-gladen" and ~((result.mean >= 0) & (result.mean <= 1))
    if np.any(outside):
        names = join_names([study.systems[place] for place in np.flatnonzero(outside).tolist()])
        notes.append(f"corrected mean of {names} outside 0 to 1, by chance: read it as the nearer end")
    return notes


def _findings(study: CorrectStudy, settings: CorrectSettings, result: Corrected) -> list[Finding]:
    sentences = [*_worth(study, result), *_ranking(study, result)]
    if result.sample is not None and result.sample.p <= ALPHA:
        system = study.systems[result.sample.system]
        sentences.append(
            "The labelled items are not a random sample: the judge scores them differently from the others (most for "
            f"{system}, adjusted p = {result.sample.p:.2g})"
        )
    if result.needed is not None and all((each > 0).all() for each in result.needed):
        alone, most = (int(each.max()) for each in result.needed)
        takes = f"takes up to {most:,} human scores of a system, {alone:,} without the judge"
        sentences.append(f"A 95 % interval of width {settings.interval_width:g} {takes}")
    return [Finding("correct", sentence) for sentence in sentences]


def _worth(study: CorrectStudy, result: Corrected) -> list[str]:
    """What the judge is worth in human scores."""
    ratio = result.effective / result.labels
    known = ratio[np.isfinite(ratio)]
    if not len(known) or result.groups.min() < MIN_GROUPS:
        # Variances of so few labels are too vague to be compared.
        return []
    low, high = (f"{end:.2f}" for end in (known.min(), known.max()))
    span = low if low == high else f"{low} to {high}"
    worse = int((known < 1).sum())
    of_all = f" for {worse} of {pluralize(len(known), 'system')}" if worse < len(known) else ""
    tail = f"; human scores of a random sample are more precise alone{of_all}" if worse else ""
    return [f"With the judge a human score is worth {span} human scores without it{tail}"]


def _ranking(study: CorrectStudy, result: Corrected) -> list[str]:
    """Whether the correction changes the ranking, and which system is the best."""
    tests, order = result.tests, result.order
    if tests is None or order is None or not order.defined.any():
        return []
    judge = np.sign(result.judge[tests.one] - result.judge[tests.other])
    changed = judge * np.sign(result.mean[tests.one] - result.mean[tests.other]) < 0
    number, significant = int(changed.sum()), int((changed & tests.significant).sum())
    of_pairs = f"{pluralize(len(changed), 'pair')} of {pluralize(len(study.systems), 'system')}"
    order_of = f"{number or 'any'} of {of_pairs}" if len(changed) > 1 else "the 2 systems"
    sentence = f"The correction {'changes' if number else 'does not change'} the order of {order_of}"
    if len(changed) == number == 1:
        sentence += f", whose corrected means {'differ' if significant else 'do not differ'} significantly"
    elif number:
        after = f"{significant or 'none'} differ{'s' * (significant == 1)} significantly after it"
        sentence += f" (of the changed pairs, {after})"
    best = order.best(study.systems)
    place = study.systems.index(best[0])
    if (result.mean[~order.defined] >= result.mean[place]).any():
        # A system without an interval may be better.
        return [sentence]
    ahead = int(order.better[place].sum())
    low, high = (float(end[place]) for end in result.interval)
    span = f"95 % interval {low:.3g} to {high:.3g}"
    than = lead(ahead, len(study.systems) - 1, "system")
    mean = f"{best[0]} has the highest corrected mean ({result.mean[place]:.3g}, {span}), {than}"
    return [sentence, mean] if len(best) == 1 else [sentence]


def _methods(study: CorrectStudy, result: Corrected) -> list[str]:
    one, several = study.cluster
    binary = study.method == "rogan-gladen"
    by = f"prediction-powered inference with tuned λ (PPI++) {cite('angelopoulos2023')}"
    if binary:
        by = f"the judge's sensitivity and specificity {cite('rogan1978')}"
    sentences = [f"Means were computed from {study.contents} by {by}, with metaeval {__version__} {cite(METAEVAL)}."]
    number = len(np.unique(study.clusters))
    dealt = f", dealt at random into at most {MAX_GROUPS:,} groups," if number > MAX_GROUPS // 2 else ""
    jackknife = f"a jackknife over the {pluralize(number, one, several)}{dealt} with Student's t"
    if binary and study.independent:
        wald = f"95 % confidence intervals of corrected shares are adjusted Wald intervals {cite('lee2025')}"
        sentences.append(f"{wald}, those of human scores come from {jackknife}.")
    elif np.isfinite(result.interval[0]).any():
        sentences.append(f"95 % confidence intervals come from {jackknife}.")
    if result.tests is not None:
        sentences.append(
            f"Differences were tested with {SIGNS:,} random signs of the jackknife's influences (seed "
            f"{study.config.seed}), against no difference; p-values and intervals hold for all pairs together, by the "
            f"largest statistic "
            f"{cite('westfall1993')}."
        )
    return sentences
