"""Why do two measures disagree?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.explain.contributions import Contributions
from metaeval.analyses.explain.explanations import (
    Confusion,
    ConfusionContributions,
    DecidingItem,
    Explanations,
    Numbers,
    PairDifferences,
    PairExplanation,
    Pairs,
    both_directions,
    confusions_of,
    contributions_of,
    count_opposed,
    disagreeing,
    pair_differences,
)
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.errors import InputError, UnknownName, setting
from metaeval.model.scores import ItemScores
from metaeval.study.capabilities import ITEM_SCORES, LABELS
from metaeval.study.study import Progress, Study, check_rankable


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
        raise InputError.at(
            found=f"only one measure ({', '.join(names)})",
            expected="two different measures",
            hint="two spellings of one measure, such as kappa and kappa:weights=linear, count as one",
        )
    for name in systems:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    if systems and (len(systems) != 2 or systems[0] == systems[1]):
        raise InputError.at(
            found=f"{', '.join(systems)} in {setting('systems')}",
            expected="two different systems, or none, to explain the systems on which the measures disagree most",
        )
    if systems and len(names) > 2:
        raise InputError.at(
            found=f"{setting('systems')} with {len(names)} measures",
            expected="two measures",
            hint="name the two measures to explain",
        )
    if len(names) == 2 and study.find(ITEM_SCORES) is None:
        study.need(LABELS, "explain")


def _explain_two(study: Study, settings: ExplainSettings, *, progress: Progress) -> Explanations:
    """Explain the two systems of the settings, or those on which two measures disagree most."""
    differences = pair_differences(study.scores)
    disputed = disagreeing(*differences.standardised)
    pairs = _preferred_first(differences, disputed[: settings.max_pairs])
    if settings.systems:
        pairs = np.array([[study.systems.index(name) for name in settings.systems]], dtype=np.intp)
    explanations = [_judgement(study, pair, differences) for pair in pairs]
    cells = None
    labels, items = study.find(LABELS), study.find(ITEM_SCORES)
    if labels is not None:
        cells = contributions_of(study, labels, pairs, progress=progress)
        explanations = _with_confusions(explanations, cells, differences)
    elif items is not None:
        explanations = [
            replace(pair, items=_deciding_items(items, places, pair, differences, settings.max_items))
            for places, pair in zip(pairs, explanations, strict=True)
        ]
    first, second = np.sign(differences.values)
    return Explanations(
        (study.measure_names[0], study.measure_names[1]),
        tuple(explanations),
        named=bool(settings.systems),
        systems=len(study.systems),
        opposed=int((first * second < 0).sum()),
        tied=int(((first == 0) ^ (second == 0))[disputed].sum()),
        undefined=int(np.isnan(first + second).sum()),
        cells=cells,
    )


def _preferred_first(differences: PairDifferences, places: NDArray[np.intp]) -> Pairs:
    """Pairs of systems, the one first that the first measure prefers, or that the second does not if that is a tie."""
    first, second = differences.values[:, places]
    reverse = np.where(first != 0, first < 0, second > 0)
    pairs = differences.pairs[places]
    return np.where(reverse[:, np.newaxis], pairs[:, ::-1], pairs)


def _judgement(study: Study, pair: NDArray[np.intp], differences: PairDifferences) -> PairExplanation:
    """The differences of two systems under both measures, without the reasons for them."""
    one, other = pair.tolist()
    place = int(np.flatnonzero((differences.pairs == sorted((one, other))).all(axis=1))[0])
    sign = 1 if one < other else -1
    # 0.0 is added because the negative of a tie is −0.
    first, second = (differences.values[:, place] * sign + 0.0).tolist()
    signs = [direction.sign for direction in study.scores.directions]
    values = (first * signs[0] + 0.0, second * signs[1] + 0.0)
    strength = float(np.abs(differences.standardised[:, place]).min())
    return PairExplanation(study.systems[one], study.systems[other], values, (first, second), strength)


def _with_confusions(
    pairs: list[PairExplanation], cells: ConfusionContributions, differences: PairDifferences
) -> list[PairExplanation]:
    first, second = differences.scaled(cells.oriented)

    def confusions(place: int, orientation: int) -> tuple[Confusion, ...]:
        contributions = orientation * (first[place] - second[place])
        one, other = cells.counts[place]
        return confusions_of(cells.labels, one, other, cells.oriented[:, place], contributions)

    return [replace(pair, confusions=confusions(place, pair.orientation)) for place, pair in enumerate(pairs)]


def _deciding_items(
    scores: ItemScores, places: NDArray[np.intp], pair: PairExplanation, differences: PairDifferences, at_most: int
) -> tuple[DecidingItem, ...]:
    """The items that contribute most to the disagreement of the measures on a pair of systems; places: of these.

    If the measures agree on the pair, both directions of a contribution count.
    """
    contributions = scores.contributions() if scores.sums else scores.values
    values = (contributions[:, places[0]] - contributions[:, places[1]]) / max(1, len(scores.items))
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


class Cause(NamedTuple):
    """The confusion that contributes most to the disagreement of two measures, and its share of it."""

    measure: str
    other: str
    pairs: int
    errors: str
    share: float


@dataclass(frozen=True)
class Disagreements:
    """How often each two of M measures disagree.

    opposed: number of pairs of systems that they order differently, (M, M). pairs: number of all pairs. causes: most
    disagreements first; None where systems predict no labels. contributions: the basis of the causes.
    """

    opposed: NDArray[np.int64]
    pairs: int
    causes: tuple[Cause, ...] | None
    contributions: Contributions | None


def find_disagreements(study: Study, settings: ExplainSettings, *, progress: Progress) -> Disagreements:
    """Count the disagreements of each two of several measures, and find their main causes."""
    differences = pair_differences(study.scores)
    opposed = count_opposed(differences.values)
    labels = study.find(LABELS)
    if labels is None:
        return Disagreements(opposed, len(differences.pairs), None, None)
    chosen = _most_opposed(differences, settings.max_pairs)
    # A pair of systems on which several measures disagree is analysed once.
    places = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *chosen.values()]))
    cells = contributions_of(study, labels, differences.pairs[places], progress=progress)
    contributions = _contributions_to_choices(cells, differences, places)
    names = [both_directions(low, high) for low, high in combinations(cells.labels, 2)]
    causes = []
    for (one, other), pairs in chosen.items():
        rows = np.searchsorted(places, pairs)
        # Each measure prefers another system, so that contributions to both choices add up to the disagreement.
        errors, share = _leading(contributions[one, rows] + contributions[other, rows], names)
        measures = (study.measure_names[one], study.measure_names[other])
        causes.append(Cause(*measures, int(opposed[one, other]), errors, share))
    causes.sort(key=lambda cause: -cause.pairs)
    return Disagreements(opposed, len(differences.pairs), tuple(causes), cells.contributions)


def _most_opposed(differences: PairDifferences, at_most: int) -> dict[tuple[int, int], NDArray[np.intp]]:
    """The places of the pairs of systems on which two measures are most strongly opposed, by places of the measures."""
    scaled, signs = differences.standardised, np.sign(differences.values)
    chosen = {}
    for one, other in combinations(range(len(scaled)), 2):
        places = disagreeing(scaled[one], scaled[other])
        places = places[signs[one, places] * signs[other, places] < 0][:at_most]
        if len(places):
            chosen[one, other] = places
    return chosen


def _contributions_to_choices(
    cells: ConfusionContributions, differences: PairDifferences, places: NDArray[np.intp]
) -> Numbers:
    """The standardised contribution of each confusion in favour of the system that a measure prefers, (M, P, K)."""
    in_favour = differences.scaled(cells.oriented)
    in_favour *= np.sign(differences.values[:, places])[:, :, np.newaxis, np.newaxis]
    low, high = np.triu_indices(len(cells.labels), k=1)
    both: Numbers = in_favour[:, :, low, high] + in_favour[:, :, high, low]
    return both


def _leading(contributions: Numbers, names: list[str]) -> tuple[str, float]:
    """The confusion that contributes most over pairs of systems, (P, K), and its share; '' and NaN if there is none."""
    totals = contributions[~np.isnan(contributions).any(axis=1)].sum(axis=0)
    if not totals.sum() > 0:
        return "", np.nan
    largest = int(totals.argmax())
    return names[largest], float(totals[largest] / totals.sum())
