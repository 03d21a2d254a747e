"""Tables, notes and findings of `axioms`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.analyses.axioms.properties import FormalProperty, Relation, Verdict
from metaeval.analyses.axioms.properties.checking import with_verdicts
from metaeval.analyses.axioms.properties.declared import PARTS_UP_TO
from metaeval.analyses.axioms.properties.search import GOLDS_UP_TO, RANDOM_CLASSES, SYSTEMS_UP_TO
from metaeval.analyses.axioms.properties.spec import WORKS
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.analyses.axioms.study import AxiomsStudy
from metaeval.analyses.sentences import join_names
from metaeval.errors import join_all, pluralize
from metaeval.model.report import Finding, Kind, Note, Table, count, flag, score, table, text
from metaeval.model.runs import DataKind
from metaeval.render.plots.canvas import COLOURS, Mark, Palette, Sheet, sheet_with_legend
from metaeval.render.plots.columns import cells_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.matrix import Matrix, cell_patch
from metaeval.scoring.parts import Matrices
from metaeval.study.study import AnalysisOutput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


ORDINAL = ("ordinal-invariance", "ordinal-monotonicity", "imbalance")
"""The properties that Amigó et al. (2020) require of a measure for ordered classes."""

SHARES_UP_TO = 2
"""Number of refuted claims up to which the finding says in how many of the cases."""

CONFIRMED, REFUTED = "confirmed", "refuted"


def tabulate(study: AxiomsStudy, settings: AxiomsSettings, verdicts: Sequence[Sequence[Verdict]]) -> AnalysisOutput:
    """Tables of the verdicts on the properties of the measures: one on each property, inner, of each measure, outer."""
    all_verdicts = [verdict for by_property in verdicts for verdict in by_property]
    claims = _claims(all_verdicts)
    return AnalysisOutput(
        [
            _overview(study.properties, verdicts),
            _counter_examples(all_verdicts),
            *([claims] if claims.rows else []),
            _cases(all_verdicts),
            _statements(study.properties),
        ],
        _notes(all_verdicts, settings.cases, has_claims=bool(claims.rows)),
        findings(study.properties, verdicts, claims),
    )


def _overview(properties: Sequence[FormalProperty], verdicts: Sequence[Sequence[Verdict]]) -> Table:
    """Whether each measure has each property, None where it does not apply; the title says what all or none have."""
    measures = [str(by_property[0].measure) for by_property in verdicts]
    holds = {
        declared.name: [by_property[index].holds for by_property in verdicts]
        for index, declared in enumerate(properties)
    }
    same = {
        name: cells[0] for name, cells in holds.items() if len(set(cells)) == 1 < len(cells) and name not in ORDINAL
    }
    common, lacking = ([name for name, cell in same.items() if cell is verdict] for verdict in (True, False))
    parts = ["•: no counter-example found"]
    parts += [f"all have {join_all(common)}"] if common else []
    parts += [f"none has {' or '.join(lacking)}"] if lacking else []
    flags = (flag(name, cells, detail=name in same) for name, cells in holds.items())
    return table("axioms", f"Formal properties of the measures ({'; '.join(parts)})", text("measure", measures), *flags)


def _counter_examples(verdicts: Sequence[Verdict]) -> Table:
    refutations = [(verdict, verdict.smallest) for verdict in verdicts if verdict.smallest is not None]
    refuted_verdicts, examples = [verdict for verdict, _ in refutations], [example for _, example in refutations]
    title = "Smallest counter-examples: confusion matrices, one row per gold class; or gold and predicted distributions"
    if all(verdict.measure.declaration.reads is DataKind.LABELS for verdict in verdicts):
        title = title.partition(";")[0]
    scales = [dict.fromkeys((str(example.scale_before), str(example.scale_after))) for example in examples]
    return table(
        "counter_examples",
        title,
        text("measure", [str(verdict.measure) for verdict in refuted_verdicts]),
        text("property", [verdict.declared.name for verdict in refuted_verdicts]),
        text("labels", [" → ".join(labels) for labels in scales]),
        text("before", [_matrix_text(example.before) for example in examples]),
        text("after", [_matrix_text(example.after) for example in examples]),
        score("score_before", [example.score_before for example in examples], head="score before"),
        score("score_after", [example.score_after for example in examples], head="score after"),
        text(
            "expected",
            [verdict.declared.relation.value for verdict in refuted_verdicts],
            about="what the property asks of the second score",
        ),
        count("cases", [verdict.cases for verdict in refuted_verdicts], about="cases that were checked", detail=True),
        count(
            "violations",
            [verdict.violations for verdict in refuted_verdicts],
            about="cases that are counter-examples",
            detail=True,
        ),
        text(
            "search",
            ["exhaustive" if example.exhaustive else "random" for example in examples],
            about="how the cases were found",
            detail=True,
        ),
        detail=True,
    )


def _matrix_text(matrix: Matrices) -> str:
    """A matrix on one line.

    >>> import numpy as np
    >>> _matrix_text(np.array([[8, 2], [4, 6]]))
    '[[8,2],[4,6]]'
    """
    return str(matrix.tolist()).replace(" ", "")


def _claims(all_verdicts: Sequence[Verdict]) -> Table:
    """What papers claim about these measures, and the verdicts on the claims."""
    pairs = list(with_verdicts(all_verdicts))
    claims, verdicts = [claim for claim, _ in pairs], [verdict for _, verdict in pairs]
    return table(
        "claims",
        "Published claims about these measures, read as properties",
        text("source", [claim.source for claim in claims]),
        text("place", [claim.place for claim in claims], detail=True),
        text("claim", [claim.text for claim in claims]),
        text("measure", [claim.measure for claim in claims]),
        text("property", [claim.property for claim in claims]),
        flag("has", [claim.has for claim in claims], about="whether the paper says that the measure has the property"),
        text(
            "verdict",
            [CONFIRMED if verdict.holds == claim.has else REFUTED for claim, verdict in pairs],
            values=(CONFIRMED, REFUTED),
            about="whether the cases confirm it",
        ),
        count("cases", [verdict.cases for verdict in verdicts]),
        count("violations", [verdict.violations for verdict in verdicts], about="counter-examples to that property"),
        count(
            "worse",
            [verdict.worse for verdict in verdicts],
            where=[verdict.declared.relation is Relation.HIGHER for verdict in verdicts],
            about="those in which the score becomes worse although it should improve",
            detail=True,
        ),
        detail=True,
    )


def _cases(verdicts: Sequence[Verdict]) -> Table:
    return table(
        "axiom_cases",
        "Number of cases",
        text("measure", [str(verdict.measure) for verdict in verdicts]),
        text("property", [verdict.declared.name for verdict in verdicts]),
        flag("holds", [verdict.holds for verdict in verdicts], about="no case is a counter-example"),
        count("cases", [verdict.cases for verdict in verdicts], about="cases that were checked"),
        count("violations", [verdict.violations for verdict in verdicts], about="cases that are counter-examples"),
        count("undefined", [verdict.undefined for verdict in verdicts]),
        detail=True,
    )


def _statements(properties: Sequence[FormalProperty]) -> Table:
    return table(
        "properties",
        "Definitions of the properties",
        text("property", [declared.name for declared in properties]),
        text("statement", [declared.statement for declared in properties]),
        text("source", [WORKS[declared.source] for declared in properties]),
        detail=True,
    )


def _notes(verdicts: Sequence[Verdict], cases: int, *, has_claims: bool) -> list[Note | str]:
    systems = ", ".join(f"{classes} classes and up to {items} items" for classes, items in SYSTEMS_UP_TO.items())
    golds = ", ".join(map(str, GOLDS_UP_TO.values()))
    classes = f"each of {RANDOM_CLASSES[0]} to {RANDOM_CLASSES[-1]} classes"
    random = f", and {pluralize(cases, 'random one')} for {classes}" if cases else ""
    kinds = {verdict.measure.declaration.reads for verdict in verdicts}
    notes: list[Note | str] = ["blank: counter-example; —: not applicable, or always undefined"]
    if has_claims:
        notes.append("claims: each is read as one property, which is one possible reading")
    if DataKind.LABELS in kinds:
        cases_text = f"cases: all systems of {systems} (gold alone: up to {golds} items){random}"
        notes.append(f"{cases_text}; classes have equal steps, and weights 1 : 2 : 3 … that sum to 1")
    if DataKind.DISTRIBUTIONS in kinds:
        parts = ", ".join(f"{classes} classes and up to {number} parts" for classes, number in PARTS_UP_TO.items())
        pairs = f"cases of distributions: all pairs of {parts}{random}"
        notes.append(f"{pairs}; before and after: gold, and the prediction, in parts")
    undefined = sum(verdict.undefined for verdict in verdicts)
    if undefined:
        total = undefined + sum(verdict.cases for verdict in verdicts)
        notes.append(f"a score is undefined in {undefined:,} of {pluralize(total, 'case')}, which are excluded")
    return notes


def findings(
    properties: Sequence[FormalProperty], verdicts: Sequence[Sequence[Verdict]], claims: Table
) -> tuple[Finding, ...]:
    """The measures with all ordinal properties, those with the most properties, and the refuted claims."""
    has = {
        str(by_property[0].measure): {verdict.declared.name for verdict in by_property if verdict.holds}
        for by_property in verdicts
    }
    sentences = []
    if {declared.name for declared in properties} >= set(ORDINAL):
        sentences.append(_on_order(has))
    most = max(map(len, has.values()))
    richest = [name for name, names in has.items() if len(names) == most]
    if len(properties) > 1 and len(richest) < len(has):
        verb = "has" if len(richest) == 1 else "have"
        sentences.append(f"{join_names(richest)} {verb} the most properties ({most} of {len(properties)})")
    sentences += on_claims(list(claims.records()))
    return tuple(Finding("axioms", sentence) for sentence in sentences)


def on_claims(claims: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which claims are refuted; claims: the rows of the table."""
    refuted = [claim for claim in claims if claim["verdict"] == REFUTED]
    if not refuted:
        return []
    names = [f"{claim['property']} of {claim['measure']}" for claim in refuted]
    if len(refuted) <= SHARES_UP_TO:
        shares = [100 * claim["violations"] / claim["cases"] for claim in refuted]
        names = [f"{name} (counter-examples in {share:.2g} %)" for name, share in zip(names, shares, strict=True)]
    verb = "is" if len(refuted) == 1 else "are"
    return [f"{len(refuted)} of {pluralize(len(claims), 'published claim')} {verb} refuted: {join_names(names)}"]


def _on_order(has: Mapping[str, set[str]]) -> str:
    """The measures with the properties of Amigó et al. (2020); has: the properties of each measure."""
    all_three = [name for name, names in has.items() if names >= set(ORDINAL)]
    properties = "ordinal invariance, ordinal monotonicity and imbalance"
    if len(has) == 1:
        (name,) = has
        return f"{name} has {properties}" if all_three else f"{name} does not have all of {properties}"
    if len(all_three) > 1:
        return f"{join_names(all_three)} have {properties}"
    return f"{f'only {all_three[0]}' if all_three else 'none'} of {len(has)} measures has {properties}"


MEANINGS = {True: "no counter-example", False: "counter-example", None: "does not apply"}

Stroke = tuple[tuple[float, float], ...]
STROKES: dict[bool | None, tuple[Stroke, ...]] = {
    True: (((-0.5, 0.05), (-0.12, 0.42), (0.5, -0.42)),),
    False: (((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4))),
    None: (((-0.3, 0.0), (0.3, 0.0)),),
}
"""Marks as lines, because some fonts lack them; down is positive."""


@plot("axioms", title="Formal properties of the measures", example="axioms -m cem-ord -m accuracy -m macro-f1")
def axioms(tables: Tables) -> Picture | None:
    """A row for each measure, a column for each property: a tick, a cross, or a dash where it does not apply."""
    table = tables["axioms"]
    names, properties = texts(table, "measure"), [column.name for column in table.columns if column.kind is Kind.FLAG]
    verdicts = [[cell if isinstance(cell, bool) else None for cell in cells_of(table, name)] for name in properties]
    if all(verdict is None for column in verdicts for verdict in column):
        return None
    counts = [sum(column[row] is True for column in verdicts) for row in range(len(names))]
    richest = join_all([name for name, count in zip(names, counts, strict=True) if count == max(counts)])
    totals = [f"{name} {column.count(True)}" for name, column in zip(properties, verdicts, strict=True)]
    size = f"{pluralize(len(names), 'measure')} and {pluralize(len(properties), 'property', 'properties')}"
    alt = f"Matrix of {size}. Most properties: {richest} ({max(counts)}). "
    alt += f"Number of measures with each property: {', '.join(totals)}."
    return Picture(alt, VerdictMatrix(rows=names, columns=properties, verdicts=verdicts, least=0.32).draw)


@dataclass(frozen=True, kw_only=True)
class VerdictMatrix(Matrix):
    """A matrix of ticks, crosses and dashes. verdicts: by column and row."""

    verdicts: Sequence[Sequence[bool | None]]

    def draw(self, palette: Palette, title: str) -> Figure:
        """Draw the matrix below the legend of its marks."""
        entries = [(meaning, _mark(verdict, palette)) for verdict, meaning in MEANINGS.items()]
        sheet, top = sheet_with_legend(palette, title, entries, self.size[1] + self.below)
        self.draw_on(sheet, self.left, top)
        return sheet.figure

    def draw_cells(self, sheet: Sheet, axes: Axes) -> None:
        """Draw shaded cells with their marks."""
        palette = sheet.palette
        for column, verdicts in enumerate(self.verdicts):
            for row, verdict in enumerate(verdicts):
                shade = {True: COLOURS[0], False: COLOURS[1], None: palette.grid}[verdict]
                strength = 0.3 if verdict else 0.16
                axes.add_patch(cell_patch(column, row, facecolor=shade, alpha=strength, edgecolor="none"))
                axes.add_patch(cell_patch(column, row, facecolor="none", edgecolor=palette.paper, linewidth=1))
        unit = min(self.side) * 0.5
        for verdict in MEANINGS:
            cells = [(x, y) for x, column in enumerate(self.verdicts) for y, one in enumerate(column) if one is verdict]
            _draw_marks(axes, cells, verdict, (unit / self.side[0], unit / self.side[1]), palette)


def _draw_marks(
    axes: Axes,
    centres: Sequence[tuple[float, float]],
    verdict: bool | None,
    unit: tuple[float, float],
    palette: Palette,
) -> None:
    from matplotlib.collections import LineCollection

    wide, high = unit
    lines = [[(x + a * wide, y + b * high) for a, b in stroke] for x, y in centres for stroke in STROKES[verdict]]
    colour = palette.muted if verdict is None else palette.ink
    marks = LineCollection(lines, colors=colour, linewidths=1.3, capstyle="round", clip_on=False)
    axes.add_collection(marks, autolim=False)


def _mark(verdict: bool | None, palette: Palette) -> Mark:
    return lambda axes, x, y: _draw_marks(axes, [(x, y)], verdict, (0.13, 0.65), palette)
