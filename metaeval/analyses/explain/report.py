"""Tables, notes and findings of `explain`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.explain.changes import RankChanges, why_untested
from metaeval.analyses.explain.compute import (
    Confusion,
    ConfusionContributions,
    DecidingItem,
    Disagreements,
    Explanations,
    PairExplanation,
)
from metaeval.analyses.explain.contributions import Contributions
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.analyses.sentences import every, join_names
from metaeval.arrays import Floats, Ints
from metaeval.errors import join_all, pluralize
from metaeval.model.report import (
    Cells,
    Finding,
    Kind,
    Note,
    Table,
    count,
    counts,
    flag,
    score,
    scores,
    stack,
    table,
    text,
)
from metaeval.render.plots.canvas import APART, COLOURS, Look, label, limits
from metaeval.render.plots.columns import has, matrix, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import method_of_runs, methods_of_tests, notes_on_clusters, with_caution
from metaeval.study.study import AnalysisOutput, Study, untested_notes

LEADING_ERRORS = "errors that contribute most: gold→predicted, ⇄ both directions"
SHARE = "their share of the disagreement; above 1 where other errors reduce it"

MAX_CHANGES = 10
"""Number of systems whose change of rank is shown."""

MAX_REASONS = 2
"""Number of errors that a finding names; the tables have all of them."""


def tabulate(study: Study, settings: ExplainSettings, result: Explanations | Disagreements) -> AnalysisOutput:
    """Tables, notes and findings of `explain`, for two measures or for more."""
    if not isinstance(result, Explanations):
        return _several_measures(study, settings, result)
    tables = [_disagreements(result)]
    if result.ranks.systems:
        tables.append(_rank_changes(result))
    if result.pairs:
        tables.append(_deciding_items(result) if result.cells is None else _contributions(result, result.cells))
    notes = [*_notes(result), *_on_tests(study, settings)]
    items = study.find(ITEM_SCORES)
    sums = [items.measures[measure.index] for measure in items.sums] if items is not None else []
    if sums and result.pairs:
        why = "no sum over items, so that contributions of items are jackknife pseudo-values"
        notes.append(f"{join_names(sums)}: {why}")
    findings = on_explanations(result)
    findings = with_caution(study, findings) if result.contested else findings
    return AnalysisOutput(tables, notes, findings, methods=_methods(study, settings))


def _on_tests(study: Study, settings: ExplainSettings) -> list[Note | str]:
    """On what tests of differences rest, or why there are none."""
    reason = why_untested(study, settings)
    if reason:
        return [f"no pair can be contested: {reason}"]
    contested = (
        f"a pair is contested if two measures order it in opposite ways, both significantly at {settings.alpha:g}, in "
        "one family of tests of all pairs under all measures"
    )
    return [contested, *notes_on_clusters(study)]


def _methods(study: Study, settings: ExplainSettings) -> list[str]:
    """What was tested, for a paper."""
    if why_untested(study, settings):
        return []
    subject = "The differences of all systems under all measures, as one family,"
    return [*methods_of_tests(study, subject, permutations=settings.permutations), *method_of_runs(study)]


def _systems(pairs: Sequence[PairExplanation]) -> list[Cells]:
    return [text("system", [pair.system for pair in pairs]), text("other", [pair.other for pair in pairs])]


def _by_measure(measures: Sequence[str], values: Sequence[tuple[float, float]]) -> list[Cells]:
    """A column of numbers for each of two measures."""
    return [score(name, [both[index] for both in values], digits=3) for index, name in enumerate(measures)]


def _disagreements(result: Explanations) -> Table:
    first, second = result.measures
    pairs = result.pairs
    verdicts = ("opposed", f"tied by {first}", f"tied by {second}", "same order", "tied by both", "undefined")
    columns = [
        *_systems(pairs),
        *_by_measure(result.measures, [pair.values for pair in pairs]),
        text(
            "verdict",
            [_verdict(result.measures, pair) for pair in pairs],
            values=verdicts,
            about="how the two measures order the pair",
            detail=True,
        ),
        score(
            "strength",
            [pair.strength for pair in pairs],
            about="the smaller of both differences, in root mean square differences of all pairs",
            detail=True,
        ),
    ]
    if result.contested is not None:
        about = "ordered by both measures significantly, in opposite ways"
        columns.append(flag("contested", [pair.contested for pair in pairs], about=about, detail=not result.contested))
    if result.cells is not None:
        errors, shares = [pair.leading[0] for pair in pairs], [pair.leading[1] for pair in pairs]
        columns += [text("errors", errors, about=LEADING_ERRORS), score("share", shares, about=SHARE, digits=2)]
    title = f"Differences (system − other) under {first} and {second}: {_selection(result)}"
    return table("disagreements", title, *columns)


def _rank_changes(result: Explanations) -> Table:
    """Systems that gain and lose ranks with the second measure."""
    first, second = result.measures
    changes, every_change = result.ranks.largest(MAX_CHANGES), len(result.ranks.systems)
    largest = f"the {MAX_CHANGES} largest of " if every_change > MAX_CHANGES else ""
    return table(
        "rank_changes",
        f"Ranks under {first} and {second}: {largest}{pluralize(every_change, 'change')}",
        text("system", changes.systems),
        *counts(result.measures, changes.ranks),
        count("change", changes.gains, about=f"ranks gained with {second}"),
        detail=result.is_requested,
    )


def _selection(result: Explanations) -> str:
    if result.is_requested:
        return "two systems"
    disputed = result.opposed + result.tied
    number, every_one = len(result.pairs), pluralize(disputed, "disagreement")
    if number == disputed:
        return every_one
    return (
        f"{number} of {every_one}, contested ones first"
        if result.contested
        else f"the {number} strongest of {every_one}"
    )


def _verdict(measures: tuple[str, str], pair: PairExplanation) -> str:
    if np.isnan(pair.oriented).any():
        return "undefined"
    if not pair.disputed:
        return "same order" if pair.oriented[0] else "tied by both"
    if pair.opposed:
        return "opposed"
    return f"tied by {measures[0] if pair.oriented[0] == 0 else measures[1]}"


def _contributions(result: Explanations, cells: ConfusionContributions) -> Table:
    contributions, labels = cells.contributions, cells.labels
    errors, alone = ~np.eye(len(labels), dtype=np.bool_), len(result.pairs) == 1
    tables = []
    for index, pair in enumerate(result.pairs):
        # Leaves out cells in which neither system has errors and that contribute nothing.
        relevant = cells.counts[index].any(axis=0) | (contributions.values[:, index] != 0).any(axis=0)
        gold, predicted = np.nonzero(errors & relevant)
        columns = [
            text("system", [pair.system] * len(gold), detail=alone),
            text("other", [pair.other] * len(gold), detail=alone),
            text("gold", [labels[code] for code in gold]),
            text("predicted", [labels[code] for code in predicted]),
            *counts(
                ("items", "items_other"),
                cells.counts[index][:, gold, predicted],
                about="items of each system with this error",
            ),
            *scores(result.measures, contributions.values[:, index, gold, predicted]),
        ]
        if contributions.sampled.any():
            names = [f"{name}_se" for name in result.measures]
            columns += scores(names, contributions.errors[:, index, gold, predicted])
        difference = f"{pair.system} − {pair.other}" if alone else "of two systems"
        title = f"Contribution of each confusion to the difference {difference}"
        tables.append(table("contributions", title, *columns, detail=not alone))
    return stack(tables)


def _deciding_items(result: Explanations) -> Table:
    pairs = [pair for pair in result.pairs for _ in pair.items]
    items = [item for pair in result.pairs for item in pair.items]
    return table(
        "deciding_items",
        "Items on which the measures differ most: contribution to the difference of two systems",
        *_systems(pairs),
        text("item", [item.item for item in items]),
        *_by_measure(result.measures, [item.values for item in items]),
    )


def _notes(result: Explanations) -> list[Note | str]:
    notes: list[Note | str] = []
    if result.pairs:
        notes.append(
            "differences are in the units of the measures; strength is the smaller of the two absolute differences, "
            "each divided by the root mean square difference of two systems under its measure"
        )
    if result.tied and result.opposed:
        notes.append(f"exactly one of the measures ties {pluralize(result.tied, 'other pair')} of systems")
    if result.undefined:
        first, second = result.measures
        pairs = pluralize(result.undefined, "pair")
        notes.append(f"{pairs} of systems cannot be compared: {first} or {second} is undefined for one of them")
    if result.cells is not None and result.pairs:
        notes.append(
            "contributions are Shapley values of the cells of the confusion matrix; they sum to the difference"
        )
        notes += mixture_notes(result.cells.contributions, result.measures)
    return notes


def _scaling(contributions: Contributions, measures: Sequence[str]) -> str:
    """Under which measures mixtures were scaled down."""
    by_mixtures = contributions.by_mixtures.tolist()
    scaled = [name for name, mixed in zip(measures, by_mixtures, strict=True) if mixed]
    others = [name for name, mixed in zip(measures, by_mixtures, strict=True) if not mixed]
    if not others:
        return "they were scaled down"
    return (
        f"they were scaled down under {join_names(scaled)}; under {join_names(others)} the contribution of a cell does "
        "not depend on the other cells, so that the two kinds of contributions are not exactly comparable"
    )


def mixture_notes(contributions: Contributions, measures: Sequence[str]) -> list[Note | str]:
    """Notes about the mixtures of two systems on which contributions are based."""
    notes: list[Note | str] = []
    if contributions.scaled:
        amount = f"{contributions.scaled:,} of {pluralize(contributions.mixtures, 'mixture')} of two systems"
        notes.append(f"in {amount}, a gold class had more errors than items; {_scaling(contributions, measures)}")
    if contributions.sampled.any():
        pairs = pluralize(int(contributions.sampled.sum()), "pair")
        notes.append(
            f"contributions for {pairs} of systems are estimates from random orders of the cells, with standard "
            "errors; their sums are exact"
        )
    undefined = np.isnan(contributions.values).any(axis=(2, 3)).sum(axis=1).tolist()
    notes += [
        f"contributions under {name} are undefined for {pluralize(pairs, 'pair')} of systems, because the measure is "
        "undefined for a mixture of them"
        for name, pairs in zip(measures, undefined, strict=True)
        if pairs
    ]
    return notes


def on_explanations(explanations: Explanations) -> list[Finding]:
    """How often two measures disagree, and which errors or items cause it for the first pair of systems."""
    measures, pairs = explanations.measures, explanations.pairs
    if explanations.is_requested:
        return [Finding("explain", ". ".join([_judgement(measures, pairs[0]), *_reasons(measures, pairs[0])]))]
    sentences = [_frequency(explanations)]
    if pairs:
        change = _on_ranks(measures[1], explanations.ranks) if pairs[0].opposed else _judgement(measures, pairs[0])
        sentences += [change, *_reasons(measures, pairs[0])[:1]]
    return [Finding("explain", ". ".join(sentences))]


def _frequency(explanations: Explanations) -> str:
    first, second = explanations.measures
    opposed, tied = explanations.opposed, explanations.tied
    pairs = explanations.systems * (explanations.systems - 1) // 2 - explanations.undefined
    if not opposed and not tied:
        return f"{first} and {second} order {every(explanations.systems, 'system')} identically"
    number = opposed or tied
    amount = every(pairs, "pair") if number == pairs else f"{number:,} of {pluralize(pairs, 'pair')}"
    if not opposed:
        return f"Exactly one of {first} and {second} ties {amount} of systems"
    contested = _significantly(explanations.contested, opposed)
    return f"{first} and {second} order {amount} of systems in opposite ways{contested}"


def _significantly(contested: int | None, opposed: int) -> str:
    """A clause on how many of the opposed pairs are contested; '' where differences are not tested."""
    if contested is None:
        return ""
    if opposed == 1:
        return f", {'' if contested else 'not '}significantly under both"
    amount = "each" if contested == opposed else f"{contested:,}" if contested else "none"
    return f", {amount} of them significantly under both"


def _on_ranks(second: str, changes: RankChanges) -> str:
    """Which systems gain and lose most ranks with the second measure."""
    sides = [("gain", changes.gains), ("lose", -changes.gains)]
    return f"With {second}, {join_all([_extreme(changes, moves, verb) for verb, moves in sides if (moves > 0).any()])}"


def _extreme(changes: RankChanges, moves: Ints, verb: str) -> str:
    """The systems that move most in one direction."""
    most = np.flatnonzero(moves == moves.max()).tolist()
    extreme = " most" if len(most) < (moves > 0).sum() else ""
    if len(most) == 1:
        before, after = changes.ranks[:, most[0]].tolist()
        return f"{changes.systems[most[0]]} {verb}s{extreme} (rank {before} to {after})"
    names = join_all([changes.systems[system] for system in most]) if len(most) == 2 else f"{len(most)} systems"
    return f"{names} {verb}{extreme} ({pluralize(int(moves.max()), 'rank')} each)"


def _reasons(measures: tuple[str, str], pair: PairExplanation) -> list[str]:
    """The main reasons for the order of two systems under two measures, a sentence each."""
    if pair.items:
        return [_item_reason(measures, pair, pair.items[0])]
    return [_confusion_reason(measures, pair, confusion) for confusion in _main_confusions(pair)[:MAX_REASONS]]


def _judgement(measures: tuple[str, str], pair: PairExplanation) -> str:
    first, second = pair.oriented
    if np.isnan(pair.oriented).any():
        missing = [name for name, value in zip(measures, pair.oriented, strict=True) if np.isnan(value)]
        return f"{' and '.join(missing)} cannot compare {pair.system} and {pair.other}"
    if not pair.disputed:
        return _order("Both measures", first, pair, plural=True)
    return f"{_order(measures[0], first, pair)}, {_order(measures[1], second, pair)}"


def _order(subject: str, difference: float, pair: PairExplanation, *, plural: bool = False) -> str:
    """A clause that says how one or both measures order two systems."""
    s = "" if plural else "s"
    if difference == 0:
        return f"{subject} tie{s} {pair.system} and {pair.other}"
    upper, lower = (pair.system, pair.other) if difference > 0 else (pair.other, pair.system)
    return f"{subject} rank{s} {upper} above {lower}"


def _main_confusions(pair: PairExplanation) -> list[Confusion]:
    """The confusions to name: the main one of the disagreement, and the main one of each measure's choice.

    If the measures agree, the one that contributes most to the difference of the systems.
    """
    confusions = [confusion for confusion in pair.confusions if not np.isnan(confusion.contribution)]
    if not confusions:
        return []
    if not pair.disputed:
        return [max(confusions, key=lambda confusion: _share_of_both(confusion, pair))]
    for_first = max(confusions, key=lambda confusion: pair.orientation * confusion.oriented[0])
    for_second = min(confusions, key=lambda confusion: pair.orientation * confusion.oriented[1])
    return list(dict.fromkeys([confusions[0], for_first, for_second]))


def _share_of_both(confusion: Confusion, pair: PairExplanation) -> float:
    """The sum of a confusion's shares of the differences under both measures."""
    return sum(part / whole for part, whole in zip(confusion.oriented, pair.oriented, strict=True) if whole)


def _confusion_reason(measures: tuple[str, str], pair: PairExplanation, confusion: Confusion) -> str:
    more = confusion.items - confusion.items_other
    system, other, sign = (pair.system, pair.other, -1) if more > 0 else (pair.other, pair.system, 1)
    fewest, most = sorted((confusion.items, confusion.items_other))
    costs = " and ".join(
        f"{sign * value:.3f} under {name}" for value, name in zip(confusion.oriented, measures, strict=True)
    )
    errors = pluralize(abs(more), f"more {confusion.name} error")
    return f"{system} has {errors} than {other} ({most:,} to {fewest:,}), which cost it {costs}"


def _item_reason(measures: tuple[str, str], pair: PairExplanation, item: DecidingItem) -> str:
    values = " and ".join(f"{value:+.3f} under {name}" for value, name in zip(item.oriented, measures, strict=True))
    return f"The measures differ most on item {item.item} ({values}; above 0 in favour of {pair.system})"


def _several_measures(study: Study, settings: ExplainSettings, result: Disagreements) -> AnalysisOutput:
    names = study.measure_names
    opposed = table(
        "disagreement_counts",
        f"Number of pairs of systems, of {result.pairs:,}, that two measures order in opposite ways",
        text("measure", names),
        *counts(names, result.opposed),
        detail=bool(result.causes),
    )
    notes: list[Note | str] = [
        *untested_notes(study, "comparisons"),
        "a tie under one of the measures is not a disagreement",
        *_on_tests(study, settings),
    ]
    findings, methods = _findings(study, result), _methods(study, settings)
    if result.contested is not None and result.contested.any():
        findings = with_caution(study, findings)
    if not result.causes or result.contributions is None:
        return AnalysisOutput([opposed], notes, findings, methods=methods)
    strongest = f"up to {pluralize(settings.max_pairs, 'pair')} of systems with the strongest disagreement"
    notes.append(f"errors and share are from Shapley values, on {strongest}")
    notes += mixture_notes(result.contributions, names)
    return AnalysisOutput([opposed, _causes(result)], notes, findings, methods=methods)


def _causes(result: Disagreements) -> Table:
    causes = result.causes or ()
    return table(
        "disagreement_causes",
        f"Number of pairs of systems, of {result.pairs:,}, that two measures order in opposite ways, and why",
        text("measure", [cause.measure for cause in causes]),
        text("other", [cause.other for cause in causes]),
        count("pairs", [cause.pairs for cause in causes]),
        *(
            [count("contested", [cause.contested for cause in causes], about="of these, significant under both")]
            if result.contested is not None
            else []
        ),
        text("errors", [cause.errors for cause in causes], about=LEADING_ERRORS),
        score("share", [cause.share for cause in causes], about=SHARE),
    )


def _findings(study: Study, result: Disagreements) -> list[Finding]:
    names = study.measure_names
    if not result.opposed.any():
        return [Finding("explain", f"No two of the {len(names)} measures order any systems in opposite ways")]
    one, other = (int(index) for index in np.unravel_index(result.opposed.argmax(), result.opposed.shape))
    pairs = f"{result.opposed[one, other]:,} of {pluralize(result.pairs, 'pair')} of systems"
    equal = int((np.triu(result.opposed) == result.opposed[one, other]).sum()) - 1
    tied = f" (as {'does' if equal == 1 else 'do'} {pluralize(equal, 'other pair')} of measures)" if equal else ""
    contested = None if result.contested is None else int(result.contested[one, other])
    clause = _significantly(contested, int(result.opposed[one, other]))
    sentences = [f"{names[one]} and {names[other]} disagree most{tied}, on {pairs}{clause}"]
    if result.causes and result.causes[0].errors:
        cause = result.causes[0]
        # A share above the whole says that other confusions reduce the disagreement.
        how_much = f"{cause.share:.0%} of the disagreement" if cause.share <= 1 else "other errors reduce it"
        sentences.append(f"{cause.errors} errors contribute most to it ({how_much})")
    return [Finding("explain", ". ".join(sentences))]


MAX_DRAWN_PAIRS, MAX_CELLS = 6, 12


@plot(
    "contributions",
    title="What each confusion contributes to a difference",
    example="explain cem-ord accuracy --config configs/stance.yaml --max-pairs 2",
)
def contributions(tables: Tables) -> Picture | None:
    """For each pair of systems: bars for the confusions, one panel for each of the two measures."""
    table = tables["contributions"]
    names = [column.name for column in table.columns if column.kind is Kind.SCORE][:2]
    if len(names) < 2:
        return None
    values = matrix(table, names)
    by_pair = {
        pair: rows
        for pair, rows in rows_by(table, "system", "other").items()
        if not np.isnan(values[rows]).all() and values[rows].any()
    }
    if not by_pair:
        return None
    cells = zip(texts(table, "gold"), texts(table, "predicted"), strict=True)
    confusions = [f"{gold}→{predicted}" for gold, predicted in cells]
    smaller = len(set(confusions)) - MAX_CELLS
    remark = not_shown((len(by_pair) - MAX_DRAWN_PAIRS, "more pair"), (smaller, "smaller confusion"))
    by_pair = dict(list(by_pair.items())[:MAX_DRAWN_PAIRS])
    sizes = _sizes(values)
    largest = {
        pair: np.sort(rows[np.argsort(-sizes[rows], kind="stable")[:MAX_CELLS]]) for pair, rows in by_pair.items()
    }
    errors = [1.96 * numbers(table, f"{name}_se") if has(table, f"{name}_se") else None for name in names]
    items = [
        " : ".join("—" if np.isnan(count) else f"{count:,.0f}" for count in row)
        for row in matrix(table, ["items", "items_other"])
    ]
    panels, parts = [], []
    for pair, rows in largest.items():
        differences, leading = [], []
        for index, (name, error, colour) in enumerate(zip(names, errors, COLOURS, strict=False)):
            bars, difference = values[rows, index], values[by_pair[pair], index].sum()
            ends = () if error is None else (bars - error[rows], bars + error[rows])
            panel = Panel(
                rows=[label(confusions[row], 30) for row in rows],
                series=[Series(bars, *ends, look=Look(colour), is_bar=True)],
                title=f"{label(name, 22)}{APART}{_signed(difference)}",
                heading=" − ".join(pair) if index == 0 else "",
                ends=[items[row] for row in rows] if index == 1 else (),
                limits=_limits(values[:, index], error, np.concatenate(list(largest.values()))),
            )
            panels.append(panel)
            differences.append(f"{_signed(difference)} under {name}")
            if not np.isnan(bars).all():
                most = int(np.nanargmax(np.abs(bars)))
                leading.append(f"{confusions[rows[most]]} ({_signed(bars[most])} under {name})")
        parts.append(f"{' − '.join(pair)}: {join_all(differences)}, most by {join_all(leading)}")
    alt = f"Bars of the contributions of confusions to the differences of {pluralize(len(largest), 'pair')} of systems"
    alt += f", under {names[0]} and {names[1]}. {'; '.join(parts)}. {remark}"
    legend = f"items, at the right: errors of the first : of the second system. {remark}".strip()
    form = DotPlot(panels=panels, across="contribution to the difference", remark=legend, has_zero=True)
    return Picture(alt.strip(), form.draw)


def _sizes(values: Floats) -> Floats:
    """The size of each row of contributions: measures differ in units, so it is relative to their mean."""
    usual = np.nanmean(np.abs(values), axis=0)
    sizes: Floats = np.nan_to_num(np.abs(values) / np.where(usual > 0, usual, 1.0)).max(axis=1, initial=0)
    return sizes


def _limits(values: Floats, error: Floats | None, rows: Floats) -> tuple[float, float]:
    """Limits that are the same for all pairs, so that bars can be compared."""
    bars, half_width = values[rows], 0.0 if error is None else error[rows]
    return limits(np.zeros(1), bars - half_width, bars + half_width, margin=0.05)


def _signed(value: float) -> str:
    return "—" if value != value else f"{value:+.3f}".replace("-", "−")
