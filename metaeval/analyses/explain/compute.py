"""Why do two measures disagree? The systems that they order differently, and the errors or items that cause it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metaeval.analyses.explain.changes import RankChanges, find_conflicts
from metaeval.analyses.explain.contributions import Contributions, plan_contributions
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import UnknownName, conflict, invalid, refuse, setting
from metaeval.inference.conflicts import Conflicts, count_opposed
from metaeval.model.runs import ClassRuns
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.stats.pairs import all_pairs
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import ITEM_SCORES, LABELS
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks

Two = tuple[float, float]
"""One number for each of two measures."""


@dataclass(frozen=True)
class PairDifferences:
    """Differences of each two systems, the first less the second, positive in favour of the first.

    pairs: (P, 2), indices of systems. values: under each measure, (M, P), exactly 0 for a tie, NaN where a score is
    undefined. units: root mean square difference under each measure, (M,); 0 where all systems are tied.
    """

    pairs: Indices
    values: Floats
    units: Floats

    @property
    def standardised(self) -> Floats:
        """In units of each measure, (M, P), so that measures can be compared."""
        return self.scaled(self.values)

    def scaled(self, parts: Floats) -> Floats:
        """Differences, or parts of them, (M, ...), in units of each measure; 0 where all systems are tied."""
        units = self.units.reshape(-1, *(1,) * (parts.ndim - 1))
        return np.where(np.isnan(parts), np.nan, divide(parts, units, undefined=0.0))


def pair_differences(cube: ScoreCube) -> PairDifferences:
    """Differences of each two systems of a cube without leading axes.

    >>> from metaeval.model.scores import Direction
    >>> cube = ScoreCube(np.array([[0.2, 0.5]]), (), ("mae",), ("a", "b"), (Direction.LOWER,))
    >>> pair_differences(cube).values
    array([[0.3]])
    """
    scores = cube.oriented().values
    pairs = all_pairs(len(cube.systems))
    one, other = scores[:, pairs[:, 0]], scores[:, pairs[:, 1]]
    values = one - other
    squares = np.where(np.isnan(values), 0.0, values) ** 2
    units: Floats = np.sqrt(divide(squares.sum(axis=1), (~np.isnan(values)).sum(axis=1), undefined=0.0))
    return PairDifferences(pairs, values, units)


def significant_differences(differences: Floats, conflicts: Conflicts | None) -> Floats:
    """The differences that are significant, (M, P), and 0 for the others; all 0 where differences are not tested.

    Where systems lack items, a test is on the items that both have, and may contradict the difference of their scores.
    """
    if conflicts is None:
        return np.zeros_like(differences)
    return np.where(conflicts.directions == np.sign(differences), differences, 0.0)


def disagreeing(first: Floats, second: Floats) -> Indices:
    """Indices of the pairs that two measures order differently, the strongest disagreement first; both (P,).

    The strength is the smaller of the two standardised differences. Pairs that one measure ties come last, the largest
    difference under the other measure first. Pairs without a score are left out.

    >>> disagreeing(np.array([1.0, -0.5, 0.2, 0.0]), np.array([-0.1, 0.4, 0.3, 1.0])).tolist()
    [1, 0, 3]
    """
    differ = np.flatnonzero((np.sign(first) != np.sign(second)) & ~np.isnan(first) & ~np.isnan(second))
    one, other = np.abs(first[differ]), np.abs(second[differ])
    return differ[np.lexsort((-np.maximum(one, other), -np.minimum(one, other)))]


@dataclass(frozen=True)
class ConfusionContributions:
    """What single cells of confusion matrices contribute to the differences of P pairs of systems.

    counts: confusion matrices of both systems of a pair, (P, 2, C, C). oriented: the contributions with signs such that
    a higher one favours the first system, (M, P, C, C).
    """

    labels: tuple[str, ...]
    counts: Ints
    contributions: Contributions
    oriented: Floats


def contributions_of(study: Study, runs: ClassRuns, pairs: Indices, *, progress: Progress) -> ConfusionContributions:
    """The contributions of all cells to the differences of pairs of systems under every measure."""
    plan = plan_contributions(runs, study.measures, pairs, seed=study.config.seed)
    blocks = map_blocks(
        plan, lambda block: block, workers=study.config.workers, progress=progress, description="Mixing systems"
    )
    contributions = Contributions.concatenate(blocks)
    signs = np.array([direction.sign for direction in study.scores.directions], dtype=np.float64)
    oriented = contributions.values * signs[:, np.newaxis, np.newaxis, np.newaxis]
    return ConfusionContributions(runs.scale.predicted_labels, counts_of(runs)[pairs], contributions, oriented)


class Confusion(NamedTuple):
    """Errors of one cell of the confusion matrix, or of two opposite cells, of two systems.

    name: `low→high` (gold→predicted) or `low⇄high`. items, items_other: number of these errors of each system.
    oriented: what they contribute to the difference under each measure, positive in favour of the first system, (2,).
    contribution: what they contribute to the disagreement of the measures, in standardised units.
    """

    name: str
    items: int
    items_other: int
    oriented: Two
    contribution: float


def confusions_of(
    labels: Sequence[str], one: Ints, other: Ints, oriented: Floats, contributions: Floats
) -> tuple[Confusion, ...]:
    """The confusions in which two systems differ, the largest contribution to the disagreement first.

    Opposite cells are one confusion if their effects have the same sign: the same system has more errors in both, and
    no measure has contributions of both signs.

    one, other: counts, (C, C). oriented, contributions: of each cell, as in `Confusion`, (2, C, C) and (C, C).
    """
    more = one - other
    confusions = []
    for name, cells in _group(labels, more, oriented):
        if more[cells].any():
            items, items_other = int(one[cells].sum()), int(other[cells].sum())
            first, second = oriented[:, *cells].sum(axis=1).tolist()
            confusions.append(Confusion(name, items, items_other, (first, second), float(contributions[cells].sum())))
    return tuple(sorted(confusions, key=lambda confusion: -confusion.contribution))


def _group(labels: Sequence[str], more: Ints, oriented: Floats) -> Iterator[tuple[str, tuple[list[int], list[int]]]]:
    """Names of confusions, and the rows and columns of their cells."""
    for low, high in combinations(range(len(labels)), 2):
        same_signs = (oriented[:, low, high] * oriented[:, high, low] >= 0).all()
        if same_signs and more[low, high] * more[high, low] > 0:
            yield both_directions(labels[low], labels[high]), ([low, high], [high, low])
        else:
            yield f"{labels[low]}→{labels[high]}", ([low], [high])
            yield f"{labels[high]}→{labels[low]}", ([high], [low])


def both_directions(low: str, high: str) -> str:
    """The name of the errors between two classes, whichever of them is gold.

    >>> both_directions("agree", "disagree")
    'agree⇄disagree'
    """
    return f"{low}⇄{high}"


class DecidingItem(NamedTuple):
    """An item and what it contributes to the difference of two systems.

    values: in the units of the measures. oriented: positive in favour of the first system.
    """

    item: str
    values: Two
    oriented: Two


@dataclass(frozen=True)
class PairExplanation:
    """Two systems, and why two measures agree or disagree on them.

    values: differences of their scores, the first less the second; 0 where they are tied. oriented: the same, positive
    in favour of the first system. strength: the smaller of the two, standardised. contested: whether both are
    significant and opposed. confusions, items: the largest contribution to the disagreement first.
    """

    system: str
    other: str
    values: Two
    oriented: Two
    strength: float
    contested: bool
    confusions: tuple[Confusion, ...] = ()
    items: tuple[DecidingItem, ...] = ()

    @property
    def opposed(self) -> bool:
        """Whether the measures prefer different systems."""
        return self.oriented[0] * self.oriented[1] < 0

    @property
    def disputed(self) -> bool:
        """Whether the measures prefer different systems, or exactly one of them has a tie."""
        return bool(np.sign(self.oriented[0]) != np.sign(self.oriented[1])) and not np.isnan(self.oriented).any()

    @property
    def orientation(self) -> int:
        """−1 if the second measure is more in favour of the first system than the first measure is; else 1."""
        return -1 if self.disputed and np.sign(self.oriented[0]) < np.sign(self.oriented[1]) else 1

    @property
    def leading(self) -> tuple[str, float]:
        """The confusion that contributes most to the disagreement, and its share of it; '' and NaN if there is none."""
        total = sum(confusion.contribution for confusion in self.confusions)
        if not self.disputed or not total > 0:
            return "", np.nan
        return self.confusions[0].name, self.confusions[0].contribution / total


@dataclass(frozen=True)
class Explanations:
    """Why two measures disagree.

    is_requested: whether the user named the pair, so that the measures may agree on it. opposed, tied, undefined:
    number of pairs of systems that the measures order oppositely; that exactly one of them ties; without a score.
    contested: of the opposed pairs, those that both order significantly; None where differences are not tested. cells:
    None where systems predict no labels.
    """

    measures: tuple[str, str]
    pairs: tuple[PairExplanation, ...]
    is_requested: bool
    systems: int
    opposed: int
    tied: int
    undefined: int
    contested: int | None
    ranks: RankChanges
    cells: ConfusionContributions | None = None


class Cause(NamedTuple):
    """The confusion that contributes most to the disagreement of two measures, and its share of it.

    pairs: of systems that the measures order oppositely. contested: as of `Explanations`.
    """

    measure: str
    other: str
    pairs: int
    contested: int | None
    errors: str
    share: float


@dataclass(frozen=True)
class Disagreements:
    """How often each two of M measures disagree.

    opposed: number of pairs of systems that they order differently, (M, M). contested: of these, those that both order
    significantly; None where differences are not tested. pairs: number of all pairs. causes: most disagreements first;
    None where systems predict no labels. contributions: the basis of the causes.
    """

    opposed: Ints
    contested: Ints | None
    pairs: int
    causes: tuple[Cause, ...] | None
    contributions: Contributions | None


def analyse(study: Study, settings: ExplainSettings, *, progress: Progress) -> Explanations | Disagreements:
    """Explain why two measures disagree; for more than two, count how often each two of them do."""
    check(study, settings)
    explain = _explain_two if len(study.measure_names) == 2 else find_disagreements
    return explain(study, settings, progress=progress)


def check(study: Study, settings: ExplainSettings) -> None:
    """Raise an `InputError` or an `UnknownName` where there is nothing to explain."""
    check_rankable(study)
    systems = settings.systems
    names = study.measure_names
    if len(names) < 2:
        hint = "two spellings of one measure, such as kappa and kappa:weights=linear, count as one"
        raise refuse(None, f"one measure ({names[0]})", "at least two", hint, kind="count")
    for name in systems:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    if systems and (len(systems) != 2 or systems[0] == systems[1]):
        expected = "two different systems, or none, to explain the systems on which the measures disagree most"
        raise refuse(None, invalid(setting("systems"), ", ".join(systems), expected))
    if systems and len(names) > 2:
        other = f"{len(names)} measures"
        raise refuse(None, conflict(setting("systems"), other, "two measures", "name the two measures to explain"))
    if len(names) == 2 and study.find(ITEM_SCORES) is None:
        study.need(LABELS, "explain")


def _explain_two(study: Study, settings: ExplainSettings, *, progress: Progress) -> Explanations:
    """Explain the two systems of the settings, or those on which two measures disagree most."""
    differences = pair_differences(study.scores)
    conflicts = find_conflicts(study, settings)
    contested = np.asarray(np.prod(significant_differences(differences.values, conflicts), axis=0) < 0)
    disagreements = disagreeing(*differences.standardised)
    disagreements = disagreements[np.argsort(~contested[disagreements], kind="stable")]
    pairs = _preferred_first(differences, disagreements[: settings.max_pairs])
    if settings.systems:
        pairs = np.array([[study.systems.index(name) for name in settings.systems]], dtype=np.intp)
    explanations = [_judgement(study, pair, differences, contested) for pair in pairs]
    cells = None
    runs, items = study.find(LABELS), study.find(ITEM_SCORES)
    if runs is not None:
        cells = contributions_of(study, runs, pairs, progress=progress)
        explanations = _with_confusions(explanations, cells, differences)
    elif items is not None:
        explanations = [
            replace(pair, items=_deciding_items(items, systems, pair, differences, at_most=settings.max_items))
            for systems, pair in zip(pairs, explanations, strict=True)
        ]
    first, second = np.sign(differences.values)
    return Explanations(
        (study.measure_names[0], study.measure_names[1]),
        tuple(explanations),
        is_requested=bool(settings.systems),
        systems=len(study.systems),
        opposed=int((first * second < 0).sum()),
        tied=int(((first == 0) ^ (second == 0))[disagreements].sum()),
        undefined=int(np.isnan(first + second).sum()),
        contested=None if conflicts is None else int(contested.sum()),
        ranks=RankChanges.of(study.scores),
        cells=cells,
    )


def _preferred_first(differences: PairDifferences, indices: Indices) -> Indices:
    """Pairs of systems, the one first that the first measure prefers, or that the second does not if that is a tie."""
    first, second = differences.values[:, indices]
    reverse = np.where(first != 0, first < 0, second > 0)
    pairs = differences.pairs[indices]
    return np.where(reverse[:, np.newaxis], pairs[:, ::-1], pairs)


def _judgement(study: Study, pair: Indices, differences: PairDifferences, contested: Bools) -> PairExplanation:
    """The differences of two systems under both measures, without the reasons for them."""
    one, other = pair.tolist()
    index = int(np.flatnonzero((differences.pairs == sorted((one, other))).all(axis=1))[0])
    sign = 1 if one < other else -1
    # 0.0 is added because the negative of a tie is −0.
    first, second = (differences.values[:, index] * sign + 0.0).tolist()
    signs = [direction.sign for direction in study.scores.directions]
    values = (first * signs[0] + 0.0, second * signs[1] + 0.0)
    strength = float(np.abs(differences.standardised[:, index]).min())
    systems = (study.systems[one], study.systems[other])
    return PairExplanation(*systems, values, (first, second), strength, bool(contested[index]))


def _with_confusions(
    pairs: list[PairExplanation], cells: ConfusionContributions, differences: PairDifferences
) -> list[PairExplanation]:
    first, second = differences.scaled(cells.oriented)
    explanations = []
    for index, pair in enumerate(pairs):
        contributions = pair.orientation * (first[index] - second[index])
        one, other = cells.counts[index]
        confusions = confusions_of(cells.labels, one, other, cells.oriented[:, index], contributions)
        explanations.append(replace(pair, confusions=confusions))
    return explanations


def _deciding_items(
    scores: ItemScores, systems: Indices, pair: PairExplanation, differences: PairDifferences, *, at_most: int
) -> tuple[DecidingItem, ...]:
    """The items that contribute most to the disagreement of the measures on a pair; systems: indices of the pair.

    If the measures agree on the pair, both directions of a contribution count.
    """
    contributions = scores.contributions() if scores.sums else scores.values
    values = (contributions[:, systems[0]] - contributions[:, systems[1]]) / max(1, len(scores.items))
    oriented = values * np.array([direction.sign for direction in scores.directions])[:, np.newaxis]
    first, second = differences.scaled(oriented)
    to_disagreement = pair.orientation * (first - second) if pair.disputed else np.abs(first - second)
    # Leaves out items on which the measures agree, and items without a score.
    relevant = np.flatnonzero(np.abs(to_disagreement) > 0)
    order = relevant[np.argsort(-to_disagreement[relevant], kind="stable")[:at_most]].tolist()
    return tuple(
        DecidingItem(
            scores.items[item],
            (float(values[0, item]), float(values[1, item])),
            (float(oriented[0, item]), float(oriented[1, item])),
        )
        for item in order
    )


def find_disagreements(study: Study, settings: ExplainSettings, *, progress: Progress) -> Disagreements:
    """Count the disagreements of each two of several measures, and find their main causes."""
    differences, conflicts = pair_differences(study.scores), find_conflicts(study, settings)
    opposed = count_opposed(differences.values)
    contested = None
    if conflicts is not None:
        contested = count_opposed(significant_differences(differences.values, conflicts))
    runs = study.find(LABELS)
    if runs is None:
        return Disagreements(opposed, contested, len(differences.pairs), None, None)
    pairs_by_measures = _most_opposed(differences, settings.max_pairs)
    # A pair of systems on which several measures disagree is analysed once.
    indices = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *pairs_by_measures.values()]))
    cells = contributions_of(study, runs, differences.pairs[indices], progress=progress)
    contributions = _contributions_to_choices(cells, differences, indices)
    names = [both_directions(low, high) for low, high in combinations(cells.labels, 2)]
    causes = []
    for (one, other), pairs in pairs_by_measures.items():
        rows = np.searchsorted(indices, pairs)
        # Each measure prefers another system, so that contributions to both choices add up to the disagreement.
        errors, share = _leading(contributions[one, rows] + contributions[other, rows], names)
        opposed_pairs = int(opposed[one, other])
        contested_pairs = None if contested is None else int(contested[one, other])
        measures = study.measure_names[one], study.measure_names[other]
        causes.append(Cause(*measures, pairs=opposed_pairs, contested=contested_pairs, errors=errors, share=share))
    causes.sort(key=lambda cause: -cause.pairs)
    return Disagreements(opposed, contested, len(differences.pairs), tuple(causes), cells.contributions)


def _most_opposed(differences: PairDifferences, at_most: int) -> dict[tuple[int, int], Indices]:
    """The indices of the pairs of systems on which two measures are most opposed, by indices of the measures."""
    scaled, signs = differences.standardised, np.sign(differences.values)
    pairs_by_measures = {}
    for one, other in combinations(range(len(scaled)), 2):
        pairs = disagreeing(scaled[one], scaled[other])
        pairs = pairs[signs[one, pairs] * signs[other, pairs] < 0][:at_most]
        if len(pairs):
            pairs_by_measures[one, other] = pairs
    return pairs_by_measures


def _contributions_to_choices(cells: ConfusionContributions, differences: PairDifferences, indices: Indices) -> Floats:
    """The standardised contribution of each confusion in favour of the system that a measure prefers, (M, P, K)."""
    in_favour = differences.scaled(cells.oriented)
    in_favour *= np.sign(differences.values[:, indices])[:, :, np.newaxis, np.newaxis]
    low, high = np.triu_indices(len(cells.labels), k=1)
    both: Floats = in_favour[:, :, low, high] + in_favour[:, :, high, low]
    return both


def _leading(contributions: Floats, names: list[str]) -> tuple[str, float]:
    """The confusion that contributes most over pairs of systems, (P, K), and its share; '' and NaN if there is none."""
    totals = contributions[~np.isnan(contributions).any(axis=1)].sum(axis=0)
    if not totals.sum() > 0:
        return "", np.nan
    largest = int(totals.argmax())
    return names[largest], float(totals[largest] / totals.sum())
