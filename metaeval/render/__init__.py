"""Reports as text: for a terminal, a spreadsheet, a script, a page, a paper.

`render` imports a renderer when it is used, so that a CSV does not require rich.
"""

from __future__ import annotations

from typing import Any

from metaeval.model.report import Report
from metaeval.registry import FORMATS, load
from metaeval.render.cells import Style
from metaeval.render.sections import with_titles

__all__ = ["FORMATS", "Style", "render"]


def render(report: Report, format_name: str, *, titles: bool | None = None, **style: Any) -> str:
    r"""The report in one of the `FORMATS`, ending in one newline; style: the fields of a `Style`.

    titles: whether measures have their titles instead of their names; None for what is usual in the format.

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
    titled_report = with_titles(report) if (form.titles if titles is None else titles) else report
    text: str = write(titled_report, Style(**style))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
