"""The tables of `stability`, and what to say of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import Numbers, and_worst, best_of, listed
from metaeval.analyses.stability.compute import Stabilities, strata_of
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.stats.tests import compact_letters
from metaeval.study.study import Part, Study

STRATA = ("top", "middle", "bottom")

_FEW_ITEMS = 12
"""So few items have less than a thousand different halves."""


def tabulate(study: Study, settings: StabilitySettings, found: Stabilities) -> Part:
    """The tables of `stability`, and what to say of them."""
    names = study.measure_names
    means = defined_mean(found.consistency.tau)
    order = np.argsort(-means, kind="stable").tolist()
    tables = [
        _main(study, settings, found, names, order),
        Table(
            "stability_differences",
            f"p-values of the differences (randomised Tukey HSD, {settings.permutations:,} permutations)",
            (Column("measure"), *(Column(names[place], Kind.SCORE) for place in order)),
            tuple((names[row], *(float(found.p[row, column]) for column in order)) for row in order),
        ),
    ]
    if found.curve:
        tables.append(_curve(study, found, names, order))
    tables.append(_drawn(found, names, order))
    strata = strata_of(settings, len(study.systems))
    return Part(tables, _notes(study, strata, settings, found, names, means), on_stability(names, means))


def _main(
    study: Study, settings: StabilitySettings, found: Stabilities, names: Sequence[str], order: Sequence[int]
) -> Table:
    tau, strata = found.consistency.tau, defined_mean(found.consistency.strata)
    of_strata = strata.T if len(strata) else np.full((len(names), len(STRATA)), np.nan)
    stratum_names = STRATA if of_strata.shape[1] == len(STRATA) else _numbered(of_strata.shape[1])
    tested = np.where(found.complete > 0, defined_mean(tau), np.nan)
    letters = compact_letters(tested, found.p < settings.alpha)
    scores = np.column_stack([_distribution(tau), of_strata])
    # A ranking that puts all systems alike swaps none, which is nothing to praise.
    swaps = np.where(np.isnan(tau).all(axis=0), np.nan, defined_mean(found.consistency.swaps))
    undefined = np.isnan(tau).sum(axis=0)

    def row(place: int) -> tuple[Cell, ...]:
        counts = (len(tau), int(undefined[place]))
        return (names[place], *scores[place].tolist(), *counts, float(swaps[place]), letters[place])

    halves = "stratified halves" if settings.stratified else "halves"
    return Table(
        "stability",
        f"Stability of rankings: tau-b between random {halves} of {len(study.items):,} items",
        (
            Column("measure"),
            Column("mean", Kind.SCORE, higher_is_better=True),
            *(Column(name, Kind.SCORE) for name in ("sd", "low", "high", *stratum_names)),
            *(Column(name, Kind.COUNT) for name in ("trials", "undefined")),
            Column("swap_rate", Kind.SCORE),
            Column("letters"),
        ),
        tuple(row(place) for place in order),
    )


def _numbered(strata: int) -> tuple[str, ...]:
    return tuple(f"stratum_{number}" for number in range(1, strata + 1))


def _distribution(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean, standard deviation, low and high of each measure, (M, 4)."""
    return np.column_stack([defined_mean(tau), defined_deviation(tau), *percentile_interval(tau)])


def _curve(study: Study, found: Stabilities, names: Sequence[str], order: Sequence[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    distributions = [(share, part.tau, _distribution(part.tau)) for share, part in found.curve]
    for place in order:
        for share, tau, distribution in distributions:
            items = round(share * len(study.items))
            undefined = int(np.isnan(tau[:, place]).sum())
            rows.append((names[place], share, items, *distribution[place].tolist(), undefined))
    return Table(
        "stability_curve",
        "Stability by the number of items in each half",
        (
            Column("measure"),
            Column("share", Kind.SCORE),
            Column("items", Kind.COUNT),
            *(Column(name, Kind.SCORE) for name in ("mean", "sd", "low", "high")),
            Column("undefined", Kind.COUNT),
        ),
        tuple(rows),
    )


def _drawn(found: Stabilities, names: Sequence[str], order: Sequence[int]) -> Table:
    """Every tau of the trials and how often it came; rankings of few systems have few different ones."""
    rows: list[tuple[Cell, ...]] = []
    for place in order:
        tau = found.consistency.tau[:, place]
        values, trials = np.unique(tau[~np.isnan(tau)], return_counts=True)
        rows += zip([names[place]] * len(values), values.tolist(), trials.tolist(), strict=True)
    return Table(
        "stability_distribution",
        "How many trials gave which tau",
        (Column("measure"), Column("tau", Kind.SCORE), Column("trials", Kind.COUNT)),
        tuple(rows),
        detail=True,
    )


def _strata_notes(strata: Sequence[int]) -> list[str]:
    if not strata:
        return [f"no {', '.join(STRATA)}: thirds take at least {len(STRATA)} systems"]
    if 1 in strata:
        return [f"of strata of {', '.join(map(str, strata))} systems, those of a single one have nothing to rank"]
    sizes = ", ".join(map(str, strata))
    return [f"strata ({sizes} systems, best first) are of each measure's own ranking on all items; tau is within them"]


def _notes(
    study: Study,
    strata: Sequence[int],
    settings: StabilitySettings,
    found: Stabilities,
    names: Sequence[str],
    means: NDArray[np.float64],
) -> list[str]:
    tau = found.consistency.tau
    same = f"measures that share a letter can't be told apart (p ≥ {settings.alpha:g})"
    notes = [f"low and high bound the middle 95 % of the trials; {same}", *_strata_notes(strata)]
    items = len(study.items)
    if not settings.sizes and items <= _FEW_ITEMS:
        splits = math.comb(items, items // 2) // (1 if items % 2 else 2)
        notes.append(f"{counted(items, 'item')} have only {splits:,} different halves: the trials repeat them")
    never = [names[place] for place in np.flatnonzero(np.isnan(means)).tolist()]
    if never:
        notes.append(f"{', '.join(never)}: no trial has a tau, because one half or both rank all systems alike")
    if not found.complete and len(never) < len(names):
        notes.append("no trial has a tau of every measure, so there is no test of differences and there are no letters")
    if 0 < found.complete < len(tau):
        notes.append(f"the test of differences uses the {found.complete:,} trials in which every measure has a tau")
    return notes


def on_stability(names: Sequence[str], consistency: Numbers) -> list[Finding]:
    """Which measures rank systems most alike on other items; consistency: (M,)."""
    most = best_of(names, consistency)
    if not most:
        return []
    verb = "ranks" if len(most) == 1 else "rank"
    mean = np.nanmax(consistency)
    told = f"{listed(most)} {verb} systems most alike on other items (mean tau {mean:.2f} between halves)"
    return [Finding("stability", told + and_worst(names, -consistency, len(most)))]
