"""How often does every measure disagree with every other one, and over what errors?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.config import ExplainConfig
from metaeval.errors import counted
from metaeval.experiment.error_cells import ErrorCells, find_cells
from metaeval.experiment.error_kinds import both_ways
from metaeval.experiment.explanation_tables import mixture_notes
from metaeval.experiment.label_study import LabelStudy
from metaeval.experiment.study import Part, Study, undefined_notes
from metaeval.io.dataset import Track
from metaeval.meta.disagreement import PairDifferences, disagreeing, pair_differences, times_opposed
from metaeval.model.labels import NumericRuns
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.scoring.contributions import Contributions

Numbers = NDArray[np.float64]


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


def find_disagreements(study: Study, *, track: Track) -> Disagreements:
    """Compute what `explain` tells of more than two measures."""
    differences = pair_differences(study.scores)
    opposed = times_opposed(differences.values)
    if not isinstance(study, LabelStudy) or isinstance(study.runs, NumericRuns):
        return Disagreements(opposed, len(differences.pairs), None, None)
    chosen = _chosen(differences, (study.config.explain or ExplainConfig()).pairs)
    # Pairs of systems that several measures disagree on are looked at once.
    places = np.unique(np.concatenate([np.empty(0, dtype=np.intp), *chosen.values()]))
    cells = find_cells(study, differences.pairs[places], track=track)
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


def _pulls(study: LabelStudy, cells: ErrorCells, differences: PairDifferences, places: NDArray[np.intp]) -> Numbers:
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


def disagreement_tables(study: Study, found: Disagreements) -> Part:
    """The tables of `explain` for more than two measures, and what to say of them."""
    names = study.measure_names
    counts = Table(
        "disagreement_counts",
        f"Pairs of systems, of {found.pairs:,}, that two measures order differently",
        (Column("measure"), *(Column(name, Kind.COUNT) for name in names)),
        tuple((name, *row) for name, row in zip(names, found.opposed.tolist(), strict=True)),
    )
    notes = [*undefined_notes(study.scores), "a tie under one of the measures is no disagreement"]
    if not found.causes or found.contributions is None:
        return Part([counts], notes, _findings(study, found))
    at_most = (study.config.explain or ExplainConfig()).pairs
    notes.append(
        "errors are those that pull two measures apart most, in both directions, and share is their part in that, more "
        "than 1 where the others pull them together (Shapley values of the cells of confusion matrices, of up to "
        f"{counted(at_most, 'pair')} of systems that they disagree on most)"
    )
    notes += mixture_notes(found.contributions, names)
    columns = (
        *map(Column, ("measure", "other")),
        Column("pairs", Kind.COUNT),
        Column("errors"),
        Column("share", Kind.SCORE),
    )
    causes = Table("disagreement_causes", "What measures disagree over", columns, found.causes)
    return Part([counts, causes], notes, _findings(study, found))


def _findings(study: Study, found: Disagreements) -> list[Finding]:
    names = study.measure_names
    if not found.opposed.any():
        return [Finding("explain", f"no two of the {len(names)} measures order any systems differently")]
    one, other = (int(place) for place in np.unravel_index(found.opposed.argmax(), found.opposed.shape))
    pairs = f"{found.opposed[one, other]:,} of {counted(found.pairs, 'pair')} of systems"
    told = f"{names[one]} and {names[other]} disagree most, on {pairs}"
    if found.causes and found.causes[0].errors:
        told += f", mainly over {found.causes[0].errors} errors ({found.causes[0].share:.0%} of what pulls them apart)"
    return [Finding("explain", told)]
