"""What a function of the API gives back: a report that shows, saves and plots itself."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import InputError, described
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.files import refuse_overwriting_inputs, write_atomically

if TYPE_CHECKING:
    from metaeval.render.plots import Drawing

FORMAT_OF = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
}
"""The format of a file by its ending."""

PICTURES = (".svg", ".png", ".pdf")


@dataclass(frozen=True, repr=False)
class Result(Report):
    """The result of one function: a `Report` that is shown as tables in a notebook, and printed as in a terminal.

    `to_pandas()` and `to_dict()` give the numbers in full precision.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> result = metaeval.score(runs, "accuracy")
    >>> print(result)
    2 systems on 2 items: score (rank)
    <BLANKLINE>
    system    accuracy
    ──────────────────
    a       1.0000 (1)
    b       0.5000 (2)
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
            Results of a command.
        """
        return cls(**{each.name: getattr(report, each.name) for each in fields(Report)})

    def __str__(self) -> str:
        shown = replace(self, tables=tuple(table for table in self.tables if not table.detail))
        details = [f"to_pandas('{table.name}')" for table in self.tables if table.detail]
        left_out = f"\nLeft out here: {', '.join(details)}" if details else ""
        return (render(shown, "table") + left_out).rstrip("\n")

    __repr__ = __str__

    def __hash__(self) -> int:
        # What equal results have in common; the provenance holds a dict, which has no hash.
        return hash((self.command, self.signature))

    def _repr_html_(self) -> str:
        from metaeval.render.notebook import fragment

        return fragment(self)

    def plot(self, name: str | None = None) -> Picture:
        """A plot, which a notebook shows; needs the extra `plots`.

        Parameters
        ----------
        name
            A table or a plot; None for the plot of the main table.

        Raises
        ------
        UnknownName
            If there is no such plot.
        InputError
            If the result has no plot, or matplotlib is missing.
        """
        from metaeval.errors import UnknownName
        from metaeval.render.plots import drawings, main_drawing

        if name is None:
            return Picture(main_drawing(self))
        found = drawings(self)
        wanted = [drawing for drawing in found if name in (drawing.name, drawing.table)]
        if not wanted:
            raise UnknownName("plot", str(name), [drawing.name for drawing in found])
        return Picture(wanted[0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, completely or not at all.

        Parameters
        ----------
        path
            The ending is the format. .json: everything, in full precision; .csv, .tsv: the main table, likewise; .md,
            .tex, .txt, .html: tables for readers; .svg, .png, .pdf: the plot of the main table.

        Raises
        ------
        InputError
            If the ending is another one, or if the file cannot be written or is an input of the result.
        """
        target = _path_text(path)
        suffix = Path(target).suffix.lower()
        refuse_overwriting_inputs(target, self)
        if suffix in PICTURES:
            self.plot().save(target)
        elif suffix in FORMAT_OF:
            write_atomically(target, [render(self, FORMAT_OF[suffix])])
        else:
            raise _unknown_ending(target, (*FORMAT_OF, *PICTURES))


@dataclass(frozen=True, repr=False)
class Picture:
    """A plot of a result; a notebook shows it.

    Parameters
    ----------
    drawing
        What is drawn.
    """

    drawing: Drawing

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"

    @property
    def title(self) -> str:
        """One line."""
        return self.drawing.title

    @property
    def alt(self) -> str:
        """What is seen, with the main numbers."""
        return self.drawing.alt

    def _repr_svg_(self) -> str:
        return self.drawing.to_bytes(".svg").decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot to a file.

        Parameters
        ----------
        path
            A name ending in .svg, .png or .pdf.
        """
        target = _path_text(path)
        suffix = Path(target).suffix.lower()
        if suffix not in PICTURES:
            raise _unknown_ending(target, PICTURES)
        write_atomically(target, [self.drawing.to_bytes(suffix)])


def _unknown_ending(path: str, known: tuple[str, ...]) -> InputError:
    return InputError.at(path, found="a file of unknown form", expected=f"a name ending in {', '.join(known)}")


def _path_text(path: str | os.PathLike[str]) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InputError.at(found=f"path: {described(path)}", expected="the path of a file") from None
