"""What `compare` found, as tables and sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.compare.compute import Comparison, Comparisons, McNemar
from metaeval.analyses.compare.sentences import findings, least_resamples, verdict
from metaeval.analyses.compare.settings import DEFAULT_RESAMPLES, CompareSettings
from metaeval.analyses.compare.tiers import tiers
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.stats.tests import compact_letters
from metaeval.study.capabilities import ADDITIVE
from metaeval.study.differences import note_on_few_items, note_on_few_resamples, note_on_undefined
from metaeval.study.study import Part, Study, undefined_notes

_ROWS_SHOWN = 30
"""Rows of differences that a terminal shows; of more it only shows who wins how often."""


def tabulate(study: Study, settings: CompareSettings, result: Comparisons) -> Part:
    """Tables of differences, and what to say of them.

    Table `comparisons`: measure, system, other, difference, low, high, p, p_adjusted, better. Table `wins`: system,
    other, wins, losses, undecided. Where all pairs are compared, table `tiers_by_measure`: system, one a measure; and
    table `tiers`: measure, system, score, rank, rank_low, rank_high, tier, letters. Table `mcnemar` of labels: system,
    other, only_system, only_other, p.
    """
    # First what data formats carry, whatever was asked for; people are shown the long tables where these are short.
    tables = [_main(study, settings, result), _wins(study, settings, result)]
    if result.all_pairs:
        tables += _tiers(study, settings, result)
    if result.mcnemar is not None:
        tables.append(_mcnemar(study, result, result.mcnemar))
    return Part(tables, _notes(study, settings, result), findings(study, settings, result))


def _main(study: Study, settings: CompareSettings, result: Comparisons) -> Table:
    systems = study.systems
    rows: list[tuple[Cell, ...]] = []
    for name, comparison, direction in zip(study.measure_names, result.measures, study.scores.directions, strict=True):
        of_pairs = comparison.differences
        for place, (one, other) in enumerate(result.pairs.tolist()):
            bounds = [float(of_pairs.low[place]), float(of_pairs.high[place])]
            low, high = sorted(bound * direction.sign for bound in bounds) if bounds[0] == bounds[0] else bounds
            better = verdict(comparison, place, settings.alpha)
            rows.append(
                (
                    name, systems[one], systems[other], float(of_pairs.value[place] * direction.sign), low, high,
                    float(of_pairs.p[place]), float(comparison.adjusted[place]),
                    "" if better == 0 else systems[one] if better > 0 else systems[other],
                )
            )  # fmt: skip
    pairs = counted(len(result.pairs), "pair")
    return Table(
        "comparisons",
        f"Differences of {pairs} of systems, system less other, on {counted(len(study.items), 'item')}",
        (
            *(Column(name) for name in ("measure", "system", "other")),
            *(Column(name, Kind.SCORE) for name in ("difference", "low", "high", "p", "p_adjusted")),
            Column("better"),
        ),
        tuple(rows),
        detail=len(result.pairs) > 1 and len(rows) > _ROWS_SHOWN,
    )


def _wins(study: Study, settings: CompareSettings, result: Comparisons) -> Table:
    measures = len(result.measures)
    rows: list[tuple[Cell, ...]] = []
    for place, (one, other) in enumerate(result.pairs.tolist()):
        verdicts = [verdict(comparison, place, settings.alpha) for comparison in result.measures]
        wins, losses = verdicts.count(1), verdicts.count(-1)
        rows.append((study.systems[one], study.systems[other], wins, losses, measures - wins - losses))
    return Table(
        "wins",
        f"By how many of {counted(measures, 'measure')} a system is better or worse than the other",
        (*(Column("system"), Column("other")), *(Column(name, Kind.COUNT) for name in ("wins", "losses", "undecided"))),
        tuple(rows),
        detail=result.all_pairs or len(rows) == 1,
    )


def _tiers(study: Study, settings: CompareSettings, result: Comparisons) -> list[Table]:
    """The tiers by all measures side by side, and of each measure with ranks and letters."""
    rows: list[tuple[Cell, ...]] = []
    by_measure: list[list[float]] = []
    scores = study.scores.oriented().values[:, result.systems]
    systems = [study.systems[system] for system in result.systems.tolist()]
    for name, values, direction, comparison in zip(
        study.measure_names, scores, study.scores.directions, result.measures, strict=True
    ):
        different = _different(comparison, result.pairs, len(study.systems), settings.alpha)
        different = different[np.ix_(result.systems, result.systems)]
        letters = compact_letters(values, different)
        # A system that has no score can't be told apart from anyone, and is alike to none.
        of_tier = np.where(np.isnan(values), np.nan, tiers(values, different)).tolist()
        by_measure.append(of_tier)
        ranks = np.stack([comparison.ranks.place, comparison.ranks.low, comparison.ranks.high], axis=1).tolist()
        rows += (
            (name, systems[place], float(values[place]) * direction.sign, *ranks[place], of_tier[place], letters[place])
            for place in np.argsort(-values, kind="stable").tolist()
        )
    best_first = np.argsort(np.nan_to_num(by_measure, nan=len(systems)).sum(axis=0), kind="stable").tolist()
    several = len(study.measure_names) > 1
    return [
        Table(
            "tiers_by_measure",
            f"Tiers of {len(systems)} systems, 1 the best, by differences significant at {settings.alpha:g}",
            (Column("system"), *(Column(name, Kind.COUNT) for name in study.measure_names)),
            tuple((systems[place], *(of_tier[place] for of_tier in by_measure)) for place in best_first),
            detail=not several,
        ),
        Table(
            "tiers",
            f"Systems that can't be told apart at {settings.alpha:g} share a letter; ranks with their 95 % intervals",
            (
                *(Column("measure"), Column("system"), Column("score", Kind.SCORE)),
                *(Column(name, Kind.COUNT) for name in ("rank", "rank_low", "rank_high", "tier")),
                Column("letters"),
            ),
            tuple(rows),
            detail=several,
        ),
    ]


def _different(comparison: Comparison, pairs: NDArray[np.intp], systems: int, alpha: float) -> NDArray[np.bool_]:
    different = np.zeros((systems, systems), dtype=np.bool_)
    told = comparison.adjusted <= alpha
    different[pairs[told, 0], pairs[told, 1]] = different[pairs[told, 1], pairs[told, 0]] = True
    return different


def _mcnemar(study: Study, result: Comparisons, test: McNemar) -> Table:
    rows = tuple(
        (study.systems[one], study.systems[other], int(only_one), int(only_other), float(p))
        for (one, other), only_one, only_other, p in zip(
            result.pairs.tolist(), test.only_one, test.only_other, test.p, strict=True
        )
    )
    return Table(
        "mcnemar",
        "McNemar's exact test of accuracy: items that only one of two systems gets right"
        + ("; p is not adjusted for how many pairs there are" if len(rows) > 1 else ""),
        (
            *(Column("system"), Column("other")),
            *(Column(name, Kind.COUNT) for name in ("only_system", "only_other")),
            Column("p", Kind.SCORE),
        ),
        rows,
        detail=len(rows) > 1,
    )


_PERMUTED = "randomised Tukey HSD of {permutations}, whose level holds for all systems at once"
_HOW = {
    "bootstrap": "a paired bootstrap of {samples} of the items",
    "permutation": "{times} the answers of two systems swapped, item by item, by a coin",
    "tukey": "a paired bootstrap of {samples} of the items, each pair by itself",
}
_ADJUSTED = {
    "holm": "adjusted after Holm, over the pairs of each measure",
    "bh": "adjusted after Benjamini and Hochberg, over the pairs of each measure",
    "none": "not adjusted",
}


def _notes(study: Study, settings: CompareSettings, result: Comparisons) -> list[str]:
    resamples = result.resamples
    made = f"p: {_HOW[settings.test].format(samples=counted(resamples, 'sample'), times=counted(resamples, 'time'))}"
    several = len(result.pairs) > 1
    if settings.test != "tukey" and several:
        made += f"; p_adjusted: {_ADJUSTED[settings.correction]}"
    if settings.test == "tukey":
        made += f"; p_adjusted: {_PERMUTED.format(permutations=counted(resamples, 'permutation'))}"
    notes = [f"{made}; low and high: the middle 95 % of a paired bootstrap; better: at {settings.alpha:g}"]
    other: list[str] = []
    if settings.test == "tukey":
        additive = study.find(ADDITIVE)
        by_items = additive.places if additive is not None else ()
        other = [name for place, name in enumerate(study.measure_names) if place not in by_items]
    if other:
        notes.append(f"{listed(other)}, no means over items: p_adjusted from the range of the systems in the bootstrap")
    if settings.resamples is None and resamples != DEFAULT_RESAMPLES:
        notes.append(f"{resamples:,} resamples, because of {len(result.pairs):,} pairs; --resamples says otherwise")
    if result.all_pairs:
        notes.append("a tier ends where a system differs from the best one in it; ranks are among the systems compared")
    for name, comparison in zip(study.measure_names, result.measures, strict=True):
        differences = comparison.differences
        most = int(differences.undefined[~np.isnan(differences.value)].max(initial=0))
        notes += note_on_undefined(name, most, resamples)
    if settings.test != "permutation":
        notes += note_on_few_items(study, remedy="--test permutation")
    return [*notes, *_too_few(settings, result), *undefined_notes(study.scores)]


def _too_few(settings: CompareSettings, result: Comparisons) -> list[str]:
    """A word where so many resamples can show no difference, however large it is."""
    alone, least = note_on_few_resamples(result.resamples, settings.alpha), least_resamples(settings, result)
    if alone or result.resamples >= least:
        return alone
    pairs = len(result.pairs)
    return [f"with {pairs:,} pairs no adjusted p can reach {settings.alpha:g}: say --resamples {least} or more"]
