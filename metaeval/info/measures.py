"""The list of measures, and the description of one."""

from __future__ import annotations

from metaeval.errors import InputError
from metaeval.measures import PRESETS, REGISTRY, Declaration, measure
from metaeval.measures.explain import explain
from metaeval.model.report import Column, Provenance, Report, Table, signature
from metaeval.version import __version__


def measures_report(name: str | None = None, *, command_line: str = "") -> Report:
    """All measures, one row each (table `measures`), or the description of one measure (table `measure`)."""
    if name is None:
        columns = tuple(map(Column, ("name", "title", "better", "uses", "parameters")))
        title = f"{len(REGISTRY)} measures; `metaeval measures NAME` explains one"
        table = Table("measures", title, columns, tuple(map(_row, REGISTRY.values())))
    elif name in PRESETS:
        raise InputError.at(
            found=f"'{name}', which is a preset",
            expected="the name of a measure",
            hint=f"name one of its measures: {', '.join(PRESETS[name])}",
        )
    else:
        declaration = measure(name).declaration
        rows = tuple((heading.lower(), text) for heading, text in explain(declaration))
        title = f"{declaration.name}: {declaration.title}"
        table = Table("measure", title, (Column("aspect"), Column("explanation")), rows)
    line = signature(__version__, [("measures", name or len(REGISTRY))])
    return Report("measures", line, (table,), (), Provenance(__version__, command_line))


def _row(declaration: Declaration) -> tuple[str, ...]:
    parameters = " ".join(f"{each.name}={each.format(each.default)}" for each in declaration.own_parameters)
    uses = measure(declaration.name).uses
    return declaration.name, declaration.title, declaration.better.value, uses, parameters
