"""docs/axioms.md: which measure has which formal property, and what the papers claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docs.writing import NOT_SEARCHED, comma_separated, markdown_table
from metaeval import axioms
from metaeval.analyses.axioms.properties import DISTRIBUTION_PROPERTIES, PROPERTIES, FormalProperty
from metaeval.analyses.axioms.properties.spec import WORKS
from metaeval.model.report import Report
from metaeval.registry import Registry

_INTRODUCTION = """\
# Formal properties

<!-- Made by docs/generate.py from the properties in metaeval/analyses/axioms/properties; edit those. -->

Every measure of labels and of distributions with the verdict of [`metaeval axioms`](how-to/axioms.md) on every
property. ✓: no counter-example among the cases; ✗: at least one; —: the property does not apply. The smallest of them:
[counter_examples.csv](assets/counter_examples.csv).
"""

_MARKS: Mapping[Any, str] = {True: "✓", False: "✗", None: "—"}

_OF_DISTRIBUTIONS = ("ordinal-distributions", "rnod:over=all")


def axioms_page() -> str:
    """The page, from the properties, the measures and the claims of the papers."""
    label_report, distribution_report = axioms(), axioms(_OF_DISTRIBUTIONS)
    return NOT_SEARCHED + "\n\n".join(
        [
            _INTRODUCTION.rstrip(),
            "## Measures of labels",
            _verdicts(label_report, PROPERTIES),
            _statements(PROPERTIES),
            "## Measures of distributions",
            _verdicts(distribution_report, DISTRIBUTION_PROPERTIES),
            _statements(DISTRIBUTION_PROPERTIES),
            "## Published claims",
            _claims(label_report) + "\n",
        ]
    )


def counter_examples() -> str:
    """docs/assets/counter_examples.csv: the smallest counter-example to each property of each measure."""
    records = [row for report in (axioms(), axioms(_OF_DISTRIBUTIONS)) for row in _table(report, "counter_examples")]
    return comma_separated(records)


def claims() -> str:
    """docs/assets/claims.csv: every published claim, as a property of a measure."""
    return comma_separated(_table(axioms(), "claims"))


def _table(report: Report, name: str) -> list[dict[str, Any]]:
    return report.table(name).records()


def _verdicts(report: Report, properties: Registry[FormalProperty]) -> str:
    names = list(properties)
    rows = [[f"`{row['measure']}`", *(_MARKS[row[name]] for name in names)] for row in _table(report, "axioms")]
    return markdown_table(["measure", *names], rows)


def _statements(properties: Registry[FormalProperty]) -> str:
    """What each property says, and the works that they come from."""
    declarations = list(properties.values())
    rows = [[declared.name, declared.statement, declared.source] for declared in declarations]
    works = [f"* {source}: {WORKS[source]}" for source in dict.fromkeys(declared.source for declared in declarations)]
    return "\n\n".join([markdown_table(["property", "statement", "source"], rows), "\n".join(works)])


def _claims(report: Report) -> str:
    """How many claims of each paper are confirmed, and the others."""
    claims = _table(report, "claims")
    sources = dict.fromkeys(row["source"] for row in claims)
    refuted = [row for row in claims if row["verdict"] != "confirmed"]
    rows = []
    for source in sources:
        source_claims = [row for row in claims if row["source"] == source]
        others = [
            f"`{row['measure']}`: {row['claim']} ({row['verdict']})" for row in refuted if row["source"] == source
        ]
        rows.append([str(source), f"{len(source_claims) - len(others)} of {len(source_claims)}", "; ".join(others)])
    table = markdown_table(["source", "confirmed", "not confirmed"], rows)
    return f"Each claim is read as a property of a measure, and tested: [claims.csv](assets/claims.csv).\n\n{table}"
