"""What is known about each measure, for all systems and items or for some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.inference.conflicts import Conflicts
from metaeval.inference.pairs import Evidence, significant_directions
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.statistics import OF_POWER, OF_TAU, Comparison, PairDeviations, compare_statistics
from metaeval.measures import Measure
from metaeval.model.runs import ClassRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import score_counts

MARGIN = 0.02
"""Loss of expected tau, one pair of systems in a hundred, that excludes no measure."""

GROUPS_OF_HALF = 64
"""Groups of items in which the verdict is repeated on half of the data."""


@dataclass(frozen=True)
class Material:
    """What all evidence is computed from.

    evidence: of each measure, on the S real systems and the trivial ones after them. systems: S. trivial: names of the
    trivial systems. chance: of the reference measure, on the real systems and a last one that is right by chance; None
    for other data than labels. convention: the order in which measures are named, (M,); None where there is none.
    undefined: share of random halves, (M,). uses_order: which measures use the order of the classes, (M,); None where
    it does not matter. moves: see `moves_toward_gold`; None likewise. properties: the required ones that each measure
    has. human: whether each is not significantly worse than the best by human scores, (M,), and the correlations; None
    without human scores. other_runs: the evidence of the real systems for other runs of them, where they have enough.
    """

    measures: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    systems: int
    trivial: tuple[str, ...]
    chance: Evidence | None
    convention: tuple[int, ...] | None
    undefined: Floats
    uses_order: Bools | None
    moves: Ints | None
    properties: tuple[frozenset[str], ...]
    human: tuple[Bools, Floats] | None
    other_runs: tuple[Evidence, ...] | None = None

    def half(self, random: np.random.Generator, permutations: int) -> Material:
        """On a random half of the groups of items.

        The scores of a half are the sums of its parts. Of two crossed groupings, the first is halved and tested.
        """
        groups = len(self.evidence[0].groupings[0].sizes)
        subset = random.permutation(groups)[: max(2, groups // 2)]
        # The groups of a half are joined into fewer, which is enough for the few permutations.
        starts = np.unique(np.linspace(0, len(subset), min(len(subset), GROUPS_OF_HALF) + 1).astype(np.intp)[:-1])
        signs = Signs.draw(random, len(starts), permutations)

        def halve(evidence: Evidence) -> Evidence:
            parts = evidence.groupings[0]
            sums = np.add.reduceat(parts.parts[subset], starts, axis=0)
            sizes = np.add.reduceat(parts.sizes[subset], starts)
            return Evidence((Parts(sums.sum(axis=0) / sizes.sum(), sums, sizes, parts.unit),), (signs,))

        chance = None if self.chance is None else halve(self.chance)
        return replace(self, evidence=tuple(map(halve, self.evidence)), chance=chance, other_runs=None)


@dataclass(frozen=True)
class Examined:
    """What the checks found for M measures.

    better_than_chance: whether each real system is significantly better than chance, or than every trivial system,
    (S,); None where there are no trivial systems. reference: the measure under which they are; None for labels.
    testable: whether there are enough items for any significant difference. beaten: such systems that a trivial one
    significantly beats, (M,). by: that trivial system which beats most. lowered: share of the moves toward gold that
    lower the score, (M,), NaN where no order is claimed. reliability: expected tau between random halves, (M,).
    less_reliable: the measure of the row is less reliable than that of the column, significantly and by more than
    `MARGIN`, (M, M). conflicts: pairs of systems that measures contest. power: expected share of the pairs that a
    measure orders significantly, (M,). For the others see `Material`.
    """

    measures: tuple[str, ...]
    convention: tuple[int, ...] | None
    undefined: Floats
    better_than_chance: Bools | None
    reference: int | None
    testable: bool
    beaten: Indices
    by: tuple[str, ...]
    uses_order: Bools | None
    lowered: Floats
    reliability: Floats
    comparison: Comparison
    less_reliable: Bools
    conflicts: Conflicts
    power: Floats
    power_comparison: Comparison
    properties: tuple[frozenset[str], ...]
    human: tuple[Bools, Floats] | None

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return len(self.conflicts.one)


def examine(material: Material, *, alpha: float) -> Examined:
    """Carry out the checks."""
    systems, trivial = np.arange(material.systems), material.systems + np.arange(len(material.trivial))
    against = [
        significant_directions(evidence, trivial, systems, alpha=alpha)
        for evidence in material.evidence
        if len(trivial)
    ]
    real = [evidence.select(systems) for evidence in material.evidence]
    better_than_chance, reference = _better_than_chance(material, against, alpha=alpha)
    beaten, by = _gamed(material, against, better_than_chance)
    deviations, smallest_p = [PairDeviations.of(evidence) for evidence in real], real[0].smallest_p
    reliability, tau_samples = _on_samples([pairs.expected_tau() for pairs in deviations])
    comparison = compare_statistics(reliability, tau_samples, scale=OF_TAU, smallest_p=smallest_p)
    conflicts = Conflicts.of(material.other_runs or real, alpha=alpha)
    run_deviations = (
        deviations if material.other_runs is None else [PairDeviations.of(evidence) for evidence in material.other_runs]
    )
    power, power_samples = _on_samples(
        [pairs.expected_power(tests.criticals) for pairs, tests in zip(run_deviations, conflicts.tests, strict=True)]
    )
    testable = smallest_p <= alpha
    lower = reliability[:, np.newaxis] < reliability - MARGIN
    return Examined(
        measures=material.measures,
        convention=material.convention,
        undefined=material.undefined,
        better_than_chance=better_than_chance,
        reference=reference,
        testable=testable,
        beaten=beaten,
        by=by,
        uses_order=material.uses_order,
        lowered=_lowered(material),
        reliability=reliability,
        comparison=comparison,
        less_reliable=lower & (comparison.p <= alpha) & testable,
        conflicts=conflicts,
        power=power,
        power_comparison=compare_statistics(power, power_samples, scale=OF_POWER, smallest_p=smallest_p),
        properties=material.properties,
        human=material.human,
    )


def _on_samples(values: Sequence[tuple[float, Floats]]) -> tuple[Floats, Floats]:
    """A statistic of each measure, (M,), and on other samples of the items, (T, M)."""
    return np.array([value for value, _ in values]), np.stack([chance for _, chance in values], axis=1)


def _lowered(material: Material) -> Floats:
    """The share of the moves toward gold that lower each score, (M,); NaN where a measure does not claim the order."""
    no_shares = np.full(len(material.measures), np.nan)
    if material.moves is None or material.uses_order is None or not material.moves.any():
        return no_shares
    tally = material.moves.sum(axis=1)
    return np.where(material.uses_order, tally[:, 2] / tally[0].sum(), no_shares)


def _better_than_chance(
    material: Material, against: Sequence[NDArray[np.int8]], *, alpha: float
) -> tuple[Bools | None, int | None]:
    """Which systems are significantly better than chance, (S,); None where nothing is known about trivial systems.

    against: the significant differences of each trivial system from each real one under each measure, (K, S).
    For texts: than every trivial system under the measure, the second value, under which most systems are.
    """
    if material.chance is not None:
        systems, chance = np.arange(material.systems), np.array([material.systems])
        return significant_directions(material.chance, systems, chance, alpha=alpha)[:, 0] > 0, None
    if not material.trivial:
        return None, None
    is_better: list[Bools] = [np.all(directions < 0, axis=0) for directions in against]
    reference = int(np.argmax([row.sum() for row in is_better]))
    return is_better[reference], reference


def _gamed(
    material: Material, against: Sequence[NDArray[np.int8]], better: Bools | None
) -> tuple[Indices, tuple[str, ...]]:
    """How many better systems a trivial one beats under each measure, and which beats most; both (M,)."""
    measures = len(material.measures)
    if better is None or not material.trivial:
        return np.zeros(measures, dtype=np.intp), ("",) * measures
    beats = np.array([(directions > 0) & better for directions in against])
    most = beats.sum(axis=2).argmax(axis=1)
    return beats.any(axis=1).sum(axis=1), tuple(material.trivial[index] for index in most.tolist())


_CELLS_TOGETHER = 1 << 22
"""Cells of confusion counts that are scored together, so that memory stays bounded."""


def moves_toward_gold(runs: ClassRuns, measures: Sequence[Measure]) -> Ints:
    """How many moves of an error raise, keep and lower each score, (M, S, 3).

    For every system and every pair of gold and predicted classes two or more apart that it confuses, one such item is
    predicted one class nearer to gold.
    """
    counts, scale = counts_of(runs), runs.scale
    classes = len(scale)
    gold, predicted = np.nonzero(np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))) > 1)
    system, cell = np.nonzero(counts[:, gold, predicted] > 0)
    before = _oriented(counts, measures, scale)
    tally = np.zeros((len(measures), len(counts), 3), dtype=np.int64)
    step = max(1, _CELLS_TOGETHER // classes**2)
    for begin in range(0, len(system), step):
        systems, cells = system[begin : begin + step], cell[begin : begin + step]
        rows, row, column = np.arange(len(systems)), gold[cells], predicted[cells]
        new_counts = counts[systems]
        new_counts[rows, row, column] -= 1
        new_counts[rows, row, column + np.sign(row - column)] += 1
        gain = np.sign(_oriented(new_counts, measures, scale) - before[:, systems])
        for index, outcome in enumerate((1, 0, -1)):
            for number, mask in enumerate(gain == outcome):
                tally[number, :, index] += np.bincount(systems, weights=mask, minlength=len(counts)).astype(np.int64)
    return tally


def _oriented(counts: Ints, measures: Sequence[Measure], scale: ClassScale) -> Floats:
    """Scores (M, K) of confusion counts (K, C, C), higher better."""
    systems = tuple(map(str, range(len(counts))))
    return score_counts(counts, measures, scale=scale, systems=systems).oriented().values
