"""The tables of `references`, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.references.compute import References
from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.study.study import Part, Study


def tabulate(study: Study, settings: ReferencesSettings, found: References) -> Part:
    """The tables of `references`, and what to say of them."""
    names = study.measure_names
    notes = _notes(settings, found)
    if not found.tau:
        return Part([_scores(study, found)], notes)
    means = np.stack([defined_mean(tau) for tau in found.tau.values()], axis=1)
    return Part([_scores(study, found), _rankings(found, names)], notes, findings(list(found.tau), means, names))


def _scores(study: Study, found: References) -> Table:
    """Table `references`: every system by the number of references."""
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(study.measure_names):
        for system, system_name in enumerate(study.systems):
            for size, scores in found.scores.items():
                value = float(scores.mean.values[place, system])
                low, high = (float(bound) for bound in percentile_interval(scores.drawn[:, place, system]))
                # Where nothing is left to choose, nothing varies but the last bit.
                bounds = (value, value) if scores.subsets.counts.max() == 1 else (low, high)
                rows.append((name, system_name, size, value, *bounds))
    return Table(
        "references",
        f"Scores by the number of references, {len(study.items):,} items",
        (
            *(Column("measure"), Column("system"), Column("references", Kind.COUNT)),
            *(Column(name, Kind.SCORE) for name in ("value", "low", "high")),
        ),
        tuple(rows),
    )


def _rankings(found: References, names: Sequence[str]) -> Table:
    """Table `references_rankings`: how similar the rankings are to those against all references."""
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(names):
        for size, tau in found.tau.items():
            of_measure = tau[:, place]
            low, high = (float(bound) for bound in percentile_interval(of_measure))
            undefined = int(np.isnan(of_measure).sum())
            rows.append((name, size, float(defined_mean(of_measure)), low, high, undefined))
    return Table(
        "references_rankings",
        "Rankings by the number of references: tau-b with the ranking against all",
        (
            Column("measure"),
            Column("references", Kind.COUNT),
            *(Column(name, Kind.SCORE) for name in ("tau", "low", "high")),
            Column("undefined", Kind.COUNT),
        ),
        tuple(rows),
    )


def _notes(settings: ReferencesSettings, found: References) -> list[str]:
    drawn = f"low and high bound the middle 95 % of {settings.trials:,} draws, in which each item draws its own"
    sampled = not all(scores.subsets.complete for scores in found.scores.values())
    choices = f"a sample of {settings.subsets} an item" if sampled else "all"
    notes = [f"value: the mean over {choices} of the choices of so many references for each item; {drawn}"]
    largest = max(found.scores)
    if found.most > largest:
        notes.append(f"some items have up to {found.most} references; all have {largest}, and no more are compared")
    return notes


def findings(sizes: Sequence[int], tau: NDArray[np.float64], names: Sequence[str]) -> list[Finding]:
    """How much a ranking depends on the number of references; tau: with the ranking against all, (M, sizes)."""
    fewer = [place for place, size in enumerate(sizes) if size < max(sizes)]
    if not fewer or np.isnan(tau[:, fewer[0]]).all():
        return []
    first = tau[:, fewer[0]]
    worst = int(np.nanargmin(first))
    given = counted(sizes[fewer[0]], "reference")
    told = f"with {given} of {max(sizes)} the rankings agree with those against all by tau"
    if len(names) == 1:
        return [Finding("references", f"{told} {first[0]:.2f} on average")]
    best = int(np.nanargmax(first))
    between = f"{first[worst]:.2f} ({names[worst]}) to {first[best]:.2f} ({names[best]})"
    return [Finding("references", f"{told} {between} on average")]
