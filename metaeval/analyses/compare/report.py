"""Tables, notes and findings of `compare`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.compare.compute import Comparison, Comparisons
from metaeval.analyses.compare.revision_report import with_revision
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import NAMED_AT_MOST, all_or_names, every, join_names
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import join_all, pluralize, setting
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
    p_value,
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

_MAX_PAIRS = 2
"""Number of pairs up to which each pair has a finding of its own."""

_VERDICTS = ("better", "worse", "")
"""On a system beside the baseline: significantly better, worse, or neither."""

_FEW = 2
"""Number of names that a sentence on verdicts lists; of more it says their number."""


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
    if settings.baseline is not None:
        tables += [_verdicts_by_measure(study, settings.baseline, result), _beside_baseline(study, settings, result)]
    notes = [_note_on_tests(study, settings, result)]
    if result.all_pairs:
        standings = {
            measure: Standing.of(comparison, sign=direction.sign)
            for measure, comparison, direction in zip(
                study.measure_names, result.measures, study.scores.directions, strict=True
            )
        }
        systems = [study.systems[index] for index in result.systems]
        notes += _notes_on_reference(study, result)
        tables += [_tiers_by_measure(systems, standings), _tiers(systems, standings, settings)]
        if settings.leaderboard:
            tables = [
                _leaderboard(study, systems, standings, settings),
                *(replace(each, detail=True) for each in tables),
            ]
    output = AnalysisOutput(
        tables,
        [*notes, *_notes(study, settings, result)],
        findings(study, settings, result),
        methods=_methods(study, settings, result),
    )
    if result.revision is None:
        return output
    return with_revision(study, settings, result.systems, result.revision, output)


def _names_of_pairs(study: Study, result: Comparisons) -> tuple[list[str], list[str]]:
    """The first and the other system of each pair."""
    pairs = result.pairs
    return [study.systems[one] for one, _ in pairs], [study.systems[other] for _, other in pairs]


def _note_on_tests(study: Study, settings: CompareSettings, result: Comparisons) -> str:
    signs = f"a permutation test that changes the signs of the differences of {units_of(study)} at random"
    runs = " and adds random deviations of their runs" if study.has_random_runs else ""
    pairs = len(result.pairs)
    family = f"simultaneous for all differences{'' if pairs == 1 else f' of {pairs:,} pairs'} under a measure"
    number = pluralize(settings.permutations, "permutation")
    return f"p-values and intervals are of {signs}{runs} ({number}), {family}"


def _interval(settings: CompareSettings, *, pairs: int) -> str:
    return f"{100 * (1 - settings.alpha):g} % intervals{', for all differences together' if pairs > 1 else ''}"


def _differences(study: Study, settings: CompareSettings, result: Comparisons) -> Table:
    ones, others = _names_of_pairs(study, result)
    title = f"Differences of {pluralize(len(ones), 'pair')} of systems (system − other)"
    if len(set(others)) == 1:
        title = f"Differences: {ones[0] if len(ones) == 1 else 'system'} − {others[0]}"
    tables = []
    for measure, comparison, direction in zip(
        study.measure_names, result.measures, study.scores.directions, strict=True
    ):
        tests, sign = comparison.tests, direction.sign
        winner = verdicts(comparison)
        columns = [
            text("measure", measure),
            text("system", ones, detail=len(ones) == 1),
            text("other", others, detail=len(set(others)) == 1),
            score("difference", tests.difference * sign, interval=("low", "high")),
            *scores(("low", "high"), tests.interval(sign), about=_interval(settings, pairs=len(ones))),
            p_value("p", tests.raw, about="of this difference alone", detail=True),
            p_value("p_adjusted", tests.p, head="p", about="for all differences together" if len(ones) > 1 else ""),
            text(
                "better",
                np.select([winner == 1, winner == -1], [ones, others], ""),
                values=(*study.systems, ""),
                about=f"the significantly better system, at {settings.alpha:g}",
            ),
        ]
        if study.has_gaps:
            columns.append(count("items", len(study.items) if comparison.shared is None else comparison.shared))
        tables.append(table("comparisons", f"{title} on {pluralize(len(study.items), 'item')}", *columns))
    return replace(joined(tables), detail=result.all_pairs or settings.baseline is not None)


def _wins(study: Study, result: Comparisons) -> Table:
    ones, others = _names_of_pairs(study, result)
    winners = np.array([verdicts(comparison) for comparison in result.measures])
    untested = np.isnan([comparison.tests.p for comparison in result.measures])
    measures = f"Number of measures, of {len(result.measures)}"
    heads = {"wins": ("better", 1), "losses": ("worse", -1), "undecided": ("neither", 0)}
    return table(
        "wins",
        f"{measures}, under which system is significantly better than other, or worse",
        text("system", ones),
        text("other", others),
        *(count(name, ((winners == sign) & ~untested).sum(axis=0), head=head) for name, (head, sign) in heads.items()),
        count("untested", untested.sum(axis=0), detail=not untested.any()),
        detail=True,
        subject="Significant wins and losses",
    )


def _verdicts_by_measure(study: Study, baseline: str, result: Comparisons) -> Table:
    """Whether each system is significantly better than the baseline, or worse, under each measure."""
    ones, _ = _names_of_pairs(study, result)
    every = np.array([verdicts(comparison) for comparison in result.measures])
    subject = f"Systems that are significantly better or worse than {baseline}"
    return table(
        "verdicts_by_measure",
        subject,
        text("system", ones),
        *(
            text(name, _words_of(signs), values=_VERDICTS)
            for name, signs in zip(study.measure_names, every, strict=True)
        ),
        order=np.argsort(-every.sum(axis=0), kind="stable").tolist(),
        detail=len(result.measures) == 1,
        subject=subject,
    )


def _words_of(signs: NDArray[np.int_]) -> NDArray[np.str_]:
    """The verdicts on systems beside a baseline, whose signs are 1 where they are better."""
    return np.select([signs == 1, signs == -1], _VERDICTS[:2], "")


def _beside_baseline(study: Study, settings: CompareSettings, result: Comparisons) -> Table:
    """All systems under each measure, best first, with their differences from the baseline."""
    systems = [study.systems[index] for index in result.systems.tolist()]
    several = len(result.measures) > 1
    tables = []
    for measure, comparison, direction in zip(
        study.measure_names, result.measures, study.scores.directions, strict=True
    ):
        tests, sign = comparison.tests, direction.sign
        of_others = np.stack([tests.difference * sign, *tests.interval(sign), tests.raw, tests.p])
        difference, low, high, raw, adjusted = np.column_stack([(0.0, *[np.nan] * 4), of_others])
        columns = [
            text("measure", measure, detail=not several),
            text("system", systems),
            score("score", comparison.scores * sign, digits=3, higher_is_better=sign > 0),
            score("difference", difference, interval=("low", "high"), about=f"from {settings.baseline}"),
            *scores(("low", "high"), (low, high), about=_interval(settings, pairs=len(tests.p))),
            p_value("p", raw, about="of this difference alone", detail=True),
            p_value("p_adjusted", adjusted, head="p", about="for all differences together" if len(raw) > 2 else ""),
            text("verdict", ["baseline", *_words_of(verdicts(comparison))], values=(*_VERDICTS, "baseline")),
        ]
        best_first = np.argsort(-np.nan_to_num(comparison.scores, nan=-np.inf), kind="stable").tolist()
        title = f"Systems beside {settings.baseline}{'' if several else f' under {measure}'}"
        tables.append(table("beside_baseline", title, *columns, order=best_first, detail=several))
    return joined(tables)


def _tiers_by_measure(systems: list[str], standings: Mapping[str, Standing]) -> Table:
    """The tiers under all measures side by side, those with the best tiers first."""
    tiers_by_system = zip(*(each.tier for each in standings.values()), strict=True)
    sums = [sum(tier or len(systems) for tier in tiers) for tiers in tiers_by_system]
    subject = f"Tiers of {len(systems)} systems (1 is the best)"
    return table(
        "tiers_by_measure",
        f"{subject}; each begins significantly below the best of the tier before",
        text("system", systems),
        *(count(measure, standing.tier) for measure, standing in standings.items()),
        order=np.argsort(sums, kind="stable").tolist(),
        detail=len(standings) == 1,
        subject=subject,
    )


def _tiers(systems: list[str], standings: Mapping[str, Standing], settings: CompareSettings) -> Table:
    """The systems under each measure, best first, with their differences from the best."""
    several = len(standings) > 1
    under = "" if several else f" under {next(iter(standings))}"
    return joined(
        table(
            "tiers",
            f"Systems{under}; those that share a letter do not differ significantly",
            text("measure", measure, detail=not several),
            text("system", systems),
            score("score", standing.score, digits=3),
            *_behind(standing, settings),
            count("rank", standing.rank, detail=True),
            *counts(
                ("rank_low", "rank_high"),
                (standing.rank_low, standing.rank_high),
                about="ranks that the significant differences leave open",
                detail=True,
            ),
            count(
                "tier",
                standing.tier,
                about="it ends at a system that differs significantly from the best one of the tier",
                detail=True,
            ),
            text("letters", standing.letters),
            flag("best", standing.may_be_best, about="no other system is significantly better", detail=True),
            order=standing.best_first,
            detail=several,
        )
        for measure, standing in standings.items()
    )


def _behind(standing: Standing, settings: CompareSettings, of: str = "") -> list[Cells]:
    """The differences from the best system with the ends of their intervals; of: before the names of the columns."""
    names = [f"{of}{name}" for name in ("difference", "low", "high")]
    systems = len(standing.score)
    difference, *ends = scores(names, standing.behind, about=_interval(settings, pairs=systems * (systems - 1) // 2))
    column = replace(difference.column, interval=tuple(names[1:]), about="" if of else "from the best system")
    return [Cells(column, difference.cells), *ends]


def _leaderboard(
    study: Study, systems: list[str], standings: Mapping[str, Standing], settings: CompareSettings
) -> Table:
    """The systems, those with the best ranks first, with their scores, differences, ranks and letters by measure."""
    several = len(standings) > 1
    columns = [text("system", systems)]
    for (measure, standing), direction in zip(standings.items(), study.scores.directions, strict=True):
        of = f"{measure}_" if several else ""
        parts = [
            score(f"{of}score", standing.score, higher_is_better=direction.sign > 0),
            *_behind(standing, settings, of),
            text(f"{of}ranks", standing.ranks),
            text(f"{of}letters", standing.letters),
        ]
        for column, cells in parts:
            head = replace(column, head=column.name.removeprefix(of)) if several else column
            columns.append(Cells(head, cells))
    ranks_by_system = zip(*(each.rank for each in standings.values()), strict=True)
    sums = [sum(math.inf if rank is None else rank for rank in ranks) for ranks in ranks_by_system]
    first = next(iter(standings.values()))
    under = "" if several else f" under {study.measure_names[0]}"
    on = f"{len(systems)} systems on {pluralize(len(study.items), 'item')}{under}"
    return table(
        "leaderboard",
        f"Leaderboard of {on}; those that share a letter do not differ significantly",
        *columns,
        order=sorted(first.best_first, key=sums.__getitem__),
        subject=f"Leaderboard of {on}",
    )


def _notes(study: Study, settings: CompareSettings, result: Comparisons) -> list[Note | str]:
    untested = notes_on_untested(study, "tests", permutations=settings.permutations)
    return [
        *notes_on_clusters(study),
        *notes_on_rare_classes(study),
        *notes_on_gaps(study),
        *untested,
        *_circles(study, result),
    ]


def _circles(study: Study, result: Comparisons) -> list[Note]:
    """Notes on systems without a rank, because each is better than another on common items, in a circle."""
    notes = []
    for name, comparison in zip(study.measure_names, result.measures, strict=True):
        if comparison.cyclic is not None and comparison.cyclic.any():
            systems = [study.systems[index] for index in result.systems[comparison.cyclic].tolist()]
            what = "no ranks, letters and tiers" if comparison.contradictory else "no ranks of these systems"
            notes.append(f"{name}: on common items the order of {', '.join(systems)} is a circle: {what}")
    return [Note(note, on_input=True) for note in notes]


def _notes_on_reference(study: Study, result: Comparisons) -> list[str]:
    """A note where several systems share the best score, from which differences in the order are measured."""
    systems = [study.systems[index] for index in result.systems.tolist()]
    first: dict[str, list[str]] = {}
    for measure, comparison in zip(study.measure_names, result.measures, strict=True):
        if comparison.order is not None and len(best := comparison.order.best(systems)) > 1:
            first.setdefault(best[0], []).append(measure)
    shared = "; ".join(f"{system} under {join_names(measures)}" for system, measures in first.items())
    reference = "from the best system, or the first of several with the best score"
    return [f"differences are {reference} ({shared})"] if shared else []


def _methods(study: Study, settings: CompareSettings, result: Comparisons) -> list[str]:
    pairs, level = len(result.pairs), f"{100 * (1 - settings.alpha):g} %"
    others = "all systems" if settings.baseline is None else f"{settings.baseline} and each of the others"
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
    """A sentence where no difference can be significant, however large it is."""
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
        return [f"{groups} too few, or too unequal, for any difference to be significant at {settings.alpha:g}{under}"]
    return []


def verdicts(comparison: Comparison) -> NDArray[np.int_]:
    """For each pair 1 where its first system is significantly better, −1 where the other is, else 0, (P,)."""
    tests = comparison.tests
    return np.where(tests.significant, np.sign(np.nan_to_num(tests.difference)), 0).astype(np.int_)


def findings(study: Study, settings: CompareSettings, result: Comparisons) -> list[Finding]:
    """Whether the best system is significantly better than the others, or which of the pairs differ."""
    names = study.measure_names
    caveats = _too_few(study, settings, result) or _on_untested(names, result)
    if result.all_pairs and len(result.pairs) > 1:
        systems = [study.systems[index] for index in result.systems.tolist()]
        claims, found = on_winners(systems, dict(zip(names, result.measures, strict=True)))
    else:
        pairs = [(study.systems[one], study.systems[other]) for one, other in result.pairs]
        by_pair: dict[tuple[str, str], dict[str, int]] = {}
        for name, comparison in zip(names, result.measures, strict=True):
            for pair, sign, p in zip(pairs, verdicts(comparison).tolist(), comparison.tests.p.tolist(), strict=True):
                # An undefined difference has no verdict.
                if not math.isnan(p):
                    by_pair.setdefault(pair, {})[name] = sign
        found = {bool(sign) for of_pair in by_pair.values() for sign in of_pair.values()}
        claims = [on_pair(*pair, of_pair) for pair, of_pair in by_pair.items()]
        if len(by_pair) > _MAX_PAIRS:
            claims = [on_baseline(pairs[0][1], {system: of_pair for (system, _), of_pair in by_pair.items()})]
    if claims:
        how = ", ".join(filter(None, [population_of(study).strip(), _level(found, settings.alpha)]))
        claims = [f"{claims[0]} ({how})", *(claims[1:] if not caveats else [])]
    return with_caution(study, [Finding("compare", sentence) for sentence in (*claims, *caveats)])


def _on_untested(names: Sequence[str], result: Comparisons) -> list[str]:
    tests = zip(names, result.measures, strict=True)
    untested = [name for name, comparison in tests if np.isnan(comparison.tests.p).all()]
    why = "a score is undefined, or would be without some items"
    return [f"not tested: {join_names(untested)} ({why})"] if untested else []


def _level(significant: set[bool], alpha: float) -> str:
    """What the adjusted p-values behind sentences are, by whether their differences are significant."""
    if len(significant) > 1:
        return f"adjusted p, level {alpha:g}"
    return f"adjusted p {'≤' if significant == {True} else '>'} {alpha:g}"


@dataclass(frozen=True)
class Outcome:
    """Who has the best score under a measure. similar: others that are not significantly worse. tested: number."""

    best: tuple[str, ...]
    similar: frozenset[str]
    tested: int

    @property
    def is_decided(self) -> bool:
        """Whether there are others, and all of them are significantly worse."""
        return not self.similar and self.tested > len(self.best)


def _outcome(systems: Sequence[str], comparison: Comparison) -> Outcome | None:
    """None where nothing was tested."""
    order = comparison.order
    if order is None or order.defined.sum() < 2:
        return None
    best = order.best(systems)
    is_best = np.isin(systems, best)
    # Systems with the same score may differ from the others by other tests.
    similar = order.defined & ~is_best & ~order.better[is_best].all(axis=0)
    names = frozenset(systems[index] for index in np.flatnonzero(similar).tolist())
    return Outcome(tuple(best), names, int(order.defined.sum()))


def on_winners(systems: Sequence[str], comparisons: Mapping[str, Comparison]) -> tuple[list[str], set[bool]]:
    """At most two sentences on the systems with the best scores, and whether their differences are significant.

    systems: in their order. comparisons: by measure.
    """
    found = {measure: _outcome(systems, comparison) for measure, comparison in comparisons.items()}
    outcomes = {measure: outcome for measure, outcome in found.items() if outcome is not None}
    significant = {outcome.is_decided for outcome in outcomes.values()}
    by_best: dict[tuple[str, ...], dict[str, Outcome]] = {}
    for measure, outcome in outcomes.items():
        by_best.setdefault(outcome.best, {})[measure] = outcome
    if len(set(outcomes.values())) == 1:
        measures = list(outcomes)
        scores = comparisons[measures[0]].scores
        by_score = [systems[index] for index in np.argsort(-scores, kind="stable").tolist()]
        under = all_or_names(measures, len(comparisons))
        return [_on_outcome(outcomes[measures[0]], by_score, under)], significant
    first, *others = sorted(by_best.values(), key=len, reverse=True) or [{}]
    if len(others) > 1:
        return [_on_best(first, len(systems), len(comparisons)), _on_others(others)], significant
    return [_on_best(subset, len(systems), len(comparisons)) for subset in (first, *others) if subset], significant


def _on_outcome(outcome: Outcome, by_score: Sequence[str], under: str) -> str:
    """A sentence on measures with one outcome; by_score: all systems, the best first."""
    best, is_shared = outcome.best, len(outcome.best) > 1
    worse, both = outcome.tested - len(best), "both" if len(best) == 2 else "all"
    rest = "" if outcome.tested == len(by_score) else " that can be tested"
    if not is_shared and not outcome.similar:
        return f"{best[0]} is significantly better than {every(worse, 'other system')}{rest} under {under}"
    of_tested = f" of the {outcome.tested} systems{rest}" if rest else ""
    claim = f"{join_names(best)} {'share' if is_shared else 'has'} the best score{of_tested} under {under}"
    if outcome.similar:
        relation = f"but are not {both} significantly better than" if is_shared else "not significantly different from"
        others = [name for name in by_score if name in outcome.similar]
        is_any = not is_shared and len(others) == worse > NAMED_AT_MOST
        return f"{claim}, {relation} {'any other' if is_any else join_names(others)}"
    return f"{claim} and are {both} significantly better than {every(worse, 'other system')}" if worse else claim


def _on_best(outcomes: Mapping[str, Outcome], systems: int, measures: int) -> str:
    """A sentence on measures with the same best systems; systems, measures: number of all."""
    best = next(iter(outcomes.values())).best
    decided = sum(outcome.is_decided for outcome in outcomes.values())
    names, is_shared = join_names(best), len(best) > 1
    under = all_or_names(list(outcomes), measures)
    if 1 < len(outcomes) < measures:
        under = f"{len(outcomes)} of {measures} measures"
    others = "all others"
    if any(outcome.tested < systems for outcome in outcomes.values()):
        others += " that can be tested"
    if decided == len(outcomes):
        return f"{names} {'are' if is_shared else 'is'} significantly better than {others} under {under}"
    claim = f"{names} {'share' if is_shared else 'has'} the best score under {under}"
    if decided:
        return f"{claim}, significantly better than {others} under {decided}"
    return f"{claim}, not significantly better than {others}{' under any' if len(outcomes) > 1 else ''}"


def _on_others(outcomes: Sequence[Mapping[str, Outcome]]) -> str:
    """A sentence on the measures with other best systems than most measures have."""
    every_outcome = [outcome for of_best in outcomes for outcome in of_best.values()]
    names = list(dict.fromkeys(name for outcome in every_outcome for name in outcome.best))
    decided = sum(outcome.is_decided for outcome in every_outcome)
    how = f"significantly under {decided}" if decided else "not significantly"
    return f"{join_names(names)} have the best score under the other {len(every_outcome)}, {how}"


def on_pair(one: str, other: str, by_measure: Mapping[str, int]) -> str:
    """The verdicts on one pair of systems, by measure.

    >>> on_pair("A", "B", {"f1": 1, "kappa": 1, "accuracy": -1})
    'A is significantly better than B under 2 of 3 measures and significantly worse under accuracy'
    """
    better, worse, undecided = (
        [name for name, verdict in by_measure.items() if verdict == sign] for sign in (1, -1, 0)
    )
    if not better and not worse:
        which = f"any of {len(undecided)} measures" if len(undecided) > 1 else undecided[0]
        return f"{one} and {other} are not significantly different under {which}"
    if len(worse) > len(better):
        one, other, better, worse = other, one, worse, better
    which = better[0] if len(by_measure) == 1 else f"{len(better)} of {len(by_measure)} measures"
    which = every(len(better)) if len(better) == len(by_measure) > 1 else which
    parts = [f"{one} is significantly better than {other} under {which}"]
    parts += [f"significantly worse under {_few(worse)}"] if worse else []
    parts += [f"not significantly different under {_few(undecided)}"] if undecided else []
    return join_all(parts)


def on_baseline(baseline: str, systems: Mapping[str, Mapping[str, int]]) -> str:
    """The verdicts on many systems beside a baseline: {system: {measure: 1 where it is better}}.

    >>> on_baseline("A", {"B": {"f1": 1}, "C": {"f1": -1}, "D": {"f1": 0}})
    '1 of 3 systems (B) is significantly better than A under f1, and 1 (C) significantly worse'
    """
    measures = max(map(list, systems.values()), key=len)
    majority = {system: _majority(list(of_pair.values())) for system, of_pair in systems.items()}
    better, worse = ([system for system, value in majority.items() if value == sign] for sign in (1, -1))
    which = f"most of {len(measures)} measures" if len(measures) > 1 else measures[0]
    of_systems = f"{len(better) or 'none'} of {len(systems)} systems{_named(better)}"
    return (
        f"{of_systems} {'are' if len(better) > 1 else 'is'} significantly better than {baseline} under {which}, and "
        f"{len(worse) or 'none'}{_named(worse)} significantly worse"
    )


def _few(names: Sequence[str]) -> str:
    """Names, or of more than two their number."""
    return join_all(names) if len(names) <= _FEW else str(len(names))


def _named(names: Sequence[str]) -> str:
    return f" ({join_all(names)})" if 0 < len(names) <= _FEW else ""


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
    first = label(firsts.pop(), 28) if len(firsts) == 1 else "the system"
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
    has_one = len({other for _, other in pairs}) == 1
    names = [one if has_one else f"{one} − {other}" for one, other in pairs]
    by_measure = rows_by(table, "measure").items()
    return [(measure, [names[row] for row in rows], rows.tolist()) for (measure,), rows in by_measure]
