"""Tables, notes and findings of `axioms`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.analyses.axioms.properties import FormalProperty, Relation, Verdict
from metaeval.analyses.axioms.properties.claims import with_verdicts
from metaeval.analyses.axioms.properties.distributions import PARTS_UP_TO
from metaeval.analyses.axioms.properties.search_space import GOLDS_UP_TO, RANDOM_CLASSES, SYSTEMS_UP_TO
from metaeval.analyses.axioms.properties.spec import WORKS
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.analyses.axioms.study import AxiomsStudy
from metaeval.analyses.sentences import join_names
from metaeval.errors import pluralize
from metaeval.model.data_kind import DataKind
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.scoring.small_systems import Matrices
from metaeval.study.study import AnalysisOutput

ORDINAL = ("ordinal-invariance", "ordinal-monotonicity", "imbalance")
"""The properties that Amigó et al. (2020) require of a measure for ordered classes."""

READABLE_ROWS = 40
"""Number of counter-examples up to which the terminal shows them."""

CLAIMS_NOTE = (
    "claims: each is read as one property, which is one possible reading; violations: counter-examples to that "
    "property; worse: those in which the score becomes worse although it should improve"
)

CONFIRMED, REFUTED = "confirmed", "refuted"


def tabulate(study: AxiomsStudy, settings: AxiomsSettings, verdicts: Sequence[Sequence[Verdict]]) -> AnalysisOutput:
    """Tables of the verdicts on the properties of the measures.

    `axioms`: measure, one flag per property (None where it does not apply). `counter_examples`: measure, property,
    labels, before, after, score_before, score_after, expected, cases, violations, search. `claims` (if papers make
    claims about these measures): source, place, claim, measure, property, has, verdict, cases, violations, worse (the
    violations in which the score becomes worse although it should improve). `axiom_cases`: measure, property, holds,
    cases, violations, undefined. `properties`: property, statement, source.
    """
    claims = _claims(verdicts)
    return AnalysisOutput(
        [
            _overview(study.properties, verdicts),
            _counter_examples(verdicts),
            *claims,
            _cases(verdicts),
            _statements(study.properties),
        ],
        _notes(verdicts, settings.cases, claims),
        findings(study.properties, verdicts, claims),
    )


def _overview(properties: Sequence[FormalProperty], verdicts: Sequence[Sequence[Verdict]]) -> Table:
    rows = tuple((str(of_measure[0].measure), *(verdict.holds for verdict in of_measure)) for of_measure in verdicts)
    columns = (Column("measure"), *(Column(declared.name, Kind.FLAG) for declared in properties))
    return Table("axioms", "Formal properties of the measures", columns, rows)


def _counter_examples(verdicts: Sequence[Sequence[Verdict]]) -> Table:
    columns = (
        *(Column(name) for name in ("measure", "property", "labels", "before", "after")),
        *(Column(f"score_{place}", Kind.SCORE, head=f"score {place}") for place in ("before", "after")),
        *(Column("expected"), Column("cases", Kind.COUNT), Column("violations", Kind.COUNT), Column("search")),
    )
    rows = []
    for verdict in (verdict for of_measure in verdicts for verdict in of_measure):
        example = verdict.smallest
        if example is None:
            continue
        scales = dict.fromkeys((str(example.scale_before), str(example.scale_after)))
        rows.append(
            (
                *(str(verdict.measure), verdict.declared.name, " → ".join(scales)),
                *(_matrix_text(example.before), _matrix_text(example.after)),
                *(example.score_before, example.score_after, verdict.declared.relation.value),
                *(verdict.cases, verdict.violations, "exhaustive" if example.exhaustive else "random"),
            )
        )
    title = "Smallest counter-examples: confusion matrices, one row per gold class; or gold and predicted distributions"
    if all(of_measure[0].measure.declaration.reads is DataKind.LABELS for of_measure in verdicts):
        title = title.partition(";")[0]
    return Table("counter_examples", title, columns, tuple(rows), detail=len(rows) > READABLE_ROWS)


def _matrix_text(matrix: Matrices) -> str:
    """A matrix on one line.

    >>> import numpy as np
    >>> _matrix_text(np.array([[8, 2], [4, 6]]))
    '[[8,2],[4,6]]'
    """
    return str(matrix.tolist()).replace(" ", "")


def _claims(verdicts: Sequence[Sequence[Verdict]]) -> list[Table]:
    """The table `claims`, if papers make claims about these measures."""
    rows = tuple(
        (
            *(claim.source, claim.place, claim.text, claim.measure, claim.property, claim.has),
            CONFIRMED if verdict.holds == claim.has else REFUTED,
            *(verdict.cases, verdict.violations),
            verdict.worse if verdict.declared.relation is Relation.HIGHER else None,
        )
        for claim, verdict in with_verdicts(each for of_measure in verdicts for each in of_measure)
    )
    columns = (
        *(Column(name) for name in ("source", "place", "claim", "measure", "property")),
        Column("has", Kind.FLAG),
        Column("verdict", values=(CONFIRMED, REFUTED)),
        *(Column(name, Kind.COUNT) for name in ("cases", "violations", "worse")),
    )
    return [Table("claims", "Published claims about these measures, read as properties", columns, rows)] if rows else []


def _cases(verdicts: Sequence[Sequence[Verdict]]) -> Table:
    columns = (
        *(Column("measure"), Column("property"), Column("holds", Kind.FLAG)),
        *(Column(name, Kind.COUNT) for name in ("cases", "violations", "undefined")),
    )
    rows = tuple(
        (str(each.measure), each.declared.name, each.holds, each.cases, each.violations, each.undefined)
        for of_measure in verdicts
        for each in of_measure
    )
    return Table("axiom_cases", "Number of cases", columns, rows, detail=True)


def _statements(properties: Sequence[FormalProperty]) -> Table:
    rows = tuple((declared.name, declared.statement, WORKS[declared.source]) for declared in properties)
    columns = tuple(Column(name) for name in ("property", "statement", "source"))
    return Table("properties", "Definitions of the properties", columns, rows, detail=True)


def _notes(verdicts: Sequence[Sequence[Verdict]], cases: int, claims: Sequence[Table]) -> tuple[str, ...]:
    systems = ", ".join(f"{classes} classes and up to {items} items" for classes, items in SYSTEMS_UP_TO.items())
    golds = ", ".join(map(str, GOLDS_UP_TO.values()))
    classes = f"each of {RANDOM_CLASSES[0]} to {RANDOM_CLASSES[-1]} classes"
    random = f", and {pluralize(cases, 'random one')} for {classes}" if cases else ""
    tried = f"cases: all systems of {systems} (gold alone: up to {golds} items){random}"
    kinds = {of_measure[0].measure.declaration.reads for of_measure in verdicts}
    parts = ", ".join(f"{classes} classes and up to {number} parts" for classes, number in PARTS_UP_TO.items())
    pairs = (
        f"cases of distributions: all pairs of {parts}{random}; before and after: gold, and the prediction, in parts"
    )
    notes = [
        "• no counter-example among the cases, blank: counter-example, — not applicable or always undefined",
        *([CLAIMS_NOTE] if claims else []),
        *([f"{tried}; classes have equal steps, and weights 1 : 2 : 3 … that sum to 1"] * (DataKind.LABELS in kinds)),
        *([pairs] * (DataKind.DISTRIBUTIONS in kinds)),
    ]
    undefined = sum(verdict.undefined for of_measure in verdicts for verdict in of_measure)
    if undefined:
        total = undefined + sum(verdict.cases for of_measure in verdicts for verdict in of_measure)
        notes.append(f"a score is undefined in {undefined:,} of {pluralize(total, 'case')}, which are excluded")
    return tuple(notes)


def findings(
    properties: Sequence[FormalProperty], verdicts: Sequence[Sequence[Verdict]], claims: Sequence[Table]
) -> tuple[Finding, ...]:
    """The measures with all ordinal properties, those with the most properties, and the refuted claims."""
    has = {
        str(of_measure[0].measure): {each.declared.name for each in of_measure if each.holds} for of_measure in verdicts
    }
    sentences = []
    if {declared.name for declared in properties} >= set(ORDINAL):
        sentences.append(_on_order(has))
    most = max(map(len, has.values()))
    richest = [name for name, own in has.items() if len(own) == most]
    if len(properties) > 1 and len(richest) < len(has):
        verb = "has" if len(richest) == 1 else "have"
        sentences.append(f"{join_names(richest)} {verb} the most properties ({most} of {len(properties)})")
    sentences += [_refutation(row) for table in claims for row in table.records() if row["verdict"] == REFUTED]
    return tuple(Finding("axioms", sentence) for sentence in sentences)


def _refutation(claim: Mapping[str, Any]) -> str:
    """How a claim is refuted; claim: a row of the table."""
    source = f"{claim['source']}, {claim['place']}"
    head = f"the claim that {claim['claim']} ({source}), read as property {claim['property']}, is refuted"
    cases, violations, worse = claim["cases"], claim["violations"], claim["worse"]
    if not violations:
        return f"{head}: none of {pluralize(cases, 'case')} is a counter-example"
    share = f"{violations:,} of {pluralize(cases, 'case')} ({100 * violations / cases:.2g} %)"
    if worse is None:
        return f"{head}: {share} are counter-examples"
    of_worse = f"in {f'{worse:,}' if worse else 'none'} of them the score becomes worse"
    return f"{head}: {share} are counter-examples, and {of_worse}"


def _on_order(has: Mapping[str, set[str]]) -> str:
    """The measures with the properties of Amigó et al. (2020); has: the properties of each measure."""
    all_three = [name for name, own in has.items() if own >= set(ORDINAL)]
    properties = "ordinal invariance, ordinal monotonicity and imbalance"
    if len(has) == 1:
        (name,) = has
        return f"{name} has {properties}" if all_three else f"{name} does not have all of {properties}"
    if len(all_three) > 1:
        return f"{join_names(all_three)} have {properties}"
    return f"{f'only {all_three[0]}' if all_three else 'none'} of {len(has)} measures has {properties}"
