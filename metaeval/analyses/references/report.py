"""Tables, notes and findings of `references`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.references.compute import References
from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.analyses.sentences import value_range
from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.model.report import Finding, Note, Table, count, crossed, score, scores, table, text
from metaeval.model.works import cite
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lines import curves_of, picture_of
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.study.study import AnalysisOutput, Study


def tabulate(study: Study, settings: ReferencesSettings, result: References) -> AnalysisOutput:
    """Tables, notes and findings of `references`."""
    scores_by_size = _scores(study, settings, result)
    notes, methods = _notes(settings, result), _methods(study, settings, result)
    if not result.tau:
        return AnalysisOutput([scores_by_size], notes, methods=methods)
    means = np.stack([defined_mean(tau) for tau in result.tau.values()], axis=1)
    tables = [replace(scores_by_size, detail=True), _rankings(settings, result, study.measure_names)]
    return AnalysisOutput(tables, notes, findings(list(result.tau), means, len(study.items)), methods=methods)


def _scores(study: Study, settings: ReferencesSettings, result: References) -> Table:
    values, lows, highs = [], [], []
    for scores_of_size in result.scores.values():
        mean = scores_of_size.mean.values
        # If there is only one subset, draws differ by rounding alone.
        single = scores_of_size.subsets.counts.max() == 1
        low, high = (mean, mean) if single else percentile_interval(scores_of_size.samples)
        values.append(mean)
        lows.append(low)
        highs.append(high)
    measures, systems, sizes = crossed(study.measure_names, study.systems, result.scores)
    return table(
        "references",
        f"Scores by the number of references, {len(study.items):,} items",
        text("measure", measures),
        text("system", systems),
        count("references", sizes),
        score(
            "value",
            np.stack(values, axis=-1).ravel(),
            about="mean over subsets of so many references of each item",
            interval=("low", "high"),
        ),
        *scores(
            ("low", "high"),
            (np.stack(ends, axis=-1).ravel() for ends in (lows, highs)),
            about=f"middle 95 % of {settings.trials:,} draws of references",
        ),
    )


def _rankings(settings: ReferencesSettings, result: References, names: Sequence[str]) -> Table:
    measures, sizes = crossed(names, result.tau)
    samples = [taus[:, index] for index in range(len(names)) for taus in result.tau.values()]
    intervals = [percentile_interval(tau) for tau in samples]
    means, ends = np.array([defined_mean(tau) for tau in samples]), np.transpose(intervals)
    undefined = [int(np.isnan(tau).sum()) for tau in samples]
    return table(
        "references_rankings",
        "Rankings by the number of references: tau-b with the ranking against all references",
        text("measure", measures),
        count("references", sizes),
        score("tau", means, interval=("low", "high")),
        *scores(("low", "high"), ends, about=f"middle 95 % of {settings.trials:,} draws of references"),
        count("undefined", undefined, about="draws in which tau is undefined", detail=not any(undefined)),
        subject="Rankings by the number of references",
    )


def _methods(study: Study, settings: ReferencesSettings, result: References) -> list[str]:
    sizes = list(result.scores)
    draws = f"{settings.trials:,} random draws, independent for each item (seed {study.config.seed})"
    tau = f"by Kendall's tau-b {cite('kendall1945')}"
    rankings = f"; rankings were compared with that against all references {tau}" if result.tau else ""
    scores = f"Scores against {min(sizes)} to {max(sizes)} references are means over {_subsets(settings, result)}"
    return [f"{scores} of that number for each item; ranges are the middle 95 % of {draws}{rankings}."]


def _subsets(settings: ReferencesSettings, result: References) -> str:
    complete = all(scores.subsets.complete for scores in result.scores.values())
    return "all subsets" if complete else f"a sample of {settings.subsets} subsets"


def _notes(settings: ReferencesSettings, result: References) -> list[Note | str]:
    notes: list[Note | str] = [
        f"value: mean over {_subsets(settings, result)} of that number of references for each item",
        "low and high are about other references of these items: nothing is tested or inferred about other items",
    ]
    largest = max(result.scores)
    if result.maximum > largest:
        notes.append(
            f"some items have up to {result.maximum} references, but all items have {largest}: no larger number is used"
        )
    return notes


def findings(sizes: Sequence[int], tau: Floats, items: int) -> list[Finding]:
    """How much the rankings of these items depend on the number of references.

    tau: mean over the draws, with the ranking against all references, (M, sizes).
    """
    fewer = [index for index, size in enumerate(sizes) if size < max(sizes)]
    if not fewer or np.isnan(tau[:, fewer[0]]).all():
        return []
    first = tau[:, fewer[0]]
    taus = first[~np.isnan(first)].tolist()
    sentence = (
        f"on these {pluralize(items, 'item')}, with {pluralize(sizes[fewer[0]], 'reference')} of {max(sizes)}, the "
        f"mean tau with the ranking against all is {value_range(taus)}"
    )
    under = f" under {pluralize(len(taus), 'measure')}" if len(first) > 1 else ""
    return [Finding("references", sentence + under)]


@plot(
    "references_rankings",
    title="Rankings by the number of references",
    example="references --config configs/people.yaml",
)
def references_rankings(tables: Tables) -> Picture | None:
    """Kendall's tau-b with the ranking against all references, a line for each measure."""
    curves = curves_of(tables["references_rankings"], "references", "tau")
    return picture_of(curves, "references for each item", "tau-b with the ranking against all references")
