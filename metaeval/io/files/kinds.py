"""Who rates or judges: the column that says whether each is a person or a judge."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.errors import Problem, shortened, unknown
from metaeval.io.files.columns import TableColumns
from metaeval.io.files.roles import KIND

HUMAN, JUDGE, OPEN = "human", "judge", ""
"""Who gives verdicts: a person, a judge such as a language model, or nothing says which of both."""

KINDS = {
    **dict.fromkeys(("human", "person", "people", "expert", "crowd"), HUMAN),
    **dict.fromkeys(("judge", "model", "llm", "machine", "automatic"), JUDGE),
    "": OPEN,
}
"""The words of a column of kinds."""


def declared_kinds(table: TableColumns, names: Sequence[str]) -> dict[str, str]:
    """The kinds of names by a column of kinds; none without one, or where its words are about something else."""
    columns = KIND.among(table.header)
    if not columns or not any(KINDS.get(cell.casefold()) for cell in table.rows.column(columns[0])):
        return {}
    column = table.need(KIND)
    kinds: dict[str, str] = {}
    for row, (name, cell) in enumerate(zip(names, table.texts(column), strict=True)):
        kind = KINDS.get(cell.casefold())
        if kind is None:
            table.reject(row, unknown(column, cell, [word for word in KINDS if word]))
        elif kind and kinds.setdefault(name, kind) != kind:
            found = f"{column} '{shortened(cell)}' of '{shortened(name)}'"
            table.reject(row, Problem(found, f"'{kinds[name]}', as before", kind="conflict"))
    return kinds
