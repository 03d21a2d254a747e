"""Tables, findings and notes on judges: agreement with people, and biases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.preferences.judges import (
    AGREEMENT,
    FIRST,
    FLIPS,
    LONGER,
    OWN,
    PEOPLE,
    UNTIED_AGREEMENT,
    JudgeComparison,
    JudgeStatistic,
)
from metaeval.analyses.preferences.ratios import SIGNS
from metaeval.analyses.preferences.settings import PreferencesSettings
from metaeval.analyses.preferences.study import PreferencesStudy
from metaeval.analyses.sentences import lead
from metaeval.errors import join_all, pluralize, setting
from metaeval.model.report import Column, Finding, Kind, Table, columns
from metaeval.stats.correlation_tests import holm

_ROWS_SHOWN = 30
"""Number of differences up to which the terminal shows them."""


def tables_of_judges(
    statistics: Sequence[JudgeStatistic], comparisons: Sequence[JudgeComparison]
) -> tuple[list[Table], list[Finding]]:
    """The tables of shares and biases, whose p-values are adjusted together, and of differences, and the findings."""
    raw = np.array([(one.share.p, one.difference.p) for one in statistics])
    adjusted = [(float(p), float(other)) for p, other in holm(raw.ravel()).reshape(raw.shape)]
    both = list(zip(statistics, adjusted, strict=True))
    shares = tuple((one.judge, one.name, *one.share, p, one.verdicts) for one, (p, _) in both)
    biases = tuple(
        (one.judge, one.name, one.people + one.difference.value, one.people, *one.difference, p, one.compared)
        for one, (_, p) in both
        if one.compared
    )
    first, last = columns(Kind.TEXT, "judge", "statistic"), Column("verdicts", Kind.COUNT)
    tests = columns(Kind.SCORE, "low", "high", "p", "p_adjusted")
    heads = (*first, *columns(Kind.SCORE, "share"), *tests, last)
    tables = [Table("judge_preferences", "Agreement of judges with people, and their preferences", heads, shares)]
    if biases:
        heads = (*first, *columns(Kind.SCORE, "share", "people", "difference"), *tests, last)
        title = "Biases of judges: their share less that of people, on outputs that people also decided"
        tables.append(Table("judge_biases", title, heads, biases))
    tables += _differences(comparisons)
    findings = [Finding("preferences", _sentence_on_judge(one, *own)) for one, own in both if one.judge != PEOPLE]
    return tables, [*findings, *(finding for one in comparisons for finding in _findings_on_comparison(one))]


def _differences(comparisons: Sequence[JudgeComparison]) -> list[Table]:
    rows = tuple(
        (one.judges[row[0]], one.judges[row[1]], one.statistic, *row[2:])
        for one in comparisons
        for row in one.tests.rows
    )
    names = columns(Kind.TEXT, "judge", "other", "statistic")
    heads = (*names, *columns(Kind.SCORE, "difference", "low", "high", "p", "p_adjusted"))
    title = "Differences of judges' agreement with people (judge − other), with simultaneous 95 % intervals"
    return [Table("judge_differences", title, heads, rows, detail=len(rows) > _ROWS_SHOWN)] if rows else []


def _findings_on_comparison(one: JudgeComparison) -> list[Finding]:
    """The judge that agrees most with people, and how many others agree significantly less."""
    best = one.order.best(one.judges)
    if not best:
        return []
    place = one.judges.index(best[0])
    judges = int(one.order.defined.sum())
    agreement = one.statistic.replace(AGREEMENT, "agreement with people")
    share = f"{100 * one.order.scores[place]:.0f} %"
    where = f"on the {pluralize(one.comparisons, 'comparison')} that people and every judge judged"
    if len(best) > 1:
        sentence = f"{join_all(best)} have the same {agreement} ({share}) {where}"
        return [Finding("preferences", f"{sentence}, the highest of {judges}")]
    most = f"{best[0]} has the highest {agreement} ({share}) of {judges} judges {where}"
    ahead = int(one.order.better[place].sum())
    return [Finding("preferences", f"{most}, {lead(ahead, judges - 1, 'judge')}")]


def _sentence_on_judge(one: JudgeStatistic, p: float, difference_p: float) -> str:
    share = f"{100 * one.share.value:.0f} % of"
    untied, pairs = f"{share} its verdicts without ties", f"{share} their pairs of verdicts on the same outputs"
    texts = {
        AGREEMENT: f"gives the verdict of people in {pairs}",
        UNTIED_AGREEMENT: f"gives the verdict of people in {pairs} without ties",
        FLIPS: f"gives different verdicts in {share} its pairs of verdicts on the same outputs in both orders",
        FIRST: f"prefers the first output in {untied}",
        LONGER: f"prefers the longer output in {untied}",
        OWN: f"prefers the output of its own family in {untied}",
    }
    interval = f"95 % interval {100 * one.share.low:.0f} to {100 * one.share.high:.0f} %"
    against = "" if math.isnan(p) else f", {_p(one.share.p, p)}, against 50 %"
    text = f"{one.judge} {texts[one.name]} ({interval}{against})"
    if math.isnan(one.people):
        return text
    points = f"{round(100 * one.difference.value):+d} points".replace("-", "−")
    p_of_difference = _p(one.difference.p, difference_p)
    of_both = f"{100 * (one.people + one.difference.value):.0f} %, people in {100 * one.people:.0f} %"
    return f"{text}; on outputs that people also decided, in {of_both} (difference {points}, {p_of_difference})"


def _p(p: float, adjusted: float) -> str:
    """A p-value and its adjustment, as text."""
    one, other = ("< 0.001" if each < 0.001 else f"= {each:.3f}" for each in (p, adjusted))
    return f"p {one}, Holm-adjusted p {other}"


def notes_on_judges(
    study: PreferencesStudy, statistics: Sequence[JudgeStatistic], comparisons: Sequence[JudgeComparison]
) -> list[str]:
    """What the shares are, and where the order of the outputs may be that of the systems."""
    judges = dict.fromkeys(study.config.settings_of(PreferencesSettings).judges)
    known = {one.judge for one in statistics if one.name == AGREEMENT}
    alone = [name for name in judges if name not in known and not study.judged.all()]
    notes = [f"no agreement with people of {join_all(alone)}: people judged none of the same outputs"] if alone else []
    if statistics:
        agreement = "for agreement, pairs of verdicts of a judge and of people, or of two people, on the same outputs"
        flips = "for flips, pairs of verdicts of the same judge on the same outputs in both orders"
        notes.append(f"verdicts of judge_preferences: those of which the share is; {agreement}; {flips}")
    if any(not math.isnan(one.share.p) for one in statistics):
        notes.append("p of judge_preferences: test of a share against 0.5")
    if any(one.compared for one in statistics):
        notes.append("share, people of judge_biases: of the judge and of people on outputs that people also decided")
    if sum(not math.isnan(p) for one in statistics for p in (one.share.p, one.difference.p)) > 1:
        names = "judge_preferences and judge_biases" if any(one.compared for one in statistics) else "judge_preferences"
        notes.append(f"p_adjusted of {names}: by Holm, for all of their tests together; intervals are not adjusted")
    if comparisons:
        where = f"on the {pluralize(comparisons[0].comparisons, 'comparison')} that people and every judge judged"
        if comparisons[0].excluded:
            where += f", without {comparisons[0].excluded:,} that some judge did not judge"
        tests = f"tests of all pairs of judges, by {SIGNS:,} random signs of clusters, for each statistic by itself"
        notes.append(f"differences of judges: {where}; {tests}")
    elif len(judges) > 1 and not study.judged.all():
        why = "there is no comparison that people and every judge judged"
        notes.append(f"no tests of differences of judges: {why}; name fewer judges with {setting('judges')}")
    verdicts = study.verdicts
    if any(one.name == FIRST for one in statistics):
        shown = verdicts.displayed
        systems = len(verdicts.systems)
        orders = np.unique(verdicts.left[shown] * systems + verdicts.right[shown])
        fixed = int((~np.isin(orders % systems * systems + orders // systems, orders)).sum())
        if fixed:
            pairs = f"{pluralize(fixed, 'pair')} of systems always shown in the same order"
            notes.append(f"{pairs}: a preference for the first output may be one for the systems that are shown first")
    return notes
