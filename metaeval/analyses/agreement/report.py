"""Tables of the agreement of annotators, and of the tests of judges."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from metaeval.analyses.agreement.compute import PERMUTATIONS, SIGNS, Agreement, JudgeTests, other_alignment
from metaeval.analyses.agreement.ratings import Ratings
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment
from metaeval.analyses.agreement.statistics import Correlation, Estimate
from metaeval.analyses.agreement.study import AgreementStudy
from metaeval.analyses.sentences import every
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.model.works import METAEVAL, cite
from metaeval.stats.association import STRENGTHS
from metaeval.stats.judges import MIN_CLUSTERS, MIN_UNITS_OF_T_TEST, PASSING, AlternativeAnnotators
from metaeval.study.study import AnalysisOutput
from metaeval.version import __version__

ALIGNMENTS: dict[Alignment, str] = {"accuracy": "share of equal ratings", "rmse": "root mean squared difference"}

ENOUGH = 100
"""Units or clusters of an annotator below which the test is liberal. At level 0.05, simulated judges on the boundary of
the null hypothesis, with skewed differences, pass 13 % of the tests on 30 units, 8.5 % of those on 100, 10 % of those
on 20 unequal clusters and 8 % of those on 100."""

MIN_UNITS = 30
"""Number of units from which intervals cover as claimed, by simulation."""

MAX_ANNOTATORS, MAX_NAME = 20, 24
"""Of more annotators, or of longer names, correlations of pairs are summarised instead of printed as matrices."""

_SOURCES = {"alpha": "krippendorff2011", "fleiss": "fleiss1971", "cohen": "cohen1968", "kendall-w": "kendall1939"}
"""The works that statistics come from, by the beginnings of their names."""


def tabulate(study: AgreementStudy, settings: AgreementSettings, agreement: Agreement) -> AnalysisOutput:
    """Tables of the agreement of all annotators, of pairs, and of each with the others; and of the tests of judges.

    Table `agreement`: statistic, value, low, high, units, p. For ordered ratings also `agreement_pearson`,
    `agreement_spearman`, `agreement_kendall`: annotator, one column per annotator; or, if that is too wide,
    `agreement_pairs`: correlation, pairs, mean, lowest, lowest_pair, highest, highest_pair; and `leave_one_out`:
    annotator, pearson, spearman, kendall-b, ratings. With judges `judges`: judge, winning_rate, passes, advantage,
    annotators, units, left_out, and for ordered ratings other_winning_rate, other_passes, other_advantage.
    """
    ratings = study.ratings
    tables = [_estimates(ratings, agreement.estimates)]
    if ratings.ordered:
        wide = len(ratings.annotators) > MAX_ANNOTATORS or max(map(len, ratings.annotators)) > MAX_NAME
        pairs = [_summary_of_pairs(ratings, agreement)] if wide else _matrices(ratings, agreement)
        tables += [*pairs, _leave_one_out(ratings, agreement, detail=wide)]
    notes = [
        *_on_intervals(study, agreement.estimates),
        *_meanings(study, agreement.estimates),
        *_excluded_units(ratings),
        *_undefined(ratings, agreement),
    ]
    findings = _findings(ratings, agreement.estimates[0])
    if agreement.judges is not None:
        tables.append(_judges(agreement.judges, ratings, epsilon=settings.epsilon))
        notes += _notes_on_judges(agreement.judges, study, settings)
        findings += _findings_on_judges(agreement.judges)
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings, agreement))


def _methods(study: AgreementStudy, settings: AgreementSettings, agreement: Agreement) -> list[str]:
    ratings, (codes, one, several) = study.ratings, study.clusters
    known = [each.statistic.name for each in agreement.estimates if not np.isnan(each.value)]
    sources = [_SOURCES.get(re.split("[: ]", name)[0]) for name in known]
    names = ", ".join(f"{name} {cite(key)}" if key else name for name, key in zip(known, sources, strict=True))
    annotators, software = pluralize(len(ratings.annotators), "annotator"), f"metaeval {__version__} {cite(METAEVAL)}"
    sentences = [
        f"We measured the agreement of {annotators} on {ratings.size} with {software}: {names or 'undefined'}."
    ]
    if any(not np.isnan(each.low) for each in agreement.estimates):
        number = len(np.unique(codes[ratings.raters >= 2]))
        dealt = f", dealt at random into {MAX_GROUPS:,} groups," if number > MAX_GROUPS else ""
        units = f"{pluralize(number, one, several)}{dealt}"
        sentences.append(f"95 % confidence intervals come from a jackknife over the {units} with Student's t.")
    if any(not np.isnan(each.statistic.p) for each in agreement.estimates):
        ranks = f"{PERMUTATIONS:,} permutations of each annotator's ranks (seed {study.config.seed})"
        sentences.append(f"The p-value of Kendall's W comes from {ranks}.")
    if agreement.judges is not None and np.isfinite(agreement.judges.test.p).any():
        closeness = ALIGNMENTS[agreement.judges.alignment]
        options = f"(epsilon {settings.epsilon:g}; closeness: {closeness})"
        test = f"the alternative annotator test {cite('calderon2025')} {options}"
        signs = f"{SIGNS:,} random signs of the sums over {study.clusters[2]} (seed {study.config.seed})"
        instead = f", by {signs} instead of its t-test" if settings.clusters else ""
        sentences.append(f"Judges were tested with {test}{instead}.")
    return sentences


def _estimates(ratings: Ratings, estimates: tuple[Estimate, ...]) -> Table:
    rows = tuple(
        (each.statistic.name, each.value, each.low, each.high, int(each.statistic.units.sum()), each.statistic.p)
        for each in estimates
    )
    numbers = tuple(Column(name, Kind.SCORE) for name in ("value", "low", "high"))
    columns = (Column("statistic"), *numbers, Column("units", Kind.COUNT), Column("p", Kind.SCORE))
    title = f"Agreement of {pluralize(len(ratings.annotators), 'annotator')} on {ratings.size}"
    return Table("agreement", title, columns, rows)


def _findings(ratings: Ratings, first: Estimate) -> list[Finding]:
    """The agreement by the first of the statistics."""
    if np.isnan(first.value):
        return []
    interval = "" if np.isnan(first.low) else f" (95 % interval {first.low:.2f} to {first.high:.2f})"
    annotators = pluralize(len(ratings.annotators), "annotator")
    sentence = f"The agreement of {annotators} on {ratings.size} is {first.statistic.name} {first.value:.2f}{interval}"
    return [Finding("agreement", sentence)]


def _findings_on_judges(judges: JudgeTests) -> list[Finding]:
    """Whether each judge that could be tested passes, by both alignments where they are known."""
    both = {judges.alignment: judges.test}
    if judges.other is not None:
        both[other_alignment(judges.alignment)] = judges.other
    findings = []
    for place in _best_first(judges):
        rates = {name: float(test.winning_rate[place]) for name, test in both.items()}
        texts = {name: f"by {name} (winning rate {rate:.2f})" for name, rate in rates.items() if not math.isnan(rate)}
        verdicts = ["passes" if rates[name] >= PASSING else "fails" for name in texts]
        if texts:
            link = ["", f", {'and' if len(set(verdicts)) == 1 else 'but'} "]
            parts = zip(link, verdicts, [" the alternative annotator test ", " "], texts.values(), strict=False)
            findings.append(Finding("agreement", f"{judges.names[place]} {''.join(chain.from_iterable(parts))}"))
    return findings


def _best_first(judges: JudgeTests) -> list[int]:
    test = judges.test
    order: list[int] = np.lexsort(
        (-np.nan_to_num(test.advantage, nan=-1), -np.nan_to_num(test.winning_rate, nan=-1))
    ).tolist()
    return order


def _matrices(ratings: Ratings, agreement: Agreement) -> list[Table]:
    """Pearson with Spearman beside it, and tau-b, which is not shown in a terminal."""
    one, other = np.triu_indices(len(ratings.annotators), 1)
    low, high = (bound(np.where(np.isnan(ratings.values), end, ratings.values), axis=1) for bound, end in
                 ((np.min, np.inf), (np.max, -np.inf)))  # fmt: skip

    def matrix(name: str, title: str, coefficient: Correlation, **options: Any) -> Table:
        # A correlation with oneself is 1, or undefined for constant ratings.
        values = np.diag(np.where(low < high, 1.0, np.nan))
        values[one, other] = values[other, one] = agreement.pairs[coefficient].values
        rows = tuple((name, *row) for name, row in zip(ratings.annotators, values.tolist(), strict=True))
        columns = (Column(name, Kind.SCORE, bands=STRENGTHS) for name in ratings.annotators)
        return Table(name, title, (Column("annotator"), *columns), rows, **options)

    pair = "of each pair of annotators"
    spearman = matrix("agreement_spearman", f"Spearman's rho {pair}", "spearman")
    title = f"Pearson (Spearman) correlation {pair}, on the units that both rated"
    pearson = matrix("agreement_pearson", title, "pearson", beside=spearman)
    return [pearson, matrix("agreement_kendall", f"Kendall's tau-b {pair}", "kendall-b", detail=True)]


def _summary_of_pairs(ratings: Ratings, agreement: Agreement) -> Table:
    """Mean, lowest and highest correlation of the pairs for which it is defined."""
    pairs = np.stack(np.triu_indices(len(ratings.annotators), 1), axis=1)
    rows: list[tuple[Cell, ...]] = []
    for name in agreement.with_others:
        values = agreement.pairs[name].values
        row: list[Cell] = [name, int((~np.isnan(values)).sum())]
        if row[1]:
            row.append(float(np.nanmean(values)))
            for place in (int(np.nanargmin(values)), int(np.nanargmax(values))):
                row += [float(values[place]), ", ".join(ratings.annotators[who] for who in pairs[place].tolist())]
        rows.append((*row, *[None] * (7 - len(row))))
    ends = (
        column for end in ("lowest", "highest") for column in (Column(end, Kind.SCORE, bands=STRENGTHS),
                                                               Column(f"{end}_pair"))
    )  # fmt: skip
    columns = (Column("correlation"), Column("pairs", Kind.COUNT), Column("mean", Kind.SCORE, bands=STRENGTHS), *ends)
    title = "Correlations of pairs of annotators, on the units that both rated"
    return Table("agreement_pairs", title, columns, tuple(rows))


def _leave_one_out(ratings: Ratings, agreement: Agreement, *, detail: bool) -> Table:
    """Each annotator against the mean of the others."""
    correlations = [own.values.tolist() for own in agreement.with_others.values()]
    counts = (~np.isnan(ratings.values)).sum(axis=-1).tolist()
    rows: tuple[tuple[Cell, ...], ...] = tuple(zip(ratings.annotators, *correlations, counts, strict=True))
    columns = (Column(name, Kind.SCORE, bands=STRENGTHS) for name in agreement.with_others)
    title = "Each annotator against the mean of the others"
    heads = (Column("annotator"), *columns, Column("ratings", Kind.COUNT))
    return Table("leave_one_out", title, heads, rows, detail=detail)


def _on_intervals(study: AgreementStudy, estimates: Sequence[Estimate]) -> list[str]:
    """How intervals are made, and where they are too narrow or missing."""
    if all(np.isnan(each.value) for each in estimates):
        return ["every statistic is undefined: all ratings are equal, or too few"]
    codes, one, several = study.clusters
    number = len(np.unique(codes[study.ratings.raters >= 2]))
    groups = f" in {MAX_GROUPS:,} groups" if number > MAX_GROUPS else ""
    whole = pluralize(number, one, several)
    notes = [f"low, high: 95 % interval (jackknife over the {whole}{groups}, Student's t)"]
    fewest = min((each.groups for each in estimates if not np.isnan(each.low)), default=MIN_UNITS)
    if fewest < MIN_UNITS:
        few = f"{pluralize(fewest, one, several)} with comparable ratings, fewer than {MIN_UNITS}"
        notes.append(f"{few}: intervals may be too narrow, above all where a category is rare")
    without = [each.statistic.name for each in estimates if not np.isnan(each.value) and np.isnan(each.low)]
    if without:
        notes.append(f"no interval for {', '.join(without)}: undefined if some {one} is left out")
    return notes


def _meanings(study: AgreementStudy, estimates: Sequence[Estimate]) -> list[str]:
    """Notes on the rows of the table `agreement`."""
    ratings, notes = study.ratings, list[str]()
    if ratings.categories:
        notes.append("cohen: mean kappa over pairs of annotators")
    if ratings.ordered:
        notes.append(
            "mean: mean over pairs of annotators; ceiling: mean correlation of each annotator with the mean of the "
            "others, about the highest that a measure can reach"
        )
    if any(not np.isnan(each.statistic.p) for each in estimates):
        notes.append(f"p of kendall-w: {PERMUTATIONS:,} permutations of each annotator's ranks{_if_dependent(study)}")
    return notes


def _if_dependent(study: AgreementStudy) -> str:
    """What a test that ignores clusters assumes, where a cluster has several units."""
    codes, one, _ = study.clusters
    if len(np.unique(codes)) == len(codes):
        return ""
    return f", as if units were independent: p is too small if those of one {one} are not"


def _excluded_units(ratings: Ratings) -> list[str]:
    """Notes on units that are excluded from statistics."""
    units, annotators = pluralize(int((ratings.raters > 0).sum()), "unit"), len(ratings.annotators)
    alone = int((ratings.raters == 1).sum())
    partial = int(((ratings.raters > 0) & (ratings.raters < annotators)).sum())
    notes = [f"{alone:,} of {units} excluded: only one annotator rated them"] if alone else []
    if partial > alone and ratings.ordered:
        notes.append(f"kendall-w excludes {partial:,} of {units}: not {every(annotators, 'annotator')} rated them")
    return notes


def _some(names: Sequence[str]) -> str:
    """The names, or the first of them and the number of the others."""
    more = len(names) - MAX_ANNOTATORS
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:5])} and {more + MAX_ANNOTATORS - 5:,} others"


def _outliers(ratings: Ratings, agreement: Agreement) -> list[str]:
    """A note on annotators with low agreement: they lower every mean, and may have misread the scale."""
    if not ratings.ordered or len(ratings.annotators) < 3:
        return []
    spearman = agreement.with_others["spearman"].values.tolist()
    weak = [f"{name} ({rho:.2f})" for name, rho in zip(ratings.annotators, spearman, strict=True) if rho < STRENGTHS[0]]
    if not weak or len(weak) == len(ratings.annotators):
        return []
    return [f"low agreement with the other annotators (Spearman below {STRENGTHS[0]:g}): {_some(weak)}"]


def _undefined(ratings: Ratings, agreement: Agreement) -> list[str]:
    """Notes on annotators and pairs of them for which statistics are undefined."""
    notes = []
    known = ~np.isnan(ratings.values)
    constant = [
        name
        for name, row, rated in zip(ratings.annotators, ratings.values, known, strict=True)
        if len(set(row[rated].tolist())) < 2
    ]
    if constant and ratings.ordered:
        notes.append(f"no correlation with {_some(constant)}: constant ratings")
    notes += _outliers(ratings, agreement)
    pairs = pluralize(math.comb(len(ratings.annotators), 2), "pair")
    undefined = {
        each.statistic.name: each.undefined
        for each in agreement.estimates
        if each.statistic.coefficients in agreement.pairs.values()
    }
    return notes + [
        f"{names}: {missing:,} of {pairs} of annotators excluded, because they share no units or are constant on them"
        for missing, names in _names_by_count(undefined).items()
    ]


def _names_by_count(counts: Mapping[str, int]) -> dict[int, str]:
    """The names with each count above 0."""
    names = {count: [name for name, own in counts.items() if own == count] for count in counts.values() if count}
    return {count: ", ".join(own) for count, own in names.items()}


def _judges(judges: JudgeTests, ratings: Ratings, *, epsilon: float) -> Table:
    """Table `judges`, best first."""

    def results(test: AlternativeAnnotators, place: int) -> list[Cell]:
        rate = float(test.winning_rate[place])
        return [rate, None if np.isnan(rate) else bool(test.passes[place]), float(test.advantage[place])]

    def heads(prefix: str) -> list[Column]:
        kinds = (("winning_rate", Kind.SCORE), ("passes", Kind.FLAG), ("advantage", Kind.SCORE))
        return [Column(f"{prefix}{name}", kind) for name, kind in kinds]

    counts = [Column(name, Kind.COUNT) for name in ("annotators", "units", "left_out")]
    rows = tuple(
        (
            *(judges.names[place], *results(judges.test, place)),
            len(ratings.annotators) - int(judges.test.left_out[place]),
            *(int(judges.compared[place]), int(judges.test.left_out[place])),
            *([] if judges.other is None else results(judges.other, place)),
        )
        for place in _best_first(judges)
    )
    columns = (Column("judge"), *heads(""), *counts, *([] if judges.other is None else heads("other_")))
    other = "" if judges.other is None else f"; other: {other_alignment(judges.alignment)}"
    title = f"Alternative annotator test of the judges (epsilon {epsilon:g}, alignment {judges.alignment}{other})"
    return Table("judges", title, columns, rows)


def _notes_on_judges(judges: JudgeTests, study: AgreementStudy, settings: AgreementSettings) -> list[str]:
    epsilon, several = settings.epsilon, study.clusters[2] if settings.clusters else "units"
    closeness = f"closeness to the other annotators is the {ALIGNMENTS[judges.alignment]}"
    winning = f"winning_rate: share of annotators that the judge can replace; a judge passes from {PASSING:g}"
    advantage = f"advantage: share of units on which the judge is at least as close; it may be lower by {epsilon:g}"
    beside = "" if judges.other is None else f", or for other_… {ALIGNMENTS[other_alignment(judges.alignment)]}"
    notes = [f"{winning}; {advantage}; {closeness}{beside}"]
    if settings.clusters:
        notes.append(f"judges are tested by {SIGNS:,} random signs of the sums over {several}, instead of the t-test")
    elif dependent := _if_dependent(study):
        notes.append(f"judges are tested by a t-test{dependent}; {setting('clusters')} tests them by clusters")
    tested = np.isfinite(judges.test.p)
    few = int(((judges.test.samples < ENOUGH) & tested).any(axis=0).sum())
    if few:
        of_all = f"{few} of {pluralize(len(study.ratings.annotators), 'annotator')}"
        shares = "10 % of the tests on 20 clusters" if settings.clusters else "13 % of the tests on 30 units"
        notes.append(
            f"{of_all} tested on fewer than {ENOUGH} {several}, where the test is liberal: at level 0.05, a judge just "
            f"below the margin may pass {shares} and 8.5 % of those on 100"
        )
    if not tested.all():
        untested = [name for name, own in zip(judges.names, tested, strict=True) if not own.any()]
        least = f"{MIN_UNITS_OF_T_TEST} units" + (f" or {MIN_CLUSTERS} {several}" if settings.clusters else "")
        few_units = f"fewer than {least} that the judge and another annotator rated"
        remark = f"; {', '.join(untested)} cannot be tested (—)" if untested else ""
        notes.append(f"left_out: annotators with {few_units}{remark}")
    return notes
