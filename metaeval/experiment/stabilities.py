"""Is a measure's ranking the same on other items?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig, StabilityConfig
from metaeval.errors import counted
from metaeval.experiment.blocks import in_blocks
from metaeval.experiment.findings import on_stability
from metaeval.experiment.reading import read_study
from metaeval.experiment.study import COMPARING_NUMBERS, Part, Study, check_rankable, silently
from metaeval.io.dataset import Track
from metaeval.meta.stability import Consistency, check_strata, split_half_consistency, thirds
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.scoring.resamples import Samples, split_halves
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.stats.resample import generator, seed_for
from metaeval.stats.tests import compact_letters, randomised_tukey

STRATA = ("top", "middle", "bottom")

_FEW_ITEMS = 12
"""So few items have less than a thousand different halves."""


@dataclass(frozen=True)
class Stabilities:
    """What an analysis of stability found.

    consistency: over all trials. p: of the differences between measures, (M, M), NaN for a measure without a value.
    complete: trials in which every measure that is ever defined was. curve: consistency by share of the items.
    """

    consistency: Consistency
    p: NDArray[np.float64]
    complete: int
    curve: tuple[tuple[float, Consistency], ...]


def stability(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Kendall's tau-b between the rankings on random halves of the items, for every measure.

    Table `stability`: measure, mean, sd, low, high, top, middle, bottom, trials, undefined, swap_rate, letters; the
    most stable first. `stability_differences`: measure, then a column of p-values a measure. `stability_curve`:
    measure, share, items, mean, sd, low, high, undefined.
    """
    study = read_study(config, track=track)
    part = stability_tables(study, find_stabilities(study, track=track))
    section = study.config.stability or StabilityConfig()
    return study.report("stability", part, command_line=command_line, sections=[section])


def find_stabilities(study: Study, *, track: Track) -> Stabilities:
    """Compute what `stability` tells."""
    wanted = study.config.stability or StabilityConfig()
    samples, strata = check_stability(study)
    # Computed here, once: the whole study would have to go to whoever works on blocks elsewhere.
    scores = study.scores

    def consistency(share: float | None, strata: Sequence[int], doing: str) -> Consistency:
        plan = split_halves(
            samples,
            trials=wanted.trials,
            seed=study.config.seed,
            share=share,
            stratified=wanted.stratified,
            memory=study.config.block_memory,
        )
        return Consistency.joined(
            in_blocks(
                plan,
                lambda halves: split_half_consistency(halves, scores, strata=strata),
                workers=study.config.workers,
                track=track,
                doing=doing,
            )
        )

    found = consistency(None, strata, "Split halves")
    curve = tuple((share, consistency(share, (), f"Split halves of {share:g}")) for share in wanted.size)
    p, complete = _differences(found.tau, wanted, study.config.seed)
    return Stabilities(found, p, complete, curve)


def check_stability(study: Study) -> tuple[Samples, tuple[int, ...]]:
    """The items, and the sizes of the strata; an `InputError` where something does not go together."""
    check_rankable(study)
    wanted = study.config.stability or StabilityConfig()
    samples = study.samples("stability", COMPARING_NUMBERS)
    if wanted.stratified:
        _ = samples.classes  # which items of texts have none of
    return samples, _strata(wanted, len(study.systems))


def _strata(wanted: StabilityConfig, systems: int) -> tuple[int, ...]:
    if wanted.strata:
        check_strata(wanted.strata, systems)
        return wanted.strata
    return thirds(systems) if systems >= len(STRATA) else ()


def _differences(tau: NDArray[np.float64], wanted: StabilityConfig, seed: int) -> tuple[NDArray[np.float64], int]:
    """p-values of Tukey's test between measures, on the trials in which all of them have a value."""
    measures = tau.shape[1]
    p = np.full((measures, measures), np.nan)
    known = np.flatnonzero(~np.isnan(tau).all(axis=0))
    complete = tau[:, known][~np.isnan(tau[:, known]).any(axis=1)]
    if len(known) and len(complete):
        random = generator(seed_for(seed, "tukey"))
        p[np.ix_(known, known)] = randomised_tukey(complete, replicates=wanted.permutations, random=random)
    return p, len(complete)


def stability_tables(study: Study, found: Stabilities) -> Part:
    """The tables of `stability`, and what to say of them."""
    wanted = study.config.stability or StabilityConfig()
    names = study.measure_names
    means = defined_mean(found.consistency.tau)
    order = np.argsort(-means, kind="stable").tolist()
    tables = [
        _main(study, wanted, found, names, order),
        Table(
            "stability_differences",
            f"p-values of the differences (randomised Tukey HSD, {wanted.permutations:,} permutations)",
            (Column("measure"), *(Column(names[place], Kind.SCORE) for place in order)),
            tuple((names[row], *(float(found.p[row, column]) for column in order)) for row in order),
        ),
    ]
    if found.curve:
        tables.append(_curve(study, found, names, order))
    tables.append(_drawn(found, names, order))
    strata = _strata(wanted, len(study.systems))
    return Part(tables, _notes(study, strata, wanted, found, names, means), on_stability(names, means))


def _main(
    study: Study, wanted: StabilityConfig, found: Stabilities, names: Sequence[str], order: Sequence[int]
) -> Table:
    tau, strata = found.consistency.tau, defined_mean(found.consistency.strata)
    of_strata = strata.T if len(strata) else np.full((len(names), len(STRATA)), np.nan)
    stratum_names = STRATA if of_strata.shape[1] == len(STRATA) else _numbered(of_strata.shape[1])
    tested = np.where(found.complete > 0, defined_mean(tau), np.nan)
    letters = compact_letters(tested, found.p < wanted.alpha)
    scores = np.column_stack([_distribution(tau), of_strata])
    # A ranking that puts all systems alike swaps none, which is nothing to praise.
    swaps = np.where(np.isnan(tau).all(axis=0), np.nan, defined_mean(found.consistency.swaps))
    undefined = np.isnan(tau).sum(axis=0)

    def row(place: int) -> tuple[Cell, ...]:
        counts = (len(tau), int(undefined[place]))
        return (names[place], *scores[place].tolist(), *counts, float(swaps[place]), letters[place])

    halves = "stratified halves" if wanted.stratified else "halves"
    return Table(
        "stability",
        f"Stability of rankings: tau-b between random {halves} of {len(study.items):,} items",
        (
            Column("measure"),
            Column("mean", Kind.SCORE, higher_is_better=True),
            *(Column(name, Kind.SCORE) for name in ("sd", "low", "high", *stratum_names)),
            *(Column(name, Kind.COUNT) for name in ("trials", "undefined")),
            Column("swap_rate", Kind.SCORE),
            Column("letters"),
        ),
        tuple(row(place) for place in order),
    )


def _numbered(strata: int) -> tuple[str, ...]:
    return tuple(f"stratum_{number}" for number in range(1, strata + 1))


def _distribution(tau: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean, standard deviation, low and high of each measure, (M, 4)."""
    return np.column_stack([defined_mean(tau), defined_deviation(tau), *percentile_interval(tau)])


def _curve(study: Study, found: Stabilities, names: Sequence[str], order: Sequence[int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    distributions = [(share, part.tau, _distribution(part.tau)) for share, part in found.curve]
    for place in order:
        for share, tau, distribution in distributions:
            items = round(share * len(study.items))
            undefined = int(np.isnan(tau[:, place]).sum())
            rows.append((names[place], share, items, *distribution[place].tolist(), undefined))
    return Table(
        "stability_curve",
        "Stability by the number of items in each half",
        (
            Column("measure"),
            Column("share", Kind.SCORE),
            Column("items", Kind.COUNT),
            *(Column(name, Kind.SCORE) for name in ("mean", "sd", "low", "high")),
            Column("undefined", Kind.COUNT),
        ),
        tuple(rows),
    )


def _drawn(found: Stabilities, names: Sequence[str], order: Sequence[int]) -> Table:
    """Every tau of the trials and how often it came; rankings of few systems have few different ones."""
    rows: list[tuple[Cell, ...]] = []
    for place in order:
        tau = found.consistency.tau[:, place]
        values, trials = np.unique(tau[~np.isnan(tau)], return_counts=True)
        rows += zip([names[place]] * len(values), values.tolist(), trials.tolist(), strict=True)
    return Table(
        "stability_distribution",
        "How many trials gave which tau",
        (Column("measure"), Column("tau", Kind.SCORE), Column("trials", Kind.COUNT)),
        tuple(rows),
        detail=True,
    )


def _strata_notes(strata: Sequence[int]) -> list[str]:
    if not strata:
        return [f"no {', '.join(STRATA)}: thirds take at least {len(STRATA)} systems"]
    if 1 in strata:
        return [f"of strata of {', '.join(map(str, strata))} systems, those of a single one have nothing to rank"]
    sizes = ", ".join(map(str, strata))
    return [f"strata ({sizes} systems, best first) are of each measure's own ranking on all items; tau is within them"]


def _notes(
    study: Study,
    strata: Sequence[int],
    wanted: StabilityConfig,
    found: Stabilities,
    names: Sequence[str],
    means: NDArray[np.float64],
) -> list[str]:
    tau = found.consistency.tau
    same = f"measures that share a letter can't be told apart (p ≥ {wanted.alpha:g})"
    notes = [f"low and high bound the middle 95 % of the trials; {same}", *_strata_notes(strata)]
    items = len(study.items)
    if not wanted.size and items <= _FEW_ITEMS:
        splits = math.comb(items, items // 2) // (1 if items % 2 else 2)
        notes.append(f"{counted(items, 'item')} have only {splits:,} different halves: the trials repeat them")
    never = [names[place] for place in np.flatnonzero(np.isnan(means)).tolist()]
    if never:
        notes.append(f"{', '.join(never)}: no trial has a tau, because one half or both rank all systems alike")
    if not found.complete and len(never) < len(names):
        notes.append("no trial has a tau of every measure, so there is no test of differences and there are no letters")
    if 0 < found.complete < len(tau):
        notes.append(f"the test of differences uses the {found.complete:,} trials in which every measure has a tau")
    return notes
