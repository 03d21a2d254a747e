"""Tables of the agreement of annotators, and of the tests of judges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.compute import PERMUTATIONS, Agreement, JudgeTests
from metaeval.analyses.agreement.ratings import Ratings
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment
from metaeval.analyses.agreement.study import AgreementStudy
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.agreement_bootstrap import Estimate
from metaeval.stats.association import STRENGTHS
from metaeval.stats.intervals import percentile_interval
from metaeval.stats.judges import ENOUGH_FOR_T, PASSING
from metaeval.study.study import Part

ALIGNMENTS: dict[Alignment, str] = {
    "accuracy": "says the same as the others more often",
    "rmse": "is nearer to the others in the root mean square",
}

ENOUGH = 100
"""Units of an annotator below which the test is liberal: of judges just not good enough, with as skewed differences as
there are, it lets pass 13 % of 30 units and 8.5 % of 100, where its level says 5 %."""

_ROUNDING = 1e-12


def tabulate(study: AgreementStudy, settings: AgreementSettings, agreement: Agreement) -> Part:
    """How far annotators agree, all together, two by two, each with the others; and whether judges could replace them.

    Table `agreement`: statistic, value, low, high, units, p. Where there is an order also `agreement_pearson`,
    `agreement_spearman`, `agreement_kendall`: annotator, a column an annotator; `leave_one_out`: annotator, pearson,
    spearman, kendall-b, ratings. With judges `judges`: judge, winning_rate, passes, advantage, annotators, units,
    left_out.
    """
    ratings = study.ratings
    tables = [_estimates(ratings, agreement.estimates)]
    if ratings.ordered:
        tables += [*_matrices(ratings, agreement), _leave_one_out(ratings, agreement)]
    notes = [
        *_meanings(ratings, resamples=settings.resamples),
        *_left_out(ratings),
        *_undefined(ratings, agreement),
        *_biased(agreement),
    ]
    findings = _findings(ratings, agreement.estimates[0])
    if agreement.judges is not None:
        judges = _judges(agreement.judges, ratings, epsilon=settings.epsilon)
        tables.append(judges)
        notes += _notes_on_judges(agreement.judges, ratings, epsilon=settings.epsilon)
        findings += _findings_on_judges(judges)
    return Part(tables, notes, findings)


def _estimates(ratings: Ratings, estimates: tuple[Estimate, ...]) -> Table:
    rows = tuple(
        (each.statistic.name, each.value, *_interval(each), each.statistic.units, each.statistic.p)
        for each in estimates
    )
    numbers = tuple(Column(name, Kind.SCORE) for name in ("value", "low", "high"))
    columns = (Column("statistic"), *numbers, Column("units", Kind.COUNT), Column("p", Kind.SCORE))
    title = f"Agreement of {counted(len(ratings.annotators), 'annotator')} on {ratings.what}"
    return Table("agreement", title, columns, rows)


def _findings(ratings: Ratings, first: Estimate) -> list[Finding]:
    """How far annotators agree, by the first of the statistics."""
    if np.isnan(first.value):
        return []
    low, high = _interval(first)
    interval = "" if np.isnan(low) else f", 95 % from {low:.2f} to {high:.2f}"
    annotators = counted(len(ratings.annotators), "annotator")
    sentence = f"{annotators} of {ratings.what} agree by {first.statistic.name} {first.value:.2f}{interval}"
    return [Finding("agreement", sentence)]


def _findings_on_judges(table: Table) -> list[Finding]:
    """Whether each judge would do as well; of one who can't be tested nothing."""
    verdicts = {True: "would do as well as an annotator", False: "would not do as well as an annotator"}
    return [
        Finding("agreement", f"{name} {verdicts[passes]} (winning rate {rate:.2f})")
        for name, rate, passes, *_ in table.rows
        if isinstance(passes, bool)
    ]


def _interval(estimate: Estimate) -> tuple[float, float]:
    """The middle of the bootstrap samples; NaN where they are so biased that the value is not among them."""
    low, high = (float(bound) for bound in percentile_interval(estimate.resamples))
    missed = low - _ROUNDING > estimate.value or high + _ROUNDING < estimate.value
    return (float("nan"), float("nan")) if missed else (low, high)


def _biased(agreement: Agreement) -> list[str]:
    """A note on pairs of annotators who share so few units that resamples of these say little."""
    missed = [
        each.statistic.name
        for each in agreement.estimates
        if not np.isnan(each.value) and not np.isnan(each.resamples).all() and np.isnan(_interval(each)).any()
    ]
    few = f"two annotators share {agreement.shared_units:g} units (median)"
    return [f"no interval for {', '.join(missed)}: {few}, and samples of few units are biased"] if missed else []


def _matrices(ratings: Ratings, agreement: Agreement) -> list[Table]:
    """Pearson with Spearman beside it, and tau-b, which a terminal leaves out."""
    spearman = _matrix(
        "agreement_spearman", "Spearman's rho of every two annotators", ratings, agreement.correlations["spearman"]
    )
    title = "Pearson (Spearman) of every two annotators, on the units that both rated"
    pearson = _matrix("agreement_pearson", title, ratings, agreement.correlations["pearson"], beside=spearman)
    title = "Kendall's tau-b of every two annotators"
    return [pearson, _matrix("agreement_kendall", title, ratings, agreement.correlations["kendall-b"], detail=True)]


def _matrix(
    name: str,
    title: str,
    ratings: Ratings,
    values: NDArray[np.float64],
    *,
    beside: Table | None = None,
    detail: bool = False,
) -> Table:
    rows = tuple((name, *row) for name, row in zip(ratings.annotators, values.tolist(), strict=True))
    columns = (Column(name, Kind.SCORE, bands=STRENGTHS) for name in ratings.annotators)
    return Table(name, title, (Column("annotator"), *columns), rows, beside=beside, detail=detail)


def _leave_one_out(ratings: Ratings, agreement: Agreement) -> Table:
    """Each annotator against the mean of the others."""
    of = [values.tolist() for values in agreement.with_others.values()]
    given = (~np.isnan(ratings.values)).sum(axis=-1).tolist()
    rows: tuple[tuple[Cell, ...], ...] = tuple(zip(ratings.annotators, *of, given, strict=True))
    columns = (Column(name, Kind.SCORE, bands=STRENGTHS) for name in agreement.with_others)
    title = "Each annotator against the mean of the others"
    return Table("leave_one_out", title, (Column("annotator"), *columns, Column("ratings", Kind.COUNT)), rows)


def _meanings(ratings: Ratings, *, resamples: int) -> list[str]:
    """What the rows of the table `agreement` are."""
    notes = []
    if resamples:
        draw_of_unit, noun = ratings.draws
        drawn = counted(int(draw_of_unit.max()) + 1, noun)
        notes.append(f"low and high bound the middle 95 % of {resamples:,} bootstrap samples of the {drawn}")
    if ratings.categories:
        notes.append("cohen: the mean kappa of every two annotators")
    if ratings.ordered:
        notes += [
            (
                "mean: of every two annotators; ceiling: of each annotator with the mean of the others, about what a "
                "measure can hope for"
            ),
            (
                f"p of kendall-w: {PERMUTATIONS:,} permutations of each annotator's ranks; without the correction for "
                "ties it has no interval"
            ),
        ]
    return notes


def _left_out(ratings: Ratings) -> list[str]:
    """Which units say nothing."""
    units, annotators = len(ratings.given), len(ratings.annotators)
    alone = int((ratings.given < 2).sum())
    partial = int((ratings.given < annotators).sum())
    notes = [f"{alone:,} of {counted(units, 'unit')} left out: fewer than two annotators rated them"] if alone else []
    if partial > alone and ratings.ordered:
        incomplete = f"{partial:,} of {counted(units, 'unit')}"
        notes.append(f"kendall-w leaves out {incomplete}: not all {annotators} annotators rated them")
    return notes


def _outsiders(ratings: Ratings, agreement: Agreement) -> list[str]:
    """A word on annotators who agree with nobody: they pull every mean down, and may have misread the scale."""
    if not ratings.ordered or len(ratings.annotators) < 3:
        return []
    spearman = agreement.with_others["spearman"].tolist()
    weak = [f"{name} ({rho:.2f})" for name, rho in zip(ratings.annotators, spearman, strict=True) if rho < STRENGTHS[0]]
    if not weak or len(weak) == len(ratings.annotators):
        return []
    return [f"little agreement with the others (Spearman below {STRENGTHS[0]:g}): {', '.join(weak)}"]


def _undefined(ratings: Ratings, agreement: Agreement) -> list[str]:
    """How many pairs and bootstrap samples a statistic leaves out, and why."""
    notes = []
    known = ~np.isnan(ratings.values)
    values = [set(row[rated].tolist()) for row, rated in zip(ratings.values, known, strict=True)]
    constant = [name for name, own in zip(ratings.annotators, values, strict=True) if len(own) < 2]
    if constant and ratings.ordered:
        notes.append(f"no correlation with {', '.join(constant)}, whose ratings are all the same")
    notes += _outsiders(ratings, agreement)
    by_count: dict[int, list[str]] = {}
    for name, missing in agreement.undefined_pairs.items():
        by_count.setdefault(missing, []).append(name)
    pairs = len(ratings.annotators) * (len(ratings.annotators) - 1) // 2
    notes += [
        f"{', '.join(names)}: {missing} of {counted(pairs, 'pair')} of annotators left out, who share no units, or are "
        "constant on them"
        for missing, names in by_count.items()
        if missing
    ]
    samples: dict[int, list[str]] = {}
    for each in agreement.estimates:
        # Where there is no value, no interval is missed.
        if np.isnan(each.value):
            continue
        samples.setdefault(int(np.isnan(each.resamples).sum()), []).append(each.statistic.name)
    return notes + [
        f"{', '.join(names)}: undefined in {missing:,} bootstrap samples, which are left out of the interval"
        for missing, names in samples.items()
        if missing
    ]


def _judges(judges: JudgeTests, ratings: Ratings, *, epsilon: float) -> Table:
    """Table `judges`, best first."""
    test = judges.test
    order = np.lexsort((-np.nan_to_num(test.advantage, nan=-1), -np.nan_to_num(test.winning_rate, nan=-1)))
    columns = (
        Column("judge"),
        Column("winning_rate", Kind.SCORE),
        Column("passes", Kind.FLAG),
        Column("advantage", Kind.SCORE),
        *(Column(name, Kind.COUNT) for name in ("annotators", "units", "left_out")),
    )
    title = f"Would a judge do as well? Alternative annotator test, epsilon {epsilon:g}, alignment {judges.alignment}"
    rows = tuple(
        (
            judges.names[place],
            float(test.winning_rate[place]),
            None if np.isnan(test.winning_rate[place]) else bool(test.passes[place]),
            float(test.advantage[place]),
            len(ratings.annotators) - int(test.left_out[place]),
            int(judges.compared[place]),
            int(test.left_out[place]),
        )
        for place in order.tolist()
    )
    return Table("judges", title, columns, rows)


def _notes_on_judges(judges: JudgeTests, ratings: Ratings, *, epsilon: float) -> list[str]:
    notes = [
        (
            f"winning_rate: share of annotators whom the judge can stand in for; it passes from {PASSING:g} on. Each "
            f"is left out in turn: who {ALIGNMENTS[judges.alignment]}, judge or annotator? The judge may lose by "
            f"{epsilon:g}. advantage: how often the judge is at least as close"
        )
    ]
    tested = np.isfinite(judges.test.p)
    few = int(((judges.test.units < ENOUGH) & tested).any(axis=0).sum())
    if few:
        notes.append(
            f"{few} of {counted(len(ratings.annotators), 'annotator')} tested on fewer than {ENOUGH} units, where the "
            "test is liberal: a judge just not good enough may pass 13 % of the tests on 30 units and 8.5 % on 100, "
            "and not 5 %"
        )
    if not tested.all():
        untested = [name for name, own in zip(judges.names, tested, strict=True) if not own.any()]
        nothing = f"; of {', '.join(untested)} nothing can be told (—)" if untested else ""
        notes.append(
            f"left_out: annotators with fewer than {ENOUGH_FOR_T} units that the judge and another annotator rated "
            f"too{nothing}"
        )
    return notes
