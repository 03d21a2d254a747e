"""The measures themselves."""

from __future__ import annotations

from metaeval.errors import InputError
from metaeval.measures import PRESETS, REGISTRY, measure
from metaeval.measures.explain import explain
from metaeval.model.report import Column, Provenance, Report, Table, signature
from metaeval.version import __version__


def measures_report(name: str | None = None, *, command_line: str = "") -> Report:
    """Every measure in a line each (table `measures`), or all that is known about one (table `measure`)."""
    if name is None:
        columns = ("name", "title", "better", "uses", "parameters")
        rows = [
            (
                declaration.name,
                declaration.title,
                declaration.better.value,
                measure(declaration.name).uses,
                " ".join(f"{each.name}={each.format(each.default)}" for each in declaration.own_parameters),
            )
            for declaration in REGISTRY.values()
        ]
        title = f"{len(rows)} measures; `metaeval measures NAME` explains one"
        table = Table("measures", title, tuple(Column(column) for column in columns), tuple(rows))
    elif name in PRESETS:
        raise InputError.at(
            found=f"'{name}', which is a preset",
            expected="the name of a measure",
            hint=f"`metaeval measures` explains each of its measures: {', '.join(PRESETS[name])}",
        )
    else:
        declaration = measure(name).declaration
        rows_of_one = tuple((heading.lower(), text) for heading, text in explain(declaration))
        title = f"{declaration.name}: {declaration.title}"
        table = Table("measure", title, (Column("aspect"), Column("explanation")), rows_of_one)
    line = signature(__version__, [("measures", name or len(REGISTRY))])
    return Report("measures", line, (table,), (), Provenance(__version__, command_line))
