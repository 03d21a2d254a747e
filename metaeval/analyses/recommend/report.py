"""The verdict in words, and the evidence for it in a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.correlate.report import with_first_human
from metaeval.analyses.plan.goals import MAX_FACTOR, Requirement
from metaeval.analyses.plan.report import MIN_ITEMS, amounts
from metaeval.analyses.recommend.compute import Recommendation
from metaeval.analyses.recommend.evidence import MARGIN
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.recommend.verdict import MIN_SEPARATED, TIED, Advice, Basis, Status, Verdict
from metaeval.analyses.sentences import every, join_names
from metaeval.errors import join_all, pluralize, setting
from metaeval.inference.conflicts import Conflicts
from metaeval.model.report import Finding, Note, Table, count, counts, score, scores, table, text
from metaeval.model.works import cite
from metaeval.render.plots.canvas import APART, Look, label, number
from metaeval.render.plots.columns import cells_of, distinct, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.study.capabilities import LABELS, MEAN_RECALL, RESCORE
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, rare_classes, units_of, with_caution
from metaeval.study.study import AnalysisOutput, Study

CHECKS = {
    "undefined": "undefined for a system",
    TIED: "no two systems differ",
    "nominal": "blind to the order of classes",
    "required": "without a required property",
    "gamed": "a trivial system beats better ones",
    "human": "less close to human scores",
    "reliability": "less stable rankings",
}
"""The checks in their order, and what they say about excluded measures."""

SURE = 0.8
"""Share of random halves with the same answer below which it is undecided."""

MAX_LOWERED = 0.05
"""Share of the moves toward gold that may lower a score without a remark."""

MANY_WORDS = 25
"""Words of a sentence in which the questions of two measures have no room."""

FEW_SYSTEMS, FEW_ITEMS_OF_CLASS = 8, 30


def tabulate(study: Study, settings: RecommendSettings, result: Recommendation) -> AnalysisOutput:
    """The answers to three questions, the evidence, and the pairs of systems that measures contest."""
    opposite = _opposite(study, result.verdict)
    conflicts, systems = result.verdict.evidence.conflicts, study.systems
    sentences = [
        _on_choice(study, result.verdict),
        *_on_exclusions(result.verdict, settings.official),
        _on_advice(study, result),
    ]
    output = AnalysisOutput(
        [
            _main_table(study, settings, result),
            _overall(study, result),
            conflicts_table(study.measure_names, conflicts),
            contested_table(study.measure_names, systems, conflicts),
        ],
        _notes(study, result, opposite),
        with_caution(study, [Finding("recommend", sentence) for sentence in sentences]),
        methods=_methods(study, settings, result),
        excluded=[name for name, reason in zip(study.measure_names, result.verdict.reasons, strict=True) if reason],
    )
    return with_first_human(study, output)


def conflicts_table(measures: Sequence[str], conflicts: Conflicts) -> Table:
    """The table `conflicts`: the number of pairs of systems that each two measures order in opposite ways."""
    columns = (count(name, conflicts.counts[index]) for index, name in enumerate(measures))
    title = f"Pairs of {len(conflicts.one)} that each two measures order in opposite ways, both significantly"
    return table("conflicts", title, text("measure", measures), *columns, detail=True)


def contested_table(measures: Sequence[str], systems: Sequence[str], conflicts: Conflicts) -> Table:
    """The table `contested`: the significant differences of the pairs of systems that two measures contest."""
    pairs = [
        (pair, index)
        for pair in np.flatnonzero(conflicts.contested()).tolist()
        for index in np.argsort(-conflicts.directions[:, pair], kind="stable").tolist()
        if conflicts.directions[index, pair]
    ]
    sides = [[systems[int(side[pair])] for pair, _ in pairs] for side in (conflicts.one, conflicts.other)]
    tests = [(conflicts.tests[index], pair) for pair, index in pairs]
    return table(
        "contested",
        "Pairs of systems that measures order in opposite ways, significantly",
        text("system", sides[0]),
        text("other", sides[1]),
        text("measure", [measures[index] for _, index in pairs]),
        text(
            "better",
            [sides[int(conflicts.directions[index, pair] < 0)][row] for row, (pair, index) in enumerate(pairs)],
        ),
        score("difference", [float(test.difference[pair]) for test, pair in tests], interval=("low", "high")),
        *scores(
            ("low", "high"),
            [[float(test.low[pair]) for test, pair in tests], [float(test.high[pair]) for test, pair in tests]],
            about="95 % interval, jointly for all pairs and measures",
        ),
        detail=True,
    )


def _main_table(study: Study, settings: RecommendSettings, result: Recommendation) -> Table:
    """A row for each measure, by the verdict on it, with the evidence."""
    verdict, head = result.verdict, result.verdict.head
    evidence, measures = verdict.evidence, study.measure_names
    better = None if evidence.better_than_chance is None else int(evidence.better_than_chance.sum())
    roles = ["official" if measure == settings.official else "" for measure in measures]
    conflict_counts = evidence.conflicts.counts if head is None else evidence.conflicts.counts[head]
    contested = [None if head is None else int(conflict_counts[index]) for index in range(len(measures))]
    checks = {reason.check for reason in verdict.reasons if reason is not None}
    columns = [
        text("measure", measures),
        text("verdict", [status.value for status in verdict.statuses], values=tuple(status.value for status in Status)),
        count("separates", evidence.conflicts.separated, about="pairs of systems that differ significantly"),
        count(
            "contested",
            contested,
            about=f"of these pairs, ordered otherwise than by {'' if head is None else measures[head]}",
        ),
        # Excluded measures may have the highest values, so that none is marked as the best.
        score(
            "reliability",
            evidence.reliability,
            about="agreement of the rankings on two random halves; 1: the same ranking",
            interval=("ci_low", "ci_high"),
        ),
        *scores(
            ("ci_low", "ci_high"),
            np.transpose([verdict.interval(row) for row in range(len(measures))]),
            about="95 % interval, on other items",
        ),
        *([score("human", evidence.human[1], about="correlation with human scores")] if evidence.human else []),
        text(
            "reason",
            ["" if reason is None else reason.text for reason in verdict.reasons],
            about="beats: so many of the systems that are better than chance" if "gamed" in checks else "",
        ),
        text("role", roles, values=("official", ""), detail=True),
        score("power", evidence.power, about="expected share of the pairs that differ significantly", detail=True),
        score("lowered", evidence.lowered, about="share of moves of an error toward gold that lower it", detail=True),
        count("beaten", evidence.beaten if better is not None else None, about=_on_beaten(study, verdict), detail=True),
        count("better_than_chance", better, about="systems significantly better than chance", detail=True),
    ]
    sure, units = "", "clusters" if study.origin.clusters else "items"
    if result.again is not None:
        sure = f"; the same answer on {100 * result.again:.0f} % of random halves of the {units}"
    subject = f"Evidence on {pluralize(len(measures), 'measure')} and {pluralize(evidence.pairs, 'pair')} of systems"
    order = [index for status in Status for index, current in enumerate(verdict.statuses) if current is status]
    return table("recommend", f"{subject}{sure}", *columns, order=order, subject=subject)


def _on_beaten(study: Study, verdict: Verdict) -> str:
    if verdict.evidence.better_than_chance is None:
        return "not checked, because trivial systems of these data are unknown"
    return f"systems better than {_baseline(study, verdict)} that a trivial system significantly beats"


def _overall(study: Study, result: Recommendation) -> Table:
    """The table `verdict`, of one row: for gates."""
    verdict, requirement = result.verdict, _requirement(study, result)
    names = [study.measure_names[index] for index in verdict.choice]
    items = (None, None, None) if requirement is None else amounts(requirement)
    values = (*study.measure_names, "")
    return table(
        "verdict",
        "What to do, and how sure it is",
        text("outcome", [verdict.advice.value], values=tuple(advice.value for advice in Advice)),
        text("measure", next(iter(names), ""), values=values, about="the measure to use"),
        text("second", "".join(names[1:]), values=values, about="a measure to report, too"),
        text(
            "basis",
            "" if verdict.basis is None else verdict.basis.value,
            values=(*(basis.value for basis in Basis), ""),
            about="why this measure",
        ),
        count(
            "contested", int(verdict.evidence.conflicts.contested().sum()), about="pairs of systems that are contested"
        ),
        count("pairs", verdict.evidence.pairs, about="pairs of systems"),
        score("halves", math.nan if result.again is None else result.again, about="share of halves with this answer"),
        count("items_needed", items[0], about="items for rankings to agree, where systems cannot be ranked"),
        *counts(("items_low", "items_high"), items[1:], about="its 95 % interval"),
        detail=True,
    )


def _requirement(study: Study, result: Recommendation) -> Requirement | None:
    """What the rankings require, if it can be planned from so many items."""
    requirement = result.requirement if len(study.items) >= MIN_ITEMS else None
    return None if requirement is None or math.isnan(requirement.amount) else requirement


# The three questions


def _on_choice(study: Study, verdict: Verdict) -> str:
    """Whether the choice of measure matters for these systems."""
    evidence, conflicts, measures = verdict.evidence, verdict.evidence.conflicts, study.measure_names
    pairs, contested = pluralize(evidence.pairs, "pair"), int(conflicts.contested().sum())
    if len(measures) == 1:
        return f"only {measures[0]} is judged: it separates {conflicts.separated[0]} of {pairs} of systems"
    if not contested:
        clause = f"no two of {len(measures)} measures significantly order any of {pairs} in opposite ways"
        if verdict.collect or conflicts.separated.min() < MIN_SEPARATED * evidence.pairs:
            return f"these data do not show that the choice matters: {clause}"
        return f"the choice matters for no pair of systems: {clause}"
    pair = conflicts.clearest(range(len(measures)))
    assert pair is not None
    one, other = study.systems[int(conflicts.one[pair])], study.systems[int(conflicts.other[pair])]
    above, below = (
        [name for name, direction in zip(measures, conflicts.directions[:, pair], strict=True) if direction == sign]
        for sign in (1, -1)
    )
    return (
        f"the choice matters for {contested} of {pairs} of systems: {one} is above {other} under {_some(above)}, but "
        f"below under {_some(below)}"
    )


def _some(names: Sequence[str]) -> str:
    """At most two names, or the first and the number of the others."""
    return join_all(names if len(names) <= 2 else [names[0], f"{len(names) - 1} others"])


def _on_exclusions(verdict: Verdict, official: str | None) -> list[str]:
    """Which measures should not be used, and why; of the official one alone, if it is among them."""
    by_check: dict[str, list[str]] = {}
    for name, reason in zip(verdict.evidence.measures, verdict.reasons, strict=True):
        if reason is not None and name == official:
            return [f"do not use {name}, the measure in use: {CHECKS[reason.check]}"]
        if reason is not None:
            by_check.setdefault(reason.check, []).append(name)
    if not by_check.keys() - {TIED}:
        return []
    clauses = [f"{join_names(names, 'or')} ({CHECKS[check]})" for check, names in by_check.items()]
    return [f"do not use {', nor '.join(clauses)}"]


def _on_advice(study: Study, result: Recommendation) -> str:
    """What to do, and whether that is decided."""
    sentence = _advice(study, result)
    if result.again is None or result.again >= SURE or result.verdict.advice in (Advice.NONE, Advice.ANY):
        return sentence
    return f"undecided: {sentence}"


def _advice(study: Study, result: Recommendation) -> str:
    verdict, names = result.verdict, [study.measure_names[index] for index in result.verdict.choice]
    passing = f"{len(verdict.remaining)} measures that pass"
    if verdict.advice is Advice.NONE:
        return "no measure passes the checks: add other measures, or drop what is required of them"
    if verdict.advice is Advice.KEEP:
        sentence = f"keep {names[0]}: no other measure that passes orders a pair the other way round"
        return f"{sentence}. {_collect(study, result)}" if verdict.collect else sentence
    if verdict.advice is Advice.COLLECT:
        return _collect(study, result)
    if verdict.advice is Advice.ANY:
        remedy = f"name the one in use with {setting('official')}, or add human scores"
        return f"the data do not decide between the {passing}: {remedy}"
    if verdict.advice is Advice.REPORT:
        asking = f"report both {_asking(study, names[0])} and {_asking(study, names[1])}"
        return asking if len(asking.split()) <= MANY_WORDS else f"report both {names[0]} and {names[1]}"
    separated = verdict.evidence.conflicts.separated[verdict.choice[0]]
    rest = f"no other of {len(verdict.remaining)} that pass orders a pair the other way round"
    reasons = {
        Basis.ALONE: ", the only measure that passes",
        Basis.CONVENTION: f" by convention, because the data do not decide; {rest}",
        Basis.POWER: f": it separates {separated} pairs of systems, significantly more than {_runner_up(verdict)}",
        Basis.HUMAN: ", which agrees most with the human scores",
    }
    return f"use {names[0]}{'' if verdict.basis is None else reasons[verdict.basis]}"


def _runner_up(verdict: Verdict) -> str:
    """The first measure that passes and is not chosen, and how many pairs it separates."""
    first = next((index for index in verdict.remaining if index not in verdict.choice), None)
    return (
        "" if first is None else f"{verdict.evidence.measures[first]} ({verdict.evidence.conflicts.separated[first]})"
    )


def _asking(study: Study, name: str) -> str:
    """A measure with its question, if it declares one."""
    questions = {str(measure): measure.question for measure in study.measures}
    return f"{name} ({questions[name]}?)" if questions.get(name) else name


def _collect(study: Study, result: Recommendation) -> str:
    """That systems cannot be ranked, and how many items it takes."""
    evidence, requirement = result.verdict.evidence, _requirement(study, result)
    better = evidence.better_than_chance
    if np.isnan(evidence.reliability).all():
        return f"these systems cannot be ranked: no two of the {len(study.systems)} differ under any measure"
    items = "more items"
    if requirement is not None and requirement.amount > len(study.items):
        estimate = amounts(requirement)[0]
        items = f"more than {MAX_FACTOR} times as many items" if estimate is None else f"about {estimate:,} items"
    if not evidence.testable:
        return f"collect {items} and print tiers until then: so few {units_of(study)} show no significant difference"
    if evidence.reference is None and better is not None and not better.any():
        return f"these systems cannot be ranked: none is significantly better than {_baseline(study, result.verdict)}"
    few = f"no measure separates {100 * MIN_SEPARATED:.0f} % of the pairs of systems"
    return f"collect {items} and print tiers until then: {few}"


def _baseline(study: Study, verdict: Verdict) -> str:
    """What systems are compared with that are not to be trivial."""
    reference = verdict.evidence.reference
    return "chance" if reference is None else f"every trivial one under {study.measure_names[reference]}"


def _opposite(study: Study, verdict: Verdict) -> list[int]:
    """Measures of a table that order most pairs otherwise than the head: turned, or the head is."""
    head, conflicts = verdict.head, verdict.evidence.conflicts
    if head is None or study.has(RESCORE):
        return []
    directions = conflicts.directions.astype(np.int64)
    alike = directions @ directions[head] + conflicts.counts[head]
    return np.flatnonzero(conflicts.counts[head] > 3 * alike).tolist()


def _notes(study: Study, result: Recommendation, opposite: Sequence[int]) -> list[Note | str]:
    verdict, evidence, measures = result.verdict, result.verdict.evidence, study.measure_names
    contested = (
        "a pair is contested if two measures order it in opposite ways, both significantly, in one family of tests of "
        "all pairs under all measures; a measure that passes is not shown to be as good as another"
    )
    notes: list[Note | str] = [contested]
    notes += [_asking(study, measures[index]) for index in verdict.choice if study.has(RESCORE)]
    for index in np.flatnonzero(evidence.lowered > MAX_LOWERED).tolist():
        share = f"{100 * evidence.lowered[index]:.0f} % of the moves of an error toward gold"
        notes.append(f"{measures[index]} claims the order of the classes, and {share} lower it")
    if opposite and verdict.head is not None:
        names, verb = join_all([measures[index] for index in opposite]), "orders" if len(opposite) == 1 else "order"
        otherwise = f"{names} {verb} most systems otherwise than {measures[verdict.head]}"
        notes.append(f"{otherwise}: if lower is better in one, declare it with {setting('lower_is_better')}")
    notes += notes_on_clusters(study)
    if len(study.systems) < FEW_SYSTEMS:
        notes.append(f"{pluralize(len(study.systems), 'system')} are few to compare measures by how they rank them")
    runs = study.find(LABELS)
    if runs is not None:
        rare = rare_classes(runs, FEW_ITEMS_OF_CLASS)
        if rare:
            notes.append(f"fewer than {FEW_ITEMS_OF_CLASS} gold items of {rare}: macro-averages depend on them")
    return notes


def on_groups(tables: Mapping[str, Table]) -> list[Finding]:
    """The measures to use in groups of items."""
    names = [column.name for column in tables["verdict"].columns]
    measure = names.index("measure")
    advice = {str(row[0]): str(row[measure]) for row in tables["verdict"].rows}
    groups = {name: [group for group, advised in advice.items() if advised == name] for name in advice.values()}
    none, number_of = groups.pop("", []), pluralize(len(advice), "group")
    if not groups:
        return [Finding("recommend", f"no measure is advised in any of the {number_of}")]
    most = max(groups, key=lambda name: len(groups[name]))
    if len(groups[most]) == len(advice) > 1:
        return [Finding("recommend", f"the groups agree: {every(len(advice), 'group')} advise {most}")]
    clauses = [
        f"{join_names(subset)} {'advises' if len(subset) == 1 else 'advise'} {name}" for name, subset in groups.items()
    ]
    clauses += [f"{join_names(none)} none"] if none else []
    return [Finding("recommend", f"the {number_of} do not agree: {'; '.join(clauses)}")]


def _methods(study: Study, settings: RecommendSettings, result: Recommendation) -> list[str]:
    subject = "Differences of measures in reliability, the expected tau between random halves,"
    by_measure = dict(zip(study.measure_names, result.evidence, strict=True))
    sentences = methods_of_tests(
        study, subject, permutations=settings.permutations, evidence=by_measure, for_measures=True
    )
    sentences.append(
        "Two measures contest a pair of systems if both order it significantly and in opposite ways; all pairs under "
        f"all measures were tested as one family {cite('westfall1993')}."
    )
    if result.verdict.evidence.uses_order is not None and not settings.ignore_order:
        sentences.append("Measures that use only names of classes were excluded, because the classes are ordered.")
    sentences.append(
        f"A measure was excluded if it was less reliable than the best by more than {MARGIN:g} and significantly at "
        f"{settings.alpha:g}, adjusted for all pairs of measures by the largest statistic {cite('westfall1993')}."
    )
    if result.verdict.evidence.better_than_chance is not None:
        baseline = f"chance under {MEAN_RECALL}" if study.has(LABELS) else _baseline(study, result.verdict)
        sentences.append(
            "A measure was excluded if trivial systems were significantly better than more than 10 % of the systems "
            f"that were significantly better than {baseline}, by tests of all these pairs."
        )
    return sentences


LONGEST = 56
"""Width of the verdicts in narrow characters."""

LOOKS = {
    "keep": Look(size=7),
    "use": Look(size=7),
    "report": Look(size=7),
    "passes": Look(filled=False),
    "do not use": Look("muted", "x"),
}
"""A mark is filled if the measure is advised, hollow if it passes, and a cross if it should not be used."""


@plot(
    "recommend", title="Reliability of each measure, and the verdict", example="recommend --config configs/stance.yaml"
)
def recommend(tables: Tables) -> Picture | None:
    """A row for each measure: its reliability with the 95 % interval, and what the verdict says about it, and why."""
    table = tables["recommend"]
    names, verdicts, values = texts(table, "measure"), texts(table, "verdict"), numbers(table, "reliability")
    low, high = numbers(table, "ci_low"), numbers(table, "ci_high")
    if np.isnan(values).all():
        return None
    roles = texts(table, "role") if has(table, "role") else [""] * len(names)
    ends, spans = [], []
    for row, reason in enumerate(cells_of(table, "reason")):
        role = f", {roles[row]}" if roles[row] else ""
        text = f"{verdicts[row]}{role}: {reason}" if reason else f"{verdicts[row]}{role}"
        ends.append(label(f"{number(values[row])}{APART}{text}", LONGEST))
        spans.append(f"{names[row]} {number(values[row])} ({number(low[row])} to {number(high[row])})")
    groups = []
    for verdict in distinct(verdicts):
        members = [span for span, other in zip(spans, verdicts, strict=True) if other == verdict]
        groups.append(f"{verdict}: {join_all(members)}")
    series = Series(values, low, high, look=[LOOKS.get(verdict, Look()) for verdict in verdicts])
    bold = [row for row, verdict in enumerate(verdicts) if verdict in ("keep", "use", "report")]
    panel = Panel(rows=names, series=[series], ends=ends, bold=bold, bands=verdicts)
    across = "reliability: expected tau between random halves, with the 95 % interval"
    alt = f"{table.title}. Reliability (95 % interval) of the measures; {'; '.join(groups)}."
    return Picture(alt, DotPlot(panels=[panel], across=across).draw)
