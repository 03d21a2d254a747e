"""docs/columns.md: the names under which every reader finds its columns."""

from __future__ import annotations

from docs.writing import markdown_table
from metaeval.io.files.roles import READERS

_INTRODUCTION = """\
# Names of columns

<!-- Made by docs/generate.py from metaeval/io/files/roles.py; edit that. -->

Tables of every format (CSV, TSV, JSON, Parquet, Excel, data frames) are read by the roles of their columns. A column
is found under each of these names, in any case and with `_`, `-`, blanks or nothing between words: `prompt_id`,
`Prompt ID`, `promptId`. Two columns that may have one role are an error that shows both; the option names the one to
read. Names in parentheses count only where no other name is present. A note says what was read under another name than
the first two, and which columns were not read.
"""


def columns_page() -> str:
    """The page, from the declaration of the roles."""
    roles = dict.fromkeys(role for reader_roles in READERS.values() for role in reader_roles)
    rows = [
        [
            f"`{role.names[0]}`",
            f"`--{role.option.replace('_', '-')}`" if role.option else "",
            ", ".join(f"`{name}`" for name in role.names)
            + (f" ({', '.join(f'`{name}`' for name in role.weaker)})" if role.weaker else ""),
            ", ".join(reader for reader, reader_roles in READERS.items() if role in reader_roles),
        ]
        for role in roles
    ]
    return f"{_INTRODUCTION}\n{markdown_table(['role', 'option', 'names', 'read in'], rows)}\n"
