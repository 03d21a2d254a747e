"""Reports as text: for a terminal, a spreadsheet, a script, a page, a paper.

`render` imports a renderer when it is used, so that a CSV does not require rich.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from metaeval.model.report import Report
from metaeval.registry import Registry
from metaeval.render.cells import Style

__all__ = ["FORMATS", "Format", "Style", "render"]


@dataclass(frozen=True)
class Format:
    """A format of reports.

    about: one line for a help text. renderer: MODULE:FUNCTION in `metaeval.render`; the function takes a report and a
    style.
    """

    about: str
    renderer: str


def render(report: Report, format_name: str, *, digits: int = 4, width: int | None = None, colour: bool = False) -> str:
    r"""The report in one of the `FORMATS`, ending in one newline.

    digits: decimals of scores in formats for readers; data formats keep full precision. width: of the terminal, in
    cells; None for lines of any length. colour: whether the terminal supports colours and bold and dim text.

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
    module, _, function = FORMATS[format_name].renderer.partition(":")
    write = getattr(importlib.import_module(f"metaeval.render.{module}"), function)
    text: str = write(report, Style(digits, width, colour))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


FORMATS: Registry[Format] = Registry("format")
FORMATS.register("table", Format("for reading in a terminal", "terminal:terminal"))
FORMATS.register("chart", Format("heat maps and bars for a terminal", "chart:chart"))
FORMATS.register("csv", Format("the main table, full precision", "delimited:comma_separated"))
FORMATS.register("tsv", Format("the main table, full precision, no quotes", "delimited:tab_separated"))
FORMATS.register("json", Format("everything, full precision, with provenance", "json:json_text"))
FORMATS.register("markdown", Format("GitHub tables", "markdown:markdown"))
FORMATS.register("latex", Format("booktabs tables", "latex:latex"))
FORMATS.register("html", Format("one page with plots, for a browser", "html.page:html"))
