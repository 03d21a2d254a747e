"""The tables of `axioms`, and what to say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.analyses.axioms.compute import Axioms
from metaeval.analyses.axioms.properties import FormalProperty, Relation, Verdict
from metaeval.analyses.axioms.properties.claims import with_verdicts
from metaeval.analyses.axioms.properties.search_space import DRAWN_CLASSES, GOLDS_UP_TO, SYSTEMS_UP_TO
from metaeval.analyses.axioms.properties.spec import WORKS, Matrices
from metaeval.analyses.axioms.settings import AxiomsSettings
from metaeval.analyses.axioms.study import AxiomsStudy
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Column, Finding, Kind, Table
from metaeval.study.study import Part

ORDINAL = ("ordinal-invariance", "ordinal-monotonicity", "imbalance")
"""What Amigó et al. (2020) ask of a measure for classes in order."""

READABLE_ROWS = 40
"""Counter-examples that a terminal shows; more of them are for machines."""

CLAIMS_READ = (
    "claims: each is read as one property, which is one reading of it; violations: counter-examples to that property, "
    "worse: those of them in which the score falls, where it should rise"
)

CONFIRMED, REFUTED = "confirmed", "refuted"


def tabulate(study: AxiomsStudy, settings: AxiomsSettings, found: Axioms) -> Part:
    """The tables of `axioms`, and what to say of them.

    `axioms`: measure, a flag a property (None where it does not apply). `counter_examples`: measure, property, labels,
    before, after, score_before, score_after, expected, cases, violations, search. `claims` (where papers say something
    of these measures): source, place, claim, measure, property, has, verdict, cases, violations, worse (of the
    violations, those in which the score falls though it should rise). `axiom_cases`: measure, property, holds, cases,
    violations, undefined. `properties`: property, statement, source.
    """
    verdicts = found.verdicts
    claims = _claims(verdicts)
    return Part(
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
    return Table("axioms", "Which measure has which property", columns, rows)


def _counter_examples(verdicts: Sequence[Sequence[Verdict]]) -> Table:
    columns = (
        *(Column(name) for name in ("measure", "property", "labels", "before", "after")),
        Column("score_before", Kind.SCORE, head="score before"),
        Column("score_after", Kind.SCORE, head="score after"),
        Column("expected"),
        Column("cases", Kind.COUNT),
        Column("violations", Kind.COUNT),
        Column("search"),
    )
    rows = []
    for verdict in (verdict for of_measure in verdicts for verdict in of_measure):
        found = verdict.smallest
        if found is None:
            continue
        same_scale = found.scale_before == found.scale_after
        labels = str(found.scale_before) if same_scale else f"{found.scale_before} → {found.scale_after}"
        rows.append(
            (
                str(verdict.measure),
                verdict.declared.name,
                labels,
                _spelled(found.before),
                _spelled(found.after),
                found.score_before,
                found.score_after,
                verdict.declared.relation.value,
                verdict.cases,
                verdict.violations,
                "exhaustive" if found.exhaustive else "random",
            )
        )
    title = "The smallest counter-examples: confusion matrices, a row a gold class"
    return Table("counter_examples", title, columns, tuple(rows), detail=len(rows) > READABLE_ROWS)


def _spelled(matrix: Matrices) -> str:
    """A matrix on a line.

    >>> import numpy as np
    >>> _spelled(np.array([[8, 2], [4, 6]]))
    '[[8,2],[4,6]]'
    """
    return str(matrix.tolist()).replace(" ", "")


def _claims(verdicts: Sequence[Sequence[Verdict]]) -> list[Table]:
    """The table `claims`, where a paper says anything of these measures."""
    rows = tuple(
        (
            claim.source,
            claim.place,
            claim.says,
            claim.measure,
            claim.property,
            claim.has,
            CONFIRMED if verdict.holds == claim.has else REFUTED,
            verdict.cases,
            verdict.violations,
            verdict.worse if verdict.declared.relation is Relation.HIGHER else None,
        )
        for claim, verdict in with_verdicts(each for of_measure in verdicts for each in of_measure)
    )
    columns = (
        *(Column(name) for name in ("source", "place", "claim", "measure", "property")),
        Column("has", Kind.FLAG),
        Column("verdict"),
        *(Column(name, Kind.COUNT) for name in ("cases", "violations", "worse")),
    )
    return [Table("claims", "What papers say of these measures, read as properties", columns, rows)] if rows else []


def _cases(verdicts: Sequence[Sequence[Verdict]]) -> Table:
    counts = ("cases", "violations", "undefined")
    columns = (
        Column("measure"),
        Column("property"),
        Column("holds", Kind.FLAG),
        *(Column(name, Kind.COUNT) for name in counts),
    )
    rows = tuple(
        (str(each.measure), each.declared.name, each.holds, each.cases, each.violations, each.undefined)
        for of_measure in verdicts
        for each in of_measure
    )
    return Table("axiom_cases", "How many cases were tried", columns, rows, detail=True)


def _statements(properties: Sequence[FormalProperty]) -> Table:
    rows = tuple((declared.name, declared.statement, WORKS[declared.source]) for declared in properties)
    columns = tuple(Column(name) for name in ("property", "statement", "source"))
    return Table("properties", "What the properties say", columns, rows, detail=True)


def _notes(verdicts: Sequence[Sequence[Verdict]], cases: int, claims: Sequence[Table]) -> tuple[str, ...]:
    systems = ", ".join(f"{classes} classes and up to {items} items" for classes, items in SYSTEMS_UP_TO.items())
    golds = ", ".join(map(str, GOLDS_UP_TO.values()))
    drawn = f", and {counted(cases, 'random one')} for each of {DRAWN_CLASSES[0]} to {DRAWN_CLASSES[-1]} classes"
    tried = f"tried: all systems of {systems} (gold alone: up to {golds} items){drawn if cases else ''}"
    notes = [
        "• no counter-example among the cases tried, blank: there is one, — does not apply or is never defined",
        *([CLAIMS_READ] if claims else []),
        f"{tried}; classes have equal steps, and weights 1 : 2 : 3 … that sum to 1",
    ]
    every = [verdict for of_measure in verdicts for verdict in of_measure]
    undefined = sum(verdict.undefined for verdict in every)
    if undefined:
        total = undefined + sum(verdict.cases for verdict in every)
        notes.append(f"in {undefined:,} of {counted(total, 'case')} a score is undefined; they are left out")
    return tuple(notes)


def findings(
    properties: Sequence[FormalProperty], verdicts: Sequence[Sequence[Verdict]], claims: Sequence[Table]
) -> tuple[Finding, ...]:
    """Which measures have all ordinal properties, which have the most properties, and which claims are refuted."""
    has = {
        str(of_measure[0].measure): {each.declared.name for each in of_measure if each.holds} for of_measure in verdicts
    }
    sentences = []
    if {declared.name for declared in properties} >= set(ORDINAL):
        sentences.append(_on_order(has))
    most = max(map(len, has.values()))
    richest = [name for name, held in has.items() if len(held) == most]
    if len(properties) > 1 and len(richest) < len(has):
        verb = "has" if len(richest) == 1 else "have"
        sentences.append(f"{listed(richest)} {verb} the most of the {len(properties)} properties ({most})")
    for row in (row for table in claims for row in table.records() if row["verdict"] == REFUTED):
        sentences.append(_refutation(row))
    return tuple(Finding("axioms", sentence) for sentence in sentences)


def _refutation(claim: Mapping[str, Any]) -> str:
    """How a claim fails, and by how much; claim: a row of the table."""
    told = f"read as {claim['property']}, this is refuted: {claim['claim']} ({claim['source']}, {claim['place']})"
    cases, violations, worse = claim["cases"], claim["violations"], claim["worse"]
    if not violations:
        return f"{told}: none of {counted(cases, 'case')} speaks against the property"
    told += f": {violations:,} of {counted(cases, 'case')} ({100 * violations / cases:.2g} %) speak against it"
    if worse is None:
        return told
    return f"{told}, {f'in {worse:,} of them' if worse else 'though in none of them'} the score falls"


def _on_order(has: dict[str, set[str]]) -> str:
    """Who has all that Amigó et al. (2020) ask for; has: the properties of each measure."""
    asked = "ordinal invariance, ordinal monotonicity and imbalance"
    names = list(has)
    all_three = [name for name in names if has[name] >= set(ORDINAL)]
    if len(names) == 1:
        return f"{names[0]} has {asked}" if all_three else f"{names[0]} lacks one of {asked}"
    if not all_three:
        return f"none of {len(names)} measures has {asked}"
    if len(all_three) == 1:
        return f"{all_three[0]} alone of {len(names)} measures has {asked}"
    return f"{listed(all_three)} have {asked}"
