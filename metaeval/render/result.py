"""The results of the Python API: reports that can be shown, saved and plotted."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import describe, invalid, one_of, pluralize, refuse, wrong_type
from metaeval.model.report import Report, Table
from metaeval.render import render
from metaeval.render.cells import Style, legend, reading_aid, shown_columns, with_values
from metaeval.render.files import refuse_overwriting_inputs, write_atomically
from metaeval.render.html import Markup, element, join, table_parts
from metaeval.render.latex import references
from metaeval.render.sections import answers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS_BY_SUFFIX = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
}
"""The format of a file by its suffix."""

PLOT_SUFFIXES = (".svg", ".png", ".pdf")

BIBTEX_SUFFIX = ".bib"


@dataclass(frozen=True, repr=False)
class Result(Report):
    """The result of one function: a `Report` that a notebook shows as tables, and `print` as in a terminal.

    `to_pandas()` and `to_dict()` return the numbers in full precision.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> result = metaeval.score(runs, "accuracy")
    >>> print(result)
    a has the best score under accuracy.
    <BLANKLINE>
    2 systems on 2 items: scores
    <BLANKLINE>
    system   accuracy
    ─────────────────
    a       1.000 (1)
    b       0.500 (2)
    ...
    >>> result.to_dict()["tables"]["scores"]
    [{'system': 'a', 'accuracy': 1.0}, {'system': 'b', 'accuracy': 0.5}]
    """

    @classmethod
    def of(cls, report: Report) -> Result:
        """A report as a result.

        Parameters
        ----------
        report
            The results of a command.
        """
        return cls(**{field.name: getattr(report, field.name) for field in fields(Report)})

    def __str__(self) -> str:
        summary = replace(self, tables=tuple(table for table in self.tables if not table.detail), methods=())
        details = [f"to_pandas('{table.name}')" for table in self.tables if table.detail]
        more = f"\nNot shown: {', '.join(details)}" if details else ""
        return (render(summary, "table") + more).rstrip("\n")

    __repr__ = __str__

    def __hash__(self) -> int:
        # The provenance contains a dict, which has no hash.
        return hash((self.command, self.signature))

    def _repr_html_(self) -> str:
        return fragment(self)

    def plot(self, name: str | None = None) -> Figure:
        """A plot as a figure of matplotlib, which a notebook shows; requires the extra `plots`.

        `get_suptitle()` of the figure is its title, and `get_label()` a description with the main numbers.

        Parameters
        ----------
        name
            Name of a table or a plot; None for the plot of the main table.

        Raises
        ------
        UnknownName
            If there is no such plot.
        InputError
            If the result has no plot, or matplotlib is not installed.
        """
        from metaeval.errors import UnknownName
        from metaeval.render.plots import drawings, main_drawing

        if name is None:
            return main_drawing(self).figure()
        plots = drawings(self)
        for drawing in plots:
            if name in (drawing.name, drawing.table):
                return drawing.figure()
        raise UnknownName("plot", str(name), [drawing.name for drawing in plots])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, completely or not at all.

        Parameters
        ----------
        path
            The suffix determines the format. .json: everything, in full precision; .csv, .tsv: the main table, in full
            precision; .md, .tex, .txt, .html: tables for readers; .svg, .png, .pdf: the plot of the main table; .bib:
            the works that the measures come from and that the methods cite.

        Raises
        ------
        InputError
            If the suffix is unknown, or if the file cannot be written or is an input of the result.
        """
        target, suffix = _target(path)
        refuse_overwriting_inputs(target, self)
        if suffix in PLOT_SUFFIXES:
            from metaeval.render.plots import main_drawing

            write_atomically(target, [main_drawing(self).to_bytes(suffix)])
        elif suffix == BIBTEX_SUFFIX:
            write_atomically(target, [references(self)])
        else:
            write_atomically(target, [render(self, FORMATS_BY_SUFFIX[suffix])])


def _target(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The path as text, and its suffix, which has a format."""
    suffixes = (*FORMATS_BY_SUFFIX, *PLOT_SUFFIXES, BIBTEX_SUFFIX)
    try:
        target = os.fsdecode(path)
    except TypeError:
        raise refuse(None, wrong_type(f"path: {describe(path)}", "", "the path of a file")) from None
    suffix = Path(target).suffix.lower()
    if suffix not in suffixes:
        raise refuse(target, invalid("suffix", suffix, one_of(suffixes)))
    return target, suffix


MAX_ROWS = 60
"""Maximum number of rows shown, as in pandas."""

_SHEET = Markup(
    ".metaeval .scroll{overflow-x:auto}.metaeval table{border-collapse:collapse;margin:.5em 0}"
    ".metaeval caption{text-align:left;font-weight:bold;padding:.3em 0;white-space:nowrap}"
    ".metaeval th,.metaeval td{padding:.2em .6em;text-align:right;white-space:nowrap}"
    ".metaeval tbody th{font-weight:normal}.metaeval .text{text-align:left}.metaeval .flag{text-align:center}"
    ".metaeval thead th{border-bottom:1px solid currentColor;vertical-align:bottom}"
    ".metaeval p{margin:.3em 0}.metaeval small{opacity:.75;overflow-wrap:anywhere}"
)


def fragment(report: Report, *, digits: int = 4) -> str:
    """Findings, tables other than details with their reading aid, notes that a click shows, and the signature."""
    meanings: set[str] = set()
    parts = [element("style", _SHEET)]
    for findings, tables in answers(report):
        parts += [element("p", finding) for finding in findings]
        parts += [_table(with_values(table), Style(digits), meanings) for table in tables]
    details = ", ".join(f"to_pandas('{table.name}')" for table in report.tables if table.detail)
    parts += [element("p", element("small", f"Not shown: {details}"))] if details else []
    if report.notes:
        notes = (element("p", element("small", str(note))) for note in report.notes)
        parts.append(element("details", element("summary", pluralize(len(report.notes), "note")), *notes))
    return element("div", *parts, element("p", element("small", report.signature)), class_="metaeval")


def _table(table: Table, style: Style, meanings: set[str]) -> Markup:
    columns = shown_columns(table, style)
    below = [legend(table, columns), *(f"{name}: {about}" for name, about in reading_aid(table, columns, meanings))]
    if len(table.rows) > MAX_ROWS:
        below.append(f"the first {MAX_ROWS} of {len(table.rows):,} rows; to_pandas('{table.name}') returns all")
    first = replace(table, rows=tuple(islice(table.rows, MAX_ROWS)))
    grid = element("table", *table_parts(first, columns, for_script=False))
    remarks = (element("p", element("small", line)) for line in below if line)
    return join([element("div", grid, class_="scroll"), *remarks])
