"""Tables, notes and findings of `similarity`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from metaeval.analyses.sentences import every, join_names, show_beside
from metaeval.analyses.similarity.compute import CorrectedSimilarity, Relations, Similarities, Tree
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.arrays import Ints
from metaeval.errors import pluralize
from metaeval.model.report import Finding, Note, Table, count, counts, score, scores, table, text
from metaeval.model.works import cite
from metaeval.render.plots.canvas import APART, Palette, Sheet, labels, number
from metaeval.render.plots.columns import matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import SHORT, Heat, colour_limits
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

if TYPE_CHECKING:
    from matplotlib.figure import Figure


RELATIONS = ("different", "same order", "undecided")
"""How two measures rank the systems."""


def tabulate(study: Study, settings: SimilaritySettings, result: Similarities) -> AnalysisOutput:
    """Tables `similarity`, `similarity_tree` and `similarity_intervals`."""
    names, order, corrected = study.measure_names, result.tree.order, result.corrected
    by_measure = [names[index] for index in order]
    values = result.values[np.ix_(order, order)]
    title = f"Similarity of rankings ({settings.coefficient}) of {len(study.systems)} systems"
    similarities = (
        score(name, column, bands=STRENGTHS, digits=2) for name, column in zip(by_measure, values.T, strict=True)
    )
    groups = []
    if corrected is not None:
        about = "measures share a letter unless they rank the systems significantly differently"
        groups = [text("group", [result.letters[index] for index in order], about=about)]
    matrix = table("similarity", title, text("measure", by_measure), *groups, *similarities)
    details = []
    notes: list[Note | str] = [*undefined_notes(study), *notes_on_gaps(study)]
    if result.cells is not None:
        cells = counts(by_measure, result.cells[np.ix_(order, order)].T)
        title = "Number of scores that both measures have, of systems × items"
        details.append(table("similarity_cells", title, text("measure", by_measure), *cells))
        notes += _notes_on_few_cells(study, result.cells)
    constant = [names[index] for index in order if np.isnan(result.values[index, index])]
    if constant:
        notes.append(f"undefined similarity (—) of {', '.join(constant)}: all systems are tied")
    if len(result.tree.merges):
        details.append(_tree(names, result.tree))
    if corrected is None or result.relations is None:
        return AnalysisOutput([matrix, *details], notes, [])
    intervals = _intervals(names, result, corrected, result.relations)
    units = units_of(study)
    notes += [
        f"the corrected tau is that between halves of {units}, relative to that of each ranking with itself",
        f"intervals hold jointly for all pairs, by {result.samples:,} random sign changes of {units}",
        *notes_on_clusters(study),
        *notes_on_untested(study, "the corrected tau", permutations=settings.permutations),
    ]
    return AnalysisOutput(
        [matrix, *details, intervals],
        notes,
        findings(names, corrected, result.relations, settings.margin),
        methods=_methods(study, settings, result.samples),
    )


def _notes_on_few_cells(study: Study, cells: Ints) -> list[Note | str]:
    possible = len(study.systems) * len(study.items)
    if cells.min() >= FEW_CELLS * possible:
        return []
    least = f"at least {100 * cells.min() / len(study.systems) / len(study.items):.0f} %"
    warning = f"warning: fewer than {100 * FEW_CELLS:.0f} % of the cells for some pairs of measures, {least}"
    return [Note(warning, on_input=True)]


def _methods(study: Study, settings: SimilaritySettings, samples: int) -> list[str]:
    fewer = f", by {samples:,} of the permutations" if samples < settings.permutations else ""
    tau = (
        f"Kendall's tau {cite('kendall1945')} between the rankings of two measures was corrected for the unreliability "
        f"of both {cite('spearman1904')}, estimated from halves of {units_of(study)} that share no error; 95 % "
        f"intervals hold jointly for all pairs{fewer}."
    )
    groups = (
        f"Measures share a group unless their corrected tau is significantly below {settings.margin:g}, or both order "
        "some pair of systems in opposite ways, significantly in one family of tests of all pairs and measures."
    )
    subject = "The corrected values of all pairs of measures"
    return [*methods_of_tests(study, subject, permutations=settings.permutations, for_measures=True), tau, groups]


def _tree(names: Sequence[str], tree: Tree) -> Table:
    """The merges of the cluster tree, nearest first; a merge is named by its number in parentheses."""
    numbers = range(1, len(tree.merges) + 1)
    nodes = [*(names[index] for index in tree.leaves), *(f"({number})" for number in numbers)]
    one, other, distances, sizes = tree.merges.T
    return table(
        "similarity_tree",
        "Cluster tree: the measures or earlier merges that are joined at each distance (1 − similarity)",
        count("merge", numbers, about="number of the merge, in order"),
        text("one", [nodes[int(index)] for index in one], about="a measure, or (K) for what merge K joined"),
        text("other", [nodes[int(index)] for index in other], about="what it is joined with"),
        score("distance", distances, about="1 − similarity by average linkage"),
        count("measures", sizes.astype(np.int64), about="measures joined so far"),
        detail=True,
    )


def _intervals(
    names: Sequence[str], result: Similarities, corrected: CorrectedSimilarity, relations: Relations
) -> Table:
    one, other = np.array([*combinations(result.tree.order, 2)], dtype=np.intp).reshape(-1, 2).T
    value, tau, low, high = (
        matrix[one, other] for matrix in (result.values, corrected.tau, corrected.low, corrected.high)
    )
    different, same = relations.different[one, other], relations.same[one, other]
    return table(
        "similarity_intervals",
        "Kendall's tau corrected for the unreliability of both rankings",
        text("measure", [names[index] for index in one]),
        text("other", [names[index] for index in other]),
        score("value", value, about="Kendall's tau-b"),
        score("corrected", tau, about="1 if only chance makes the rankings differ", interval=("ci_low", "ci_high")),
        *scores(("ci_low", "ci_high"), (low, high), about="95 % intervals, for all pairs together"),
        count("contested", relations.contested[one, other], about="pairs of systems ordered in opposite ways"),
        text("relation", np.select([different, same], RELATIONS[:2], RELATIONS[2]), values=RELATIONS),
        detail=True,
    )


def findings(
    names: Sequence[str], corrected: CorrectedSimilarity, relations: Relations, margin: float
) -> list[Finding]:
    """How many pairs of measures rank the systems differently, and the pair with the lowest corrected tau."""
    one, other = np.triu_indices(len(names), k=1)
    tau, low, high = (matrix[one, other] for matrix in (corrected.tau, corrected.low, corrected.high))
    different, same = relations.different[one, other], relations.same[one, other]
    is_comparable = ~np.isnan(tau) | different
    sentences = []
    if is_comparable.any():
        sentences.append(_on_pairs(int(different.sum()), int(same.sum()), int(is_comparable.sum()), margin))
    if not np.isnan(tau).all() and np.nanmin(tau) < 1:
        lowest = int(np.nanargmin(tau))
        estimates = [show_beside(float(values[lowest]), margin) for values in (tau, low, high)]
        interval = f"{estimates[0]}, 95 % interval {estimates[1]} to {estimates[2]}"
        pair = f"{names[one[lowest]]} and {names[other[lowest]]}"
        sentences.append(f"the lowest corrected tau is that of {pair} ({interval})")
    unknown = [name for name, row in zip(names, corrected.tau, strict=True) if np.isnan(row).all()]
    if unknown and len(names) > 1:
        why = "a ranking is too unreliable, or ties all systems"
        sentences.append(f"no corrected tau (—) of {join_names(unknown)}: {why}")
    return [Finding("similarity", sentence) for sentence in sentences]


def _on_pairs(different: int, same: int, pairs: int, margin: float) -> str:
    """How many pairs of measures rank the systems differently, and how many alike.

    >>> _on_pairs(2, 1, 3, 0.9)[:63]
    '2 of 3 pairs of measures rank the systems differently (1 alike)'
    """
    amount = f"{different} of {pairs} pairs" if 0 < different < pairs else every(pairs, "pair")
    rank = f"{amount} of measures {'ranks' if pairs == 1 else 'rank'} the systems"
    if same == pairs:
        return f"{rank} alike: the corrected tau is at least {margin:g}"
    undecided = pairs - different - same
    if different:
        others = ", ".join(f"{count} {state}" for state, count in (("alike", same), ("undecided", undecided)) if count)
        rest = f" ({others})" if others else ""
        return f"{rank} differently{rest}: corrected tau below {margin:g}, or pairs of systems in opposite orders"
    in_which = f"{every(pairs, 'pair')} {'is' if pairs == 1 else 'are'} undecided"
    if same:
        in_which = f"{same} of {pairs} pairs rank them alike, and {undecided} are undecided"
    return f"no two measures rank the systems significantly differently: {in_which}"


@dataclass(frozen=True)
class Merge:
    """A fork of the tree: the origins of its two branches as (distance, row), and the distance where they meet."""

    one: tuple[float, float]
    other: tuple[float, float]
    distance: float


@plot(
    "similarity", title="Similarity of the rankings by the measures", example="similarity --config configs/stance.yaml"
)
def similarity(tables: Tables) -> Picture | None:
    """A heat map of the similarity of rankings, with the cluster tree if there is one."""
    table = tables["similarity"]
    names = texts(table, "measure")
    if not set(names) <= set(names_of(table)):
        return None
    values = matrix(table, names)
    pairs = [(i, j) for i in range(len(names)) for j in range(i) if not math.isnan(values[i, j])]
    if not pairs:
        return None
    match = re.search(r"\(([^()]+)\)", table.title)
    coefficient = SHORT.get(match[1], match[1]) if match else "similarity"
    heat = Heat(
        rows=[f"{name}{APART}{row}" for row, name in enumerate(labels(names, 34), start=1)],
        columns=[str(column) for column in range(1, len(names) + 1)],
        values=values,
        limits=colour_limits(values),
        what=f"{coefficient} of the rankings",
        least=min(0.62, 4.6 / len(names)),
    )
    merges = forks(names, tables["similarity_tree"]) if "similarity_tree" in tables else []

    def paint(palette: Palette, title: str) -> Figure:
        width, height = heat.size
        sheet = Sheet(palette, heat.left + width + 2, height + heat.below, title)
        heat.legend(sheet, heat.left, 0.2)
        heat.draw_on(sheet, heat.left, 0.5)
        if merges:
            _draw_tree(sheet, merges, heat, coefficient)
        return sheet.figure

    most, least = (choose(pairs, key=lambda pair: values[pair]) for choose in (max, min))
    parts = [
        f"{how} similar: {names[i]} and {names[j]} ({number(values[i, j])})"
        for how, (i, j) in (("most", most), ("least", least))
    ]
    alt = f"Heat map of the {coefficient} of the rankings by {pluralize(len(names), 'measure')}"
    return Picture(f"{alt}; {'; '.join(parts)}.", paint)


def forks(names: Sequence[str], tree: Table) -> list[Merge]:
    """The forks of the tree over rows in this order; empty if the tree contains other measures."""
    origins: dict[str, tuple[float, float]] = {name: (0.0, float(row)) for row, name in enumerate(names)}
    merges = []
    columns = (texts(tree, "one"), texts(tree, "other"), numbers(tree, "distance"))
    for index, (one, other, distance) in enumerate(zip(*columns, strict=True), start=1):
        if one not in origins or other not in origins or math.isnan(distance):
            return []
        fork = Merge(origins[one], origins[other], float(distance))
        origins[f"({index})"] = (fork.distance, (fork.one[1] + fork.other[1]) / 2)
        merges.append(fork)
    return merges


def _draw_tree(sheet: Sheet, merges: Sequence[Merge], heat: Heat, coefficient: str) -> None:
    axes = sheet.axes(heat.left + heat.size[0] + 0.14, 0.5, 1.3, heat.size[1])
    axes.set_ylim(len(heat.rows) - 0.5, -0.5)
    axes.set_yticks([])
    furthest = max(merge.distance for merge in merges) or 1.0
    axes.set_xlim(0, furthest * 1.05)
    axes.locator_params(axis="x", nbins=3)
    for merge in merges:
        across = [merge.one[0], merge.distance, merge.distance, merge.other[0]]
        down = [merge.one[1], merge.one[1], merge.other[1], merge.other[1]]
        axes.plot(across, down, color=sheet.palette.ink, linewidth=0.9, clip_on=False)
    sheet.horizontal(axes, f"distance (1 − {coefficient})")
