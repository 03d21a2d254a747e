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
    JudgeStatistic,
)
from metaeval.analyses.preferences.study import PreferencesStudy
from metaeval.errors import pluralize
from metaeval.model.report import Column, Finding, Kind, Table, columns
from metaeval.stats.correlation_tests import holm


def tables_of_judges(statistics: Sequence[JudgeStatistic]) -> tuple[list[Table], list[Finding]]:
    """The tables of shares and of biases, with p-values adjusted for the tests of both, and findings on the judges."""
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
        title = "Biases of judges: their share less that of people, on outputs that people decided, too"
        tables.append(Table("judge_biases", title, heads, biases))
    findings = [Finding("preferences", _sentence_on_judge(one, *own)) for one, own in both if one.judge != PEOPLE]
    return tables, findings


def _sentence_on_judge(one: JudgeStatistic, p: float, difference_p: float) -> str:
    share = f"{100 * one.share.value:.0f} % of"
    untied = f"{share} its verdicts without ties"
    texts = {
        AGREEMENT: f"gives the verdict of people in {share} comparisons",
        UNTIED_AGREEMENT: f"gives the verdict of people in {share} comparisons without ties",
        FLIPS: f"changes {share} its verdicts when the order is swapped",
        FIRST: f"prefers the first output in {untied}",
        LONGER: f"prefers the longer output in {untied}",
        OWN: f"prefers the output of its own family in {untied}",
    }
    interval = f"95 % interval {100 * one.share.low:.0f} to {100 * one.share.high:.0f} %"
    text = (
        f"{one.judge} {texts[one.name]} ({interval}{'' if math.isnan(p) else f', {_p(one.share.p, p)}, against 50 %'})"
    )
    if math.isnan(one.people):
        return text
    points = f"{100 * one.difference.value:+.0f} points".replace("-", "−")
    p_of_difference = _p(one.difference.p, difference_p)
    both = f"{100 * (one.people + one.difference.value):.0f} %, people in {100 * one.people:.0f} %"
    return f"{text}; on outputs that people decided, too, in {both} (difference {points}, {p_of_difference})"


def _p(p: float, adjusted: float) -> str:
    """A p-value and its adjustment, as text."""
    one, other = ("< 0.001" if each < 0.001 else f"= {each:.3f}" for each in (p, adjusted))
    return f"p {one}, Holm-adjusted {other}"


def notes_on_judges(study: PreferencesStudy, statistics: Sequence[JudgeStatistic]) -> list[str]:
    """What the shares are, and where the order of the outputs may be that of the systems."""
    agreement = "agreement: of judges with people over all pairs of their verdicts on the same outputs, and of people"
    notes = [f"{agreement} with each other; p of a share: test against 0.5"]
    if any(one.compared for one in statistics):
        notes.append("share, people of judge_biases: of the judge and of people on outputs that people decided, too")
    notes.append(
        "p_adjusted of judges: adjusted by Holm for all shares and biases together; intervals are not adjusted"
    )
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
