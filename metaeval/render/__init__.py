"""Reports as text: for a terminal, a spreadsheet, a script, a page, a paper.

`render` is the only door. A renderer is imported when it is asked for, so that a CSV never waits for rich.
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
    """A form a report can take.

    about: one line for a help text.
    renderer: its module in `metaeval.render` and, after a colon, the function of a report and a style.
    """

    about: str
    renderer: str


def render(report: Report, format_name: str, *, digits: int = 4, width: int | None = None, colour: bool = False) -> str:
    r"""The report in one of the `FORMATS`, ending in one newline.

    digits: decimals of scores where people read; data formats keep full precision.
    width: of the terminal, in cells; None where lines may be as long as they like.
    colour: whether the terminal may show bold and dim text.

    The result can always be encoded as UTF-8: bytes of a file name that are no text appear as `\udc80`.

    Raises UnknownName for a format that does not exist.

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
FORMATS.register("html", Format("one page with plots, for a browser", "html:html"))
