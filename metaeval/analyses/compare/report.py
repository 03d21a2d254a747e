"""Tables and notes of `compare`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from metaeval.analyses.compare.compute import Comparison, Comparisons
from metaeval.analyses.compare.sentences import findings, verdicts
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import join_names
from metaeval.errors import pluralize, setting
from metaeval.inference.pairs import critical_rank, fewest_permutations
from metaeval.model.report import Cell, Column, Kind, Table, columns
from metaeval.model.works import cite
from metaeval.stats.rank import competition_ranks
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, notes_on_gaps, notes_on_untested, units_of
from metaeval.study.study import AnalysisOutput, Study

_ROWS_SHOWN = 30
"""Number of differences up to which the terminal shows them; of more it shows only the numbers of wins."""


_OF_LEADERBOARD = {
    **dict.fromkeys(("score", "difference", "low", "high"), Kind.SCORE),
    **dict.fromkeys(("ranks", "letters"), Kind.TEXT),
}

_ON_ORDER = (
    "rank_low, rank_high: ranks that the significant differences leave open; a tier ends at a system that differs "
    "significantly from the best one of the tier"
)
_ON_LEADERBOARD = (
    "ranks: those that the significant differences leave open; letters: shared by systems that do not differ"
)
_ON_BEST = (
    "best (•): systems that may be the best, by one-sided tests against the others (Hsu); these tests are a family of "
    "their own"
)


def tabulate(study: Study, settings: CompareSettings, result: Comparisons) -> AnalysisOutput:
    """Tables of differences and of the order of the systems.

    Table `comparisons`: measure, system, other, difference, low, high, p, p_adjusted, better. Table `wins`: system,
    other, wins, losses, undecided, untested. For all pairs, `tiers_by_measure`: system, one column per measure; and
    table `tiers`: measure, system, score, difference, low, high, rank, rank_low, rank_high, tier, letters, best. If
    requested, table `leaderboard` before them: system, and for each measure columns of `tiers`.
    """
    tables = [_differences(study, result), _wins(study, result)]
    if result.all_pairs:
        tables += _tiers(study, settings, result)
    if settings.leaderboard:
        tables = [_leaderboard(study, tables[-1]), *(replace(table, detail=True) for table in tables)]
    return AnalysisOutput(
        tables,
        _notes(study, settings, result),
        findings(study, settings, result),
        methods=_methods(study, settings, result),
    )


def _names(study: Study, result: Comparisons) -> list[tuple[str, str]]:
    return [(study.systems[one], study.systems[other]) for one, other in result.pairs]


def _differences(study: Study, result: Comparisons) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure, comparison, direction in zip(
        study.measure_names, result.measures, study.scores.directions, strict=True
    ):
        tests, sign = comparison.tests, direction.sign
        low, high = np.sort([tests.low * sign, tests.high * sign], axis=0)
        numbers = np.stack([tests.difference * sign, low, high, tests.raw, tests.p], axis=1).tolist()
        better = verdicts(comparison).tolist()
        items = _items(study, comparison, len(better))
        rows += (
            (measure, *names, *of_pair, {1: names[0], -1: names[1], 0: ""}[winner], *shared)
            for names, of_pair, winner, shared in zip(_names(study, result), numbers, better, items, strict=True)
        )
    pairs = pluralize(len(result.pairs), "pair")
    return Table(
        "comparisons",
        f"Differences of {pairs} of systems (system − other) on {pluralize(len(study.items), 'item')}",
        (
            *(Column(name) for name in ("measure", "system", "other")),
            *(Column(name, Kind.SCORE) for name in ("difference", "low", "high", "p", "p_adjusted")),
            Column("better", values=(*study.systems, "")),
            *([Column("items", Kind.COUNT)] if study.has_gaps else []),
        ),
        tuple(rows),
        detail=len(result.pairs) > 1 and len(rows) > _ROWS_SHOWN,
    )


def _items(study: Study, comparison: Comparison, pairs: int) -> list[tuple[Cell, ...]]:
    """The number of items that both systems of each pair have, where systems lack scores."""
    if not study.has_gaps:
        return [()] * pairs
    return [(len(study.items),)] * pairs if comparison.shared is None else [(n,) for n in comparison.shared.tolist()]


def _wins(study: Study, result: Comparisons) -> Table:
    of_measures = np.array([verdicts(comparison) for comparison in result.measures])
    untested = np.isnan([comparison.tests.p for comparison in result.measures])
    tested = [((of_measures == sign) & ~untested).sum(axis=0) for sign in (1, -1, 0)]
    counts = np.stack([*tested, untested.sum(axis=0)], axis=1).tolist()
    heads = columns(Kind.COUNT, "wins", "losses", "undecided", "untested")
    return Table(
        "wins",
        f"Significant wins and losses of system against other under {pluralize(len(result.measures), 'measure')}",
        (Column("system"), Column("other"), *heads),
        tuple((*names, *own) for names, own in zip(_names(study, result), counts, strict=True)),
        detail=result.all_pairs or len(result.pairs) == 1,
    )


def _tiers(study: Study, settings: CompareSettings, result: Comparisons) -> list[Table]:
    """The tiers under all measures side by side, and the order under each measure."""
    rows: list[tuple[Cell, ...]] = []
    by_measure: list[list[int | None]] = []
    systems = [study.systems[system] for system in result.systems.tolist()]
    for name, direction, comparison in zip(study.measure_names, study.scores.directions, result.measures, strict=True):
        of_measure, tiers = _order_rows(comparison, systems, direction.sign, settings.alpha)
        rows += ((name, *row) for row in of_measure)
        by_measure.append(tiers)
    sums = [sum(tier or len(systems) for tier in tiers) for tiers in zip(*by_measure, strict=True)]
    best_first = sorted(range(len(systems)), key=sums.__getitem__)
    several = len(study.measure_names) > 1
    return [
        Table(
            "tiers_by_measure",
            f"Tiers of {len(systems)} systems (1 is the best), by differences significant at {settings.alpha:g}",
            (Column("system"), *(Column(name, Kind.COUNT) for name in study.measure_names)),
            tuple((systems[place], *(of_tier[place] for of_tier in by_measure)) for place in best_first),
            detail=not several,
        ),
        Table(
            "tiers",
            f"Systems that share a letter are not significantly different at {settings.alpha:g}",
            (
                *(Column("measure"), Column("system"), Column("score", Kind.SCORE)),
                *(Column(heading, Kind.SCORE) for heading in ("difference", "low", "high")),
                *(Column(heading, Kind.COUNT) for heading in ("rank", "rank_low", "rank_high", "tier")),
                *(Column("letters"), Column("best", Kind.FLAG)),
            ),
            tuple(rows),
            detail=several,
        ),
    ]


def _leaderboard(study: Study, tiers: Table) -> Table:
    """The systems, those with the best ranks first, with columns of the table `tiers` under each measure."""
    names = [column.name for column in tiers.columns]
    of_system: dict[Cell, dict[Cell, dict[str, Cell]]] = {}
    for row in tiers.rows:
        of_system.setdefault(row[1], {})[row[0]] = dict(zip(names, row, strict=True))
    several = len(study.measure_names) > 1
    columns, cells = [Column("system")], []
    for measure, direction in zip(study.measure_names, study.scores.directions, strict=True):
        for name, kind in _OF_LEADERBOARD.items():
            better = direction.sign > 0 if name == "score" else None
            columns.append(
                Column(f"{measure}_{name}", kind, better, head=name) if several else Column(name, kind, better)
            )

    def places(ranks: Mapping[Cell, Mapping[str, Cell]]) -> float:
        return sum(math.inf if (rank := each["rank"]) is None else float(rank) for each in ranks.values())

    for system, of_measure in sorted(of_system.items(), key=lambda each: places(each[1])):
        values = [{**each, "ranks": _ranks(each)} for each in of_measure.values()]
        cells.append((system, *(value[name] for value in values for name in _OF_LEADERBOARD)))
    under = "" if several else f" under {study.measure_names[0]}"
    title = f"Leaderboard of {len(cells)} systems on {pluralize(len(study.items), 'item')}{under}"
    return Table("leaderboard", title, tuple(columns), tuple(cells))


def _ranks(order: Mapping[str, Cell]) -> str:
    """The ranks that a system may have, as '1' or '2–4'."""
    return "–".join(dict.fromkeys(str(order[end]) for end in ("rank_low", "rank_high") if order[end] is not None))


def _order_rows(
    comparison: Comparison, systems: list[str], sign: int, alpha: float
) -> tuple[list[tuple[Cell, ...]], list[int | None]]:
    """The systems, best first, with their differences from the best; and their tiers, None where undefined."""
    order, tests = comparison.order, comparison.tests
    assert order is not None
    scores = np.where(order.defined, order.scores, np.nan)
    ranked = order.defined & ~(comparison.cyclic if comparison.cyclic is not None else np.False_)
    derived = order.defined & (not comparison.contradictory)
    order_of = np.argsort(-np.where(order.defined, scores, -np.inf), kind="stable")
    best = int(order_of[0])
    behind = np.full((3, len(systems)), np.nan)
    behind[:, best] = 0.0 if order.defined[best] else np.nan
    for system, mate, side in ((tests.one, tests.other, 1), (tests.other, tests.one, -1)):
        with_best = mate == best
        bounds = np.stack([tests.difference, tests.low, tests.high])[:, with_best] * side * sign
        behind[:, system[with_best]] = np.vstack([bounds[0], np.sort(bounds[1:], axis=0)])
    ranks, (low, high) = competition_ranks(scores), order.rank_sets
    tiers = [(tier or None) if known else None for tier, known in zip(order.tiers, derived.tolist(), strict=True)]
    letters, may_be_best = order.letters, comparison.best > alpha
    rows: list[tuple[Cell, ...]] = [
        (
            systems[place], float(comparison.scores[place]) * sign, *behind[:, place].tolist(),
            int(ranks[place]) if ranked[place] and derived[place] else None,
            *(int(each[place]) if derived[place] else None for each in (low, high)),
            tiers[place], letters[place] if derived[place] else "", bool(may_be_best[place]),
        )
        for place in order_of.tolist()
    ]  # fmt: skip
    return rows, tiers


def _notes(study: Study, settings: CompareSettings, result: Comparisons) -> list[str]:
    pairs = len(result.pairs)
    of_all = "" if pairs == 1 else f" of {pairs:,} pairs"
    test = f"permutation test that changes the signs of the differences of {units_of(study)} at random"
    adjusted = f"low, high: simultaneous for all differences{of_all} under a measure"
    permutations = pluralize(settings.permutations, "permutation")
    notes = [f"p: {test} ({permutations}); p_adjusted, {adjusted}; better: at {settings.alpha:g}"]
    if settings.leaderboard:
        level = f"significantly different: at {settings.alpha:g} in a {test} ({permutations})"
        notes = [f"difference, {adjusted}, from {_reference(study, result)}", _ON_LEADERBOARD, level]
    elif result.all_pairs:
        notes += [f"difference, low, high: from {_reference(study, result)}; {_ON_ORDER}", _ON_BEST]
    untested = notes_on_untested(study, "tests", permutations=settings.permutations)
    return [
        *notes,
        *_too_few(study, settings, result),
        *notes_on_clusters(study),
        *notes_on_gaps(study),
        *untested,
        *_circles(study, result),
    ]


def _circles(study: Study, result: Comparisons) -> list[str]:
    """Notes on systems without a rank, because each is better than another on common items, in a circle."""
    notes = []
    for name, comparison in zip(study.measure_names, result.measures, strict=True):
        if comparison.cyclic is not None and comparison.cyclic.any():
            systems = [study.systems[place] for place in result.systems[comparison.cyclic].tolist()]
            what = "no ranks, letters and tiers" if comparison.contradictory else "no ranks of these systems"
            notes.append(f"{name}: on common items the order of {', '.join(systems)} is a circle: {what}")
    return notes


def _reference(study: Study, result: Comparisons) -> str:
    """The system from which differences in the order are measured; its name where several share the best score."""
    systems = [study.systems[place] for place in result.systems.tolist()]
    first: dict[str, list[str]] = {}
    for measure, comparison in zip(study.measure_names, result.measures, strict=True):
        if comparison.order is not None and len(best := comparison.order.best(systems)) > 1:
            first.setdefault(best[0], []).append(measure)
    shared = "; ".join(f"{system} under {join_names(measures)}" for system, measures in first.items())
    return f"the best system, or the first of several with the best score ({shared})" if shared else "the best system"


def _methods(study: Study, settings: CompareSettings, result: Comparisons) -> list[str]:
    pairs, level = len(result.pairs), f"{100 * (1 - settings.alpha):g} %"
    others = "all systems" if result.all_pairs else f"{study.systems[result.systems[0]]} and each of the others"
    what = "The differences of two systems" if pairs == 1 else f"The differences of {others} ({pairs:,} pairs)"
    intervals = f"{level} confidence intervals exclude 0 where the p-value is at most {settings.alpha:g}."
    by = f"by the largest statistic {cite('westfall1993')}"
    family = f"P-values and intervals hold for all these pairs under a measure together, {by}; "
    order = (
        "Ranges of ranks, letters and tiers derive from these differences; the systems that may be the best are those "
        f"that one-sided tests against the others, a family of their own, do not reject at {settings.alpha:g}."
    )
    tests = methods_of_tests(study, what, permutations=settings.permutations)
    return [*tests, f"{family if pairs > 1 else ''}{intervals}", *([order] if result.all_pairs else [])]


def _too_few(study: Study, settings: CompareSettings, result: Comparisons) -> list[str]:
    """A note where no difference can be significant, however large it is."""
    if not critical_rank(settings.permutations, settings.alpha):
        least = fewest_permutations(settings.alpha)
        few = f"{pluralize(settings.permutations, 'permutation')} cannot show a difference at {settings.alpha:g}"
        return [f"{few}, and give no interval: use {setting('permutations', least)} or more"]
    unbounded = [
        name
        for name, each in zip(study.measure_names, result.measures, strict=True)
        if not np.isfinite(each.tests.low).any()
    ]
    if result.smallest_p > settings.alpha or unbounded:
        under = f" under {join_names(unbounded)}" if 0 < len(unbounded) < len(study.measure_names) else ""
        groups = "1 group of items is" if result.groups == 1 else f"{result.groups:,} groups of items are"
        few = f"{groups} too few, or too unequal, for any difference"
        without = "; such differences have no interval" if unbounded else ""
        return [f"{few} to be significant at {settings.alpha:g}{under}{without}"]
    return []
