"""How often measures prefer the good output of a pair, and whether their losses grow with the severity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.levels import LevelEstimate
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import empty, refuse, too_many
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import CELLS_AT_ONCE
from metaeval.inference.parts import group_sums
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.contrast.study import ContrastStudy
from metaeval.scoring.parts import TOLERANCE
from metaeval.stats.correlation_tests import holm
from metaeval.stats.intervals import effective_share, share_interval
from metaeval.stats.pairs import LevelOrder, level_order
from metaeval.stats.rater_pairs import Pairs, RunConsistency, run_consistency
from metaeval.stats.ratio import divide
from metaeval.study.study import Progress

MOST_SEVERITIES = 1000
"""Maximum number of severities: each is compared with all others."""


@dataclass(frozen=True)
class Severities:
    """Losses of score by severity: order, adjusted_p of M measures, (M,); losses, counts (M, S)."""

    order: LevelOrder
    adjusted_p: Floats
    losses: Floats
    counts: Ints


@dataclass(frozen=True)
class Contrasts:
    """Results of M measures on P phenomena, (M, P) each.

    pairs: with two defined scores. better, ties: in how many the good score is strictly higher, or both are equal.
    accuracy: share of better; low, high, p, adjusted_p: its interval, and the test against one half, NaN for
    generated pairs, which are no sample. adjusted_p_without_ties: the same test without ties. severities: None where
    there are not two.
    """

    pairs: Ints
    better: Ints
    ties: Ints
    undefined: Ints
    accuracy: Floats
    low: Floats
    high: Floats
    p: Floats
    adjusted_p: Floats
    adjusted_p_without_ties: Floats
    severities: Severities | None
    units: Floats
    influences: list[tuple[Indices, Floats]]
    runs: dict[str, RunConsistency]

    @property
    def worse(self) -> Ints:
        """In how many pairs the bad score is strictly higher, (M, P)."""
        return self.pairs - self.better - self.ties


def check(study: ContrastStudy, settings: ContrastSettings) -> None:
    """Raise an `InputError` if there is no measure, or too many severities to compare their pairs."""
    if not study.names:
        expected = "scores of both sides, or measures of texts or labels"
        raise refuse(None, empty("measure", expected, "add columns NAME-good and NAME-bad"))
    if len(study.pairs.severities) > MOST_SEVERITIES:
        found = f"{len(study.pairs.severities):,} different severities"
        raise refuse(None, too_many(found, MOST_SEVERITIES, "round the severities"))


def analyse(study: ContrastStudy, settings: ContrastSettings, *, progress: Progress) -> Contrasts:
    """Compare the scores of both sides of each pair."""
    check(study, settings)
    pairs = study.pairs
    good, bad = study.scores().swapaxes(0, 1)
    signs = np.array([direction.sign for direction in study.directions])[:, np.newaxis]
    # Equal differences, such as .8 − .7 and .3 − .2, differ by the rounding errors of the scores.
    unit = np.fmax.reduce(np.abs([good, bad]), axis=(0, 2), initial=0.0)[:, np.newaxis]
    losses = round_to_grid(signs * (good - bad), unit)
    if study.generated is not None:
        losses[np.abs(losses) <= TOLERANCE] = 0
    outcome = np.sign(losses)
    clusters = np.arange(len(pairs)) if pairs.clusters is None else pairs.clusters.item_codes
    phenomena = len(pairs.phenomena)
    flags = ~np.isnan(losses), outcome > 0, outcome == 0
    counts = np.stack([group_sums(flag, pairs.phenomenon, phenomena).T for flag in flags]).astype(np.int64)
    shape = counts.shape[1:]
    low, high, p, p_without_ties, units = (np.full(shape, np.nan) for _ in range(5))
    influences: list[tuple[Indices, Floats]] = []
    if study.generated is None:
        # The clusters of each phenomenon, one phenomenon after another.
        width = int(clusters.max(initial=0)) + 1
        cells, first, codes = np.unique(pairs.phenomenon * width + clusters, return_index=True, return_inverse=True)
        sizes, hits, ties = (group_sums(flag, codes, len(cells)).T for flag in flags)
        numbers = np.bincount(cells // width, minlength=phenomena)
        starts = numbers.cumsum() - numbers
        share = np.full(shape, np.nan)
        for block, columns, mask in _blocks_of_similar_size(starts, numbers, len(hits)):
            part_hits, part_sizes, part_ties = (np.where(mask, sums[:, columns], 0.0) for sums in (hits, sizes, ties))
            low[:, block], high[:, block], p[:, block] = share_interval(part_hits, part_sizes)
            share[:, block], units[:, block] = effective_share(part_hits, part_sizes)
            p_without_ties[:, block] = share_interval(part_hits, part_sizes - part_ties).p
        phenomenon = cells // width
        deviations = divide(hits - share[:, phenomenon] * sizes, counts[0][:, phenomenon], undefined=0.0)
        keys = pairs.keys[first] if len(pairs.keys) else np.empty(0, dtype=np.intp)
        parts = np.split(deviations, starts[1:], axis=1)
        influences = [*zip(np.split(keys, starts[1:]) if len(keys) else [keys] * phenomena, parts, strict=True)]
    total = np.bincount(pairs.phenomenon, minlength=shape[1])
    return Contrasts(
        pairs=counts[0],
        better=counts[1],
        ties=counts[2],
        undefined=total - counts[0],
        accuracy=divide(counts[1], counts[0]),
        low=low,
        high=high,
        p=p,
        adjusted_p=holm(p.ravel()).reshape(shape),
        adjusted_p_without_ties=holm(p_without_ties.ravel()).reshape(shape),
        severities=_severities(losses, unit, pairs.severity, clusters) if len(pairs.severities) > 1 else None,
        units=units,
        influences=influences,
        runs=_runs(study, clusters),
    )


def _runs(study: ContrastStudy, clusters: Indices) -> dict[str, RunConsistency]:
    """How often two runs of a measure prefer the same output, beside how often one prefers the good one."""
    results: dict[str, RunConsistency] = {}
    for name, direction in zip(study.names, study.directions, strict=True):
        if len(study.pairs.runs) and name in study.pairs.names:
            good, bad = study.pairs.runs[:, study.pairs.names.index(name)].swapaxes(0, 1)
            outcomes, groups = direction.sign * np.sign(good - bad), (clusters, clusters)
            pairs = Pairs.of(np.ones((1, len(clusters))), outcomes, groups)
            if result := run_consistency(outcomes, groups, pairs, categories=True):
                results[name] = result
    return results


def estimates_of_level(study: ContrastStudy, settings: ContrastSettings, result: Contrasts) -> list[LevelEstimate]:
    """The accuracy of each measure on each phenomenon."""
    estimates = []
    for index, (phenomenon, (keys, deviations)) in enumerate(
        zip(study.pairs.phenomena, result.influences, strict=True)
    ):
        for row, name in enumerate(study.names):
            one = LevelEstimate(
                names=(name, phenomenon),
                what=f"the accuracy of {name} on {phenomenon}",
                value=float(result.accuracy[row, index]),
                low=float(result.low[row, index]),
                high=float(result.high[row, index]),
                size=float(result.pairs[row, index]),
                units=float(result.units[row, index]),
                influences=dict(zip(keys.tolist(), deviations[row].tolist(), strict=len(keys) > 0)),
            )
            estimates.append(one)
    return estimates


def _blocks_of_similar_size(starts: Indices, numbers: Indices, rows: int) -> Iterator[tuple[Indices, Indices, Bools]]:
    """Blocks of phenomena with similar numbers of clusters: which, and the columns of their clusters, (B, K).

    starts, numbers: the first column and the number of the clusters of each phenomenon, (P,). rows: of each column, for
    the size of a block. Returns last which of the columns are clusters of the phenomenon; the others fill the block.
    """
    exponents = np.ceil(np.log2(np.maximum(numbers, 1))).astype(np.intp)
    for exponent in np.unique(exponents).tolist():
        similar, within = np.flatnonzero(exponents == exponent), np.arange(2**exponent)
        step = max(1, CELLS_AT_ONCE // (rows * len(within)))
        for begin in range(0, len(similar), step):
            block = similar[begin : begin + step]
            mask = within < numbers[block, np.newaxis]
            yield block, np.where(mask, starts[block, np.newaxis] + within, 0), mask


def _severities(losses: Floats, unit: Floats, severity: Indices, clusters: Indices) -> Severities:
    order = level_order(losses, severity, clusters)
    has_severity = severity >= 0
    losses, codes, number = losses[:, has_severity], severity[has_severity], int(severity.max()) + 1
    defined = ~np.isnan(losses)
    counts = group_sums(defined, codes, number).T.astype(np.int64)
    sums = group_sums(np.where(defined, losses, 0.0), codes, number).T
    return Severities(order, holm(order.p), round_to_grid(divide(sums, counts), unit), counts)
