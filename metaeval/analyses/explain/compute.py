"""Why do two measures disagree?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.explain.differences import (
    PairDifferences,
    Pairs,
    disagreeing,
    pair_differences,
    times_opposed,
)
from metaeval.analyses.explain.error_cells import ErrorCells, find_cells
from metaeval.analyses.explain.error_kinds import both_ways, error_kinds
from metaeval.analyses.explain.explained import DecidingItem, ExplainedPair, Explanations
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.errors import InputError, UnknownName
from metaeval.model.scores import ItemScores
from metaeval.scoring.contributions import Contributions
from metaeval.study.capabilities import ITEM_SCORES, LABELS
from metaeval.study.study import Study, Track, check_rankable

Numbers = NDArray[np.float64]


def analyse(study: Study, settings: ExplainSettings, *, track: Track) -> Explanations | Disagreements:
    """Of two measures why they disagree, of more how often."""
    check(study, settings)
    if len(study.measure_names) == 2:
        return _of_two(study, settings, track=track)
    return find_disagreements(study, settings, track=track)


def check(study: Study, settings: ExplainSettings) -> None:
    """Raise an `InputError` or an `UnknownName` where there is nothing to explain."""
    check_rankable(study)
    systems = settings.systems
    names = study.measure_names
    if len(names) < 2:
        raise InputError.at(
            found=f"only one measure ({', '.join(names)})",
            expected="two that differ",
            hint="one that is written in two ways, as kappa and kappa:weights=linear, is still the same",
        )
    for name in systems:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    if systems and (len(systems) != 2 or systems[0] == systems[1]):
        raise InputError.at(
            found=f"--system {' --system '.join(systems)}",
            expected="two different systems, or none for those that the measures disagree on most",
        )
    if systems and len(names) > 2:
        raise InputError.at(
            found=f"--system with {len(names)} measures", expected="two measures", hint="name the two to explain"
        )
    if len(names) == 2 and study.find(ITEM_SCORES) is None:
        study.need(LABELS, "explain")


def _of_two(study: Study, settings: ExplainSettings, *, track: Track) -> Explanations:
    """Why two measures disagree on two systems, or on those of most disagreement."""
    systems = settings.systems
    differences = pair_differences(study.scores)
    disputed = disagreeing(*differences.standardised)
    asked = np.array([[study.systems.index(name) for name in systems]], dtype=np.intp) if systems else None
    pairs = _preferred_first(differences, disputed[: settings.max_pairs]) if asked is None else asked
    explained = tuple(_pair(study, pair, differences) for pair in pairs)
    cells = None
    labels, items = study.find(LABELS), study.find(ITEM_SCORES)
    if labels is not None:
        cells = find_cells(study, labels, pairs, track=track)
        explained = _with_kinds(study, explained, cells, differences)
    elif items is not None:
        explained = tuple(
            replace(pair, items=_deciding_items(items, places, pair, differences, settings.max_items))
            for places, pair in zip(pairs, explained, strict=True)
        )
    first, second = np.sign(differences.values)
    names = study.measure_names
    return Explanations(
        (names[0], names[1]),
        explained,
        asked=asked is not None,
        systems=len(study.systems),
        opposed=int((first * second < 0).sum()),
        tied=int(((first == 0) ^ (second == 0))[disputed].sum()),
        undefined=int(np.isnan(first + second).sum()),
        cells=cells,
    )


def _preferred_first(differences: PairDifferences, places: NDArray[np.intp]) -> Pairs:
    """Pairs of systems that measures disagree on, in each the one first that the first measure prefers.

    Where that one ties them it is the one that the second measure does not prefer.
    """
    first, second = differences.values[:, places]
    turned = np.where(first != 0, first < 0, second > 0)
    pairs = differences.pairs[places]
    return np.where(turned[:, np.newaxis], pairs[:, ::-1], pairs)


def _pair(study: Study, pair: NDArray[np.intp], differences: PairDifferences) -> ExplainedPair:
    """What two measures say of two systems, not yet why."""
    one, other = pair.tolist()
    place = int(np.flatnonzero((differences.pairs == sorted((one, other))).all(axis=1))[0])
    turned = 1 if one < other else -1
    gains = (differences.values[:, place] * turned + 0.0).tolist()
    values = [gain * direction.sign + 0.0 for gain, direction in zip(gains, study.scores.directions, strict=True)]
    strength = float(np.abs(differences.standardised[:, place]).min())
    return ExplainedPair(
        study.systems[one], study.systems[other], (values[0], values[1]), (gains[0], gains[1]), strength
    )


def _with_kinds(
    study: Study, explained: Sequence[ExplainedPair], cells: ErrorCells, differences: PairDifferences
) -> tuple[ExplainedPair, ...]:
    gains = cells.gains(study.scores.directions)
    pulls = differences.scaled(gains)
    return tuple(
        replace(
            pair,
            kinds=error_kinds(
                cells.labels,
                cells.counts[place, 0],
                cells.counts[place, 1],
                gains[:, place],
                pair.turn * (pulls[0, place] - pulls[1, place]),
            ),
        )
        for place, pair in enumerate(explained)
    )


def _deciding_items(
    scores: ItemScores, places: NDArray[np.intp], pair: ExplainedPair, differences: PairDifferences, at_most: int
) -> tuple[DecidingItem, ...]:
    """The items of one pair of systems that pull the two measures apart most.

    places: of the two systems. Where the measures disagree, items that do not pull towards that come last; where they
    agree, it does not matter which way an item pulls.
    """
    added = (scores.values[:, places[0]] - scores.values[:, places[1]]) / max(1, len(scores.items))
    gains = added * np.array([direction.sign for direction in scores.directions])[:, np.newaxis]
    first, second = differences.scaled(gains)
    pulls = pair.turn * (first - second) if pair.disputed else np.abs(first - second)
    # Neither items that both measures judge alike, nor those without a score.
    pulling = np.flatnonzero(np.abs(pulls) > 0)
    most = pulling[np.argsort(-pulls[pulling], kind="stable")[:at_most]].tolist()
    return tuple(
        DecidingItem(
            scores.items[item],
            (float(added[0, item]), float(added[1, item])),
            (float(gains[0, item]), float(gains[1, item])),
        )
        for item in most
    )


class Cause(NamedTuple):
    """What two measures disagree over most: a kind of errors, and its share of all that pulls them apart."""

    measure: str
    other: str
    pairs: int
    errors: str
    share: float


@dataclass(frozen=True)
class Disagreements:
    """How often every two measures disagree.

    opposed: how many pairs of systems they order differently, (M, M). pairs: how many there are. causes: of those two
    that disagree most first; None where systems predict no labels. contributions: what the causes come from.
    """

    opposed: NDArray[np.int64]
    pairs: int
    causes: tuple[Cause, ...] | None
    contributions: Contributions | None


def find_disagreements(study: Study, settings: ExplainSettings, *, track: Track) -> Disagreements:
    """How often every two of several measures disagree, and over what."""
    differences = pair_differences(study.scores)
    opposed = times_opposed(differences.values)
    labels = study.find(LABELS)
    if labels is None:
        return Disagreements(opposed, len(differences.pairs), None, None)
    chosen = _chosen(differences, settings.max_pairs)
    # Pairs of systems that several measures disagree on are looked at once.
    places = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *chosen.values()]))
    cells = find_cells(study, labels, differences.pairs[places], track=track)
    pulls = _pulls(study, cells, differences, places)
    names = both_ways_of(cells.labels)
    causes = []
    for (one, other), pairs in chosen.items():
        errors, share = _leading(pulls[one], pulls[other], np.searchsorted(places, pairs), names)
        measures = (study.measure_names[one], study.measure_names[other])
        causes.append(Cause(*measures, int(opposed[one, other]), errors, share))
    causes.sort(key=lambda cause: -cause.pairs)
    return Disagreements(opposed, len(differences.pairs), tuple(causes), cells.contributions)


def _chosen(differences: PairDifferences, at_most: int) -> dict[tuple[int, int], NDArray[np.intp]]:
    """By two measures the places of the pairs of systems that they oppose each other on most, where there are any."""
    scaled, signs = differences.standardised, np.sign(differences.values)
    chosen = {}
    for one, other in combinations(range(len(scaled)), 2):
        places = disagreeing(scaled[one], scaled[other])
        places = places[signs[one, places] * signs[other, places] < 0][:at_most]
        if len(places):
            chosen[one, other] = places
    return chosen


def _pulls(study: Study, cells: ErrorCells, differences: PairDifferences, places: NDArray[np.intp]) -> Numbers:
    """How far each kind of errors speaks for the system that a measure prefers, in its units, (M, P, kinds)."""
    towards = differences.scaled(cells.gains(study.scores.directions))
    towards *= np.sign(differences.values[:, places])[:, :, np.newaxis, np.newaxis]
    low, high = np.triu_indices(len(cells.labels), k=1)
    both: Numbers = towards[:, :, low, high] + towards[:, :, high, low]
    return both


def both_ways_of(labels: tuple[str, ...]) -> list[str]:
    """What errors between every two classes are called.

    >>> both_ways_of(("low", "mid", "high"))
    ['low⇄mid', 'low⇄high', 'mid⇄high']
    """
    return [both_ways(low, high) for low, high in combinations(labels, 2)]


def _leading(first: Numbers, second: Numbers, pairs: NDArray[np.intp], names: list[str]) -> tuple[str, float]:
    """The kind of errors that pulls two measures apart most over pairs of systems they order oppositely; its share."""
    # Each measure prefers another system, so that what speaks for either one's choice pulls them apart.
    pulls = first[pairs] + second[pairs]
    known = pulls[~np.isnan(pulls).any(axis=1)].sum(axis=0)
    if not known.sum() > 0:
        return "", np.nan
    most = int(known.argmax())
    return names[most], float(known[most] / known.sum())
