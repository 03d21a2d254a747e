"""Tables of the agreement of annotators, and of the tests of judges."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from metaeval.analyses.agreement.compute import PERMUTATIONS, SIGNS, Agreement, JudgeTests
from metaeval.analyses.agreement.estimates import Estimate
from metaeval.analyses.agreement.report_against import (
    findings_against,
    methods_against,
    notes_against,
    tables_against,
)
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment
from metaeval.analyses.agreement.study import AgreementStudy, Ratings, names_of_values
from metaeval.analyses.sentences import every, join_names, value_range
from metaeval.arrays import Floats
from metaeval.errors import join_all, pluralize, setting
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.model.report import Cells, Finding, Note, Table, count, flag, on_input, p_value, score, table, text
from metaeval.model.works import METAEVAL, cite
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import distinct, matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.matrix import Heat, colour_limits, draw_heats
from metaeval.stats.association import STRENGTHS
from metaeval.stats.judges import MIN_CLUSTERS, MIN_UNITS_OF_T_TEST, PASSING, AlternativeAnnotators
from metaeval.study.doubts import LEAST_ITEMS
from metaeval.study.study import AnalysisOutput
from metaeval.version import __version__

ALIGNMENTS: dict[Alignment, str] = {"accuracy": "share of equal ratings", "rmse": "root mean squared difference"}

ENOUGH = 100
"""Units or clusters of an annotator below which the test is liberal. At level 0.05, simulated judges on the boundary of
the null hypothesis, with skewed differences, pass 13 % of the tests on 30 units, 8.5 % of those on 100, 10 % of those
on 20 unequal clusters and 8 % of those on 100."""

MIN_UNITS = 30
"""Number of units from which intervals of ratings on which a few extreme units do not decide cover as claimed."""

MAX_ANNOTATORS, MAX_NAME = 20, 24
"""Of more annotators, or of longer names, correlations of pairs are summarised instead of printed as matrices."""

MOST_SENTENCES = 3

MAX_LABELS = 12
"""Number of labels up to which those of two annotators are counted against each other."""

_SOURCES = {"alpha": "krippendorff2011", "fleiss": "fleiss1971", "cohen": "cohen1968", "kendall-w": "kendall1939"}
"""The works that statistics come from, by the beginnings of their names."""


def tabulate(study: AgreementStudy, settings: AgreementSettings, agreement: Agreement) -> AnalysisOutput:
    """Agreement of all annotators, of pairs and of each with the others, and the tests of judges."""
    ratings, estimates, tables = study.ratings, agreement.estimates, list[Table]()
    if agreement.against is not None:
        tables += tables_against(study, settings, agreement.against)
    people = len(ratings.annotators) > 1
    if people:
        tables.insert(0, _estimates(study, estimates))
    if ratings.ordered and people:
        wide = len(ratings.annotators) > MAX_ANNOTATORS or max(map(len, ratings.annotators)) > MAX_NAME
        tables += [_summary_of_pairs(ratings, agreement)] if wide else _matrices(ratings, agreement)
        tables.append(_leave_one_out(ratings, agreement, detail=wide))
    confusions = _confusions(study)
    if confusions is not None:
        tables.append(confusions)
    notes, findings = list[Note | str](), list[Finding]()
    if people:
        notes += [*_at_chance(estimates[0]), *_on_intervals(study, agreement)]
        notes += [*_meanings(study, estimates), *_excluded_units(ratings), *_undefined(ratings, agreement)]
        findings += _findings(study, estimates[0])
    if agreement.judges is not None:
        judges = _judges(agreement.judges, ratings, epsilon=settings.epsilon)
        tables.append(judges)
        notes += _notes_on_judges(agreement.judges, study, settings)
        findings += [Finding("agreement", sentence) for sentence in _sentences_on_judges(agreement.judges)]
    if agreement.against is not None:
        notes += notes_against(study, settings, agreement.against)
        judge_findings = findings_against(study, settings, agreement.against)
        # What people agree on comes first, and a screen has three sentences.
        findings[1:1] = judge_findings[: max(MOST_SENTENCES - len(findings), 0)]
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings, agreement))


def _at_chance(alpha: Estimate) -> list[Note]:
    """A warning of annotators who do not agree, as where they write the same classes in different words."""
    if not (alpha.value <= 0 and alpha.statistic.units.sum() >= LEAST_ITEMS):
        return []
    return on_input(["annotators agree no better than chance: are their labels the same classes?"])


def _methods(study: AgreementStudy, settings: AgreementSettings, agreement: Agreement) -> list[str]:
    ratings, against = study.ratings, agreement.against
    judge_methods = methods_against(study, against) if against is not None else []
    if not agreement.estimates:
        return judge_methods
    statistics = [estimate.statistic.name for estimate in agreement.estimates if not np.isnan(estimate.value)]
    sources = [_SOURCES.get(re.split("[: ]", name)[0]) for name in statistics]
    names = ", ".join(f"{name} {cite(key)}" if key else name for name, key in zip(statistics, sources, strict=True))
    annotators, software = pluralize(len(ratings.annotators), "annotator"), f"metaeval {__version__} {cite(METAEVAL)}"
    sentences = [
        f"We measured the agreement of {annotators} on {ratings.size} with {software}: {names or 'undefined'}."
    ]
    if any(not np.isnan(estimate.low) for estimate in agreement.estimates):
        units = _left_out_by_one(study)
        sentences.append(
            f"95 % confidence intervals are Wilson's, with the variance of a jackknife over the {units} and Student's t"
            ", wider by Fieller's factor for the agreement that is expected by chance."
        )
    if any(not np.isnan(estimate.statistic.p) for estimate in agreement.estimates):
        ranks = f"{PERMUTATIONS:,} permutations of each annotator's ranks (seed {study.config.seed})"
        sentences.append(f"The p-value of Kendall's W comes from {ranks}.")
    if agreement.judges is not None and np.isfinite(agreement.judges.test.p).any():
        closeness = ALIGNMENTS[study.alignment]
        options = f"(epsilon {settings.epsilon:g}; closeness: {closeness})"
        test = f"the alternative annotator test {cite('calderon2025')} {options}"
        signs = f"{SIGNS:,} random signs of the sums over {study.clusters[2]} (seed {study.config.seed})"
        instead = f", by {signs} instead of its t-test" if settings.clusters else ""
        sentences.append(f"Judges were tested with {test}{instead}.")
    return [*sentences, *judge_methods]


def _left_out_by_one(study: AgreementStudy) -> str:
    """What the jackknife leaves out one by one."""
    codes, one, several = study.clusters
    number = len(np.unique(codes[study.ratings.raters >= 2]))
    dealt = f", dealt at random into {MAX_GROUPS:,} groups," if number > MAX_GROUPS else ""
    return f"{pluralize(number, one, several)}{dealt}"


def _estimates(study: AgreementStudy, estimates: Sequence[Estimate]) -> Table:
    ratings, units = study.ratings, [int(estimate.statistic.units.sum()) for estimate in estimates]
    about = "mean: of pairs of annotators; ceiling: of each with the mean of the others" if ratings.ordered else ""
    return table(
        "agreement",
        f"Agreement of {pluralize(len(ratings.annotators), 'annotator')} on {ratings.size}",
        text("statistic", [estimate.statistic.name for estimate in estimates], about=about),
        score("value", [estimate.value for estimate in estimates], interval=("low", "high")),
        score("low", [estimate.low for estimate in estimates], about=f"95 % interval, for other {study.clusters[2]}"),
        score("high", [estimate.high for estimate in estimates]),
        count("units", units, about="units that the statistic uses", detail=len(set(units)) == 1),
        p_value("p", [estimate.statistic.p for estimate in estimates], detail=True),
    )


def _findings(study: AgreementStudy, first: Estimate) -> list[Finding]:
    """The agreement by the first of the statistics."""
    name = first.statistic.name
    if np.isnan(first.value):
        return [Finding("agreement", f"{name} is undefined: all ratings are equal, or too few")]
    interval = ""
    if not np.isnan(first.low):
        groups = pluralize(first.groups, *study.clusters[1:])
        few = f", perhaps too narrow with only {groups}" if first.groups < MIN_UNITS else ""
        interval = f" (95 % interval {first.low:.2f} to {first.high:.2f}{few})"
    annotators = pluralize(len(study.ratings.annotators), "annotator")
    sentence = f"The agreement of {annotators} is {name} {first.value:.2f}{interval}"
    return [Finding("agreement", sentence)]


def _sentences_on_judges(judges: JudgeTests) -> list[str]:
    """Which judges pass, of those that could be tested, by both alignments where they are known."""
    alignments: dict[str, list[str]] = {}
    for alignment, test in judges.tests.items():
        if sentence := _on_judges(judges, test):
            alignments.setdefault(sentence, []).append(alignment)
    return [f"By {join_all(names)}, {sentence}" for sentence, names in alignments.items()]


def _on_judges(judges: JudgeTests, test: AlternativeAnnotators) -> str:
    """Which judges pass the test and which fail it, with their winning rates; '' where none is tested."""
    rates = {judges.names[index]: float(test.winning_rate[index]) for index in _best_first(judges)}
    clauses: list[str] = []
    for verbs, passed in ((("passes", "pass"), True), (("fails", "fail"), False)):
        names = [name for name, rate in rates.items() if not math.isnan(rate) and (rate >= PASSING) is passed]
        if names:
            what = "it" if clauses else "the alternative annotator test"
            value = value_range([rates[name] for name in names])
            rate = value if clauses else f"winning rate {value}"
            clauses.append(f"{join_names(names)} {verbs[len(names) > 1]} {what} ({rate})")
    return ", ".join(clauses)


def _best_first(judges: JudgeTests) -> list[int]:
    test = judges.test
    order: list[int] = np.lexsort(
        (-np.nan_to_num(test.advantage, nan=-1), -np.nan_to_num(test.winning_rate, nan=-1))
    ).tolist()
    return order


def _matrices(ratings: Ratings, agreement: Agreement) -> list[Table]:
    """Pearson with Spearman beside it, and tau-b."""
    pair = "of each pair of annotators"
    spearman = _matrix("agreement_spearman", f"Spearman's rho {pair}", ratings, agreement.pairs["spearman"].values)
    title = f"Pearson (Spearman) correlation {pair}, on the units that both rated"
    pearson = _matrix("agreement_pearson", title, ratings, agreement.pairs["pearson"].values)
    kendall = _matrix("agreement_kendall", f"Kendall's tau-b {pair}", ratings, agreement.pairs["kendall-b"].values)
    return [replace(pearson, beside=spearman, detail=True), replace(kendall, detail=True)]


def _matrix(name: str, title: str, ratings: Ratings, correlations: Floats) -> Table:
    """A column for each annotator; correlations: of the pairs."""
    low = np.min(np.where(np.isnan(ratings.values), np.inf, ratings.values), axis=1)
    high = np.max(np.where(np.isnan(ratings.values), -np.inf, ratings.values), axis=1)
    # A correlation with oneself is 1, or undefined for constant ratings.
    values = np.diag(np.where(low < high, 1.0, np.nan))
    one, other = np.triu_indices(len(values), 1)
    values[one, other] = values[other, one] = correlations
    columns = (score(who, column, bands=STRENGTHS) for who, column in zip(ratings.annotators, values, strict=True))
    return table(name, title, text("annotator", ratings.annotators), *columns)


def _summary_of_pairs(ratings: Ratings, agreement: Agreement) -> Table:
    """Mean, lowest and highest correlation of the pairs for which it is defined."""
    names = [f"{one}, {other}" for one, other in combinations(ratings.annotators, 2)]
    correlations = [agreement.pairs[name].values for name in agreement.with_others]
    counts = [int((~np.isnan(values)).sum()) for values in correlations]
    means = [float(np.nanmean(values)) if number else None for values, number in zip(correlations, counts, strict=True)]
    return table(
        "agreement_pairs",
        "Correlations of pairs of annotators, on the units that both rated",
        text("correlation", list(agreement.with_others)),
        count("pairs", counts),
        score("mean", means, bands=STRENGTHS),
        *_extremes("lowest", np.nanargmin, correlations, names),
        *_extremes("highest", np.nanargmax, correlations, names),
        detail=True,
    )


def _extremes(
    name: str, find: Callable[[Floats], np.intp], correlations: Sequence[Floats], names: Sequence[str]
) -> list[Cells]:
    """One of the values of each correlation and the pair that has it; None where no pair has a value."""
    pairs = [None if np.isnan(values).all() else int(find(values)) for values in correlations]
    values = [None if pair is None else float(row[pair]) for row, pair in zip(correlations, pairs, strict=True)]
    which = [None if pair is None else names[pair] for pair in pairs]
    return [score(name, values, bands=STRENGTHS), text(f"{name}_pair", which)]


def _confusions(study: AgreementStudy) -> Table | None:
    """The labels of two annotators for the same units, and of each judge and each of these; None of more annotators."""
    ratings, judges = study.ratings, study.judges
    every = ratings.values if judges is None else np.concatenate([ratings.values, judges.values])
    names = names_of_values(study, np.unique(every[~np.isnan(every)]))
    if len(ratings.annotators) > 2 or not ratings.categories or names is None or len(names) > MAX_LABELS:
        return None
    pairs = [(ratings.annotators, ratings.values)] if len(ratings.annotators) == 2 else []
    if judges is not None:
        pairs += [
            ((name, other), np.stack([values, others]))
            for name, values in zip(judges.names, judges.values, strict=True)
            for other, others in zip(ratings.annotators, ratings.values, strict=True)
        ]
    rows = [
        (*who, names[one], names[other], int(((both[0] == one) & (both[1] == other)).sum()))
        for who, both in pairs
        for one in names
        for other in names
    ]
    annotators, others, labels, other_labels, units = zip(*rows, strict=True)
    return table(
        "agreement_confusions",
        "Labels of two annotators for the same units",
        text("annotator", annotators),
        text("other", others),
        text("label", labels),
        text("other_label", other_labels),
        count("units", units, about="units with these labels"),
        detail=True,
    )


def _leave_one_out(ratings: Ratings, agreement: Agreement, *, detail: bool) -> Table:
    numbers = (~np.isnan(ratings.values)).sum(axis=-1)
    return table(
        "leave_one_out",
        "Each annotator against the mean of the others",
        text("annotator", ratings.annotators),
        *(score(name, coefficients.values, bands=STRENGTHS) for name, coefficients in agreement.with_others.items()),
        count("ratings", numbers, about="units that the annotator rated", detail=len(set(numbers.tolist())) == 1),
        detail=detail,
    )


def _on_intervals(study: AgreementStudy, agreement: Agreement) -> list[Note | str]:
    """How intervals are made, and where they are too narrow or missing."""
    estimates = [estimate for estimate in agreement.estimates if not np.isnan(estimate.value)]
    if not estimates:
        return ["every statistic is undefined: all ratings are equal, or too few"]
    ratings, (_, one, several) = study.ratings, study.clusters
    groups = [estimate.groups for estimate in estimates if not np.isnan(estimate.low)]
    over = f"the {_left_out_by_one(study)}"
    notes: list[Note | str] = []
    if groups:
        notes.append(f"intervals are Wilson's, with a jackknife over {over} and Student's t")
    if groups and min(groups) < MIN_UNITS:
        few = f"{pluralize(min(groups), one, several)} with comparable ratings, fewer than {MIN_UNITS}"
        notes.append(f"{few}: intervals may be too narrow, above all where a few extreme ratings decide")
    if math.isinf(agreement.wider):
        subset = ratings.values[:, ratings.raters >= 2]
        values, counts = np.unique(subset[~np.isnan(subset)], return_counts=True)
        others = int((~np.isnan(subset) & (subset != values[counts.argmax()])).any(axis=0).sum())
        have = f"{others:,} of {pluralize(subset.shape[1], 'unit')} have ratings other than the most frequent one"
        return [*notes, f"no intervals: {have}, too few to know the agreement that is expected by chance"]
    without = [estimate.statistic.name for estimate in estimates if np.isnan(estimate.low)]
    if without:
        notes.append(f"no interval for {', '.join(without)}: undefined if some {one} is left out")
    return notes


def _meanings(study: AgreementStudy, estimates: Sequence[Estimate]) -> list[str]:
    """Notes on the rows of the table `agreement`."""
    ratings, notes = study.ratings, list[str]()
    if ratings.categories:
        notes.append("cohen: mean kappa over pairs of annotators")
    if ratings.ordered:
        notes.append("ceiling: about the highest correlation that a measure can reach")
    if any(not np.isnan(estimate.statistic.p) for estimate in estimates):
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
    notes = []
    if alone:
        notes.append(f"{alone:,} of {units} excluded: only one annotator rated them")
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
    has_rating = ~np.isnan(ratings.values)
    constant = [
        name
        for name, row, is_rated in zip(ratings.annotators, ratings.values, has_rating, strict=True)
        if len(set(row[is_rated].tolist())) < 2
    ]
    if constant and ratings.ordered:
        notes.append(f"no correlation with {_some(constant)}: constant ratings")
    notes += _outliers(ratings, agreement)
    pairs = pluralize(math.comb(len(ratings.annotators), 2), "pair")
    undefined = {
        estimate.statistic.name: estimate.undefined
        for estimate in agreement.estimates
        if estimate.statistic.coefficients in agreement.pairs.values()
    }
    names_by_number: dict[int, list[str]] = {}
    for name, excluded in undefined.items():
        if excluded:
            names_by_number.setdefault(excluded, []).append(name)
    notes += [
        f"{', '.join(names)}: {excluded:,} of {pairs} of annotators excluded, because they share no units or are "
        "constant on them"
        for excluded, names in names_by_number.items()
    ]
    return notes


def _judges(judges: JudgeTests, ratings: Ratings, *, epsilon: float) -> Table:
    """The alternative annotator test of each judge, the best first."""
    (first, test), *others = judges.tests.items()
    closeness = f"closeness to the other annotators is the {ALIGNMENTS[first]}"
    title, beside = f"alignment {first}", list[Cells]()
    for other, by_other in others:
        title += f"; other: {other}"
        closeness += f", or for other_… {ALIGNMENTS[other]}"
        beside += _results(by_other, prefix="other_")
    rate = f"share of annotators that the judge can replace; passes from {PASSING:g}"
    share = f"share of units on which the judge is at least as close; it may be lower by {epsilon:g}; {closeness}"
    return table(
        "judges",
        f"Alternative annotator test of the judges (epsilon {epsilon:g}, {title})",
        text("judge", judges.names),
        *_results(test, about_rate=rate, about_advantage=share),
        count(
            "annotators",
            len(ratings.annotators) - test.left_out,
            about="annotators against whom the judge is tested",
            detail=True,
        ),
        count("units", judges.units, about="units that the judge and annotators rated", detail=True),
        count("left_out", test.left_out, detail=True),
        *beside,
        order=_best_first(judges),
    )


def _results(
    test: AlternativeAnnotators, *, prefix: str = "", about_rate: str = "", about_advantage: str = ""
) -> list[Cells]:
    """The winning rate, whether each judge passes, None where that is unknown, and the advantage."""
    is_tested = ~np.isnan(test.winning_rate)
    passes = [bool(passed) if has_rate else None for passed, has_rate in zip(test.passes, is_tested, strict=True)]
    return [
        score(f"{prefix}winning_rate", test.winning_rate, about=about_rate),
        flag(f"{prefix}passes", passes),
        score(f"{prefix}advantage", test.advantage, about=about_advantage, detail=True),
    ]


def _notes_on_judges(judges: JudgeTests, study: AgreementStudy, settings: AgreementSettings) -> list[Note | str]:
    several = study.clusters[2] if settings.clusters else "units"
    notes: list[Note | str] = []
    if settings.clusters:
        notes.append(f"judges are tested by {SIGNS:,} random signs of the sums over {several}, instead of the t-test")
    elif dependent := _if_dependent(study):
        notes.append(f"judges are tested by a t-test{dependent}; {setting('clusters')} tests them by clusters")
    tested = np.isfinite(judges.test.p)
    few = int(((judges.test.samples < ENOUGH) & tested).any(axis=0).sum())
    if few:
        amount = f"{few} of {pluralize(len(study.ratings.annotators), 'annotator')}"
        shares = "10 % of the tests on 20 clusters" if settings.clusters else "13 % of the tests on 30 units"
        notes.append(
            f"{amount} tested on fewer than {ENOUGH} {several}, where the test is liberal: at level 0.05, a judge just "
            f"below the margin may pass {shares} and 8.5 % of those on 100"
        )
    if not tested.all():
        untested = [name for name, tests in zip(judges.names, tested, strict=True) if not tests.any()]
        least = f"{MIN_UNITS_OF_T_TEST} units" + (f" or {MIN_CLUSTERS} {several}" if settings.clusters else "")
        few_units = f"fewer than {least} that the judge and another annotator rated"
        remark = f"; {', '.join(untested)} cannot be tested (—)" if untested else ""
        notes.append(f"left_out: annotators with {few_units}{remark}")
    return notes


@plot("agreement_pearson", title="Agreement of annotators (Pearson)", example="agreement sample_data/tsc3/human.csv")
def agreement_pearson(tables: Tables) -> Picture | None:
    """A heat map of the correlations of the annotators."""
    table = tables["agreement_pearson"]
    names, others = texts(table, "annotator"), names_of(table)[1:]
    values = matrix(table, others)
    pairs = values[np.tri(len(names), len(others), -1) > 0]
    if len(names) < 3 or np.isnan(pairs).all():
        return None
    what = "Pearson's r of the ratings"
    heat = Heat(rows=names, columns=others, values=values, limits=colour_limits(values), what=what)
    span = f"from {number(float(np.nanmin(pairs)))} to {number(float(np.nanmax(pairs)))} between two of them"
    return Picture(f"Heat map of {what} by {len(names)} annotators, {span}.", heat.draw)


MAX_MATRICES = 12


@plot(
    "agreement_confusions",
    title="Confusion matrices of annotators and judges",
    example="agreement sample_data/judged/labels.csv --labels yes,no --cluster topic",
)
def agreement_confusions(tables: Tables) -> Picture | None:
    """A matrix for each pair of annotators, or judge and annotator: the number of units with each two labels."""
    table = tables["agreement_confusions"]
    labels, units = distinct(texts(table, "label")), numbers(table, "units")
    sides = [texts(table, name) for name in ("annotator", "other", "label", "other_label")]
    counts: dict[str, Floats] = {}
    for one, other, row, column, number_of_units in zip(*sides, units, strict=True):
        matrix = counts.setdefault(f"{one} × {other}", np.zeros((len(labels), len(labels))))
        matrix[labels.index(row), labels.index(column)] = number_of_units
    counts = {pair: matrix for pair, matrix in counts.items() if matrix.any()}
    if not counts:
        return None
    pairs = dict(list(counts.items())[:MAX_MATRICES])
    limits, what = (0.0, max(float(matrix.max()) for matrix in pairs.values())), "units; rows: labels by the first"
    heats = {
        pair: Heat(rows=labels, columns=labels, values=matrix, limits=limits, what=what, digits=0)
        for pair, matrix in pairs.items()
    }
    same = [
        f"{pair}: {number(float(np.trace(matrix)), 0)} of {number(matrix.sum(), 0)}" for pair, matrix in pairs.items()
    ]
    remark = not_shown((len(counts) - len(pairs), "more pair"))
    alt = f"Labels of {pluralize(len(pairs), 'pair')} of annotators. Units with the same label: {'; '.join(same)}."
    return Picture(f"{alt} {remark}".strip(), lambda palette, title: draw_heats(palette, title, heats, remark=remark))
