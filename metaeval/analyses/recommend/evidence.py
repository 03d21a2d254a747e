"""What is known about each measure, for all systems and items or for some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.recommend.settings import RecommendSettings
from metaeval.analyses.sentences import show_beside
from metaeval.analyses.similarity.compute import CorrectedSimilarity
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.inference.agreement import compare_rankings
from metaeval.inference.pairs import Evidence, significant_directions
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.statistics import OF_TAU, Comparison, PairDeviations, compare_statistics
from metaeval.measures import Measure
from metaeval.model.runs import ClassRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import score_counts

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
    undefined: Floats
    moves: Ints | None
    properties: tuple[frozenset[str], ...]
    human: tuple[Bools, Floats] | None

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

        def some(evidence: Evidence, columns: Indices) -> Evidence:
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
    than `MARGIN`, (M, M). similarity: tau corrected for unreliability, with the intervals of `similarity`; None if the
    measures are not compared.
    """

    measures: tuple[str, ...]
    convention: tuple[int, ...]
    undefined: Floats
    informed: Bools | None
    reference: int | None
    testable: bool
    beaten: Indices
    by: tuple[str, ...]
    moves: int
    order: Floats | None
    reliability: Floats
    comparison: Comparison
    less_reliable: Bools
    similarity: CorrectedSimilarity | None
    properties: tuple[frozenset[str], ...]
    human: tuple[Bools, Floats] | None


def examine(material: Material, *, alpha: float, compares: bool = True) -> Examined:
    """Carry out the checks; compares: whether the measures are also compared with each other."""
    real = [each.select(np.arange(material.systems)) for each in material.evidence]
    against = _against_trivial(material, alpha=alpha) if material.trivial else []
    informed, reference = _informed(material, against, alpha=alpha)
    beaten, by = _gamed(material, against, informed)
    taus = [PairDeviations.of(each).expected_tau() for each in real]
    reliability = np.array([value for value, _ in taus])
    chance = np.stack([by_chance for _, by_chance in taus], axis=1)
    comparison = compare_statistics(reliability, chance, scale=OF_TAU, smallest_p=material.evidence[0].smallest_p)
    lower = reliability[:, np.newaxis] < reliability - MARGIN
    testable = material.evidence[0].smallest_p <= alpha
    moves, order = 0, None
    if material.moves is not None and material.moves.any():
        tally = material.moves.sum(axis=1)
        moves = int(tally[0].sum())
        order = tally / moves
    similarity = None
    if compares and len(real) > 1:
        one, other = np.triu_indices(len(real), k=1)
        agreement = compare_rankings(real, one, other)
        similarity = CorrectedSimilarity.of(agreement, one, other, smallest_p=real[0].smallest_p)
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
) -> tuple[Bools | None, int | None]:
    """Which systems are significantly better than chance, (S,); None where nothing is known about trivial systems.

    For texts: than every trivial system under the measure, the second value, under which most systems are.
    """
    if material.chance is not None:
        systems, chance = np.arange(material.systems), np.array([material.systems])
        return significant_directions(material.chance, systems, chance, alpha=alpha)[:, 0] > 0, None
    if not material.trivial:
        return None, None
    every: list[Bools] = [np.all(each < 0, axis=0) for each in against]
    reference = int(np.argmax([each.sum() for each in every]))
    return every[reference], reference


def _gamed(
    material: Material, against: Sequence[NDArray[np.int8]], informed: Bools | None
) -> tuple[Indices, tuple[str, ...]]:
    """How many informed systems a trivial one beats significantly under each measure, (M,), and which beats most."""
    measures = len(material.measures)
    if informed is None or not material.trivial:
        return np.zeros(measures, dtype=np.intp), ("",) * measures
    beats = np.array([(each > 0) & informed for each in against])
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
    gold, said = np.nonzero(np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))) > 1)
    system, cell = np.nonzero(counts[:, gold, said] > 0)
    before = _oriented(counts, measures, scale)
    tally = np.zeros((len(measures), len(counts), 3), dtype=np.int64)
    step = max(1, _CELLS_TOGETHER // classes**2)
    for begin in range(0, len(system), step):
        of, where = system[begin : begin + step], cell[begin : begin + step]
        rows, row, column = np.arange(len(of)), gold[where], said[where]
        moved = counts[of]
        moved[rows, row, column] -= 1
        moved[rows, row, column + np.sign(row - column)] += 1
        gain = np.sign(_oriented(moved, measures, scale) - before[:, of])
        for index, outcome in enumerate((1, 0, -1)):
            for number, are in enumerate(gain == outcome):
                tally[number, :, index] += np.bincount(of, weights=are, minlength=len(counts)).astype(np.int64)
    return tally


def _oriented(counts: Ints, measures: Sequence[Measure], scale: ClassScale) -> Floats:
    """Scores (M, K) of confusion counts (K, C, C), higher better."""
    systems = tuple(map(str, range(len(counts))))
    return score_counts(counts, measures, scale=scale, systems=systems).oriented().values


MAX_UNDEFINED = 0.01
"""Share of random halves in which a measure may be undefined."""

MAX_BLIND = 0.5
"""Share of the moves toward gold that may not change a score."""

MAX_PERVERSE = 0.05
"""Share of the moves toward gold that may lower a score."""

MAX_GAMED = 0.1
"""Share of the informed systems that trivial ones may beat."""

MIN_INFORMED = 5
"""Informed systems from which a share of them is tolerated."""

SIMILAR = 0.9
"""Corrected rank correlation from which two measures rank similarly; below it they rank differently."""

USABLE = 0.5
"""Reliability below which a ranking deserves no recommendation."""

TIED = "tied"
"""The check of a measure under which no two systems differ."""


class Outcome(Enum):
    """What the evidence says about the choice of a measure."""

    CLEAR = "clear"
    SIMILAR = "similar"
    TRADE_OFF = "trade-off"
    UNDECIDED = "undecided"
    CANNOT_RANK = "cannot-rank"
    NONE = "none"


class Place(Enum):
    """What the verdict says about a measure; the first by convention stands for a named one where none is."""

    NAMED = "named"
    FIRST = "first"
    SIMILAR = "similar"
    UNDECIDED = "undecided"
    DIFFERENT = "different"
    EXCLUDED = "excluded"


@dataclass(frozen=True)
class Reason:
    """Why a measure is excluded: the check, and what it found."""

    check: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """A verdict on M measures.

    named: the index of the measure to use; None where no check decides. places: of each measure. reasons: of those that
    are excluded.
    """

    outcome: Outcome
    named: int | None
    places: tuple[Place, ...]
    reasons: tuple[Reason | None, ...]
    evidence: Examined

    @property
    def anchor(self) -> int | None:
        """The measure with which the others are compared: the named one, else the first that remains by convention."""
        kept = _kept(self.evidence, list(self.reasons))
        return self.named if self.named is not None or not kept else kept[0]

    def interval(self, number: int) -> tuple[float, float]:
        """The 95 % interval of the reliability of a measure."""
        comparison = self.evidence.comparison
        low, high = np.clip([comparison.low[number], comparison.high[number]], -1, 1).tolist()
        return low, high

    def measures(self, place: Place) -> list[int]:
        """The measures of which the verdict says this."""
        return [number for number, each in enumerate(self.places) if each is place]


def judge(evidence: Examined, settings: RecommendSettings, *, of_half: bool = False) -> Verdict:
    """Exclude measures by the checks, and compare those that remain.

    of_half: whether half of the data is judged, on which differences of systems need not be testable.
    """
    names = evidence.measures
    reasons = [_excluded(evidence, settings, index) for index in range(len(names))]
    kept = _kept(evidence, reasons)
    best = max(kept, key=lambda index: float(evidence.reliability[index]), default=0)
    for index in kept:
        if evidence.less_reliable[index, best]:
            reasons[index] = Reason("reliability", f"less reliable than {names[best]}")
    kept = _kept(evidence, reasons)
    outcome = _outcome(evidence, kept, reasons)
    if kept and not evidence.testable and not of_half:
        outcome = Outcome.CANNOT_RANK
    named = None if outcome is Outcome.CANNOT_RANK else _named(evidence, settings, kept)
    places = [Place.UNDECIDED if reason is None else Place.EXCLUDED for reason in reasons]
    anchor = named if named is not None else (kept[0] if kept else None)
    for index in kept:
        if index == named:
            places[index] = Place.NAMED
        elif index == anchor:
            places[index] = Place.FIRST
        elif anchor is not None:
            places[index] = _beside(evidence, anchor, index)
    if outcome is Outcome.SIMILAR and Place.DIFFERENT in places:
        outcome = Outcome.TRADE_OFF
    elif outcome is Outcome.SIMILAR and Place.UNDECIDED in places:
        outcome = Outcome.UNDECIDED
    return Verdict(outcome, named, tuple(places), tuple(reasons), evidence)


def _beside(evidence: Examined, anchor: int, index: int) -> Place:
    """How a measure ranks beside the anchor; as in `similarity`, an interval that holds the margin leaves it open."""
    similarity = evidence.similarity
    if similarity is not None and similarity.low[anchor, index] >= SIMILAR:
        return Place.SIMILAR
    if similarity is not None and similarity.high[anchor, index] < SIMILAR:
        return Place.DIFFERENT
    return Place.UNDECIDED


def _kept(evidence: Examined, reasons: list[Reason | None]) -> list[int]:
    """The measures that remain, in the order of convention."""
    kept = [index for index, reason in enumerate(reasons) if reason is None]
    return sorted(kept, key=lambda index: evidence.convention[index])


def _named(evidence: Examined, settings: RecommendSettings, kept: list[int]) -> int | None:
    """The first measure by convention whose ranking is usable, the official one before all others.

    Where trivial systems are unknown, convention alone names none: only the user, human scores or a single measure that
    remains do.
    """
    official = [index for index in kept if evidence.measures[index] == settings.official]
    if official or not kept:
        return official[0] if official else None
    if evidence.informed is None and evidence.human is not None:
        correlations = evidence.human[1]
        return max(kept, key=lambda index: float(correlations[index]))
    if evidence.informed is None and len(kept) > 1:
        return None
    usable = [index for index in kept if evidence.reliability[index] >= USABLE]
    return (usable or kept)[0]


def _outcome(evidence: Examined, kept: list[int], reasons: list[Reason | None]) -> Outcome:
    """The outcome, as if all that remain ranked similarly."""
    if not kept:
        ties = all(reason is not None and reason.check == TIED for reason in reasons)
        return Outcome.CANNOT_RANK if ties else Outcome.NONE
    informed = evidence.informed
    if np.nanmax(evidence.reliability[kept], initial=-1.0) < USABLE or (informed is not None and not informed.any()):
        return Outcome.CANNOT_RANK
    return Outcome.CLEAR if len(kept) == 1 else Outcome.SIMILAR


def _excluded(evidence: Examined, settings: RecommendSettings, index: int) -> Reason | None:
    """The first check that excludes a measure by itself."""
    if evidence.undefined[index] > MAX_UNDEFINED:
        share = evidence.undefined[index]
        where = "for a system" if share == 1 else f"in {_percent(share, MAX_UNDEFINED)} of random halves"
        return Reason("undefined", f"undefined {where}")
    if np.isnan(evidence.reliability[index]):
        return Reason(TIED, "no two systems differ")
    return (
        _by_order(evidence, index)
        or _by_requirement(evidence, settings, index)
        or _by_gaming(evidence, index)
        or _by_humans(evidence, index)
    )


def _by_order(evidence: Examined, index: int) -> Reason | None:
    if evidence.order is None:
        return None
    _, same, lower = evidence.order[index].tolist()
    if lower > MAX_PERVERSE:
        return Reason("perverse", f"a nearer class scores lower in {_percent(lower, MAX_PERVERSE)}")
    if same > MAX_BLIND:
        return Reason("blind", f"a nearer class scores the same in {_percent(same, MAX_BLIND)}")
    return None


def _percent(share: float, limit: float) -> str:
    """A share in percent, with the decimals that show on which side of a limit it is."""
    return f"{show_beside(100 * share, 100 * limit, 0)} %"


def _by_requirement(evidence: Examined, settings: RecommendSettings, index: int) -> Reason | None:
    lacking = [name for name in settings.require if name not in evidence.properties[index]]
    return Reason("required", f"lacks {', '.join(lacking)}") if lacking else None


def _by_gaming(evidence: Examined, index: int) -> Reason | None:
    if evidence.informed is None:
        return None
    informed, beaten = int(evidence.informed.sum()), int(evidence.beaten[index])
    if beaten > (MAX_GAMED * informed if informed >= MIN_INFORMED else 0):
        return Reason("gamed", f"'{evidence.by[index]}' beats {beaten} of {informed} informed")
    return None


def _by_humans(evidence: Examined, index: int) -> Reason | None:
    if evidence.human is None or evidence.human[0][index]:
        return None
    return Reason("human", "correlates less with human scores")
