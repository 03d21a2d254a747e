"""Levels of a column of groups, such as languages: each analysed as data of its own, then compared with all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from metaeval.analyses.sentences import ALPHA, p_at_most
from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.model.report import (
    GROUP,
    AnalysisOutput,
    Finding,
    Note,
    Table,
    as_notes,
    merged_output,
    p_value,
    score,
    scores,
    table,
    text,
)
from metaeval.stats.intervals import Difference
from metaeval.stats.levels import adjusted_of_levels, differences_of_levels
from metaeval.stats.rank import best_first

READABLE_ROWS = 24
"""Number of rows of a table of all levels up to which a terminal shows it."""

MOST_SHOWN = 12
"""Number of differences of levels that a terminal shows, the most different first."""


@dataclass(frozen=True)
class LevelEstimate:
    """A statistic of a level with its 95 % interval.

    names: cells that identify it in tables, such as judge and statistic. what: the same in words. size: how much the
    level counts in the mean of others. units: effective number of independent units. influences: what each cluster of
    units adds to its deviation, by the name of the cluster; empty where no two levels have a cluster in common.
    """

    names: tuple[str, ...]
    what: str
    value: float
    low: float
    high: float
    size: float
    units: float
    influences: Mapping[Any, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LevelDifferences:
    """The K differences of levels from the mean of all others; arrays are (K,).

    estimates: of the levels, with the names of these.
    """

    levels: tuple[str, ...]
    estimates: tuple[LevelEstimate, ...]
    value: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted_p: Floats

    @classmethod
    def of(cls, estimates: Mapping[str, Sequence[LevelEstimate]]) -> LevelDifferences:
        """Those of every statistic that at least two levels have; estimates: of each level."""
        by_names: dict[tuple[str, ...], dict[str, LevelEstimate]] = {}
        for level, level_estimates in estimates.items():
            for estimate in level_estimates:
                by_names.setdefault(estimate.names, {})[level] = estimate
        several = {names: levels for names, levels in by_names.items() if len(levels) > 1}
        rows = [(level, estimate) for levels in several.values() for level, estimate in levels.items()]
        tests = [_differences([*levels.values()]) for levels in several.values()]
        value, low, high, p = np.concatenate([np.stack(test) for test in tests], axis=1) if tests else np.empty((4, 0))
        return cls(
            levels=tuple(level for level, _ in rows),
            estimates=tuple(estimate for _, estimate in rows),
            value=value,
            low=low,
            high=high,
            p=p,
            adjusted_p=adjusted_of_levels(p, [estimate.names for _, estimate in rows]),
        )


def _differences(estimates: Sequence[LevelEstimate]) -> Difference:
    clusters = {
        cluster: index for index, cluster in enumerate({name: None for one in estimates for name in one.influences})
    }
    influences = np.zeros((len(estimates), len(clusters)))
    for row, one in enumerate(estimates):
        influences[row, [clusters[name] for name in one.influences]] = [*one.influences.values()]
    names = ("value", "low", "high", "size", "units")
    value, low, high, size, units = (np.array([getattr(one, name) for one in estimates], dtype=float) for name in names)
    return differences_of_levels(value, low, high, sizes=size, units=units, influences=influences)


def output_by_level(
    analysis: str,
    outputs: Mapping[str, AnalysisOutput],
    estimates: Mapping[str, Sequence[LevelEstimate]],
    *,
    name: str,
    column: str,
    keys: Sequence[str],
) -> AnalysisOutput:
    """The outputs of an analysis on each level as one, with the differences of the levels.

    name: of the table of differences. column: whose values are the levels. keys: the columns of the names of estimates.
    Sentences on single levels are notes: the findings are on the differences.
    """
    merged = merged_output(outputs)
    differences = LevelDifferences.of(estimates)
    main, *others = merged.tables
    main_tables = [replace(main, detail=main.detail or len(main.rows) > READABLE_ROWS)]
    tables = [*main_tables, *(replace(other, detail=True) for other in others)]
    notes = [Note(finding.sentence, groups=finding.groups or tuple(outputs)) for finding in merged.findings]
    if not len(differences.p):
        why = f"No two groups of {column} have an estimate in common: none are compared"
        if len(outputs) == 1:
            why = f"Only {next(iter(outputs))} of {column} can be analysed: no groups are compared"
        finding = Finding(analysis, why)
        return merged._replace(tables=tables, notes=as_notes([*merged.notes, *notes]), findings=[finding])
    tables.insert(1, _table(differences, name, column, keys))
    findings = [Finding(analysis, sentence) for sentence in _sentences(differences, column)]
    return merged._replace(tables=tables, notes=as_notes([*merged.notes, _NOTE, *notes]), findings=findings)


_NOTE = Note(
    "differences of groups are from the mean of all others by their sizes; squares of the distances to the ends of "
    "intervals add up, and p_adjusted is Holm's for all differences; all else is of each group as of a file of its own"
)


def _table(differences: LevelDifferences, name: str, column: str, keys: Sequence[str]) -> Table:
    estimates = differences.estimates
    names = zip(*(one.names for one in estimates), strict=True)
    order = best_first(-differences.p) if len(estimates) > MOST_SHOWN else None
    return table(
        name,
        f"Differences of each {column} from all others together",
        text(GROUP.name, differences.levels),
        *(text(key, cells) for key, cells in zip(keys, names, strict=True)),
        score("value", [one.value for one in estimates], interval=("value_low", "value_high")),
        *scores(("value_low", "value_high"), [[one.low for one in estimates], [one.high for one in estimates]]),
        score(
            "difference", differences.value, interval=("low", "high"), about="from all other groups; [ ]: 95 % interval"
        ),
        *scores(("low", "high"), (differences.low, differences.high)),
        p_value("p", differences.p, detail=True),
        p_value("p_adjusted", differences.adjusted_p, about="Holm-adjusted over the table"),
        order=order,
        first=MOST_SHOWN,
    )


def _sentences(differences: LevelDifferences, column: str) -> list[str]:
    """The significant differences of levels, or that there are none."""
    p = differences.adjusted_p
    if np.isnan(p).all():
        return [f"No difference between the groups of {column} can be tested"]
    order = [row for row in best_first(-differences.p) if p[row] <= ALPHA]
    # Two levels of a statistic have one difference.
    several = len(set(differences.levels)) > 2
    order = [row for row in order if several or differences.levels[row] == differences.levels[0]]
    if not order:
        number = pluralize(len(set(differences.levels)), "group")
        return [f"No group of {column} differs significantly from the others ({number}, adjusted p > {ALPHA:g})"]
    first = order[0]
    one, level, difference = differences.estimates[first], differences.levels[first], float(differences.value[first])
    side, others = "lower" if difference < 0 else "higher", "elsewhere" if several else f"on {differences.levels[-1]}"
    values = f"{one.value:.2f}, difference {difference:+.2f}, adjusted {p_at_most(float(p[first]))}"
    sentence = f"On {level}, {one.what} is significantly {side} than {others} ({values})"
    if more := len(order) - 1:
        sentence += f"; {pluralize(more, 'more difference is', 'more differences are')} significant"
    return [sentence]
