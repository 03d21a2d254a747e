"""Tables, notes and findings of `compare`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.compare.compute import Comparison, Comparisons
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import all_or_names, every, join_names
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import pluralize, setting
from metaeval.inference.pairs import critical_rank, fewest_permutations
from metaeval.model.report import (
    Cells,
    Finding,
    Note,
    Table,
    count,
    counts,
    flag,
    joined,
    notes_on_columns,
    on_columns,
    score,
    scores,
    table,
    text,
)
from metaeval.model.works import cite
from metaeval.render.plots.canvas import COLOURS, WIDTH, Look, Sheet, label, labels, number, width_of
from metaeval.render.plots.columns import cells_of, distinct, has, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.matrix import Heat, draw_heats
from metaeval.stats.rank import competition_ranks
from metaeval.study.evidence import (
    method_of_runs,
    methods_of_tests,
    notes_on_clusters,
    notes_on_gaps,
    notes_on_rare_classes,
    notes_on_untested,
    population_of,
    units_of,
    with_caution,
)
from metaeval.study.study import AnalysisOutput, Study

_ROWS_SHOWN = 30
"""Number of differences up to which the terminal shows them; of more it shows only the numbers of wins."""

_MAX_PAIRS = 3
"""Number of pairs up to which each pair has a finding of its own."""

_ON_LEADERBOARD = (
    "ranks: those that the significant differences leave open; letters: shared by systems that do not differ"
)
_ON_BEST = "systems that may be the best: no other one is significantly better"


@dataclass(frozen=True)
class Standing:
    """Where S systems stand under a measure; arrays and lists are (S,), with None where the order is unknown.

    score: in the measure's direction. behind: difference from the best system and the ends of its interval, (3, S).
    best_first: indices of the systems.
    """

    best_first: list[int]
    score: Floats
    behind: Floats
    rank: list[int | None]
    rank_low: list[int | None]
    rank_high: list[int | None]
    tier: list[int | None]
    letters: list[str]

    @classmethod
    def of(cls, comparison: Comparison, *, sign: int) -> Standing:
        """The standing by tests of all pairs; sign: 1 where higher scores are better, else −1."""
        order, tests = comparison.order, comparison.tests
        assert order is not None
        scores = np.where(order.defined, order.scores, np.nan)
        best_first = np.argsort(-np.where(order.defined, scores, -np.inf), kind="stable").tolist()
        best = best_first[0]
        behind = np.full((3, len(scores)), np.nan)
        behind[:, best] = 0.0 if order.defined[best] else np.nan
        for system, mate, side in ((tests.one, tests.other, 1), (tests.other, tests.one, -1)):
            with_best = mate == best
            bounds = np.stack([tests.difference, tests.low, tests.high])[:, with_best] * side * sign
            behind[:, system[with_best]] = np.vstack([bounds[0], np.sort(bounds[1:], axis=0)])
        derived = order.defined & (not comparison.contradictory)
        ranked = derived if comparison.cyclic is None else derived & ~comparison.cyclic
        low, high = order.rank_sets
        return cls(
            best_first=best_first,
            score=comparison.scores * sign,
            behind=behind,
            rank=_known(competition_ranks(scores), ranked),
            rank_low=_known(low, derived),
            rank_high=_known(high, derived),
            tier=[tier or None for tier in _known(order.tiers, derived)],
            letters=[letters if known else "" for letters, known in zip(order.letters, derived, strict=True)],
        )

    @property
    def may_be_best(self) -> list[bool | None]:
        """Whether no other system is significantly better."""
        return [None if low is None else low == 1 for low in self.rank_low]

    @property
    def ranks(self) -> list[str]:
        """The ranks that each system may have, as '1', '2–4' or ''."""
        ends = zip(self.rank_low, self.rank_high, strict=True)
        return ["–".join(dict.fromkeys(str(end) for end in both if end is not None)) for both in ends]


def _known(numbers: Iterable[int], known: Bools) -> list[int | None]:
    return [int(number) if is_known else None for number, is_known in zip(numbers, known.tolist(), strict=True)]


def tabulate(study: Study, settings: CompareSettings, result: Comparisons) -> AnalysisOutput:
    """Differences, wins and losses; of all pairs also the order of the systems, and a leaderboard if requested."""
    tables = [_differences(study, settings, result), _wins(study, result)]
    notes = notes_on_columns(tables[0], ["p", "p_adjusted", "better"])
    if result.all_pairs:
        standings = {
            measure: Standing.of(comparison, sign=direction.sign)
            for measure, comparison, direction in zip(
                study.measure_names, result.measures, study.scores.directions, strict=True
            )
        }
        systems = [study.systems[index] for index in result.systems]
        tiers = _tiers(systems, standings, settings, reference=_reference(study, result))
        notes += notes_on_columns(tiers, ["difference", "rank_low", "tier"], ["best"])
        tables += [_tiers_by_measure(systems, standings, settings), tiers]
        if settings.leaderboard:
            notes = _notes_on_leaderboard(study, settings, result)
            tables = [_leaderboard(study, systems, standings), *(replace(each, detail=True) for each in tables)]
    return AnalysisOutput(
        tables,
        [*notes, *_notes(study, settings, result)],
        findings(study, settings, result),
        methods=_methods(study, settings, result),
    )


def _names_of_pairs(study: Study, result: Comparisons) -> tuple[list[str], list[str]]:
    """The first and the other system of each pair."""
    pairs = result.pairs
    return [study.systems[one] for one, _ in pairs], [study.systems[other] for _, other in pairs]


def _test(study: Study, settings: CompareSettings) -> str:
    signs = f"permutation test that changes the signs of the differences of {units_of(study)} at random"
    runs = " and adds random deviations of their runs" if study.has_random_runs else ""
    return f"{signs}{runs} ({pluralize(settings.permutations, 'permutation')})"


def _family(result: Comparisons) -> str:
    pairs = len(result.pairs)
    return f"simultaneous for all differences{'' if pairs == 1 else f' of {pairs:,} pairs'} under a measure"


def _differences(study: Study, settings: CompareSettings, result: Comparisons) -> Table:
    family, test = _family(result), _test(study, settings)
    ones, others = _names_of_pairs(study, result)
    title = f"Differences of {pluralize(len(ones), 'pair')} of systems (system − other)"
    tables = []
    for measure, comparison, direction in zip(
        study.measure_names, result.measures, study.scores.directions, strict=True
    ):
        tests, sign = comparison.tests, direction.sign
        low, high = np.sort([tests.low * sign, tests.high * sign], axis=0)
        winner = verdicts(comparison)
        columns = [
            text("measure", measure),
            text("system", ones),
            text("other", others),
            score("difference", tests.difference * sign),
            *scores(("low", "high"), (low, high), about=family),
            score("p", tests.raw, about=test),
            score("p_adjusted", tests.p, about=family),
            text(
                "better",
                np.select([winner == 1, winner == -1], [ones, others], ""),
                values=(*study.systems, ""),
                about=f"the system that is better at {settings.alpha:g}",
            ),
        ]
        if study.has_gaps:
            columns.append(count("items", len(study.items) if comparison.shared is None else comparison.shared))
        tables.append(table("comparisons", f"{title} on {pluralize(len(study.items), 'item')}", *columns))
    whole = joined(tables)
    return replace(whole, detail=len(ones) > 1 and len(whole.rows) > _ROWS_SHOWN)


def _wins(study: Study, result: Comparisons) -> Table:
    ones, others = _names_of_pairs(study, result)
    winners = np.array([verdicts(comparison) for comparison in result.measures])
    untested = np.isnan([comparison.tests.p for comparison in result.measures])
    return table(
        "wins",
        f"Significant wins and losses of system against other under {pluralize(len(result.measures), 'measure')}",
        text("system", ones),
        text("other", others),
        *(
            count(name, ((winners == sign) & ~untested).sum(axis=0), about=f"measures under which {meaning}")
            for name, sign, meaning in (
                ("wins", 1, "system is significantly better"),
                ("losses", -1, "other is significantly better"),
                ("undecided", 0, "neither is"),
            )
        ),
        count("untested", untested.sum(axis=0), about="measures without a test"),
        detail=result.all_pairs or len(ones) == 1,
    )


def _tiers_by_measure(systems: list[str], standings: Mapping[str, Standing], settings: CompareSettings) -> Table:
    """The tiers under all measures side by side, those with the best tiers first."""
    tiers_by_system = zip(*(each.tier for each in standings.values()), strict=True)
    sums = [sum(tier or len(systems) for tier in tiers) for tiers in tiers_by_system]
    subject = f"Tiers of {len(systems)} systems (1 is the best)"
    return table(
        "tiers_by_measure",
        f"{subject}, by differences significant at {settings.alpha:g}",
        text("system", systems),
        *(count(measure, standing.tier) for measure, standing in standings.items()),
        order=np.argsort(sums, kind="stable").tolist(),
        detail=len(standings) == 1,
        subject=subject,
    )


def _tiers(
    systems: list[str], standings: Mapping[str, Standing], settings: CompareSettings, *, reference: str
) -> Table:
    """The systems under each measure, best first, with their differences from the best."""
    return joined(
        table(
            "tiers",
            f"Systems that share a letter are not significantly different at {settings.alpha:g}",
            text("measure", measure),
            text("system", systems),
            score("score", standing.score),
            *scores(("difference", "low", "high"), standing.behind, about=f"from {reference}"),
            count("rank", standing.rank),
            *counts(
                ("rank_low", "rank_high"),
                (standing.rank_low, standing.rank_high),
                about="ranks that the significant differences leave open",
            ),
            count(
                "tier",
                standing.tier,
                about="it ends at a system that differs significantly from the best one of the tier",
            ),
            text("letters", standing.letters),
            flag("best", standing.may_be_best, about=_ON_BEST),
            order=standing.best_first,
            detail=len(standings) > 1,
        )
        for measure, standing in standings.items()
    )


def _leaderboard(study: Study, systems: list[str], standings: Mapping[str, Standing]) -> Table:
    """The systems, those with the best ranks first, with their scores, differences, ranks and letters by measure."""
    several = len(standings) > 1
    columns = [text("system", systems)]
    for (measure, standing), direction in zip(standings.items(), study.scores.directions, strict=True):
        parts = [
            score("score", standing.score, higher_is_better=direction.sign > 0),
            *scores(("difference", "low", "high"), standing.behind),
            text("ranks", standing.ranks),
            text("letters", standing.letters),
        ]
        for column, cells in parts:
            head = replace(column, name=f"{measure}_{column.name}", head=column.name) if several else column
            columns.append(Cells(head, cells))
    ranks_by_system = zip(*(each.rank for each in standings.values()), strict=True)
    sums = [sum(math.inf if rank is None else rank for rank in ranks) for ranks in ranks_by_system]
    first = next(iter(standings.values()))
    under = "" if several else f" under {study.measure_names[0]}"
    return table(
        "leaderboard",
        f"Leaderboard of {len(systems)} systems on {pluralize(len(study.items), 'item')}{under}",
        *columns,
        order=sorted(first.best_first, key=sums.__getitem__),
    )


def _notes_on_leaderboard(study: Study, settings: CompareSettings, result: Comparisons) -> list[Note]:
    return [
        on_columns(["difference", "low", "high"], f"{_family(result)}, from {_reference(study, result)}"),
        Note(_ON_LEADERBOARD),
        Note(f"significantly different: at {settings.alpha:g} in a {_test(study, settings)}"),
    ]


def _notes(study: Study, settings: CompareSettings, result: Comparisons) -> list[Note | str]:
    untested = notes_on_untested(study, "tests", permutations=settings.permutations)
    return [
        *_too_few(study, settings, result),
        *notes_on_clusters(study),
        *notes_on_rare_classes(study),
        *notes_on_gaps(study),
        *untested,
        *_circles(study, result),
    ]


def _circles(study: Study, result: Comparisons) -> list[str]:
    """Notes on systems without a rank, because each is better than another on common items, in a circle."""
    notes = []
    for name, comparison in zip(study.measure_names, result.measures, strict=True):
        if comparison.cyclic is not None and comparison.cyclic.any():
            systems = [study.systems[index] for index in result.systems[comparison.cyclic].tolist()]
            what = "no ranks, letters and tiers" if comparison.contradictory else "no ranks of these systems"
            notes.append(f"{name}: on common items the order of {', '.join(systems)} is a circle: {what}")
    return notes


def _reference(study: Study, result: Comparisons) -> str:
    """The system from which differences in the order are measured; its name where several share the best score."""
    systems = [study.systems[index] for index in result.systems.tolist()]
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
        "Ranges of ranks, letters, tiers and the systems that may be the best, than which none is significantly "
        "better, derive from these differences."
    )
    tests = methods_of_tests(study, what, permutations=settings.permutations)
    tests += method_of_runs(study)
    return [*tests, f"{family if pairs > 1 else ''}{intervals}", *([order] if result.all_pairs else [])]


def _too_few(study: Study, settings: CompareSettings, result: Comparisons) -> list[str]:
    """A note where no difference can be significant, however large it is."""
    if not critical_rank(settings.permutations, settings.alpha):
        least = fewest_permutations(settings.alpha)
        few = f"{pluralize(settings.permutations, 'permutation')} cannot show a difference at {settings.alpha:g}"
        return [f"{few}, and give no interval: use {setting('permutations', least)} or more"]
    # An undefined difference, or one that never varies, has no interval for another reason.
    intervals = [each.tests.low[~np.isnan(each.tests.low)] for each in result.measures]
    unbounded = [
        name
        for name, lows in zip(study.measure_names, intervals, strict=True)
        if len(lows) and not np.isfinite(lows).any()
    ]
    if result.smallest_p > settings.alpha or unbounded:
        under = f" under {join_names(unbounded)}" if 0 < len(unbounded) < len(study.measure_names) else ""
        groups = "1 group of items is" if result.groups == 1 else f"{result.groups:,} groups of items are"
        few = f"{groups} too few, or too unequal, for any difference"
        without = "; such differences have no interval" if unbounded else ""
        return [f"{few} to be significant at {settings.alpha:g}{under}{without}"]
    return []


def verdicts(comparison: Comparison) -> NDArray[np.int_]:
    """For each pair 1 where its first system is significantly better, −1 where the other is, else 0, (P,)."""
    tests = comparison.tests
    return np.where(tests.significant, np.sign(np.nan_to_num(tests.difference)), 0).astype(np.int_)


def findings(study: Study, settings: CompareSettings, result: Comparisons) -> list[Finding]:
    """Whether the best system is significantly better than the others, or which of the pairs differ."""
    names = study.measure_names
    if result.all_pairs and len(result.pairs) > 1:
        systems = [study.systems[index] for index in result.systems.tolist()]
        claims = on_winners(systems, dict(zip(names, result.measures, strict=True)))
    else:
        pairs = [(study.systems[one], study.systems[other]) for one, other in result.pairs]
        by_pair: dict[tuple[str, str], dict[str, int]] = {}
        for name, comparison in zip(names, result.measures, strict=True):
            for pair, sign, p in zip(pairs, verdicts(comparison).tolist(), comparison.tests.p.tolist(), strict=True):
                # An undefined difference has no verdict.
                if not math.isnan(p):
                    by_pair.setdefault(pair, {})[name] = sign
        if len(by_pair) > _MAX_PAIRS:
            others = {other: of_pair for (_, other), of_pair in by_pair.items()}
            claims = [(on_first(pairs[0][0], others), {bool(sign) for own in others.values() for sign in own.values()})]
        else:
            claims = [(on_pair(*pair, own), {bool(sign) for sign in own.values()}) for pair, own in by_pair.items()]
    how = f"permutation test{population_of(study)}"
    sentences = [f"{claim} ({how}, {_level(found, settings.alpha)})" for claim, found in claims]
    return with_caution(study, [Finding("compare", sentence) for sentence in sentences])


def _level(significant: set[bool], alpha: float) -> str:
    """What the adjusted p-values behind a sentence are, by whether its differences are significant."""
    if len(significant) > 1:
        return f"adjusted p, level {alpha:g}"
    return f"adjusted p {'≤' if significant == {True} else '>'} {alpha:g}"


def on_winners(systems: Sequence[str], comparisons: Mapping[str, Comparison]) -> list[tuple[str, set[bool]]]:
    """For each system that has the best score a sentence, and whether the differences it names are significant."""
    by_outcome: dict[tuple[tuple[str, ...], tuple[str, ...], int], list[str]] = {}
    for measure, comparison in comparisons.items():
        order = comparison.order
        if order is None or order.defined.sum() < 2:
            continue
        best = order.best(systems)
        is_best = np.isin(systems, best)
        # Systems with the same score may differ from the others by other tests.
        similar = order.defined & ~is_best & ~order.better[is_best].all(axis=0)
        others = np.flatnonzero(similar)[np.argsort(-order.scores[similar], kind="stable")].tolist()
        outcome = (tuple(best), tuple(systems[index] for index in others), int(order.defined.sum()))
        by_outcome.setdefault(outcome, []).append(measure)
    claims = []
    for (best_names, others, tested), measures in by_outcome.items():
        under = all_or_names(measures, len(comparisons))
        rest = "" if tested == len(systems) else " that can be tested"
        worse, is_shared = tested - len(best_names), len(best_names) > 1
        of_tested = f" of the {tested} systems{rest}" if rest else ""
        both = "both" if len(best_names) == 2 else "all"
        if not is_shared and not others:
            claim = f"{best_names[0]} is significantly better than {every(worse, 'other system')}{rest} under {under}"
        else:
            claim = (
                f"{join_names(best_names)} {'share' if is_shared else 'has'} the best score{of_tested} under {under}"
            )
        if others:
            relation = (
                f"but are not {both} significantly better than" if is_shared else "not significantly different from"
            )
            claim += f", {relation} {join_names(others)}"
        elif is_shared and worse:
            claim += f" and are {both} significantly better than {every(worse, 'other system')}"
        claims.append((claim, {not others and worse > 0}))
    return claims


def on_pair(one: str, other: str, by_measure: Mapping[str, int]) -> str:
    """The verdicts on one pair of systems, by measure.

    >>> on_pair("A", "B", {"f1": 1, "kappa": 1, "accuracy": -1})
    'A is significantly better than B under 2 of 3 measures (f1 and kappa); significantly worse under accuracy'
    """
    better, worse, undecided = (
        [name for name, verdict in by_measure.items() if verdict == sign] for sign in (1, -1, 0)
    )
    if not better and not worse:
        which = f"any of {len(undecided)} measures" if len(undecided) > 1 else undecided[0]
        return f"{one} and {other} are not significantly different under {which}"
    if len(worse) > len(better):
        one, other, better, worse = other, one, worse, better
    which = better[0] if len(by_measure) == 1 else f"{len(better)} of {len(by_measure)} measures ({join_names(better)})"
    which = every(len(better)) if len(better) == len(by_measure) > 1 else which
    parts = [f"{one} is significantly better than {other} under {which}"]
    parts += [f"significantly worse under {join_names(worse)}"] if worse else []
    parts += [f"not significantly different under {join_names(undecided)}"] if undecided else []
    return "; ".join(parts)


def on_first(first: str, others: Mapping[str, Mapping[str, int]]) -> str:
    """The verdicts on the first system and each of many others: {other: {measure: 1 where the first is better}}."""
    measures = max(map(list, others.values()), key=len)
    majority = {other: _majority(list(of_pair.values())) for other, of_pair in others.items()}
    better, worse, neither = ([other for other, own in majority.items() if own == sign] for sign in (1, -1, 0))
    which = f"most of {len(measures)} measures" if len(measures) > 1 else measures[0]
    systems = f"{len(better)} of {pluralize(len(others), 'system')}{f' ({join_names(better)})' if better else ''}"
    parts = [f"{first} is significantly better than {systems} under {which}"]
    parts += [f"significantly worse than {len(worse)} ({join_names(worse)})"] if worse else []
    parts += [f"neither for {len(neither)} ({join_names(neither)})"] if neither else []
    return "; ".join(parts)


def _majority(signs: Sequence[int]) -> int:
    """The sign that more than half of the measures have; 0 if there is none."""
    return next((sign for sign in (1, -1) if 2 * signs.count(sign) > len(signs)), 0)


MAX_PANELS = 9

FIRST, OTHER, NEITHER = Look(COLOURS[0], "o", size=4.5), Look(COLOURS[1], "s", size=4.5), Look("ink", "o", False, 4.5)
"""The looks of differences by the better system."""


@plot(
    "tiers",
    title="Ranks of the systems with their rank sets, and tiers",
    needs=("tiers",),
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1",
)
def tiers(tables: Tables) -> Picture | None:
    """A panel for each measure: the systems, best first, with the sets of their possible ranks; tiers as bands."""
    table = tables["tiers"]
    systems, tier, letters = texts(table, "system"), numbers(table, "tier"), cells_of(table, "letters")
    ranks = np.array([numbers(table, name) for name in ("rank", "rank_low", "rank_high")])
    shown, hidden = _by_measure(table, ranks[0], MAX_PANELS)
    if not shown:
        return None
    most = max(float(np.nanmax(ranks[:, rows])) for rows in shown.values())
    panels, parts = [], []
    for measure, rows in shown.items():
        names, bands = [systems[row] for row in rows], np.nan_to_num(tier[rows]).tolist()
        panel = Panel(
            rows=names,
            series=[Series(*ranks[:, rows], look=Look(COLOURS[0], "o", size=4.2))],
            title=measure,
            ends=labels([str(letters[row] or "") for row in rows], 12),
            bands=bands,
            limits=(0.5, most + 0.5),
            ticks=_rank_ticks(most),
        )
        panels.append(panel)
        rank, low, high = ("—" if math.isnan(value) else f"{value:g}" for value in ranks[:, rows[0]])
        best = f"best {names[0]} (rank {rank}, {low} to {high})"
        parts.append(f"{measure}: {pluralize(len(set(bands)), 'tier')}, {best}")
    largest = max(len(rows) for rows in shown.values())
    alt = f"Ranks of {pluralize(largest, 'system')} with rank sets under {pluralize(len(shown), 'measure')}. "
    legend = "dots: ranks, lines: ranks that the significant differences leave open, bands: tiers; "
    legend += "a shared letter: no significant difference."
    form = DotPlot(panels=panels, across="rank, 1 the best", remark=f"{legend} {hidden}".strip(), longest=22)
    return Picture(f"{alt}{'; '.join(parts)}. {hidden}".strip(), form.draw)


def _by_measure(table: Table, values: Floats, most: int) -> tuple[dict[str, Indices], str]:
    """The rows of each measure with several systems and a defined value, up to `most`, and a remark on the others."""
    by_measure = {
        measure: rows
        for (measure,), rows in rows_by(table, "measure").items()
        if len(rows) > 1 and not np.isnan(values[rows]).all()
    }
    return dict(list(by_measure.items())[:most]), not_shown((len(by_measure) - most, "more measure"))


def _rank_ticks(most: float) -> list[float]:
    """1, and multiples of 1, 2 or 5 times a power of ten, at most five of them.

    >>> _rank_ticks(3), _rank_ticks(14)
    ([1, 2, 3], [1, 5, 10])
    """
    steps = (unit * 10**power for power in itertools.count() for unit in (1, 2, 5))
    step = next(step for step in steps if step >= most / 5)
    return [1, *(tick for tick in range(step, int(most) + 1, step) if tick > 1)]


@plot(
    "forest",
    title="Differences from the best system",
    needs=("tiers",),
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1",
)
def forest(tables: Tables) -> Picture | None:
    """A forest plot: a panel for each measure, the systems best first with their differences from the best."""
    table = tables["tiers"]
    if not has(table, "difference"):
        return None
    systems = texts(table, "system")
    values = np.array([numbers(table, name) for name in ("difference", "low", "high")])
    shown, hidden = _by_measure(table, values[0], MAX_PANELS)
    if not shown:
        return None
    # An interval excludes 0 where the difference is significant.
    differs = (values[1] > 0) | (values[2] < 0)
    panels, parts = [], []
    for measure, rows in shown.items():
        names, looks = [systems[row] for row in rows], [FIRST if differs[row] else NEITHER for row in rows]
        panels.append(Panel(rows=names, series=[Series(*values[:, rows], look=looks)], title=measure))
        last = f"last {names[-1]}: {_with_interval(values[:, rows[-1]])}"
        parts.append(f"{measure}: {int(differs[rows].sum())} significantly different from {names[0]}; {last}")
    different, equal = "significantly different from the best system", "no significant difference (hollow)"
    form = DotPlot(
        panels=panels,
        across="difference from the best system, with its simultaneous 95 % interval",
        legend=[(different, FIRST), (equal, NEITHER)],
        remark=hidden,
        longest=22,
        has_zero=True,
    )
    largest = max(len(rows) for rows in shown.values())
    alt = f"Differences of {pluralize(largest, 'system')} from the best one with 95 % intervals"
    alt += f" under {pluralize(len(shown), 'measure')}. {'. '.join(parts)}."
    return Picture(f"{alt} {hidden}".strip(), form.draw)


def _with_interval(values: Floats) -> str:
    value, low, high = map(number, values.tolist())
    return f"{value} ({low} to {high})"


MAX_MATRICES, MAX_SYSTEMS = 4, 40
"""The numbers of matrices, and of systems of each, above which p-values are not drawn."""

ROW_BETTER, COLUMN_BETTER, SIMILAR = "#8fc1de", "#efb48c", "#ebebeb"
"""The colours of p-values by the better system, below black text."""


@dataclass(frozen=True, kw_only=True)
class PValues(Heat):
    """A matrix of p-values. better: 1 where the row is significantly better, -1 where the column is, else 0."""

    better: Floats

    def printed(self) -> NDArray[np.str_]:
        """The p-values, of which none is rounded to 0."""
        return np.array([["<0.001" if value < 0.001 else number(value, 3) for value in row] for row in self.values])

    def paints(self) -> Floats:
        """The colours of the better systems."""
        from matplotlib.colors import to_rgba_array

        colours = to_rgba_array([COLUMN_BETTER, SIMILAR, ROW_BETTER])
        return np.asarray(colours[self.better.astype(np.intp) + 1])

    def legend(self, sheet: Sheet, left: float, top: float) -> None:
        """Draw the colours with their meanings."""
        meanings = {
            "the row is significantly better": ROW_BETTER,
            "the column is significantly better": COLUMN_BETTER,
            "no significant difference": SIMILAR,
        }
        axes = sheet.axes(left, top, WIDTH - left, 0.14)
        axes.set_axis_off()
        axes.set_xlim(0, WIDTH - left)
        axes.set_ylim(1, 0)
        start = 0.06
        for meaning, colour in meanings.items():
            Look(colour, "s", size=7).mark(sheet.palette)(axes, start, 0.5)
            sheet.annotate(axes, start + 0.12, 0.5, meaning, va="center_baseline")
            start += width_of([meaning]) + 0.3


@plot(
    "p_values",
    title="Adjusted p-values of all pairs of systems",
    needs=("tiers", "comparisons"),
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy",
)
def p_values(tables: Tables) -> Picture | None:
    """A matrix for each measure: the adjusted p-values of all pairs; the systems best first by the first measure."""
    tiers, pairs = tables["tiers"], tables["comparisons"]
    if not has(pairs, "p_adjusted"):
        return None
    p, names = numbers(pairs, "p_adjusted"), distinct(texts(tiers, "system"))
    sides = texts(pairs, "system"), texts(pairs, "other"), texts(pairs, "better")
    shown, hidden = _by_measure(pairs, p, MAX_MATRICES)
    heats, parts = {}, []
    for measure, rows in shown.items():
        values, better = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)))
        for one, other, winner, value in zip(*([side[row] for row in rows] for side in sides), p[rows], strict=True):
            first, second = names.index(one), names.index(other)
            sign = (winner == one) - (winner == other)
            values[first, second] = values[second, first] = value
            better[first, second], better[second, first] = sign, -sign
        heats[measure] = PValues(rows=names, columns=names, values=values, limits=(0, 1), what="", better=better)
        parts.append(f"{measure}: {int((better > 0).sum())} of {pluralize(len(rows), 'pair')} significantly different")
    if not heats or len(names) > MAX_SYSTEMS:
        return None
    alt = f"Matrices of adjusted p-values of the differences of systems. {'; '.join(parts)}. {hidden}".strip()
    return Picture(alt, lambda palette, title: draw_heats(palette, title, heats, remark=hidden))


@plot(
    "comparisons",
    title="Differences of systems",
    needs=("comparisons",),
    example="compare --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1 --system atlas_large "
    "--system atlas_base",
)
def comparisons(tables: Tables) -> Picture | None:
    """A forest plot: a panel for each measure with a row for each pair; of one pair a row for each measure."""
    table = tables["comparisons"]
    if "tiers" in tables:
        # Of all pairs there are too many; their tiers say more.
        return None
    pairs = list(zip(texts(table, "system"), texts(table, "other"), strict=True))
    values = np.array([numbers(table, name) for name in ("difference", "low", "high")])
    looks = [
        FIRST if better == one else OTHER if better == other else NEITHER
        for (one, other), better in zip(pairs, cells_of(table, "better"), strict=True)
    ]
    panels, defined = [], []
    for title, names, rows in _blocks(table, pairs):
        if not np.isnan(values[0, rows]).all():
            series = Series(*values[:, rows], look=[looks[row] for row in rows])
            panels.append(Panel(rows=names, series=[series], title=title))
            defined += [(row, f"{title}, {name}") for row, name in zip(rows, names, strict=True)]
    if not panels:
        return None
    hidden = not_shown((len(panels) - MAX_PANELS, "more measure"))
    firsts, others = set(texts(table, "system")), set(texts(table, "other"))
    first = label(firsts.pop(), 28) if len(firsts) == 1 else "the first"
    other = label(others.pop(), 28) if len(others) == 1 else "the other"
    legend = [
        (f"{first} is better", FIRST),
        (f"{other} is better", OTHER),
        ("no significant difference (hollow)", NEITHER),
    ]
    form = DotPlot(
        panels=panels[:MAX_PANELS],
        across=f"{first} − {other}, with the 95 % interval",
        legend=legend,
        remark=hidden,
        longest=44,
        has_zero=True,
    )
    significant = sum(looks[row] is not NEITHER for row, _ in defined)
    row, largest = max(defined, key=lambda each: float(np.nan_to_num(abs(values[0, each[0]]), nan=-1)))
    difference, low, high = map(number, values[:, row].tolist())
    measures = pluralize(len(set(texts(table, "measure"))), "measure")
    alt = f"Differences with 95 % intervals, {pluralize(len(set(pairs)), 'pair')} of systems under {measures}"
    alt += f"; {significant:,} of {len(defined):,} significant. Largest: {largest}: {difference} ({low} to {high})."
    return Picture(f"{alt} {hidden}".strip(), form.draw)


def _blocks(table: Table, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, list[str], list[int]]]:
    """The title, the names of the rows and the rows of each panel: pairs by measure, of a single pair measures."""
    measures = texts(table, "measure")
    if len(set(pairs)) == 1:
        return [(f"{pairs[0][0]} − {pairs[0][1]}", measures, list(range(len(measures))))]
    has_one = len({one for one, _ in pairs}) == 1
    names = [other if has_one else f"{one} − {other}" for one, other in pairs]
    by_measure = rows_by(table, "measure").items()
    return [(measure, [names[row] for row in rows], rows.tolist()) for (measure,), rows in by_measure]
