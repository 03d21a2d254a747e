"""Tables, notes and findings of `power`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from metaeval.analyses.power.compute import TUKEY, Powers
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.sentences import Superlative
from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.model.report import Finding, Note, Table, count, p_value, score, scores, stack, table, text
from metaeval.model.works import cite
from metaeval.render.plots.canvas import APART, label, number
from metaeval.render.plots.columns import numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.lines import MAX_LINES, Curve, LinePanel, LinePlot
from metaeval.stats.pairs import all_pairs
from metaeval.stats.rank import best_first
from metaeval.stats.tests import compact_letters
from metaeval.study.evidence import (
    method_of_runs,
    methods_of_tests,
    notes_on_tests,
    population_of,
    units_of,
    with_caution,
)
from metaeval.study.study import AnalysisOutput, Study, untested_notes


def tabulate(study: Study, settings: PowerSettings, result: Powers) -> AnalysisOutput:
    """Tables, notes and findings of `power`."""
    names, alpha = study.measure_names, settings.alpha
    shares = np.array([power.share(alpha=alpha) for power in result.measures])
    tested = result.comparison is not None
    order = best_first(result.expected if tested else shares)
    pairs = [int((~np.isnan(power.p)).sum()) for power in result.measures]
    low = high = np.full(len(names), np.nan)
    letters: str | list[str] = ""
    if result.comparison is not None:
        low, high = result.comparison.low, result.comparison.high
        letters = compact_letters(result.expected, result.comparison.p <= alpha)
    main = table(
        "power",
        f"Discriminative power: pairs of {len(study.systems)} systems that differ significantly at {alpha:g}",
        text("measure", names),
        text("test", settings.test, detail=True),
        count("pairs", pairs, about="pairs of systems that were tested", detail=len(set(pairs)) == 1),
        count(
            "different",
            [int(power.different(alpha=alpha).sum()) for power in result.measures],
            about="pairs that differ significantly",
            detail=True,
        ),
        score(
            "power",
            shares,
            higher_is_better=True,
            about="share of the pairs that differ significantly",
            detail=tested,
        ),
        score(
            "expected",
            result.expected,
            head="share",
            about="share of pairs expected to differ significantly on such items",
            interval=("ci_low", "ci_high"),
            letters="letters" if tested else "",
            detail=not tested,
        ),
        *scores(("ci_low", "ci_high"), (low, high), about="95 % interval, on other items"),
        score(
            "needed",
            [power.threshold for power in result.measures],
            about="every larger difference of two systems is significant",
            detail=True,
        ),
        score(
            "smallest",
            [power.smallest(alpha=alpha) for power in result.measures],
            about="the smallest significant one",
            detail=True,
        ),
        text("letters", letters, about="measures that share a letter do not differ significantly", detail=not tested),
        order=order,
        subject="Discriminative power",
    )
    p, values = (None, shares) if result.comparison is None else (result.comparison.p, result.expected)
    return AnalysisOutput(
        [main, _differences(study, result, order)],
        _notes(study, settings),
        with_caution(study, findings(names, values, p, alpha=alpha)),
        methods=_methods(study, settings),
    )


def _methods(study: Study, settings: PowerSettings) -> list[str]:
    pairs, alpha = f"all systems ({math.comb(len(study.systems), 2):,} pairs)", f"{settings.alpha:g}"
    subject = f"The differences of {pairs}"
    power = f"Discriminative power {cite('sakai2006')} is the share of pairs whose p-value, adjusted for all pairs, "
    power += f"is at most {alpha}"
    expected = (
        "Its expected value is the mean of Φ(|t| − c) for differences of t standard errors and the critical value c"
    )
    if settings.test == TUKEY:
        draws = f"{settings.permutations:,} permutations of the systems within items, seed {study.config.seed}"
        return [
            f"{subject} were tested with the randomised Tukey HSD test {cite('carterette2012')} ({draws}).",
            f"{power}.",
        ]
    intervals = (
        "its 95 % intervals on other items, and the p-values of differences between measures, adjusted for all pairs "
        "of measures, come from the same signs."
    )
    tests = methods_of_tests(study, subject, permutations=settings.permutations)
    return [*tests, *method_of_runs(study), f"{power}.", f"{expected}; {intervals}"]


def _differences(study: Study, result: Powers, order: Sequence[int]) -> Table:
    systems, others = all_pairs(len(study.systems)).T
    tables = []
    for index in order:
        power, sign = result.measures[index], study.scores.directions[index].sign
        columns = [
            text("measure", study.measure_names[index]),
            text("system", [study.systems[system] for system in systems]),
            text("other", [study.systems[system] for system in others]),
            score("difference", power.difference * sign),
            p_value("p", power.raw),
            p_value("p_adjusted", power.p),
        ]
        if study.has_gaps:
            columns.append(count("items", len(study.items) if power.common_items is None else power.common_items))
        ascending = np.argsort(power.p, kind="stable")
        columns.insert(1, count("rank", np.argsort(ascending) + 1))
        title = "Differences of each two systems, the smallest adjusted p first: the ASL curve"
        tables.append(table("power_differences", title, *columns, order=ascending.tolist(), detail=True))
    return stack(tables)


def _notes(study: Study, settings: PowerSettings) -> list[Note | str]:
    permutations = pluralize(settings.permutations, "permutation")
    if settings.test == TUKEY:
        level = "its level holds for all pairs together if all systems have the same variance, items are independent"
        others = "its range increases with the differences between the systems, so that its power depends on which"
        return [
            f"tukey: randomised Tukey HSD, {permutations} of the systems within items; {level}",
            f"tukey: {others} other systems take part",
            *untested_notes(study, "tests"),
        ]
    signs = f"random signs of the differences of {units_of(study)} ({permutations})"
    return [
        f"permutation: {signs}, adjusted for all pairs of a measure{population_of(study)}",
        "expected: if the differences between systems on these items are the true ones",
        *notes_on_tests(study, settings.permutations),
    ]


POWERFUL = Superlative(
    ("distinguishes the most pairs", "distinguish the most pairs"),
    ("distinguishes significantly fewer", "distinguish significantly fewer"),
    ("no two measures differ significantly in power", ": none distinguishes the most pairs"),
    percent=True,
    unit="expected power ",
)


def findings(names: Sequence[str], power: Floats, p: Floats | None, *, alpha: float) -> list[Finding]:
    """The measures that distinguish most pairs, and those that distinguish significantly fewer.

    power: expected power, or the share of different pairs where it is not tested, (M,). p: adjusted p-values of the
    differences, (M, M); None where not tested.
    """
    values = power[~np.isnan(power)]
    if not len(values):
        return []
    if p is None:
        return [Finding("power", f"measures distinguish {POWERFUL.span(values)} of the pairs of systems at {alpha:g}")]
    return [POWERFUL.finding("power", names, power, p, alpha=alpha)]


MAX_POINTS = 500
"""Maximum number of points of a curve."""

MIN_P = 1e-6
"""Smaller p-values are drawn as this, because a logarithmic axis has no 0."""


@plot(
    "power",
    title="Discriminative power of each measure",
    needs=("power", "power_differences"),
    example="power --config configs/stance.yaml",
)
def power(tables: Tables) -> Picture | None:
    """A line for each measure with the ascending adjusted p-values of the pairs of systems, and one for the level."""
    table, differences = tables["power"], tables["power_differences"]
    every_p, rows = numbers(differences, "p_adjusted"), rows_by(differences, "measure")
    shares = dict(zip(texts(table, "measure"), numbers(table, "power").tolist(), strict=True))
    by_measure = {name: every_p[rows[name,]] for name in shares if (name,) in rows}
    levels = {name: np.sort(p[~np.isnan(p)]) for name, p in by_measure.items() if not np.isnan(p).all()}
    if not levels:
        return None
    selection = dict(list(levels.items())[:MAX_LINES])
    remark = not_shown((len(levels) - len(selection), "more measure"))
    test = texts(table, "test")[0]
    match = re.search(r"\bat (\d*\.?\d+(?:e-?\d+)?)", table.title)
    alpha = float(match[1]) if match else math.nan
    positive = [float(p[p > 0].min()) for p in selection.values() if (p > 0).any()]
    least = max(min(positive, default=0.01), MIN_P)
    curves, starts = [], []
    for name, p in selection.items():
        pairs = 100 * np.arange(1, len(p) + 1) / len(p)
        last = -1 if math.isnan(shares[name]) else round(shares[name] * len(p)) - 1
        points = np.unique(np.linspace(0, len(p) - 1, min(len(p), MAX_POINTS)).astype(np.intp))
        mark = np.searchsorted(points, last)
        points = np.union1d(points, [last] if last >= 0 else points[:0])
        text = f"{label(name)}{APART}{_per_cent(shares[name])}"
        marks = [int(mark)] if last >= 0 else []
        curves.append(Curve(name, pairs[points], np.maximum(p[points], least), text=text, marker_indices=marks))
        starts.append(float(pairs[int((p <= least).sum()) - 1]) if p[0] <= least else 0.0)
    panel = LinePanel(
        curves=curves,
        across="pairs of systems, the smallest p first, %; the mark: the last significant one",
        title=f"adjusted p of the difference ({label(test)}); above: significant pairs of each measure",
        level=alpha,
        level_name=f"adjusted p = {alpha:g}" if match else "",
        x_limits=(min(min(starts) // 10 * 10, 90), 100.5),
        y_limits=(min(least, alpha if match else 1.0) / 1.4, 1.4),
    )
    powers = "; ".join(f"{name} {_per_cent(shares[name])}" for name in selection)
    at = f" at {alpha:g}" if match else ""
    alt = f"Curves of the ascending adjusted p-values of pairs of systems, {pluralize(len(selection), 'measure')}. "
    alt += f"Significantly different pairs{at} ({test}): {powers}. {remark}"
    return Picture(alt.strip(), LinePlot(panels=[panel], remark=remark, logarithmic="y").draw)


def _per_cent(share: float) -> str:
    return f"{number(100 * share, 0)} %" if share == share else "—"
