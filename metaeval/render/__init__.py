"""Reports as text: for a terminal, a spreadsheet, a script, a page, a paper.

`render` is the only door. A renderer is imported when it is asked for, so that a CSV never waits for rich.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metaeval.model.report import Report
from metaeval.registry import Registry
from metaeval.render.cells import Style

__all__ = ["FORMATS", "Format", "Style", "render"]


@dataclass(frozen=True)
class Format:
    """A form a report can take.

    about: one line for a help text.
    write: the renderer.
    """

    about: str
    write: Callable[[Report, Style], str]


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
    text = FORMATS[format_name].write(report, Style(digits, width, colour))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _table(report: Report, style: Style) -> str:
    from metaeval.render.terminal import terminal

    return terminal(report, style)


def _chart(report: Report, style: Style) -> str:
    from metaeval.render.chart import chart

    return chart(report, style)


def _csv(report: Report, _style: Style) -> str:
    from metaeval.render.delimited import comma_separated

    return comma_separated(report.main)


def _tsv(report: Report, _style: Style) -> str:
    from metaeval.render.delimited import tab_separated

    return tab_separated(report.main)


def _json(report: Report, _style: Style) -> str:
    from metaeval.render.json import json_text

    return json_text(report)


def _markdown(report: Report, style: Style) -> str:
    from metaeval.render.markdown import markdown

    return markdown(report, style)


def _latex(report: Report, style: Style) -> str:
    from metaeval.render.latex import latex

    return latex(report, style)


def _html(report: Report, style: Style) -> str:
    from metaeval.render.html import html

    return html(report, style)


FORMATS: Registry[Format] = Registry("format")
FORMATS.register("table", Format("for reading in a terminal", _table))
FORMATS.register("chart", Format("heat maps and bars for a terminal", _chart))
FORMATS.register("csv", Format("the main table, full precision", _csv))
FORMATS.register("tsv", Format("the main table, full precision, no quotes", _tsv))
FORMATS.register("json", Format("everything, full precision, with provenance", _json))
FORMATS.register("markdown", Format("GitHub tables", _markdown))
FORMATS.register("latex", Format("booktabs tables", _latex))
FORMATS.register("html", Format("one page with plots, for a browser", _html))
