"""Why do two measures disagree?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExperimentConfig, ExplainConfig
from metaeval.errors import InputError, UnknownName
from metaeval.experiment.disagreements import disagreement_tables, find_disagreements
from metaeval.experiment.error_cells import ErrorCells, find_cells
from metaeval.experiment.error_kinds import error_kinds
from metaeval.experiment.explained import DecidingItem, ExplainedPair, Explanations
from metaeval.experiment.explanation_tables import explanation_tables
from metaeval.experiment.item_study import ItemStudy
from metaeval.experiment.label_study import LabelStudy
from metaeval.experiment.reading import read_study
from metaeval.experiment.study import COMPARING_NUMBERS, Part, Study, check_rankable, silently
from metaeval.io.dataset import Track
from metaeval.meta.disagreement import PairDifferences, Pairs, disagreeing, pair_differences
from metaeval.model.report import Report
from metaeval.model.scores import ItemScores


def explain(
    config: ExperimentConfig, *, systems: Sequence[str] = (), command_line: str = "", track: Track = silently
) -> Report:
    """The pairs of systems that two measures order differently, and what makes them do so.

    systems: two to explain, whether the measures disagree on them or not; without them those of most disagreement.

    Table `disagreements`: system, other, a column of differences a measure, verdict, strength, and of labels errors,
    share. Of labels `contributions`: system, other, gold, predicted, items, items_other, one column a measure, and
    their standard errors where they are estimates. Of other data `deciding_items`: system, other, item, one column a
    measure.

    With more than two measures it looks at every two of them. Table `disagreement_counts`: measure, one column a
    measure. Of labels `disagreement_causes`: measure, other, pairs, errors, share.
    """
    study = read_study(config, track=track)
    part = explanation_part(study, systems, track=track)
    section = study.config.explain or ExplainConfig()
    return study.report("explain", part, command_line=command_line, sections=[section])


def explanation_part(study: Study, systems: Sequence[str] = (), *, track: Track) -> Part:
    """What `explain` adds to a report: of two measures why they disagree, of more how often."""
    check_explainable(study, systems)
    if len(study.measure_names) == 2:
        return explanation_tables(find_explanations(study, systems, track=track))
    return disagreement_tables(study, find_disagreements(study, track=track))


def check_explainable(study: Study, systems: Sequence[str] = ()) -> None:
    """Raise an `InputError` or an `UnknownName` where there is nothing to explain."""
    check_rankable(study)
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
    if len(names) == 2 and isinstance(study, LabelStudy):
        study.samples("explain", COMPARING_NUMBERS)  # which predicted numbers have none of


def find_explanations(study: Study, systems: Sequence[str] = (), *, track: Track) -> Explanations:
    """Compute what `explain` tells of two measures; systems: two to explain, else those of most disagreement."""
    wanted = study.config.explain or ExplainConfig()
    differences = pair_differences(study.scores)
    disputed = disagreeing(*differences.standardised)
    asked = np.array([[study.systems.index(name) for name in systems]], dtype=np.intp) if systems else None
    pairs = _preferred_first(differences, disputed[: wanted.pairs]) if asked is None else asked
    explained = tuple(_pair(study, pair, differences) for pair in pairs)
    cells = None
    if isinstance(study, LabelStudy):
        cells = find_cells(study, pairs, track=track)
        explained = _with_kinds(study, explained, cells, differences)
    elif isinstance(study, ItemStudy):
        explained = tuple(
            replace(pair, items=_deciding_items(study.item_scores, places, pair, differences, wanted.items))
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
