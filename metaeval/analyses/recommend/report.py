"""The verdict in words, and the evidence for it in a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.correlate.report import with_first_human
from metaeval.analyses.plan.compute import Goal
from metaeval.analyses.plan.report import MIN_ITEMS, amounts, requirement_sentence
from metaeval.analyses.recommend.compute import Recommendation
from metaeval.analyses.recommend.evidence import MARGIN, SIMILAR, TIED, USABLE, Outcome, Place, Verdict
from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.sentences import every, join_names, show_beside
from metaeval.errors import join_all, pluralize, setting
from metaeval.model.report import (
    Cells,
    Finding,
    Note,
    Table,
    count,
    counts,
    notes_on_columns,
    score,
    scores,
    table,
    text,
)
from metaeval.model.works import cite
from metaeval.render.plots.canvas import APART, Look, label, number
from metaeval.render.plots.columns import cells_of, distinct, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.study.capabilities import LABELS, MEAN_RECALL, RESCORE
from metaeval.study.evidence import methods_of_tests, notes_on_clusters, rare_classes, units_of, with_caution
from metaeval.study.study import AnalysisOutput, Study

CHECKS = {
    "undefined": "undefined for a system, or on more than 1 % of random halves",
    TIED: "no two systems differ",
    "perverse": "a lower score for more than 5 % of the moves of a prediction nearer to gold",
    "blind": "the same score for more than half of the moves of a prediction nearer to gold",
    "required": "without a required property",
    "gamed": "gamed by a trivial system",
    "human": "significantly lower correlation with human scores",
    "reliability": "significantly less reliable",
}
"""The checks in their order, and what they say about an excluded measure."""

OPPOSITE = -0.5
"""Corrected rank correlation below which a column of a table probably has the other direction."""

FEW_SYSTEMS, FEW_ITEMS_OF_CLASS = 8, 30


def tabulate(study: Study, settings: RecommendSettings, result: Recommendation) -> AnalysisOutput:
    """The verdict as a paragraph, and the tables `recommend` and `verdict`."""
    main, opposite = _main_table(study, settings, result.verdict), _opposite(study, result.verdict)
    sentence = " ".join(_sentences(study, result, settings.official, opposite)).removesuffix(".")
    output = AnalysisOutput(
        [main, _overall(study, result)],
        _notes(study, result, main, opposite),
        with_caution(study, [Finding("recommend", sentence)]),
        methods=_methods(study, settings, result),
    )
    return with_first_human(study, output)


def _main_table(study: Study, settings: RecommendSettings, verdict: Verdict) -> Table:
    """A row for each measure, by the verdict on it, with the evidence."""
    evidence = verdict.evidence
    informed = None if evidence.informed is None else int(evidence.informed.sum())
    if informed is None:
        beaten = "not checked, because trivial systems of these data are unknown; score some as systems"
    else:
        beaten = (
            "share of the informed systems that a trivial system significantly beats; informed: systems "
            f"significantly better than {_baseline(study, verdict)}"
        )
    columns = [text("measure", evidence.measures)]
    if settings.official is not None:
        roles = ["official" if measure == settings.official else "" for measure in evidence.measures]
        columns.append(text("role", roles, values=("official", "")))
    columns += [
        text("verdict", [place.value for place in verdict.places], values=_values(Place)),
        score(
            "raised",
            math.nan if evidence.order is None else evidence.order[:, 0],
            about=f"an error two or more classes off is moved to the next class nearer to gold; share of "
            f"{pluralize(evidence.moves, 'such move')}, one for each system and kind of error, that raise the score; "
            "reasons give the shares that lower it or leave it as it is",
        ),
        score("beaten", evidence.beaten / informed if informed else math.nan, about=beaten),
        count("informed", informed),
        # Excluded measures may have the highest values, so that none is marked as the best.
        score(
            "reliability",
            evidence.reliability,
            about=f"expected tau between random halves, with its 95 % interval; lower by {MARGIN:g} is tolerated",
        ),
        *scores(("ci_low", "ci_high"), np.transpose([verdict.interval(row) for row in range(len(evidence.measures))])),
        *_similarity_columns(verdict),
    ]
    if evidence.human is not None:
        columns.append(score("human", evidence.human[1], about="correlation with human scores"))
    columns.append(text("reason", ["" if reason is None else reason.text for reason in verdict.reasons]))
    subject = f"Verdict on {pluralize(len(study.measure_names), 'measure')}"
    order = [index for place in Place for index in verdict.measures(place)]
    return table("recommend", f"{subject}: {_headline(verdict)}", *columns, order=order, subject=subject)


def _similarity_columns(verdict: Verdict) -> list[Cells]:
    """The corrected tau of each measure with the anchor, and its interval."""
    evidence, anchor = verdict.evidence, verdict.anchor
    values = np.full((3, len(evidence.measures)), np.nan)
    if anchor is not None and evidence.similarity is not None:
        similarity = evidence.similarity
        values = np.stack([similarity.tau[anchor], similarity.low[anchor], similarity.high[anchor]])
    tau = f"tau with {'' if anchor is None else evidence.measures[anchor]}, corrected for the unreliability of both"
    interval = (
        f"95 % interval of similarity, jointly for all pairs of measures; similar: from {SIMILAR:g} on, different: "
        "below, undecided: on both sides"
    )
    return [
        score("similarity", values[0], about=tau),
        score("similarity_low", values[1], head="low", about=interval),
        score("similarity_high", values[2], head="high", about=interval),
    ]


def _overall(study: Study, result: Recommendation) -> Table:
    """The table `verdict`, of one row: the outcome, the measure named, how often again, and how many items it takes."""
    named, goal = result.verdict.named, _goal(study, result)
    items, both = result.named_again or (math.nan, math.nan)
    needed = (None, None, None) if goal is None else amounts(goal)
    return table(
        "verdict",
        "Outcome, share of random halves on which the same measure is named, and items needed to rank the systems",
        text("outcome", [result.verdict.outcome.value], values=_values(Outcome)),
        text("measure", "" if named is None else study.measure_names[named], values=(*study.measure_names, "")),
        score("halves_of_items", items, about="share of random halves on which the same measure is named"),
        score("halves_of_items_and_systems", both, about="the same for halves of the systems, too"),
        count("items_needed", needed[0], about="items for rankings to agree, where systems cannot be ranked"),
        *counts(("items_low", "items_high"), needed[1:], about="its 95 % interval"),
        detail=True,
    )


def _goal(study: Study, result: Recommendation) -> Goal | None:
    """What the rankings require, if it can be planned from so many items."""
    goal = result.needed
    return None if goal is None or goal.missing or len(study.items) < MIN_ITEMS else goal


def _values(possible: type[Outcome | Place]) -> tuple[str, ...]:
    return tuple(each.value for each in possible)


def _headline(verdict: Verdict) -> str:
    """The verdict in a line."""
    if verdict.named is None:
        return verdict.outcome.value
    return f"{verdict.outcome.value}, {verdict.evidence.measures[verdict.named]} is named"


def _sentences(study: Study, result: Recommendation, official: str | None, opposite: Sequence[int]) -> list[str]:
    """The paragraph for an overview paper."""
    verdict = result.verdict
    questions = _questions(study)
    sentences = [
        *_main(study, result, questions),
        *_on_official(verdict, official),
        *_others(verdict, questions, opposite),
        *_exclusions(verdict, official),
    ]
    if result.named_again is not None:
        items, both = result.named_again
        halved = f"clusters of {study.origin.clusters[0].column}" if study.origin.clusters else "items"
        sentences.append(
            f"The same measure is named on {100 * items:.0f} % of random halves of the {halved}, and on "
            f"{100 * both:.0f} % of random halves of these and of the systems."
        )
    return sentences


def _questions(study: Study) -> dict[str, str]:
    """The question of each measure as a clause; the measures of a table declare none."""
    rescoring = study.find(RESCORE)
    return {str(each): f", which asks '{each.question}?'" for each in (rescoring.measures if rescoring else ())}


def _main(study: Study, result: Recommendation, questions: dict[str, str]) -> list[str]:
    verdict, number = result.verdict, result.verdict.anchor
    systems = pluralize(len(study.systems), "system")
    if number is None and verdict.outcome is Outcome.CANNOT_RANK:
        return [f"These data cannot show which measure to trust: no two of the {systems} differ under any of them."]
    if number is None:
        return ["No measure passes the checks: add other measures, or drop what is required of them."]
    name, reliability = verdict.evidence.measures[number], _reliability(study, verdict, number)
    if verdict.outcome is Outcome.CANNOT_RANK:
        informed = verdict.evidence.informed
        clusters = [f"{pluralize(len(each.sizes), 'cluster')} of {each.column}" for each in study.origin.clusters]
        data = " and ".join(clusters) or pluralize(len(study.items), "item")
        why = (
            f"{data} {'is' if data.startswith('1 ') else 'are'} too few for any significant difference of systems"
            if not verdict.evidence.testable
            else f"no system is significantly better than {_baseline(study, verdict)}"
            if informed is not None and not informed.any()
            else f"no measure that passes the checks has an expected tau of {USABLE:g}"
        )
        goal, more = _goal(study, result), ""
        # To collect items is no advice where fewer than there are would do.
        if goal is not None and goal.requirement.needed > len(study.items):
            purpose = f"for rankings by {{measure}} to agree with {goal.text}"
            more = f", and collect more items: {requirement_sentence(study, [goal], purpose)}"
        return [
            f"These data cannot show which measure to trust: {why} ({name}: {reliability}).",
            f"Report tiers or intervals instead of ranks{more}.",
        ]
    if verdict.named is None:
        remedy = f"name the measure in use with {setting('official')}, or add human scores"
        return [f"Nothing shows which of the measures that remain to trust ({name}: {reliability}): {remedy}."]
    human = verdict.evidence.human
    people = "" if human is None else f"; correlation with human scores {human[1][number]:.2f}"
    reasons = f"{questions.get(name, '')} ({reliability}{people})"
    if result.named_again is not None and result.named_again[0] < 0.5:
        return [f"The checks name {name}{reasons}, but on most random halves another measure, or none."]
    return [f"Rank the {systems} by {name}{reasons}."]


def _baseline(study: Study, verdict: Verdict) -> str:
    """What informed systems are better than."""
    reference = verdict.evidence.reference
    return "chance" if reference is None else f"every trivial one under {study.measure_names[reference]}"


def _on_official(verdict: Verdict, official: str | None) -> list[str]:
    """A sentence where a check excludes the measure in use."""
    if official is None:
        return []
    reason = verdict.reasons[verdict.evidence.measures.index(official)]
    return [] if reason is None else [f"{official}, the measure in use, is excluded: {reason.text}."]


def _reliability(study: Study, verdict: Verdict, number: int) -> str:
    low, high = verdict.interval(number)
    return (
        f"expected tau {verdict.evidence.reliability[number]:.2f} [{low:.2f}, {high:.2f}] between random halves of the "
        f"{units_of(study)}"
    )


def _opposite(study: Study, verdict: Verdict) -> list[int]:
    """Measures of a table that rank the systems in nearly the opposite order: turned, or the anchor is."""
    anchor, similarity = verdict.anchor, verdict.evidence.similarity
    if anchor is None or similarity is None or study.has(RESCORE):
        return []
    return np.flatnonzero((similarity.tau[anchor] < OPPOSITE) & (similarity.high[anchor] < 0)).tolist()


def _others(verdict: Verdict, questions: dict[str, str], opposite: Sequence[int]) -> list[str]:
    evidence, anchor = verdict.evidence, verdict.anchor
    if anchor is None or verdict.outcome is Outcome.CANNOT_RANK:
        return []
    similar = [evidence.measures[number] for number in verdict.measures(Place.SIMILAR)]
    different = [number for number in verdict.measures(Place.DIFFERENT) if number not in opposite]
    undecided = verdict.measures(Place.UNDECIDED)
    sentences = []
    if similar:
        verb, rank = ("is", "ranks") if len(similar) == 1 else ("are", "rank")
        sentences.append(
            f"{join_all(similar)} {verb} not shown to be less reliable and {rank} the systems similarly: "
            "little depends on the choice between them."
        )
    if different and evidence.similarity is not None:
        names = [evidence.measures[number] for number in different]
        verb, rank = ("is", "ranks") if len(names) == 1 else ("are", "rank")
        similarity = evidence.similarity
        most = min(different, key=lambda number: float(similarity.tau[anchor, number]))
        tau, low, high = (
            show_beside(float(values[anchor, most]), SIMILAR)
            for values in (similarity.tau, similarity.low, similarity.high)
        )
        sentences.append(
            f"{join_all(names)} {verb} not shown to be less reliable either but {rank} the systems differently: here "
            f"the task decides, not the data. Beside {evidence.measures[anchor]} report {evidence.measures[most]} "
            f"(corrected tau {tau} [{low}, {high}]){questions.get(evidence.measures[most], '')}."
        )
    if undecided:
        sentences.append(
            f"These data do not decide whether {join_all([evidence.measures[number] for number in undecided])}, not "
            f"shown to be less reliable, {'ranks' if len(undecided) == 1 else 'rank'} the systems similarly."
        )
    if opposite:
        names = [evidence.measures[number] for number in opposite]
        sentences.append(
            f"{join_all(names)} and {evidence.measures[anchor]} rank the systems in nearly opposite orders: first find "
            "out in which of them lower is better."
        )
    return sentences


def _exclusions(verdict: Verdict, official: str | None) -> list[str]:
    """A sentence on what is excluded but for the measure in use, which has its own."""
    clauses = []
    reasons = list(zip(verdict.evidence.measures, verdict.reasons, strict=True))
    for check, meaning in CHECKS.items():
        names = [name for name, reason in reasons if reason is not None and reason.check == check and name != official]
        if names:
            clauses.append(f"{join_all(names)} ({meaning})")
    return [f"Not used: {'; '.join(clauses)}."] if clauses else []


def _notes(study: Study, result: Recommendation, main: Table, opposite: Sequence[int]) -> list[Note | str]:
    evidence, anchor = result.verdict.evidence, result.verdict.anchor
    notes: list[Note | str] = []
    if result.verdict.named is not None:
        notes.append("a measure that is not excluded is not shown to be as good as the named one")
    raised = ["raised"] if evidence.order is not None else []
    similarity = [["similarity"], ["similarity_low", "similarity_high"]] if anchor is not None else []
    notes += notes_on_columns(main, raised, ["beaten"], ["reliability"], *similarity)
    if anchor is not None and opposite:
        anchor_name, them = evidence.measures[anchor], join_all([evidence.measures[number] for number in opposite])
        verb = "ranks" if len(opposite) == 1 else "rank"
        notes.append(
            f"{them} {verb} the systems in nearly the opposite order of {anchor_name}: if lower is better in one, "
            f"declare it with {setting('lower_is_better')}"
        )
    notes += notes_on_clusters(study)
    if len(study.systems) < FEW_SYSTEMS:
        notes.append(f"{pluralize(len(study.systems), 'system')} are few to compare measures by how they rank them")
    labels = study.find(LABELS)
    if labels is not None:
        rare = rare_classes(labels.runs, FEW_ITEMS_OF_CLASS)
        if rare:
            notes.append(f"fewer than {FEW_ITEMS_OF_CLASS} gold items of {rare}: macro-averages depend on them")
    return notes


def on_groups(tables: Mapping[str, Table]) -> list[Finding]:
    """The measures that groups of items name, and why some do not name that of most groups."""
    named = {str(group): str(measure) for group, _, measure, *_ in tables["verdict"].rows}
    names = [column.name for column in tables["recommend"].columns]
    columns = [names.index(name) for name in ("measure", "verdict", "reason")]
    places = {
        (str(row[0]), *(row[place] for place in columns[:1])): [row[place] for place in columns[1:]]
        for row in tables["recommend"].rows
    }
    groups = {measure: [group for group, own in named.items() if own == measure] for measure in named.values()}
    none, count = groups.pop("", []), pluralize(len(named), "group")
    if not groups:
        return [Finding("recommend", f"none of the {count} names a measure")]
    most = max(groups, key=lambda measure: len(groups[measure]))
    if len(groups[most]) == len(named) > 1:
        return [Finding("recommend", f"the groups agree: {every(len(named), 'group')} name {most}")]
    own = groups[most]
    clauses = [f"{own[0]} names {most}" if len(own) == 1 else f"{len(own)} of {count} name {most}"]
    for measure in [measure for measure in groups if measure != most]:
        for group in groups[measure]:
            place, reason = places.get((group, most), ["not a measure", ""])
            clauses.append(f"{group} names {measure}, where {most} is {place}{f' ({reason})' if reason else ''}")
    if none:
        clauses.append(f"no measure is named in {join_names(none)}")
    start = f"the {count} do not agree: " if len(groups) > 1 else ""
    return [Finding("recommend", start + "; ".join(clauses))]


def _methods(study: Study, settings: RecommendSettings, result: Recommendation) -> list[str]:
    tested = "Differences of measures in reliability, the expected tau between random halves,"
    by_measure = dict(zip(study.measure_names, result.evidence, strict=True))
    sentences = methods_of_tests(
        study, tested, permutations=settings.permutations, evidence=by_measure, of_measures=True
    )
    sentences.append(
        f"A measure was excluded if it was less reliable than the best by more than {MARGIN:g} and significantly at "
        f"{settings.alpha:g}, adjusted for all pairs of measures by the largest statistic {cite('westfall1993')}."
    )
    if result.verdict.evidence.informed is not None:
        baseline = f"chance under {MEAN_RECALL}" if study.has(LABELS) else _baseline(study, result.verdict)
        sentences.append(
            "A measure was excluded if trivial systems were significantly better than more than 10 % of the systems "
            f"that were significantly better than {baseline}, by tests of all these pairs."
        )
    return sentences


LONGEST = 56
"""Width of the verdicts in narrow characters."""

LOOKS = {
    "named": Look(size=7),
    "first": Look(size=7),
    "undecided": Look(filled=False),
    "different": Look(filled=False),
    "excluded": Look("muted", "x"),
}
"""A mark is filled if the measure is named or similar, hollow if it is not known to be, and a cross if excluded."""


@plot(
    "recommend",
    title="Reliability of each measure, and the verdict",
    needs=("recommend",),
    example="recommend --config configs/stance.yaml",
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
    bold = [row for row, verdict in enumerate(verdicts) if verdict == "named"]
    panel = Panel(rows=names, series=[series], ends=ends, bold=bold, bands=verdicts)
    across = "reliability: expected tau between random halves, with the 95 % interval"
    alt = f"{table.title}. Reliability (95 % interval) of the measures; {'; '.join(groups)}."
    return Picture(alt, DotPlot(panels=[panel], across=across).draw)
