"""Tables, notes and findings of `references`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.references.compute import References
from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.analyses.sentences import value_range
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.model.works import cite
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.study.study import AnalysisOutput, Study


def tabulate(study: Study, settings: ReferencesSettings, result: References) -> AnalysisOutput:
    """Tables, notes and findings of `references`."""
    names, notes = study.measure_names, _notes(settings, result)
    methods = _methods(study, settings, result)
    if not result.tau:
        return AnalysisOutput([_scores(study, result)], notes, methods=methods)
    means = np.stack([defined_mean(tau) for tau in result.tau.values()], axis=1)
    tables = [_scores(study, result), _rankings(result, names)]
    return AnalysisOutput(tables, notes, findings(list(result.tau), means, len(study.items)), methods=methods)


def _scores(study: Study, result: References) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(study.measure_names):
        for system, system_name in enumerate(study.systems):
            for size, scores in result.scores.items():
                value = float(scores.mean.values[place, system])
                low, high = (float(bound) for bound in percentile_interval(scores.drawn[:, place, system]))
                # If there is only one subset, draws differ by rounding alone.
                bounds = (value, value) if scores.subsets.counts.max() == 1 else (low, high)
                rows.append((name, system_name, size, value, *bounds))
    heads = (Column("measure"), Column("system"), Column("references", Kind.COUNT))
    title = f"Scores by the number of references, {len(study.items):,} items"
    return Table("references", title, (*heads, *columns(Kind.SCORE, "value", "low", "high")), tuple(rows))


def _rankings(result: References, names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(names):
        for size, tau in result.tau.items():
            drawn = tau[:, place]
            low, high = percentile_interval(drawn)
            rows.append((name, size, *map(float, (defined_mean(drawn), low, high)), int(np.isnan(drawn).sum())))
    statistics = (*columns(Kind.SCORE, "tau", "low", "high"), Column("undefined", Kind.COUNT))
    heads = (Column("measure"), Column("references", Kind.COUNT), *statistics)
    title = "Rankings by the number of references: tau-b with the ranking against all references"
    return Table("references_rankings", title, heads, tuple(rows))


def _methods(study: Study, settings: ReferencesSettings, result: References) -> list[str]:
    sizes = list(result.scores)
    drawn = f"{settings.trials:,} random draws, independent for each item (seed {study.config.seed})"
    tau = f"by Kendall's tau-b {cite('kendall1945')}"
    rankings = f"; rankings were compared with that against all references {tau}" if result.tau else ""
    scores = f"Scores against {min(sizes)} to {max(sizes)} references are means over {_subsets(settings, result)}"
    return [f"{scores} of that number for each item; ranges are the middle 95 % of {drawn}{rankings}."]


def _subsets(settings: ReferencesSettings, result: References) -> str:
    complete = all(scores.subsets.complete for scores in result.scores.values())
    return "all subsets" if complete else f"a sample of {settings.subsets} subsets"


def _notes(settings: ReferencesSettings, result: References) -> list[str]:
    draws = f"{settings.trials:,} draws, with an independent draw of the references of each item"
    value = f"value: mean over {_subsets(settings, result)} of that number of references for each item"
    notes = [
        f"{value}; low, high: middle 95 % of {draws}",
        "low and high are about other references of these items: nothing is tested or inferred about other items",
    ]
    largest = max(result.scores)
    if result.maximum > largest:
        notes.append(
            f"some items have up to {result.maximum} references, but all items have {largest}: no larger number is used"
        )
    return notes


def findings(sizes: Sequence[int], tau: NDArray[np.float64], items: int) -> list[Finding]:
    """How much the rankings of these items depend on the number of references.

    tau: mean over the draws, with the ranking against all references, (M, sizes).
    """
    fewer = [place for place, size in enumerate(sizes) if size < max(sizes)]
    if not fewer or np.isnan(tau[:, fewer[0]]).all():
        return []
    first = tau[:, fewer[0]]
    known = first[~np.isnan(first)].tolist()
    text = (
        f"on these {pluralize(items, 'item')}, with {pluralize(sizes[fewer[0]], 'reference')} of {max(sizes)}, the "
        f"mean tau with the ranking against all is {value_range(known)}"
    )
    of_measures = f" under {pluralize(len(known), 'measure')}" if len(first) > 1 else ""
    return [Finding("references", text + of_measures)]
