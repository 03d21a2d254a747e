"""What `compare` found, as tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import listed
from metaeval.config import CompareConfig
from metaeval.config.analyses import USUAL_RESAMPLES
from metaeval.errors import counted
from metaeval.experiment.comparison_findings import comparison_findings, least_resamples, verdict
from metaeval.meta.comparison import tiers
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.stats.tests import compact_letters
from metaeval.study.item_means import means_over_items
from metaeval.study.notes import note_on_few_items, note_on_few_resamples, note_on_undefined
from metaeval.study.study import Part, Study, undefined_notes

if TYPE_CHECKING:
    from metaeval.experiment.comparisons import Comparison, Comparisons, Right

_ROWS_SHOWN = 30
"""Rows of differences that a terminal shows; of more it only shows who wins how often."""


def comparison_tables(study: Study, found: Comparisons) -> Part:
    """The tables of `compare`, and what to say of them."""
    wanted = study.config.compare or CompareConfig()
    # First what data formats carry, whatever was asked for; people are shown the long tables where these are short.
    tables = [_main(study, wanted, found), _wins(study, wanted, found)]
    if found.all_pairs:
        tables += _tiers(study, wanted, found)
    if found.right is not None:
        tables.append(_mcnemar(study, found, found.right))
    return Part(tables, _notes(study, wanted, found), comparison_findings(study, wanted, found))


def _main(study: Study, wanted: CompareConfig, found: Comparisons) -> Table:
    systems = study.systems
    rows: list[tuple[Cell, ...]] = []
    for name, comparison, direction in zip(study.measure_names, found.measures, study.scores.directions, strict=True):
        of_pairs = comparison.differences
        for place, (one, other) in enumerate(found.pairs.tolist()):
            bounds = [float(of_pairs.low[place]), float(of_pairs.high[place])]
            low, high = sorted(bound * direction.sign for bound in bounds) if bounds[0] == bounds[0] else bounds
            better = verdict(comparison, place, wanted.alpha)
            rows.append(
                (
                    name, systems[one], systems[other], float(of_pairs.value[place] * direction.sign), low, high,
                    float(of_pairs.p[place]), float(comparison.adjusted[place]),
                    "" if better == 0 else systems[one] if better > 0 else systems[other],
                )
            )  # fmt: skip
    pairs = counted(len(found.pairs), "pair")
    return Table(
        "comparisons",
        f"Differences of {pairs} of systems, system less other, on {counted(len(study.items), 'item')}",
        (
            *(Column(name) for name in ("measure", "system", "other")),
            *(Column(name, Kind.SCORE) for name in ("difference", "low", "high", "p", "p_adjusted")),
            Column("better"),
        ),
        tuple(rows),
        detail=len(found.pairs) > 1 and len(rows) > _ROWS_SHOWN,
    )


def _wins(study: Study, wanted: CompareConfig, found: Comparisons) -> Table:
    measures = len(found.measures)
    rows: list[tuple[Cell, ...]] = []
    for place, (one, other) in enumerate(found.pairs.tolist()):
        verdicts = [verdict(comparison, place, wanted.alpha) for comparison in found.measures]
        wins, losses = verdicts.count(1), verdicts.count(-1)
        rows.append((study.systems[one], study.systems[other], wins, losses, measures - wins - losses))
    return Table(
        "wins",
        f"By how many of {counted(measures, 'measure')} a system is better or worse than the other",
        (*(Column("system"), Column("other")), *(Column(name, Kind.COUNT) for name in ("wins", "losses", "undecided"))),
        tuple(rows),
        detail=found.all_pairs or len(rows) == 1,
    )


def _tiers(study: Study, wanted: CompareConfig, found: Comparisons) -> list[Table]:
    """The tiers by all measures side by side, and of each measure with ranks and letters."""
    rows: list[tuple[Cell, ...]] = []
    by_measure: list[list[float]] = []
    scores = study.scores.oriented().values[:, found.systems]
    systems = [study.systems[system] for system in found.systems.tolist()]
    for name, values, direction, comparison in zip(
        study.measure_names, scores, study.scores.directions, found.measures, strict=True
    ):
        different = _different(comparison, found.pairs, len(study.systems), wanted.alpha)
        different = different[np.ix_(found.systems, found.systems)]
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
            f"Tiers of {len(systems)} systems, 1 the best, by differences significant at {wanted.alpha:g}",
            (Column("system"), *(Column(name, Kind.COUNT) for name in study.measure_names)),
            tuple((systems[place], *(of_tier[place] for of_tier in by_measure)) for place in best_first),
            detail=not several,
        ),
        Table(
            "tiers",
            f"Systems that can't be told apart at {wanted.alpha:g} share a letter; ranks with their 95 % intervals",
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


def _mcnemar(study: Study, found: Comparisons, right: Right) -> Table:
    rows = tuple(
        (study.systems[one], study.systems[other], int(only_one), int(only_other), float(p))
        for (one, other), only_one, only_other, p in zip(
            found.pairs.tolist(), right.only_one, right.only_other, right.p, strict=True
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


def _notes(study: Study, wanted: CompareConfig, found: Comparisons) -> list[str]:
    resamples = found.resamples
    made = f"p: {_HOW[wanted.test].format(samples=counted(resamples, 'sample'), times=counted(resamples, 'time'))}"
    several = len(found.pairs) > 1
    if wanted.test != "tukey" and several:
        made += f"; p_adjusted: {_ADJUSTED[wanted.adjust]}"
    if wanted.test == "tukey":
        made += f"; p_adjusted: {_PERMUTED.format(permutations=counted(resamples, 'permutation'))}"
    notes = [f"{made}; low and high: the middle 95 % of a paired bootstrap; better: at {wanted.alpha:g}"]
    by_items = means_over_items(study) if wanted.test == "tukey" else range(len(study.measure_names))
    other = [name for place, name in enumerate(study.measure_names) if place not in by_items]
    if other:
        notes.append(f"{listed(other)}, no means over items: p_adjusted from the range of the systems in the bootstrap")
    if wanted.resamples is None and resamples != USUAL_RESAMPLES:
        notes.append(f"{resamples:,} resamples, because of {len(found.pairs):,} pairs; --resamples says otherwise")
    if found.all_pairs:
        notes.append("a tier ends where a system differs from the best one in it; ranks are among the systems compared")
    for name, comparison in zip(study.measure_names, found.measures, strict=True):
        differences = comparison.differences
        most = int(differences.undefined[~np.isnan(differences.value)].max(initial=0))
        notes += note_on_undefined(name, most, resamples)
    if wanted.test != "permutation":
        notes += note_on_few_items(study, remedy="--test permutation")
    return [*notes, *_too_few(wanted, found), *undefined_notes(study.scores)]


def _too_few(wanted: CompareConfig, found: Comparisons) -> list[str]:
    """A word where so many resamples can show no difference, however large it is."""
    alone, least = note_on_few_resamples(found.resamples, wanted.alpha), least_resamples(wanted, found)
    if alone or found.resamples >= least:
        return alone
    pairs = len(found.pairs)
    return [f"with {pairs:,} pairs no adjusted p can reach {wanted.alpha:g}: say --resamples {least} or more"]
