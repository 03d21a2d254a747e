"""Parts of findings that several analyses share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.errors import join_all, pluralize, setting
from metaeval.inference.pairs import PairTests, critical_rank, fewest_permutations
from metaeval.inference.parts import Components, tau_of_coefficient
from metaeval.inference.standings import Outcome
from metaeval.model.report import (
    FIRST_SYSTEMS,
    SMALL_P,
    Cell,
    Column,
    Finding,
    Kind,
    Table,
    crossed,
    score,
    scores,
    table,
    text,
)
from metaeval.stats.intervals import Interval
from metaeval.steps import steps
from metaeval.study.capabilities import ADDITIVE, REPLICATES
from metaeval.study.evidence import population_of_scores
from metaeval.study.study import Study

NAMED_AT_MOST = 4
"""Maximum number of names in a sentence."""

MOST_DECIMALS = 6
"""Decimals of a value that fewer would make equal to another one."""


ALPHA = 0.05
"""Significance level of differences where an analysis has no option for it."""


def join_names(names: Sequence[str], word: str = "and") -> str:
    """The names as a list; of many only the first, and the number of the others. word: before the last.

    >>> join_names(["a"]), join_names(["a", "b"]), join_names(list("abcdef"))
    ('a', 'a and b', 'a, b, c and 3 others')
    """
    if len(names) > NAMED_AT_MOST:
        names = [*names[: NAMED_AT_MOST - 1], f"{len(names) - NAMED_AT_MOST + 1:,} others"]
    return join_all(names, word)


def value_range(values: Sequence[float], form: str = ".2f") -> str:
    """The lowest and the highest value, or the only one.

    >>> value_range([0.5, 0.25]), value_range([1.0, 1.0], ".0%")
    ('0.25 to 0.50', '100%')
    """
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def p_at_most(p: float) -> str:
    """That p is at most a value, or below the smallest that readers are told.

    >>> p_at_most(0.0312), p_at_most(0.0002)
    ('p ≤ 0.031', 'p < 0.001')
    """
    return f"p < {SMALL_P:g}" if p < SMALL_P else f"p ≤ {p:.2g}"


def best_of(names: Sequence[str], values: Floats) -> list[str]:
    """The names with the highest value, including ties; empty where every value is NaN."""
    if np.isnan(values).all():
        return []
    return [names[index] for index in np.flatnonzero(values == np.nanmax(values)).tolist()]


def lead(ahead: int, others: int, noun: str) -> str:
    """How many of the others the first is significantly higher than.

    >>> lead(0, 3, "judge"), lead(1, 3, "judge")
    ('not significantly higher than any other', 'significantly higher than 1 of 3 other judges (adjusted p ≤ 0.05)')
    >>> lead(0, 1, "judge"), lead(1, 1, "judge")
    ('not significantly higher than the other', 'significantly higher than the other judge (adjusted p ≤ 0.05)')
    """
    if not ahead:
        return f"not significantly higher than {'the' if others == 1 else 'any'} other"
    amount = every(others, f"other {noun}") if ahead == others else f"{ahead} of {others:,} other {noun}s"
    return f"significantly higher than {amount} (adjusted p ≤ {ALPHA})"


def every(number: int, noun: str = "measure", plural: str = "") -> str:
    """All of a number of things; plural: by default the noun with an s.

    >>> every(1), every(2, "pair"), every(3, "class", "classes")
    ('the measure', 'both pairs', 'all 3 classes')
    """
    several = plural or f"{noun}s"
    return {1: f"the {noun}", 2: f"both {several}"}.get(number, f"all {number:,} {several}")


def all_or_names(measures: Sequence[str], number: int) -> str:
    """The names of measures, or 'all 3 measures' if they are all of several."""
    return every(number) if len(measures) == number > 1 else join_names(measures)


def on_outcome(outcome: Outcome, by_score: Sequence[str], under: str) -> str:
    """A sentence on measures with one outcome; by_score: all systems, the best first."""
    best, is_shared = outcome.best, len(outcome.best) > 1
    worse, both = outcome.tested_count - len(best), "both" if len(best) == 2 else "all"
    rest = "" if outcome.tested_count == len(by_score) else " that can be tested"
    if not is_shared and not outcome.similar:
        return f"{best[0]} is significantly better than {every(worse, 'other system')}{rest} under {under}"
    scope = f" of the {outcome.tested_count} systems{rest}" if rest else ""
    claim = f"{join_names(best)} {'share' if is_shared else 'has'} the best score{scope} under {under}"
    if outcome.similar:
        relation = f"but are not {both} significantly better than" if is_shared else "not significantly different from"
        others = [name for name in by_score if name in outcome.similar]
        is_any = not is_shared and len(others) == worse > NAMED_AT_MOST
        return f"{claim}, {relation} {'any other' if is_any else join_names(others)}"
    return f"{claim} and are {both} significantly better than {every(worse, 'other system')}" if worse else claim


def too_few_groups(
    tests: Mapping[str, PairTests], *, permutations: int, alpha: float, groups: int, smallest_p: float
) -> list[str]:
    """A sentence where no difference can be significant, however large it is.

    tests: by measure. groups: number of groups of items. smallest_p: with so many groups.
    """
    if not critical_rank(permutations, alpha):
        few = f"{pluralize(permutations, 'permutation')} cannot show a difference at {alpha:g}"
        least = setting("permutations", fewest_permutations(alpha))
        return [f"{few}, and give no interval: use {least} or more"]
    # An undefined difference, or one that never varies, has no interval for another reason.
    intervals = {name: pair_tests.low[~np.isnan(pair_tests.low)] for name, pair_tests in tests.items()}
    unbounded = [name for name, lows in intervals.items() if len(lows) and not np.isfinite(lows).any()]
    if smallest_p > alpha or unbounded:
        under = f" under {join_names(unbounded)}" if 0 < len(unbounded) < len(tests) else ""
        amount = "1 group of items is" if groups == 1 else f"{groups:,} groups of items are"
        return [f"{amount} too few, or too unequal, for any difference to be significant at {alpha:g}{under}"]
    return []


def show_beside(value: float, limit: float, decimals: int = 2) -> str:
    """A value with as many decimals as show on which side of a limit it is, at least so many.

    >>> show_beside(0.8996, 0.9), show_beside(0.87, 0.9), show_beside(0.9, 0.9)
    ('0.8996', '0.87', '0.90')
    """
    while np.sign(round(value, decimals) - limit) != np.sign(value - limit) and decimals < MOST_DECIMALS:
        decimals += 1
    return f"{value:.{decimals}f}"


@dataclass(frozen=True)
class Superlative:
    """How a finding says which measures are best by a tested statistic; verbs are for one measure and for several.

    best: as ('is the most stable measure', 'are the most stable measures'). worse: as ('is significantly less stable',
    …). none: where no two measures differ significantly, in these words and at the end. unit: before values. percent:
    whether values are shares in percent. statistic: the same for a single measure, where no other words name the
    statistic.
    """

    best: tuple[str, str]
    worse: tuple[str, str]
    none: tuple[str, str]
    percent: bool = False
    unit: str = ""
    lower_is_better: bool = False
    statistic: str = ""

    def finding(self, criterion: str, names: Sequence[str], values: Floats, p: Floats, *, alpha: float) -> Finding:
        """See `sentence`; the measure with the best value leads where some are significantly worse."""
        best = int(np.nanargmin(values) if self.lower_is_better else np.nanargmax(values))
        leading = (names[best],) if (p[best] <= alpha).any() else ()
        return Finding(criterion, self.sentence(names, values, p, alpha=alpha), leading=leading)

    def sentence(self, names: Sequence[str], values: Floats, p: Floats, *, alpha: float) -> str:
        """The measures that do not differ significantly from the one with the best value, and the others.

        values: the statistic, (M,), at least one defined. p: adjusted p-values of the differences, (M, M).
        """
        indices = np.flatnonzero(~np.isnan(values))
        if len(indices) < len(values):
            untested = join_names([names[index] for index in np.flatnonzero(np.isnan(values)).tolist()])
            subset = [names[index] for index in indices.tolist()]
            text = f"{subset[0]} alone can be tested ({self.unit}{self.span(values[indices])})"
            if len(subset) > 1:
                text = self.sentence(subset, values[indices], p[np.ix_(indices, indices)], alpha=alpha)
            return f"{text}. Not tested: {untested}"
        if len(names) == 1:
            return f"only {names[0]} is analysed ({self.statistic or self.unit}{self.span(values)})"
        order = np.argsort(values if self.lower_is_better else -values, kind="stable")
        if not (p[np.ix_(order, order)] <= alpha).any():
            return f"{self.none[0]} ({self.unit}{self.span(values[order])}){self.none[1]}"
        best, is_worse = order[0], p[order[0], order] <= alpha
        most, rest = order[~is_worse], order[is_worse]
        if not len(rest):
            text = f"no measure {self.worse[0]} than {names[best]} ({self.unit}{self.span(values[order])})"
            return f"{text}, though others differ from each other"
        # Some that do not differ from the best may have worse values than some that do: they are not the best.
        last, nearest = values[most[-1]], values[rest[0]]
        mixed = bool(is_worse[: len(most)].any()) or last == nearest
        decimals = self._decimals(values[best] if mixed else last, nearest)
        less = f"{join_names([names[index] for index in rest])} {self.worse[len(rest) > 1]} than {names[best]}"
        rest_span, at_most = self.span(values[rest], decimals), f"adjusted {p_at_most(float(p[best, rest].max()))}"
        if mixed:
            others = f"{join_names([names[index] for index in most[1:]])} {'is' if len(most) == 2 else 'are'}"
            against = f"{self.unit}{rest_span} against {self.span(values[[best]], decimals)}"
            similar = f"{others} not significantly different from it ({self.span(values[most[1:]], decimals)})"
            return f"{less} ({against}, {at_most}). {similar}"
        text = f"{join_names([names[index] for index in most])} {self.best[len(most) > 1]} "
        text += f"({self.unit}{self.span(values[most], decimals)}{self._relation(names, values, p, most, alpha=alpha)})"
        return f"{text}. {less} ({rest_span}, {at_most})"

    def _relation(self, names: Sequence[str], values: Floats, p: Floats, most: Indices, *, alpha: float) -> str:
        """How those that do not differ significantly from the best, at the first place, relate to it."""
        if len(most) == 1:
            return ""
        if (values[most] == values[most[0]]).all():
            return ", tied"
        differ = (p[np.ix_(most, most)] <= alpha).any()
        return f", not significantly different{f' from {names[most[0]]}' if differ else ''}"

    def _decimals(self, value: float, other: float) -> int:
        """As few decimals as show that two values differ."""
        decimals = 0 if self.percent else 2
        while self._show(value, decimals) == self._show(other, decimals) and decimals < MOST_DECIMALS:
            decimals += 1
        return decimals

    def _show(self, value: float, decimals: int) -> str:
        return f"{value:.{decimals}%}" if self.percent else f"{value:.{decimals}f}"

    def span(self, values: Floats, decimals: int | None = None) -> str:
        """The lowest and the highest value; decimals: by default 2, of percentages none."""
        digits = (0 if self.percent else 2) if decimals is None else decimals
        low, high = self._show(values.min(), digits), self._show(values.max(), digits)
        return low if low == high else f"{low} to {high}"


SIZES = (0.5, 1, 2, 4)
"""Sizes of other tests, relative to the items of the data."""

RUNS = (1, 2, 3, 5, 10)
"""Numbers of runs of each system."""


def components_of(study: Study, analysis: str) -> dict[int, Components]:
    """The variance components by index of the measure, of those that are means over items, defined for every item.

    analysis: the analysis that needs them. Clusters of the items are at most one column.
    """
    replicates = study.find(REPLICATES)
    additive = study.need(ADDITIVE, analysis) if replicates is None else replicates.additive
    systems = np.arange(len(study.systems)) if replicates is None else replicates.system_of_run
    codes = study.origin.clusters[0].codes if study.origin.clusters else None
    indices = steps(additive.indices, "Components of variance")
    worths = ((index, additive.worths(index)) for index in indices)
    return {index: Components.of(values, systems, codes) for index, values in worths if not np.isnan(values).any()}


def table_of_designs(study: Study, components: dict[int, Components], name: str) -> Table:
    """The reliability of tests with other numbers of items and runs; name: of the table."""
    rows: list[tuple[Cell, ...]] = []
    is_ranked = len(study.systems) > 1
    for index, component in components.items():
        for runs in RUNS if component.freedom[1] > 0 else (1,):
            for size in SIZES:
                items = round(component.items * size)
                value = component.coefficient(items, runs)
                ranking_cells = (value, tau_of_coefficient(value)) if is_ranked else ()
                rows.append((study.measure_names[index], items, runs, *ranking_cells, component.error(items, runs)))
    heads = (Column("measure"), Column("items", Kind.COUNT), Column("runs", Kind.COUNT))
    title = "Reliability of tests with other numbers of items, and of runs of each system"
    names = ("coefficient", "tau", "error") if is_ranked else ("error",)
    return Table(name, title, (*heads, *(Column(name, Kind.SCORE) for name in names)), tuple(rows), detail=True)


def table_of_intervals(name: str, study: Study, indices: Sequence[int], ends: Interval) -> Table:
    """The scores of some systems with their 95 % intervals; indices: of the systems, in the order of the rows."""
    names = pluralize(len(study.systems), "system") if len(indices) > 1 else study.systems[indices[0]]
    title = f"{names} on {pluralize(len(study.items), 'item')}"
    measures, systems = crossed(study.measure_names, [study.systems[index] for index in indices])
    values, low, high = (array[:, list(indices)].ravel() for array in (study.scores.values, *ends))
    about = f"95 % interval, {population_of_scores(study)}"
    return table(
        name,
        f"{title}: scores with 95 % intervals",
        text("measure", measures, detail=len(study.measure_names) == 1 < len(indices)),
        text("system", systems, detail=len(indices) == 1),
        score("score", values, interval=("low", "high"), digits=3),
        *scores(("low", "high"), (low, high), about=about),
        subject=title,
        # Of several measures, the best of each are seen.
        first=FIRST_SYSTEMS if len(study.measure_names) == 1 else 0,
    )
