"""Do annotators agree? And would a judge do as well?"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.sentences import on_agreement
from metaeval.config import AgreementConfig, ExperimentConfig
from metaeval.errors import counted
from metaeval.experiment.agreement_statistics import (
    CORRELATIONS,
    PERMUTATIONS,
    Correlation,
    Found,
    coefficient_of,
    find_agreement,
    of_pairs,
)
from metaeval.experiment.judges import judge_table, read_judges, split_judges
from metaeval.experiment.ratings import Ratings, form_of_ratings, ratings_of, read_files, scale_of
from metaeval.io.dataset import Track
from metaeval.model.report import Cell, Column, Finding, Kind, Provenance, Report, SourceFile, Table, signature
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores
from metaeval.stats.agreement import leave_one_out, pairwise, shared_units
from metaeval.stats.association import STRENGTHS
from metaeval.stats.intervals import percentile_interval
from metaeval.study.study import Part, silently
from metaeval.version import __version__

_ROUNDING = 1e-12


def agreement(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """How far annotators agree, all together, two by two, each with the others; and whether judges could replace them.

    The files of ratings are `config.data.human`. Table `agreement`: statistic, value, low, high, units, p. Where there
    is an order also `agreement_pearson`, `agreement_spearman`, `agreement_kendall`: annotator, a column an annotator;
    `leave_one_out`: annotator, pearson, spearman, kendall-b, ratings. With judges `judges`: judge, winning_rate,
    passes, advantage, annotators, units, left_out.
    """
    data, wanted = config.data, config.agreement or AgreementConfig()
    scale = scale_of(data)
    form = form_of_ratings(scale, wanted.annotator_column)
    read = read_files(data.human, data, form, track=track)
    named, files = split_judges(wanted.judges, read.runs.measures)
    ratings = ratings_of(_without(read.runs, named), scale, by=wanted.by)
    judges = read_judges(named, files, read.runs, data, form, by=wanted.by, track=track) if wanted.judges else None
    settings = _settings(config, wanted, ratings, scale)
    judged: list[Table] = []
    told: list[str] = []
    if judges is not None:
        table, told, alignment = judge_table(judges, ratings, epsilon=wanted.epsilon, alignment=wanted.alignment)
        judged = [table]
        settings |= {"judges": len(judges.names), "epsilon": f"{wanted.epsilon:g}", "alignment": alignment}
    found = find_agreement(ratings, wanted.levels, bootstrap=wanted.bootstrap, seed=config.seed, track=track)
    part = agreement_tables(ratings, found, bootstrap=wanted.bootstrap)
    judge_files, judge_notes = (judges.files, judges.notes) if judges is not None else ((), ())
    return Report(
        "agreement",
        signature(__version__, settings.items()),
        (*part.tables, *judged),
        (*read.notes, *judge_notes, *part.notes, *told),
        _provenance(command_line, (*read.files, *judge_files), settings, read.repairs),
        (*part.findings, *(finding for table in judged for finding in _judged(table))),
    )


def _without(scores: ItemScores, left_out: Sequence[str]) -> ItemScores:
    keep = [place for place, name in enumerate(scores.measures) if name not in left_out]
    names = tuple(scores.measures[place] for place in keep)
    directions = tuple(scores.directions[place] for place in keep)
    return ItemScores(scores.values[keep], names, scores.systems, scores.items, directions)


def _settings(
    config: ExperimentConfig, wanted: AgreementConfig, ratings: Ratings, scale: ClassScale | None
) -> dict[str, str | int]:
    """The fields of the signature."""
    declared = {"scale": str(scale)} if scale is not None else {}
    if scale is not None and scale.values is not None:
        declared["values"] = ",".join(f"{value:g}" for value in scale.values)
    counts = {"annotators": len(ratings.annotators), "units": ratings.values.shape[1]}
    chance = {"seed": config.seed, "bootstrap": wanted.bootstrap}
    return {"files": len(config.data.human), **counts, "by": wanted.by, **declared, **chance}


def _provenance(
    command_line: str,
    files: tuple[SourceFile, ...],
    settings: Mapping[str, str | int],
    touched: Mapping[str, int],
) -> Provenance:
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    return Provenance(__version__, command_line, files, versions, settings, touched)


def agreement_tables(ratings: Ratings, found: Sequence[Found], *, bootstrap: int) -> Part:
    """The tables of how far annotators agree, and what to say of them."""
    rows = []
    for one in found:
        low, high = _interval(one)
        rows.append((one.statistic.name, one.value, low, high, one.statistic.units, one.statistic.p))
    numbers = tuple(Column(name, Kind.SCORE) for name in ("value", "low", "high"))
    columns = (Column("statistic"), *numbers, Column("units", Kind.COUNT), Column("p", Kind.SCORE))
    title = f"Agreement of {counted(len(ratings.annotators), 'annotator')} on {ratings.what}"
    tables = [Table("agreement", title, columns, tuple(rows))]
    if ratings.ordered:
        tables += [*_matrices(ratings), _leave_one_out(ratings)]
    notes = [
        *_meanings(ratings, bootstrap=bootstrap),
        *_left_out(ratings),
        *_undefined(ratings, found),
        *_biased(ratings, found),
    ]
    first = found[0]
    low, high = _interval(first)
    findings = on_agreement(len(ratings.annotators), ratings.what, first.statistic.name, float(first.value), low, high)
    return Part(tables, notes, findings)


def _judged(table: Table) -> list[Finding]:
    """Whether each judge would do as well; of one who can't be tested nothing."""
    verdicts = {True: "would do as well as an annotator", False: "would not do as well as an annotator"}
    return [
        Finding("agreement", f"{name} {verdicts[passes]} (winning rate {rate:.2f})")
        for name, rate, passes, *_ in table.rows
        if isinstance(passes, bool)
    ]


def _interval(one: Found) -> tuple[float, float]:
    """The middle of the bootstrap samples; NaN where they are so biased that the value is not among them."""
    low, high = (float(bound) for bound in percentile_interval(one.drawn))
    missed = low - _ROUNDING > one.value or high + _ROUNDING < one.value
    return (float("nan"), float("nan")) if missed else (low, high)


def _biased(ratings: Ratings, found: Sequence[Found]) -> list[str]:
    """A word on pairs of annotators who share so few units that samples of these say little."""
    missed = [
        one.statistic.name
        for one in found
        if not np.isnan(one.value) and not np.isnan(one.drawn).all() and np.isnan(_interval(one)).any()
    ]
    shared = shared_units(ratings.values)[np.triu_indices(len(ratings.annotators), k=1)]
    few = f"two annotators share {np.median(shared):g} units (median)"
    return [f"no interval for {', '.join(missed)}: {few}, and samples of few units are biased"] if missed else []


def _matrices(ratings: Ratings) -> list[Table]:
    """Pearson with Spearman beside it, and tau-b, which a terminal leaves out."""
    spearman = _matrix("agreement_spearman", "Spearman's rho of every two annotators", ratings, "spearman")
    title = "Pearson (Spearman) of every two annotators, on the units that both rated"
    pearson = _matrix("agreement_pearson", title, ratings, "pearson", beside=spearman)
    title = "Kendall's tau-b of every two annotators"
    return [pearson, _matrix("agreement_kendall", title, ratings, "kendall-b", detail=True)]


def _matrix(
    name: str,
    title: str,
    ratings: Ratings,
    coefficient: Correlation,
    *,
    beside: Table | None = None,
    detail: bool = False,
) -> Table:
    values = pairwise(ratings.values, coefficient_of(coefficient))
    rows = tuple((name, *row) for name, row in zip(ratings.annotators, values.tolist(), strict=True))
    columns = (Column(name, Kind.SCORE, bands=STRENGTHS) for name in ratings.annotators)
    return Table(name, title, (Column("annotator"), *columns), rows, beside=beside, detail=detail)


def _leave_one_out(ratings: Ratings) -> Table:
    """Each annotator against the mean of the others."""
    of = [leave_one_out(ratings.values, coefficient_of(name)).tolist() for name in CORRELATIONS]
    given = (~np.isnan(ratings.values)).sum(axis=-1).tolist()
    rows: tuple[tuple[Cell, ...], ...] = tuple(zip(ratings.annotators, *of, given, strict=True))
    columns = (Column(name, Kind.SCORE, bands=STRENGTHS) for name in CORRELATIONS)
    title = "Each annotator against the mean of the others"
    return Table("leave_one_out", title, (Column("annotator"), *columns, Column("ratings", Kind.COUNT)), rows)


def _meanings(ratings: Ratings, *, bootstrap: int) -> list[str]:
    """What the rows of the table `agreement` are."""
    notes = []
    if bootstrap:
        draw_of_unit, noun = ratings.draws
        drawn = counted(int(draw_of_unit.max()) + 1, noun)
        notes.append(f"low and high bound the middle 95 % of {bootstrap:,} bootstrap samples of the {drawn}")
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
        told = (
            f"kendall-w leaves out {partial:,} of {counted(units, 'unit')}: not all {annotators} annotators rated them"
        )
        notes.append(told)
    return notes


def _outsiders(ratings: Ratings) -> list[str]:
    """A word on annotators who agree with nobody: they pull every mean down, and may have misread the scale."""
    if not ratings.ordered or len(ratings.annotators) < 3:
        return []
    spearman = leave_one_out(ratings.values, coefficient_of("spearman")).tolist()
    weak = [f"{name} ({rho:.2f})" for name, rho in zip(ratings.annotators, spearman, strict=True) if rho < STRENGTHS[0]]
    if not weak or len(weak) == len(ratings.annotators):
        return []
    return [f"little agreement with the others (Spearman below {STRENGTHS[0]:g}): {', '.join(weak)}"]


def _undefined(ratings: Ratings, found: Sequence[Found]) -> list[str]:
    """How many pairs and bootstrap samples a statistic leaves out, and why."""
    notes = []
    known = ~np.isnan(ratings.values)
    values = [set(row[rated].tolist()) for row, rated in zip(ratings.values, known, strict=True)]
    constant = [name for name, own in zip(ratings.annotators, values, strict=True) if len(own) < 2]
    if constant and ratings.ordered:
        notes.append(f"no correlation with {', '.join(constant)}, whose ratings are all the same")
    notes += _outsiders(ratings)
    by_count: dict[int, list[str]] = {}
    for one in found:
        if one.statistic.pairs is not None:
            missing = int(np.isnan(of_pairs(ratings.values, one.statistic.pairs)).sum())
            by_count.setdefault(missing, []).append(one.statistic.name)
    pairs = len(ratings.annotators) * (len(ratings.annotators) - 1) // 2
    notes += [
        f"{', '.join(names)}: {missing} of {counted(pairs, 'pair')} of annotators left out, who share no units, or are "
        "constant on them"
        for missing, names in by_count.items()
        if missing
    ]
    samples: dict[int, list[str]] = {}
    for one in found:
        # Where there is no value, no interval is missed.
        if np.isnan(one.value):
            continue
        samples.setdefault(int(np.isnan(one.drawn).sum()), []).append(one.statistic.name)
    return notes + [
        f"{', '.join(names)}: undefined in {missing:,} bootstrap samples, which are left out of the interval"
        for missing, names in samples.items()
        if missing
    ]
