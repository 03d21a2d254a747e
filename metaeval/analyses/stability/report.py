"""Tables, notes and findings of `stability`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.analyses.sentences import Superlative
from metaeval.analyses.stability.compute import SplitHalfAgreement, Stabilities
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.arrays import Floats
from metaeval.errors import pluralize, setting
from metaeval.grid import round_to_grid
from metaeval.model.report import (
    Finding,
    Note,
    Table,
    count,
    crossed,
    pair_table,
    score,
    scores,
    stack,
    table,
    text,
)
from metaeval.model.works import cite
from metaeval.render.plots.canvas import (
    APART,
    WIDTH,
    Look,
    Palette,
    Sheet,
    labels,
    limits,
    number,
    width_of,
)
from metaeval.render.plots.columns import cells_of, extremes, has, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.lines import curves_of, picture_of
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.stats.rank import best_first
from metaeval.stats.tests import compact_letters
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import (
    methods_of_tests,
    named_clusters,
    notes_on_clusters,
    notes_on_gaps,
    notes_on_untested,
    units_of,
)
from metaeval.study.study import AnalysisOutput, Study, undefined_scores_notes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FEW_UNITS = 12
"""This number of items or clusters has fewer than 1,000 different splits into halves."""


def tabulate(study: Study, settings: StabilitySettings, result: Stabilities) -> AnalysisOutput:
    """Tables, notes and findings of `stability`."""
    names, expected, comparison = study.measure_names, result.expected, result.comparison
    # Intervals and letters are of the expected tau.
    order = best_first(expected if not np.isnan(expected).all() else result.consistency.means)
    main = _main(study, settings, result, order)
    differences = pair_table(
        "stability_differences",
        "Differences in expected tau between measures (measure − other)",
        names,
        order,
        difference=np.subtract.outer(expected, expected),
        p=comparison.raw,
        p_adjusted=comparison.p,
    )
    tables = [main, differences]
    if result.curve:
        tables.append(_curve(study, result, order))
    tables.append(_distribution(result, names, order))
    findings = on_stability(names, expected, comparison.p, alpha=settings.alpha)
    return AnalysisOutput(tables, _notes(study, settings, result), findings, methods=_methods(study, settings))


def _methods(study: Study, settings: StabilitySettings) -> list[str]:
    stratified = " with the gold classes in equal shares" if settings.stratified else ""
    sizes = f" (shares of the items: {', '.join(f'{size:g}' for size in settings.sizes)})" if settings.sizes else ""
    columns = [clusters.column for clusters in named_clusters(study)]
    units = f"the clusters of {columns[0]}" if columns else "the items"
    pairs = f"two random halves of {units}"
    if len(columns) == 2:
        pairs = f"opposite blocks of random halves of {units} and of random halves of the clusters of {columns[1]}"
    halves = (
        f"The systems were ranked on {pairs}{stratified}{sizes} {settings.trials:,} times (seed {study.config.seed}), "
        f"and the two rankings compared by Kendall's tau-b {cite('kendall1945')}, as in {cite('amemiya2021')}."
    )
    adjusted = (
        "Expected values, and 95 % intervals on other items, come from the differences of systems in standard errors "
        "and the same signs; p-values are adjusted for all pairs of measures by the largest statistic "
        f"{cite('westfall1993')}."
    )
    subject = "The differences between measures in the expected tau"
    tests = methods_of_tests(study, subject, permutations=settings.permutations, for_measures=True)
    return [halves, *tests, adjusted]


def _main(study: Study, settings: StabilitySettings, result: Stabilities, order: Sequence[int]) -> Table:
    trials, expected, comparison = result.consistency, result.expected, result.comparison
    # Two rankings that tie all systems have no discordant pairs, which does not make them stable.
    swap_rates = np.where(np.isnan(trials.tau).all(axis=0), np.nan, defined_mean(trials.discordant))
    has_expected = not np.isnan(expected).all()
    columns = [
        text("measure", study.measure_names),
        score(
            "mean",
            trials.means,
            higher_is_better=True,
            about="mean tau-b between the rankings of two halves",
            detail=has_expected,
        ),
        score("sd", defined_deviation(trials.tau), about="standard deviation over the trials", detail=True),
        *scores(("low", "high"), _middle(trials), about="middle 95 % of the trials", detail=True),
        score(
            "winner",
            defined_mean(trials.winner),
            about="probability that the best system of one half is the best of the other, ties broken at random",
            detail=True,
        ),
        count("trials", len(trials.tau), detail=True),
        count("undefined", np.isnan(trials.tau).sum(axis=0), about="trials in which tau is undefined", detail=True),
        score(
            "swap_rate", swap_rates, about="share of pairs of systems that two halves order differently", detail=True
        ),
        score("ties", result.ties, about="share of pairs of systems with equal scores on all items", detail=True),
        score(
            "expected",
            expected,
            head="tau",
            about="agreement of the rankings on two random halves; 1: the same ranking",
            interval=("ci_low", "ci_high"),
        ),
        *scores(("ci_low", "ci_high"), (comparison.low, comparison.high), about="95 % interval, on other items"),
        text(
            "letters",
            compact_letters(expected, comparison.p <= settings.alpha),
            about="measures that share a letter do not differ significantly",
        ),
    ]
    if study.has_gaps:
        columns.append(count("scores", study.need(ITEM_SCORES, "stability").cells.sum(axis=1), detail=True))
    halves = "stratified halves" if settings.stratified else "halves"
    title = f"Stability of rankings on random {halves} of {_halved(study)}"
    return table("stability", title, *columns, order=order, subject="Stability of rankings")


def _middle(trials: SplitHalfAgreement) -> list[Floats]:
    """Both ends of the middle 95 % of the trials of each measure, (M,)."""
    return [round_to_grid(end) for end in percentile_interval(trials.tau)]


def _curve(study: Study, result: Stabilities, order: Sequence[int]) -> Table:
    shares = [share for share, _ in result.curve]
    trials = [agreement for _, agreement in result.curve]
    measures, sizes = crossed(order, range(len(shares)))
    means = [agreement.means for agreement in trials]
    deviations = [defined_deviation(agreement.tau) for agreement in trials]
    lows, highs = zip(*map(_middle, trials), strict=True)
    undefined = [np.isnan(agreement.tau).sum(axis=0) for agreement in trials]
    statistics = (np.array(values)[sizes, measures] for values in (means, deviations, lows, highs))
    return table(
        "stability_curve",
        f"Stability by the number of items in each {'block' if len(named_clusters(study)) == 2 else 'half'}",
        text("measure", [study.measure_names[measure] for measure in measures]),
        score("share", [shares[size] for size in sizes], about="share of the items in each half"),
        count("items", [round(shares[size] * len(study.items)) for size in sizes]),
        *scores(("mean", "sd", "low", "high"), statistics),
        count("undefined", np.array(undefined)[sizes, measures]),
    )


def _distribution(result: Stabilities, names: Sequence[str], order: Sequence[int]) -> Table:
    """Every distinct tau and its number of trials; rankings of few systems have few distinct values."""
    parts = []
    for index in order:
        tau = result.consistency.tau[:, index]
        values, trials = np.unique(tau[~np.isnan(tau)], return_counts=True)
        columns = (
            text("measure", [names[index]] * len(values)),
            score("tau", values, about="a value of tau-b between halves"),
            count("trials", trials, about="trials with this value"),
        )
        parts.append(table("stability_distribution", "Number of trials by tau", *columns, detail=True))
    return stack(parts)


def _halved(study: Study) -> str:
    """What is split into halves: '100 items', or '12 clusters of thread (100 items)'."""
    items = pluralize(len(study.items), "item")
    units = [f"{pluralize(len(clusters.sizes), 'cluster')} of {clusters.column}" for clusters in named_clusters(study)]
    return f"{' and of '.join(units)} ({items})" if units else items


def _notes_on_halves(study: Study, result: Stabilities, means: Floats) -> list[Note | str]:
    """What halves of clusters are, and how their tau compares with that of halves of items."""
    blocks = f"opposite blocks of halves of {units_of(study)}, each with about a quarter of the items"
    crossed = len(study.origin.clusters) == 2
    if crossed and named_clusters(study):
        value = f"each trial compares {blocks}, and takes the mean of the two pairs of such blocks"
        return [f"{value}; expected is for more items, namely halves"]
    if result.cluster_consistency is None:
        return []
    trials, by_clusters = len(result.cluster_consistency.tau), result.cluster_consistency.means
    pairs = ", ".join(
        f"{name} {by_cluster:.2f} ({by_item:.2f})"
        for name, by_cluster, by_item in zip(study.measure_names, by_clusters.tolist(), means.tolist(), strict=True)
        if not math.isnan(by_cluster)
    )
    units = blocks if crossed else f"halves of {units_of(study)}"
    note = f"mean tau between {units}, in {trials} trials, and in parentheses between halves of items: {pairs}"
    return [f"{note}; set {setting('clusters')} for such halves in all trials"] if pairs else []


def _notes(study: Study, settings: StabilitySettings, result: Stabilities) -> list[Note | str]:
    names, means = study.measure_names, result.consistency.means
    about_tau = (
        f"tau is expected between halves of {units_of(study)}, from the differences of systems in standard errors; its "
        f"intervals and tests use {settings.permutations:,} random sign changes of them, and adjusted p-values"
    )
    notes: list[Note | str] = [
        about_tau,
        *_notes_on_halves(study, result, means),
        *notes_on_clusters(study),
        *notes_on_gaps(study),
    ]
    numbers = [len(clusters.sizes) for clusters in named_clusters(study)] or [len(study.items)]
    if not settings.sizes and max(numbers) <= FEW_UNITS:
        splits = math.prod(math.comb(number, number // 2) // (1 if number % 2 else 2) for number in numbers)
        have = f"{_halved(study)} have {'at most' if named_clusters(study) else 'only'}"
        notes.append(f"{have} {pluralize(splits, 'different split')} into halves: trials repeat them")
    pairs = 2 if len(numbers) == 2 else 1
    trials, systems = len(result.consistency.tau), len(study.systems)
    undefined = result.consistency.undefined.sum(axis=0).tolist()
    if study.has_gaps:
        differences = 2 * pairs * trials * math.comb(systems, 2)
        notes += undefined_scores_notes(study, undefined, differences, "of halves", of="differences")
    else:
        notes += undefined_scores_notes(study, undefined, 2 * pairs * trials * systems, "of halves")
    notes += notes_on_untested(study, "the expected tau", permutations=settings.permutations)
    for name, reason in zip(names, result.untested, strict=True):
        if reason:
            notes.append(f"{name}: no expected tau (—), because {reason}")
    never = [names[index] for index in np.flatnonzero(np.isnan(means)).tolist()]
    if never:
        notes.append(
            f"{', '.join(never)}: tau is undefined in every trial, because a half ties all systems that have a score"
        )
    return notes


STABLE = Superlative(
    ("is the most stable measure", "are the most stable measures"),
    ("is significantly less stable", "are significantly less stable"),
    ("no two measures differ significantly in stability", ": none is the most stable"),
    unit="expected tau ",
)


def on_stability(names: Sequence[str], expected: Floats, p: Floats, *, alpha: float) -> list[Finding]:
    """The measures with the most stable rankings, and those that are significantly less stable.

    expected: expected tau, (M,). p: adjusted p-values of the differences, (M, M).
    """
    values = expected[~np.isnan(expected)]
    if not len(values):
        return []
    if values.max() <= 0:
        sentence = f"no measure gives a ranking that repeats on other items ({STABLE.unit}{STABLE.span(values)})"
        return [Finding("stability", sentence)]
    return [STABLE.finding("stability", names, expected, p, alpha=alpha)]


TAU = "tau-b between halves"

STEP, LANE = 0.21, 0.1
"""The height of a name and of a bar in a critical-difference diagram, in inches."""


@plot("stability", title="Stability of the rankings", example="stability --config configs/stance.yaml")
def stability(tables: Tables) -> Picture | None:
    """A row for each measure: the distribution of the trials, and the expected tau with its interval.

    Where no tau is expected, the mean of the trials and their middle 95 %.
    """
    table = tables["stability"]
    names, letters = texts(table, "measure"), _letters(table)
    has_expected = has(table, "expected", "ci_low", "ci_high") and not np.isnan(numbers(table, "expected")).all()
    columns = ("expected", "ci_low", "ci_high") if has_expected else ("mean", "low", "high")
    means, low, high = (numbers(table, name) for name in columns)
    if np.isnan(means).all():
        return None
    trials = _trials(tables["stability_distribution"]) if "stability_distribution" in tables else {}
    distributions = [trials.get(name) for name in names]
    taus = [distribution[0] for distribution in distributions if distribution is not None]
    panel = Panel(
        rows=names,
        series=[Series(means, low, high, look=Look(size=4.5 if len(names) <= 60 else 3.0))],
        ends=[f"{number(mean)}{APART}{text}".rstrip() for mean, text in zip(means, letters, strict=True)],
        limits=limits(low, high, means, *taus, margin=0.03),
        distributions=distributions,
    )
    label = "expected value and its 95 % interval" if has_expected else "mean and middle 95 % of the trials"
    end_name = f"{'tau' if has_expected else 'mean'}{', letters' if any(letters) else ''}"
    (lowest,), (highest,) = extremes(means)
    best, worst = (
        f"{names[row]} {number(means[row])} ({number(low[row])} to {number(high[row])})" for row in (highest, lowest)
    )
    alt = f"One row for each of {pluralize(len(names), 'measure')}: {TAU}, {label}. "
    form = DotPlot(panels=[panel], across=f"{TAU}: {label}{', and trials (bars)' if taus else ''}", end_name=end_name)
    return Picture(f"{alt}Highest: {best}; lowest: {worst}.", form.draw)


def _letters(table: Table) -> list[str]:
    cells = cells_of(table, "letters") if has(table, "letters") else [""] * len(table.rows)
    return [cell if isinstance(cell, str) else "" for cell in cells]


def _trials(table: Table) -> dict[str, tuple[Floats, Floats]]:
    """The values of tau of each measure, and the number of trials with each."""
    taus, trials = numbers(table, "tau"), numbers(table, "trials")
    is_defined = ~np.isnan(taus) & ~np.isnan(trials)
    rows = {name: rows[is_defined[rows]] for (name,), rows in rows_by(table, "measure").items()}
    return {name: (taus[subset], trials[subset]) for name, subset in rows.items() if len(subset)}


@plot(
    "critical_difference",
    title="Which measures differ in stability",
    needs=("stability",),
    example="stability --config configs/stance.yaml",
)
def critical_difference(tables: Tables) -> Picture | None:
    """A critical-difference diagram (Demšar 2006): means on an axis, a bar for measures that do not differ."""
    table = tables["stability"]
    rows = zip(texts(table, "measure"), numbers(table, "mean").tolist(), _letters(table), strict=True)
    measures = sorted((row for row in rows if row[1] == row[1]), key=lambda row: -row[1])
    if len(measures) < 2 or not any(letters for _, _, letters in measures):
        return None
    names, means = [name for name, _, _ in measures], [mean for _, mean, _ in measures]
    by_letter: dict[str, list[int]] = {}
    for index, (_, _, letters) in enumerate(measures):
        for letter in letters:
            by_letter.setdefault(letter, []).append(index)
    groups = [members for members in by_letter.values() if len(members) > 1]
    form = CriticalDifference(names, means, _lanes([(members[0], members[-1]) for members in groups]))
    equal = " | ".join("; ".join(names[index] for index in members) for members in groups)
    differences = f"not significantly different: {equal}" if groups else "all differences are significant"
    ends = f"from {names[-1]} ({number(means[-1])}) to {names[0]} ({number(means[0])})"
    alt = f"Critical-difference diagram of {pluralize(len(names), 'measure')} by mean {TAU}, {ends}; {differences}."
    return Picture(alt, form.draw)


def _lanes(bars: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The bars on the smallest number of levels on which they do not overlap."""
    lanes: list[list[tuple[int, int]]] = []
    for bar in sorted(bars):
        free = next((lane for lane in lanes if lane[-1][1] < bar[0]), None)
        if free is None:
            lanes.append([bar])
        else:
            free.append(bar)
    return lanes


@dataclass(frozen=True)
class CriticalDifference:
    """Means on an axis at the top, the best first, and below it bars on lanes from one index to another."""

    names: Sequence[str]
    means: Sequence[float]
    lanes: Sequence[Sequence[tuple[int, int]]]

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the diagram, with the better half of the names at the right."""
        names = labels(self.names)
        better = (len(names) + 1) // 2
        left, right = width_of(names[better:]) + 0.75, width_of(names[:better]) + 0.75
        width, depth = WIDTH - left - right, 0.16 + LANE * len(self.lanes)
        height = depth + STEP * better
        sheet = Sheet(palette, WIDTH, height + 0.6, title)
        axes = sheet.axes(left, 0.5, width, height)
        axes.spines["bottom"].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.tick_top()
        axes.tick_params(length=3, color=palette.muted)
        axes.set_yticks([])
        axes.set_ylim(height, 0)
        low, high = limits(np.array(self.means))
        axes.set_xlim(low, high)
        inch = (high - low) / width
        for index, (name, mean) in enumerate(zip(names, self.means, strict=True)):
            if index < better:
                down, end, aside, align = index, high + 0.12 * inch, 0.05 * inch, "left"
                text = f"{number(mean, 3)}{APART}{name}"
            else:
                down, end, aside, align = len(names) - 1 - index, low - 0.12 * inch, -0.05 * inch, "right"
                text = f"{name}{APART}{number(mean, 3)}"
            y = depth + STEP * (down + 0.5)
            axes.plot([mean, mean, end], [0, y, y], color=palette.muted, linewidth=0.7, clip_on=False)
            sheet.annotate(axes, end + aside, y, text, ha=align, va="center_baseline")
        self._draw_bars(axes, 0.03 * inch, palette.ink)
        sheet.write(left, 0.2, f"mean {TAU}; a bar joins measures that are not significantly different")
        return sheet.figure

    def _draw_bars(self, axes: Axes, reach: float, colour: str) -> None:
        for lane, bars in enumerate(self.lanes):
            for first, last in bars:
                x, y = [self.means[first] + reach, self.means[last] - reach], 0.1 + LANE * lane
                axes.plot(x, [y, y], color=colour, linewidth=3, solid_capstyle="butt")


@plot(
    "stability_curve",
    title="Stability by the number of items",
    example="stability --config configs/stance.yaml -m cem-ord -m accuracy -m macro-f1 --sizes 0.1,0.2,0.3,0.4,0.5",
)
def stability_curve(tables: Tables) -> Picture | None:
    """Mean tau between halves by their size, a line for each measure, with the middle 95 % of the trials."""
    curves = curves_of(tables["stability_curve"], "items", "mean")
    return picture_of(curves, "items in each half", "mean tau-b between halves")
