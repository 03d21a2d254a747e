"""Reports as text: for a terminal, a spreadsheet, a script, a page, a paper.

`render` imports a renderer when it is used, so that a CSV does not require rich.
"""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.model.report import Report
from metaeval.registry import Registry, load
from metaeval.render.cells import Style
from metaeval.render.sections import with_titles

__all__ = ["FORMATS", "Format", "Style", "render"]


@dataclass(frozen=True)
class Format:
    """A format of reports.

    renderer: MODULE:FUNCTION in `metaeval.render`; the function takes a report and a style. titles: whether measures
    have their titles instead of their names.
    """

    renderer: str
    titles: bool = False


def render(
    report: Report,
    format_name: str,
    *,
    digits: int | None = None,
    width: int | None = None,
    colour: bool = False,
    titles: bool | None = None,
    appendix: bool = False,
    safe_csv: bool = False,
    notes: bool = False,
    every_column: bool = False,
) -> str:
    r"""The report in one of the `FORMATS`, ending in one newline.

    digits: decimals in formats for readers, by default as many as intervals support, at most 4; data formats keep full
    precision. width: of the terminal, in
    cells; None for lines of any length. colour: whether the terminal supports colours and bold and dim text. titles:
    whether measures have their titles instead of their names; None for what is usual in the format. appendix: whether
    a page is printed with all tables. safe_csv: whether text in CSV and TSV is changed so that no spreadsheet runs it.
    notes, every_column: whether formats for readers have all notes, and all columns of their tables.

    The result can be encoded as UTF-8: undecodable bytes of a file name appear as `\udc80`. Raises UnknownName for an
    unknown format.

    >>> from metaeval.model.report import Column, Kind, Provenance, Report, Table
    >>> columns = (Column("system"), Column("accuracy", Kind.SCORE, higher_is_better=True))
    >>> scores = Table("scores", "Scores", columns, (("atlas", 0.75), ("words", 0.625)))
    >>> print(render(Report("score", "metaeval:0.1.0", (scores,), (), Provenance("0.1.0")), "csv"), end="")
    system,accuracy
    atlas,0.75
    words,0.625
    """
    form = FORMATS[format_name]
    module, _, function = form.renderer.partition(":")
    write = load(f"metaeval.render.{module}", function)
    named = with_titles(report) if (form.titles if titles is None else titles) else report
    style = Style(
        digits=digits,
        width=width,
        colour=colour,
        appendix=appendix,
        safe_csv=safe_csv,
        notes=notes,
        every_column=every_column,
    )
    text: str = write(named, style)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


FORMATS: Registry[Format] = Registry("format")
FORMATS.register("table", Format("terminal:terminal"))
FORMATS.register("chart", Format("terminal:chart"))
FORMATS.register("csv", Format("data:comma_separated"))
FORMATS.register("tsv", Format("data:tab_separated"))
FORMATS.register("json", Format("data:json_text"))
FORMATS.register("markdown", Format("markdown:markdown", titles=True))
FORMATS.register("latex", Format("latex:latex", titles=True))
FORMATS.register("html", Format("html:html", titles=True))
