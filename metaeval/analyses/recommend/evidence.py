"""What is known about each measure, for all systems and items or for some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.inference.agreement import compare_rankings, corrected_tau
from metaeval.inference.pairs import Evidence, significant_directions
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.statistics import Comparison, PairDeviations, compare_statistics

Numbers = NDArray[np.float64]
Truth = NDArray[np.bool_]

MARGIN = 0.02
"""Loss of expected tau, one pair of systems in a hundred, that excludes no measure."""

GROUPS_OF_HALF = 64
"""Groups of items in which the verdict is repeated on half of the data."""

MIN_SYSTEMS = 4
"""Systems of the smallest half of the systems."""


@dataclass(frozen=True)
class Material:
    """What all evidence is computed from.

    evidence: of each measure, on the S real systems and the trivial ones after them. systems: S. trivial: names of the
    trivial systems. chance: of the reference measure, on the real systems and a last one that is right by chance; None
    for other data than labels. convention: the order in which measures are named, (M,). undefined: share of random
    halves, (M,). moves: see `moves_toward_gold`; None where the order of classes does not matter. properties: the
    required ones that each measure has. human: whether each is not significantly worse than the best by human scores,
    (M,), and the correlations; None without human scores.
    """

    measures: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    systems: int
    trivial: tuple[str, ...]
    chance: Evidence | None
    convention: tuple[int, ...]
    undefined: Numbers
    moves: NDArray[np.int64] | None
    properties: tuple[frozenset[str], ...]
    human: tuple[Truth, Numbers] | None

    def half(self, random: np.random.Generator, *, of_systems: bool, permutations: int) -> Material:
        """On a random half of the groups of items, and of the systems if there are enough.

        The scores of a half are the sums of its parts. Of two crossed groupings, the first is halved and tested.
        """
        groups = len(self.evidence[0].groupings[0].sizes)
        kept = random.permutation(groups)[: max(2, groups // 2)]
        # The groups of a half are joined into fewer, which is enough for the few permutations.
        starts = np.unique(np.linspace(0, len(kept), min(len(kept), GROUPS_OF_HALF) + 1).astype(np.intp)[:-1])
        number = max(MIN_SYSTEMS, self.systems // 2) if of_systems else self.systems
        systems = np.sort(random.permutation(self.systems)[:number])
        signs = Signs.draw(random, len(starts), permutations)

        def some(evidence: Evidence, columns: NDArray[np.intp]) -> Evidence:
            parts = evidence.groupings[0]
            chosen = np.add.reduceat(parts.parts[np.ix_(kept, columns)], starts, axis=0)
            sizes = np.add.reduceat(parts.sizes[kept], starts)
            return Evidence((Parts(chosen.sum(axis=0) / sizes.sum(), chosen, sizes, parts.unit),), (signs,))

        every = np.concatenate([systems, self.systems + np.arange(len(self.trivial))])
        chance = None if self.chance is None else some(self.chance, np.append(systems, self.systems))
        return replace(
            self,
            evidence=tuple(some(each, every) for each in self.evidence),
            systems=len(systems),
            chance=chance,
            moves=None if self.moves is None else self.moves[:, systems],
        )


@dataclass(frozen=True)
class Examined:
    """What the checks found for M measures.

    informed: whether each real system is significantly better than chance, or than every trivial system, (S,); None
    where there are no trivial systems. reference: the measure under which they are; None for labels. testable:
    whether there are enough items for any significant difference. beaten: informed systems that a trivial one
    significantly beats, (M,). by: that trivial system which beats most. moves: number of moves toward gold. order:
    shares of them that raise, keep and lower the score, (M, 3). reliability: expected tau between random halves,
    (M,). less_reliable: the measure of the row is less reliable than that of the column, significantly and by more
    than `MARGIN`, (M, M). similarity: tau corrected for unreliability, (M, M); NaN if not compared.
    """

    measures: tuple[str, ...]
    convention: tuple[int, ...]
    undefined: Numbers
    informed: Truth | None
    reference: int | None
    testable: bool
    beaten: NDArray[np.intp]
    by: tuple[str, ...]
    moves: int
    order: Numbers | None
    reliability: Numbers
    comparison: Comparison
    less_reliable: Truth
    similarity: Numbers
    properties: tuple[frozenset[str], ...]
    human: tuple[Truth, Numbers] | None


def examine(material: Material, *, alpha: float, compares: bool = True) -> Examined:
    """Carry out the checks; compares: whether the measures are also compared with each other."""
    real = [each.select(np.arange(material.systems)) for each in material.evidence]
    against = _against_trivial(material, alpha=alpha) if material.trivial else []
    informed, reference = _informed(material, against, alpha=alpha)
    beaten, by = _gamed(material, against, informed)
    taus = [PairDeviations.of(each).expected_tau() for each in real]
    reliability = np.array([value for value, _ in taus])
    chance = np.stack([by_chance for _, by_chance in taus], axis=1)
    comparison = compare_statistics(reliability, chance, smallest_p=material.evidence[0].smallest_p)
    lower = reliability[:, np.newaxis] < reliability - MARGIN
    testable = material.evidence[0].smallest_p <= alpha
    moves, order = 0, None
    if material.moves is not None and material.moves.any():
        tally = material.moves.sum(axis=1)
        moves = int(tally[0].sum())
        order = tally / moves
    similarity = np.full_like(comparison.p, np.nan)
    if compares:
        one, other = np.triu_indices(len(real), k=1)
        tau = corrected_tau(compare_rankings(real, one, other, by_chance=False).ratio)
        similarity[one, other] = similarity[other, one] = tau
        np.fill_diagonal(similarity, 1.0)
    return Examined(
        measures=material.measures,
        convention=material.convention,
        undefined=material.undefined,
        informed=informed,
        reference=reference,
        testable=testable,
        beaten=beaten,
        by=by,
        moves=moves,
        order=order,
        reliability=reliability,
        comparison=comparison,
        less_reliable=lower & (comparison.p <= alpha) & testable,
        similarity=similarity,
        properties=material.properties,
        human=material.human,
    )


def _against_trivial(material: Material, *, alpha: float) -> list[NDArray[np.int8]]:
    """The significant differences of each trivial system from each real one under each measure, (K, S)."""
    systems, trivial = np.arange(material.systems), material.systems + np.arange(len(material.trivial))
    return [significant_directions(each, trivial, systems, alpha=alpha) for each in material.evidence]


def _informed(
    material: Material, against: Sequence[NDArray[np.int8]], *, alpha: float
) -> tuple[Truth | None, int | None]:
    """Which systems are significantly better than chance, (S,); None where nothing is known about trivial systems.

    For texts: than every trivial system under the measure, the second value, under which most systems are.
    """
    if material.chance is not None:
        systems, chance = np.arange(material.systems), np.array([material.systems])
        return significant_directions(material.chance, systems, chance, alpha=alpha)[:, 0] > 0, None
    if not material.trivial:
        return None, None
    every: list[Truth] = [np.all(each < 0, axis=0) for each in against]
    reference = int(np.argmax([each.sum() for each in every]))
    return every[reference], reference


def _gamed(
    material: Material, against: Sequence[NDArray[np.int8]], informed: Truth | None
) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """How many informed systems a trivial one beats significantly under each measure, (M,), and which beats most."""
    measures = len(material.measures)
    if informed is None or not material.trivial:
        return np.zeros(measures, dtype=np.intp), ("",) * measures
    beats = np.array([(each > 0) & informed for each in against])
    most = beats.sum(axis=2).argmax(axis=1)
    return beats.any(axis=1).sum(axis=1), tuple(material.trivial[place] for place in most.tolist())
