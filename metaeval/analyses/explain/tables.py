"""Why two measures disagree on systems, as tables and notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.explain.compute import Disagreements
from metaeval.analyses.explain.error_cells import ErrorCells
from metaeval.analyses.explain.explained import ExplainedPair, Explanations
from metaeval.analyses.explain.sentences import on_explanations
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.scoring.contributions import Contributions
from metaeval.study.study import Part, Study, undefined_notes

SYSTEMS = (Column("system"), Column("other"))


def tabulate(study: Study, settings: ExplainSettings, found: Explanations | Disagreements) -> Part:
    """Of two measures why they disagree, of more how often."""
    return _of_two(found) if isinstance(found, Explanations) else _of_several(study, settings, found)


def _of_two(found: Explanations) -> Part:
    """The tables of `explain` for two measures, and what to say of them."""
    tables = [_disagreements(found)]
    if not found.pairs:
        return Part(tables, _notes(found), on_explanations(found))
    if found.cells is not None:
        tables.append(_contributions(found, found.cells))
    else:
        tables.append(_deciding_items(found))
    return Part(tables, _notes(found), on_explanations(found))


def _disagreements(found: Explanations) -> Table:
    first, second = found.measures
    columns = [
        *SYSTEMS,
        *(Column(name, Kind.SCORE) for name in found.measures),
        Column("verdict"),
        Column("strength", Kind.SCORE),
    ]
    rows: list[tuple[Cell, ...]] = [
        (pair.system, pair.other, *pair.values, _verdict(found.measures, pair), pair.strength) for pair in found.pairs
    ]
    if found.cells is not None:
        columns += [Column("errors"), Column("share", Kind.SCORE)]
        rows = [(*row, *pair.leading) for row, pair in zip(rows, found.pairs, strict=True)]
    title = f"{first} and {second}: differences (system − other) of {_which(found)}"
    return Table("disagreements", title, tuple(columns), tuple(rows))


def _which(found: Explanations) -> str:
    if found.asked:
        return "two systems"
    differing = found.opposed + found.tied
    of_all = f"{len(found.pairs)} of " if len(found.pairs) < differing else ""
    return f"{of_all}{counted(differing, 'pair')} of systems that they judge differently"


def _verdict(measures: tuple[str, str], pair: ExplainedPair) -> str:
    if np.isnan(pair.gains).any():
        return "undefined"
    if not pair.disputed:
        return "alike" if pair.gains[0] else "tied by both"
    if pair.opposed:
        return "opposed"
    return f"tied by {measures[0] if pair.gains[0] == 0 else measures[1]}"


def _contributions(found: Explanations, cells: ErrorCells) -> Table:
    added = cells.contributions
    estimated = [f"{name}_se" for name in found.measures] if added.sampled.any() else []
    numbers = np.concatenate([added.values, added.errors]) if estimated else added.values
    labels = cells.labels
    errors = ~np.eye(len(labels), dtype=np.bool_)
    rows: list[tuple[Cell, ...]] = []
    for place, pair in enumerate(found.pairs):
        # Errors that neither system makes, and that add nothing, say nothing.
        told = cells.counts[place].any(axis=0) | (added.values[:, place] != 0).any(axis=0)
        gold, predicted = (places.tolist() for places in np.nonzero(errors & told))
        counts = cells.counts[place][:, gold, predicted].T.tolist()
        scores = numbers[:, place, gold, predicted].T.tolist()
        rows += [
            (pair.system, pair.other, labels[row], labels[column], *of_both, *of_cell)
            for row, column, of_both, of_cell in zip(gold, predicted, counts, scores, strict=True)
        ]
    columns = (
        *SYSTEMS,
        *map(Column, ("gold", "predicted")),
        *(Column(name, Kind.COUNT) for name in ("items", "items_other")),
        *(Column(name, Kind.SCORE) for name in (*found.measures, *estimated)),
    )
    title = "What each kind of error adds to the difference of two systems"
    return Table("contributions", title, columns, tuple(rows), detail=len(found.pairs) != 1)


def _deciding_items(found: Explanations) -> Table:
    rows = tuple((pair.system, pair.other, item.item, *item.added) for pair in found.pairs for item in pair.items)
    columns = (*SYSTEMS, Column("item"), *(Column(name, Kind.SCORE) for name in found.measures))
    title = "Items that pull the measures apart most: what each adds to the difference of two systems"
    return Table("deciding_items", title, columns, rows)


def _notes(found: Explanations) -> list[str]:
    notes = []
    if found.pairs:
        notes.append(
            "differences are as measured; strength is the smaller one of the two, in units of the usual difference of "
            "two systems under its measure"
        )
    if found.undefined:
        first, second = found.measures
        pairs = counted(found.undefined, "pair")
        notes.append(f"{pairs} of systems can't be compared: {first} or {second} is undefined for one of them")
    if found.cells is not None and found.pairs:
        if any(pair.disputed for pair in found.pairs):
            notes.append(
                "errors are those that pull the measures apart most, gold→predicted or both ways, and share is their "
                "part in that, more than 1 where the others pull them together"
            )
        notes.append(
            "contributions are Shapley values of the cells of the confusion matrix; they sum to the difference"
        )
        notes += mixture_notes(found.cells.contributions, found.measures)
    return notes


def _scaled_down(found: Contributions, measures: Sequence[str]) -> str:
    """Under which measures mixtures were scaled down; the others see errors that no system could make."""
    scaled, others = (
        listed([name for name, mixed in zip(measures, found.by_mixtures.tolist(), strict=True) if mixed is wanted])
        for wanted in (True, False)
    )
    if not others:
        return "they were scaled down"
    return (
        f"under {scaled} they were scaled down, while under {others} a cell is worth the same in any mixture, so that "
        "the two kinds of measures share out their differences in games that are not quite the same"
    )


def mixture_notes(found: Contributions, measures: Sequence[str]) -> list[str]:
    """What a reader has to know of the mixtures of systems that contributions come from."""
    notes = []
    if found.scaled:
        of_all = f"{found.scaled:,} of {counted(found.mixtures, 'mixture')} of two systems"
        notes.append(f"in {of_all} a gold class had more errors than items; {_scaled_down(found, measures)}")
    if found.sampled.any():
        notes.append(
            f"contributions in {counted(int(found.sampled.sum()), 'pair')} of systems are estimates from random orders "
            "of the cells, with standard errors; their sums are exact"
        )
    unknown = np.isnan(found.values).any(axis=(2, 3)).sum(axis=1).tolist()
    notes += [
        f"contributions under {name} are unknown in {counted(pairs, 'pair')} of systems, since it is undefined for "
        "some mixture of them"
        for name, pairs in zip(measures, unknown, strict=True)
        if pairs
    ]
    return notes


def _of_several(study: Study, settings: ExplainSettings, found: Disagreements) -> Part:
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
    at_most = settings.max_pairs
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
