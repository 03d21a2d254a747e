"""How many references are enough?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import on_references
from metaeval.config import ExperimentConfig, ReferencesConfig
from metaeval.errors import InputError
from metaeval.io.dataset import Track
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.model.scores import ScoreCube
from metaeval.model.texts import DerivationRuns, TextRuns
from metaeval.scoring.references import (
    Subsets,
    against_subsets,
    draw_subsets_of_references,
    mean_over_subsets,
    reference_counts,
    reference_subsets,
    sizes_of_subsets,
)
from metaeval.stats.intervals import defined_mean, percentile_interval
from metaeval.stats.rank_correlation import kendall_b
from metaeval.study.items import ItemStudy
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, silently
from metaeval.work.blocks import in_blocks


@dataclass(frozen=True)
class Fewer:
    """What was found for one number of references.

    mean: to be expected of references drawn at random, (M, S). drawn: scores of trials, (T, M, S).
    """

    subsets: Subsets
    mean: ScoreCube
    drawn: NDArray[np.float64]


def references(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Scores of every system against 1, 2, … references, and how alike the rankings are to that against all.

    Table `references`: measure, system, references, value, low, high. Table `references_rankings`: measure, references,
    tau, low, high, undefined.
    """
    study = read_study(config, track=track)
    part = reference_tables(study, find_references(study, track=track))
    section = study.config.references or ReferencesConfig()
    return study.report("references", part, command_line=command_line, sections=[section])


def check_references(study: Study) -> tuple[ItemStudy, TextRuns | DerivationRuns]:
    """The study and its runs, which have to have references, several an item; else an `InputError`."""
    study.check_measures()
    if not isinstance(study, ItemStudy) or not isinstance(study.runs, (TextRuns, DerivationRuns)):
        raise InputError.at(
            found=f"a comparison of references with --task {study.config.data.task}",
            expected="--task texts or r4c",
        )
    counts = reference_counts(study.runs)
    if counts.min(initial=2) < 2:
        lonely = [item for item, count in zip(study.runs.items, counts.tolist(), strict=True) if count < 2]
        raise InputError.at(
            study.config.data.gold,
            found=f"a single reference for {len(lonely):,} of {len(counts):,} items, as '{lonely[0]}'",
            expected="at least two for every item",
            hint="leave such items out of the references, and say --on-extra drop",
        )
    if not study.systems:
        raise InputError.at(study.config.data.gold, found="no system", expected="at least one", hint="name a run")
    return study, study.runs


def find_references(study: Study, *, track: Track) -> dict[int, Fewer]:
    """Compute what `references` tells, by number of references."""
    item_study, runs = check_references(study)
    wanted = study.config.references or ReferencesConfig()
    counts = reference_counts(runs)
    return {
        size: _fewer(item_study, runs, reference_subsets(counts, size, at_most=wanted.subsets, seed=study.config.seed),
                     wanted, track)
        for size in sizes_of_subsets(counts)
    }  # fmt: skip


def _fewer(
    study: ItemStudy, runs: TextRuns | DerivationRuns, subsets: Subsets, wanted: ReferencesConfig, track: Track
) -> Fewer:
    size = subsets.chosen.shape[1]
    config = study.config
    doing = f"Comparing with {size} of the references"
    scores = study.scoring(against_subsets(runs, subsets), study.measures, doing)
    plan = draw_subsets_of_references(
        scores, subsets, trials=wanted.trials, seed=config.seed, memory=config.block_memory
    )
    drawn = in_blocks(plan, lambda cube: cube.values, workers=config.workers, track=track, doing="Drawing references")
    return Fewer(subsets, mean_over_subsets(scores, subsets), np.concatenate(drawn))


def reference_tables(study: Study, found: dict[int, Fewer]) -> Part:
    """The tables of `references`, and what to say of them."""
    names = study.measure_names
    counts = Column("references", Kind.COUNT)
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(names):
        for system, system_name in enumerate(study.systems):
            for size, fewer in found.items():
                value = float(fewer.mean.values[place, system])
                low, high = (float(bound) for bound in percentile_interval(fewer.drawn[:, place, system]))
                # Where nothing is left to choose, nothing varies but the last bit.
                bounds = (value, value) if fewer.subsets.counts.max() == 1 else (low, high)
                rows.append((name, system_name, size, value, *bounds))
    head = (Column("measure"), Column("system"), counts)
    scores = (Column(name, Kind.SCORE) for name in ("value", "low", "high"))
    table = Table("references", f"Scores by the number of references, {len(study.items):,} items", (*head, *scores),
                  tuple(rows))  # fmt: skip
    if len(study.systems) < 2:
        return Part([table], _notes(study, found))
    full = study.scores.values
    taus = {size: kendall_b(fewer.drawn, np.broadcast_to(full, fewer.drawn.shape)) for size, fewer in found.items()}
    means = np.stack([defined_mean(tau) for tau in taus.values()], axis=1)
    findings = on_references(list(taus), means, names)
    return Part([table, _rankings(taus, names)], _notes(study, found), findings)


def _rankings(taus: dict[int, NDArray[np.float64]], names: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(names):
        for size, tau in taus.items():
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


def _notes(study: Study, found: dict[int, Fewer]) -> list[str]:
    wanted = study.config.references or ReferencesConfig()
    drawn = f"low and high bound the middle 95 % of {wanted.trials:,} draws, in which each item draws its own"
    sampled = [size for size, fewer in found.items() if not fewer.subsets.complete]
    choices = f"a sample of {wanted.subsets} an item" if sampled else "all"
    notes = [f"value: the mean over {choices} of the choices of so many references for each item; {drawn}"]
    most = int(reference_counts(check_references(study)[1]).max())
    if most > max(found):
        notes.append(f"some items have up to {most} references; all have {max(found)}, and no more are compared")
    return notes
