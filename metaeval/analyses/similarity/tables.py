"""Tables, notes and findings of `similarity`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import every, join_names
from metaeval.analyses.similarity.compute import CorrectedSimilarity, Similarities, Tree
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.errors import join_all, pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Note, Table, columns, on_columns
from metaeval.model.works import cite
from metaeval.stats.association import STRENGTHS
from metaeval.study.evidence import (
    FEW_CELLS,
    methods_of_tests,
    notes_on_clusters,
    notes_on_gaps,
    notes_on_untested,
    units_of,
)
from metaeval.study.study import AnalysisOutput, Study, undefined_notes


def tabulate(study: Study, settings: SimilaritySettings, result: Similarities) -> AnalysisOutput:
    """Tables `similarity`, `groups`, `similarity_tree` and `similarity_intervals`."""
    names, order, corrected = study.measure_names, result.tree.order, result.corrected
    matrix = Table(
        "similarity",
        f"Similarity of rankings ({settings.coefficient}) of {len(study.systems)} systems",
        (Column("measure"), *(Column(names[place], Kind.SCORE, bands=STRENGTHS) for place in order)),
        tuple((names[row], *(float(result.values[row, column]) for column in order)) for row in order),
    )
    tables = [matrix]
    notes: list[Note | str] = [*undefined_notes(study), *notes_on_gaps(study)]
    if result.cells is not None:
        tables.append(_cells(study, result.cells, order))
        few = result.cells < FEW_CELLS * len(study.systems) * len(study.items)
        if few.any():
            least = f"at least {100 * result.cells.min() / len(study.systems) / len(study.items):.0f} %"
            notes.append(
                f"warning: fewer than {100 * FEW_CELLS:.0f} % of the cells for some pairs of measures, {least}"
            )
    constant = [names[place] for place in order if np.isnan(result.values[place, place])]
    if constant:
        notes.append(f"undefined similarity (—) of {', '.join(constant)}: all systems are tied")
    if len(result.tree.merges):
        tables.append(_tree(names, result.tree))
    if corrected is None:
        return AnalysisOutput(tables, notes, [])
    letters = result.letters
    tables[1:1] = [_groups(names, order, letters, settings.margin)]
    tables.append(_intervals(names, result, corrected))
    notes += _notes(study, settings, corrected)
    notes += notes_on_untested(study, "the corrected tau", permutations=settings.permutations)
    found = findings(names, corrected, letters, settings.margin)
    return AnalysisOutput(tables, notes, found, methods=_methods(study, settings))


def _cells(study: Study, cells: NDArray[np.int64], order: Sequence[int]) -> Table:
    names = study.measure_names
    heads = (Column("measure"), *(Column(names[place], Kind.COUNT) for place in order))
    rows: list[tuple[Cell, ...]] = [(names[row], *(int(cells[row, column]) for column in order)) for row in order]
    return Table("similarity_cells", "Number of scores that both measures have, of systems × items", heads, tuple(rows))


def _methods(study: Study, settings: SimilaritySettings) -> list[str]:
    tau = (
        f"Kendall's tau {cite('kendall1945')} between the rankings of two measures was corrected for the unreliability "
        f"of both {cite('spearman1904')}, estimated from halves of {units_of(study)} that share no error; 95 % "
        "intervals hold jointly for all pairs."
    )
    groups = f"Measures share a group unless their corrected tau is significantly below {settings.margin:g}."
    what = "The corrected values of all pairs of measures"
    return [*methods_of_tests(study, what, permutations=settings.permutations, of_measures=True), tau, groups]


def _groups(names: Sequence[str], order: Sequence[int], letters: Sequence[str], margin: float) -> Table:
    title = f"Groups of measures whose corrected tau is not significantly below {margin:g}"
    rows = tuple((names[place], letters[place]) for place in order)
    return Table("groups", title, (Column("measure"), Column("group")), rows)


def _tree(names: Sequence[str], tree: Tree) -> Table:
    """The merges of the cluster tree, nearest first; a merge is named by its number in parentheses."""
    nodes = [*(names[place] for place in tree.leaves), *(f"({place + 1})" for place in range(len(tree.merges)))]
    rows = tuple(
        (number, nodes[int(one)], nodes[int(other)], float(distance), int(measures))
        for number, (one, other, distance, measures) in enumerate(tree.merges.tolist(), start=1)
    )
    columns = (
        *(Column("merge", Kind.COUNT), Column("one"), Column("other")),
        *(Column("distance", Kind.SCORE), Column("measures", Kind.COUNT)),
    )
    title = "Cluster tree: the measures or earlier merges that are joined at each distance (1 − similarity)"
    return Table("similarity_tree", title, columns, rows, detail=True)


def _intervals(names: Sequence[str], result: Similarities, corrected: CorrectedSimilarity) -> Table:
    order = np.array(result.tree.order)
    rows = tuple(
        (names[one], names[other],
         *(float(each[one, other]) for each in (result.values, corrected.tau, corrected.low, corrected.high)))
        for one, other in order[np.stack(np.triu_indices(len(order), k=1), axis=1)].tolist()
    )  # fmt: skip
    heads = (Column("measure"), Column("other"), *columns(Kind.SCORE, "value", "corrected", "ci_low", "ci_high"))
    return Table("similarity_intervals", "Kendall's tau corrected for the unreliability of both rankings", heads, rows)


def _notes(study: Study, settings: SimilaritySettings, corrected: CorrectedSimilarity) -> list[Note | str]:
    units = units_of(study)
    signs = f"{settings.permutations:,} random sign changes of {units}"
    below = f"significantly below {settings.margin:g} (ci_high < {settings.margin:g})"
    notes: list[Note | str] = [
        on_columns(
            ["corrected"], f"tau between rankings without errors, estimated from halves of {units} that share no error"
        ),
        on_columns(
            ["ci_low", "ci_high"], f"95 % intervals of corrected on other items, jointly for all pairs ({signs})"
        ),
        f"measures share a group unless their corrected tau is {below}; a measure may be in several groups",
        *notes_on_clusters(study),
    ]
    unknown = np.isnan(corrected.tau).all(axis=1)
    if unknown.any():
        names = join_names([study.measure_names[place] for place in np.flatnonzero(unknown).tolist()])
        notes.append(f"no corrected tau (—) of {names}: the rankings are too unreliable, or tie all systems")
    return notes


def findings(
    names: Sequence[str], corrected: CorrectedSimilarity, letters: Sequence[str], margin: float
) -> list[Finding]:
    """The groups of measures, how sure they are, and the pair with the lowest corrected tau."""
    one, other = np.triu_indices(len(names), k=1)
    tau, low, high = (each[one, other] for each in (corrected.tau, corrected.low, corrected.high))
    known = ~np.isnan(tau)
    if not known.any():
        return []
    lowest = int(np.nanargmin(tau))
    pair = (
        f"the lowest corrected tau is that of {names[one[lowest]]} and {names[other[lowest]]} ({tau[lowest]:.2f}, 95 % "
        f"interval {low[lowest]:.2f} to {high[lowest]:.2f})"
    )
    # A lowest value of 1 says nothing that the sentence does not say.
    pair = f"; {pair}" if tau[lowest] < 1 else ""
    below, above, every_pair = int((high < margin).sum()), int((low >= margin).sum()), int(known.sum())
    sure = _certainty({f"significantly below {margin:g}": below, f"at least {margin:g}": above,
                       "undecided": every_pair - below - above})  # fmt: skip
    if above == every_pair:
        measures = every(len(names)) if "—" not in letters else "the measures with a corrected tau"
        return [Finding("similarity", f"{measures} rank the systems similarly: {sure}{pair}")]
    if not below:
        return [Finding("similarity", f"no corrected tau is significantly below {margin:g}: {sure}{pair}")]
    members: dict[str, list[str]] = {}
    for name, own in zip(names, letters, strict=True):
        for each in re.findall(r"[A-Z]\d*", own):
            members.setdefault(each, []).append(name)
    listed = "; ".join(
        f"{each}: {join_names(members[each])}" for each in sorted(members, key=lambda text: (text[1:], text))
    )
    return [Finding("similarity", f"the measures form {len(members)} groups ({listed}): {sure}{pair}")]


def _certainty(pairs: Mapping[str, int]) -> str:
    """In how many pairs of measures the corrected tau is what; pairs: their number by the state of the tau.

    >>> _certainty({"at least 0.9": 2, "undecided": 1})
    'the corrected tau is at least 0.9 in 2 and undecided in 1 of 3 pairs'
    >>> _certainty({"at least 0.9": 3, "undecided": 0})
    'the corrected tau is at least 0.9 in all 3 pairs'
    """
    states = {state: count for state, count in pairs.items() if count}
    number = sum(pairs.values())
    if len(states) == 1:
        return f"the corrected tau is {next(iter(states))} in {every(number, 'pair')}"
    counts = join_all([f"{state} in {count}" for state, count in states.items()])
    return f"the corrected tau is {counts} of {pluralize(number, 'pair')}"
