"""Tables and notes of `compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.compare import plots as plots  # registers them
from metaeval.analyses.compare.compute import Comparisons, SingleSystem
from metaeval.analyses.compare.findings import findings, on_single_system
from metaeval.analyses.compare.revision_report import with_revision
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import join_names, table_of_intervals
from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.inference.pairs import PairTests
from metaeval.inference.standings import Comparison, Standing
from metaeval.model.report import (
    FIRST_SYSTEMS,
    Cells,
    Note,
    Table,
    count,
    counts,
    flag,
    p_value,
    score,
    scores,
    stack,
    table,
    text,
)
from metaeval.model.works import cite
from metaeval.stats.rank import best_first
from metaeval.stats.tests import MOST_GROUPS
from metaeval.study.evidence import (
    method_of_fixed_items,
    method_of_runs,
    methods_of_tests,
    notes_on_clusters,
    notes_on_tests,
    population_of_scores,
    units_of,
)
from metaeval.study.study import AnalysisOutput, Study

_VERDICTS = ("better", "worse", "not tested", "")
"""On a system beside the baseline: significantly better, worse, or neither."""

_ABOUT_P_BEST = "probability to be the best"


def _notes_on_letters(standings: Mapping[str, Standing]) -> list[str]:
    names = [name for name, standing in standings.items() if any(standing.tier) and not any(standing.letters)]
    return [f"no letters of {join_names(names)}: there are more than {MOST_GROUPS:,} groups"] if names else []


def tabulate(study: Study, settings: CompareSettings, result: Comparisons | SingleSystem) -> AnalysisOutput:
    """Differences, wins and losses; of all pairs also the order of the systems."""
    if isinstance(result, SingleSystem):
        intervals = table_of_intervals("single_system", study, [result.system], result.intervals)
        return AnalysisOutput([intervals], notes_on_clusters(study), [on_single_system(study, result)])
    tables = [_differences(study, settings, result), _wins(study, result)]
    if settings.baseline is not None:
        tables += [_verdicts_by_measure(study, settings.baseline, result), _beside_baseline(study, settings, result)]
    notes = [_note_on_tests(study, settings, result)]
    if result.all_pairs:
        standings = {
            measure: Standing.of(comparison, sign=sign) for measure, comparison, sign in _by_measure(study, result)
        }
        systems = [study.systems[index] for index in result.systems]
        notes += [*_notes_on_reference(study, result), *_notes_on_letters(standings)]
        tables += [_tiers_by_measure(systems, standings), _tiers(systems, standings, settings)]
        tables += _best(study, systems, standings, result)
    output = AnalysisOutput(
        tables,
        [*notes, *notes_on_tests(study, settings.permutations), *_circles(study, result)],
        findings(study, settings, result),
        methods=_methods(study, settings, result),
    )
    if result.revision is None:
        return output
    return with_revision(study, settings, result.systems, result.revision, output)


def _by_measure(study: Study, result: Comparisons) -> Iterator[tuple[str, Comparison, int]]:
    """Each measure with its comparison, and with −1 where lower is better, else 1."""
    signs = [direction.sign for direction in study.scores.directions]
    return zip(study.measure_names, result.measures, signs, strict=True)


def _names_of_pairs(study: Study, result: Comparisons) -> tuple[list[str], list[str]]:
    """The first and the other system of each pair."""
    pairs = result.pairs
    return [study.systems[one] for one, _ in pairs], [study.systems[other] for _, other in pairs]


def _note_on_tests(study: Study, settings: CompareSettings, result: Comparisons) -> str:
    signs = f"a permutation test that changes the signs of the differences of {units_of(study)} at random"
    if result.over == "runs":
        signs = "Student's t of the runs, with random normal deviations for the largest of all pairs"
    runs = " and adds random deviations of their runs" if result.over == "both" else ""
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
    for measure, comparison, sign in _by_measure(study, result):
        tests, winner = comparison.tests, comparison.tests.directions
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
            columns.append(
                count("items", len(study.items) if comparison.common_items is None else comparison.common_items)
            )
        tables.append(table("comparisons", f"{title} on {pluralize(len(study.items), 'item')}", *columns))
    return replace(stack(tables), detail=result.all_pairs or settings.baseline is not None)


def _wins(study: Study, result: Comparisons) -> Table:
    ones, others = _names_of_pairs(study, result)
    winners = np.array([comparison.tests.directions for comparison in result.measures])
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
    total = np.sum([comparison.tests.directions for comparison in result.measures], axis=0)
    subject = f"Which systems are significantly better or worse than {baseline}"
    return table(
        "verdicts_by_measure",
        subject,
        text("system", ones),
        *(
            text(name, _words_of(comparison.tests), values=_VERDICTS)
            for name, comparison in zip(study.measure_names, result.measures, strict=True)
        ),
        order=np.argsort(-total, kind="stable").tolist(),
        detail=len(result.measures) == 1,
        subject=subject,
        first=FIRST_SYSTEMS,
    )


def _words_of(tests: PairTests) -> NDArray[np.str_]:
    """The verdicts on systems beside a baseline, whose directions are 1 where they are better."""
    return np.select([tests.directions == 1, tests.directions == -1, np.isnan(tests.p)], _VERDICTS[:3], "")


def _beside_baseline(study: Study, settings: CompareSettings, result: Comparisons) -> Table:
    """All systems under each measure, best first, with their differences from the baseline."""
    systems = [study.systems[index] for index in result.systems.tolist()]
    several = len(result.measures) > 1
    tables = []
    for measure, comparison, sign in _by_measure(study, result):
        tests = comparison.tests
        statistics = np.stack([tests.difference * sign, *tests.interval(sign), tests.raw, tests.p])
        difference, low, high, raw, adjusted = np.column_stack([(0.0, *[np.nan] * 4), statistics])
        columns = [
            text("measure", measure, detail=not several),
            text("system", systems),
            score("score", comparison.scores * sign, digits=3, higher_is_better=sign > 0),
            score("difference", difference, interval=("low", "high"), about=f"from {settings.baseline}"),
            *scores(("low", "high"), (low, high), about=_interval(settings, pairs=len(tests.p))),
            p_value("p", raw, about="of this difference alone", detail=True),
            p_value("p_adjusted", adjusted, head="p", about="for all differences together" if len(raw) > 2 else ""),
            text("verdict", ["baseline", *_words_of(tests)], values=(*_VERDICTS, "baseline")),
        ]
        title = f"Systems beside {settings.baseline}{'' if several else f' under {measure}'}"
        order = best_first(comparison.scores)
        tables.append(table("beside_baseline", title, *columns, order=order, detail=several, first=FIRST_SYSTEMS))
    return stack(tables)


def _tiers_by_measure(systems: list[str], standings: Mapping[str, Standing]) -> Table:
    """The tiers under all measures side by side, those with the best tiers first."""
    tiers_by_system = zip(*(standing.tier for standing in standings.values()), strict=True)
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
        first=FIRST_SYSTEMS,
    )


def _tiers(systems: list[str], standings: Mapping[str, Standing], settings: CompareSettings) -> Table:
    """The systems under each measure, best first, with their differences from the best."""
    several = len(standings) > 1
    under = "" if several else f" under {next(iter(standings))}"
    has_winners = any(not np.isnan(_p_best(standing)).all() for standing in standings.values())
    return stack(
        table(
            "tiers",
            f"Systems{under}; those that share a letter do not differ significantly",
            text("measure", measure, detail=not several),
            text("system", systems),
            score("score", standing.score, digits=3),
            *_behind(standing, settings),
            *([score("p_best", _p_best(standing), digits=2, about=_ABOUT_P_BEST)] if has_winners else []),
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
            first=FIRST_SYSTEMS,
        )
        for measure, standing in standings.items()
    )


def _p_best(standing: Standing) -> Floats:
    return np.full(len(standing.score), np.nan) if standing.winner is None else standing.winner.p_best


def _best(study: Study, systems: list[str], standings: Mapping[str, Standing], result: Comparisons) -> list[Table]:
    """The best system under each measure, with its score, corrected for its having been chosen."""
    rows = []
    for (measure, standing), direction in zip(standings.items(), study.scores.directions, strict=True):
        if standing.winner is not None:
            best = standing.winner.system
            corrected, p_best = standing.winner.corrected_in(direction.sign), standing.winner.p_best[best]
            rows.append((measure, systems[best], standing.score[best], *corrected, p_best))
    if not rows:
        return []
    measures, names, observed, middle, low, high, p_best = zip(*rows, strict=True)
    about = f"95 % interval, {population_of_scores(study, result.over)}"
    table_of_best = table(
        "best",
        "Scores of the best systems, corrected for their having been chosen",
        text("measure", measures, detail=len(standings) == 1),
        text("system", names),
        score("score", observed, digits=3),
        score("corrected", middle, interval=("low", "high"), digits=3),
        *scores(("low", "high"), (low, high), about=about),
        score("p_best", p_best, digits=2, about=_ABOUT_P_BEST),
        detail=True,
    )
    return [table_of_best]


def _behind(standing: Standing, settings: CompareSettings) -> list[Cells]:
    """The differences from the best system with the ends of their intervals."""
    (difference, *ends), systems = standing.behind, len(standing.score)
    about = _interval(settings, pairs=systems * (systems - 1) // 2)
    return [
        score("difference", difference, interval=("low", "high"), about="from the best system"),
        *scores(("low", "high"), ends, about=about),
    ]


def _circles(study: Study, result: Comparisons) -> list[Note]:
    """Notes on systems without a rank, because each is better than another on common items, in a circle."""
    notes = []
    for name, comparison, _ in _by_measure(study, result):
        if comparison.cyclic is not None and comparison.cyclic.any():
            systems = [study.systems[index] for index in result.systems[comparison.cyclic].tolist()]
            what = "no ranks, letters and tiers" if comparison.contradictory else "no ranks of these systems"
            notes.append(f"{name}: on common items the order of {', '.join(systems)} is a circle: {what}")
    return [Note(note, on_input=True) for note in notes]


def _notes_on_reference(study: Study, result: Comparisons) -> list[str]:
    """A note where several systems share the best score, from which differences in the order are measured."""
    systems = [study.systems[index] for index in result.systems.tolist()]
    first: dict[str, list[str]] = {}
    for measure, comparison, _ in _by_measure(study, result):
        if comparison.order is not None and len(best := comparison.order.best(systems)) > 1:
            first.setdefault(best[0], []).append(measure)
    leaders = "; ".join(f"{system} under {join_names(measures)}" for system, measures in first.items())
    reference = "from the best system, or the first of several with the best score"
    return [f"differences are {reference} ({leaders})"] if leaders else []


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
    tests = method_of_fixed_items() if result.over == "runs" else tests
    tests += method_of_runs(study) if result.over == "both" else []
    family = family if pairs > 1 else ""
    return [*tests, f"{family}{intervals}", *([order, *_method_of_best(result)] if result.all_pairs else [])]


def _method_of_best(result: Comparisons) -> list[str]:
    if all(comparison.winner is None for comparison in result.measures):
        return []
    model = f"true scores that are draws of a mixture of normal distributions {cite('stephens2017')}"
    sentence = (
        f"The probability to be the best is that of {model}, among the systems that may be the best; the best score "
        "was corrected by its excess over the true one in draws of these with new errors."
    )
    return [sentence]
