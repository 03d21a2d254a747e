"""docs/axioms.md: which measure has which formal property, and what the papers claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from metaeval import axioms
from metaeval.analyses.axioms.properties import DISTRIBUTION_PROPERTIES, PROPERTIES, FormalProperty
from metaeval.analyses.axioms.properties.spec import WORKS

_INTRODUCTION = """\
# Formal properties

<!-- Made by docs/generate.py from the properties in metaeval/analyses/axioms/properties; edit those. -->

Every measure of labels with the verdict of [`metaeval axioms`](how-to/axioms.md) on every property. ✓: no
counter-example among the cases; ✗: the smallest counter-example is listed below; —: the property does not apply.
Scores are as the measure gives them: where lower is better, as for `mae` and all measures of distributions, a better
score is a lower one.
"""

_MARKS: Mapping[Any, str] = {True: "✓", False: "✗", None: "—"}


def axioms_page() -> str:
    """The page, from the properties, the measures and the claims of the papers."""
    report = axioms()
    overview = report.table("axioms").records()
    claims = report.table("claims").records()
    examples = report.table("counter_examples").records()
    return (
        "\n\n".join(
            [
                _INTRODUCTION.rstrip(),
                _table(
                    ["measure", *(f"[{name}](#{name})" for name in PROPERTIES)],
                    ([f"`{row['measure']}`", *(_MARKS[row[name]] for name in PROPERTIES)] for row in overview),
                ),
                "\n".join(f"* {finding.sentence}." for finding in report.findings),
                "## Published claims",
                "Each claim is read as a property of a measure, and tested.",
                _table(
                    ["source", "claim", "measure", "property", "verdict"],
                    (
                        [
                            f"{row['source']}, {row['place']}",
                            str(row["claim"]),
                            f"`{row['measure']}`",
                            f"{row['property']}: {'yes' if row['has'] else 'no'}",
                            str(row["verdict"]),
                        ]
                        for row in claims
                    ),
                ),
                *(_section(declared, examples) for declared in PROPERTIES.values()),
                *_of_distributions(),
            ]
        )
        + "\n"
    )


def _of_distributions() -> list[str]:
    """The same for measures of distributions; counter-examples are of gold (first row) and prediction, in parts."""
    report = axioms(["ordinal-distributions", "rnod:over=all"])
    names, examples = list(DISTRIBUTION_PROPERTIES), report.table("counter_examples").records()
    rows = [[f"`{row['measure']}`", *(_MARKS[row[name]] for name in names)] for row in report.table("axioms").records()]
    introduction = "Measures of distributions; before and after: gold and prediction, in parts."
    overview = _table(["measure", *(f"[{name}](#{name})" for name in names)], rows)
    sections = [_section(declared, examples) for declared in DISTRIBUTION_PROPERTIES.values()]
    return ["## Distributions", introduction, overview, *sections]


def _section(declared: FormalProperty, examples: Iterable[Mapping[str, Any]]) -> str:
    """The statement of a property, and the counter-examples of measures that do not have it."""
    statement = f"{declared.title}: {declared.statement}."
    parts = [f"## {declared.name}", statement, f"Source: {WORKS[declared.source]}"]
    rows = [
        [
            f"`{row['measure']}`",
            f"`{row['labels']}`",
            f"`{row['before']}`",
            f"`{row['after']}`",
            f"{row['score_before']:.4f} → {row['score_after']:.4f}",
        ]
        for row in examples
        if row["property"] == declared.name
    ]
    if rows:
        parts.append(_table(["measure", "labels", "before", "after", f"expected: {declared.relation.value}"], rows))
    return "\n\n".join(parts)


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
