"""Every published table of the papers beside what metaeval computes."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping

import numpy as np

from metaeval.config import DEFAULT_SEED
from metaeval.errors import UnknownName
from metaeval.io.dataset import Track
from metaeval.model.report import AnalysisOutput, Provenance, Report, signature
from metaeval.reproduction import amemiya, hirao, inoue, ordinal, scarton
from metaeval.reproduction.cells import CheckedCell, Checks, Place, judged
from metaeval.reproduction.material import NOTHING, Material, read_material
from metaeval.reproduction.published.reading import PAPERS, Paper, read_paper
from metaeval.reproduction.published.verdicts import Check, Verdict
from metaeval.reproduction.studies import regenerate
from metaeval.reproduction.tables import finding_tables, paper_tables
from metaeval.study.study import silently
from metaeval.version import __version__

_MEANINGS = (
    "exact: equal at the printed precision; within rounding: reached by values that round to the printed inputs; "
    "within chance: inside the range of random draws; differs: nothing that rounds to the inputs gives it; "
    "unattainable: no data could give it; given: a choice of the authors"
)

__all__ = ["check_paper", "differing", "reproduce"]


_RULES: Mapping[str, tuple[Callable[[Paper, Material], Checks], Callable[[Place], Check]]] = {
    "amemiya2021": (amemiya.checks, amemiya.otherwise),
    "hirao2006": (hirao.checks, hirao.otherwise),
    "inoue2020": (inoue.checks, inoue.otherwise),
    "ordinal2022": (ordinal.checks, ordinal.otherwise),
    "scarton2020": (scarton.checks, scarton.otherwise),
}
"""The checks of the cells that follow from other cells or from data, and the check of every other cell."""


def check_paper(paper: Paper, material: Material = NOTHING) -> list[CheckedCell]:
    """A verdict on every printed number of a paper, in printed order. material: what was read of the user's data."""
    checks, otherwise = _RULES[paper.key]
    return judged(paper, checks(paper, material), otherwise)


def reproduce_papers(
    paper: str | None = None,
    *,
    data: str | None = None,
    seed: int = DEFAULT_SEED,
    command_line: str = "",
    track: Track = silently,
) -> Report:
    """Printed, computed and a verdict for every number of the papers, or of one.

    paper: a key of `PAPERS`, else `UnknownName`. data: a folder with public data in their native layout, or None.
    seed: of random draws.
    Table `verdicts`: paper, a column of counts a verdict. `findings`: the cells that differ or are unattainable.
    `rounding`: those within rounding or chance. `missing`: how many need which data. `reproduction`: paper, table,
    part, row, column, printed, computed, verdict, reason, a row a cell. For one paper also its tables, each cell with
    the mark of its verdict; with FNC-1's systems the study of Amemiya & Sakai made again, `study_similarity` and so on.
    """
    if paper is not None and paper not in PAPERS:
        raise UnknownName("paper", paper, PAPERS)
    keys = PAPERS if paper is None else (paper,)
    weights = scarton.weights_of(read_paper("scarton2020"))
    material = read_material(data, keys, weights=weights, seed=seed, track=track)
    cells = {key: check_paper(read_paper(key), material) for key in keys}
    first, *others = finding_tables(cells)
    own = paper_tables(read_paper(paper), cells[paper]) if paper is not None else []
    again = regenerate(material, seed=seed, track=track) if "amemiya2021" in keys else AnalysisOutput(())
    settings = [("papers", paper or len(PAPERS)), ("data", "public" if material.files else "none")]
    if material.files:
        settings.append(("seed", seed))
    return Report(
        "reproduce",
        signature(__version__, settings),
        (first, *own, *others[:-1], *again.tables, others[-1]),
        (*_notes(data, material, marked=paper is not None), *again.notes),
        Provenance(
            __version__,
            command_line,
            tuple(dict.fromkeys((*material.files, *again.files))),
            {"python": platform.python_version(), "numpy": np.__version__},
            dict(settings),
        ),
    )


def differing(report: Report) -> int:
    """How many cells of a report of `reproduce` differ."""
    return sum(record["verdict"] == Verdict.DIFFERS.value for record in report.tables[-1].records())


def _notes(data: str | None, material: Material, *, marked: bool) -> list[str]:
    notes = [_MEANINGS]
    if marked:
        notes.append("marks: = exact, ≈ within rounding, ~ within chance, ≠ differs, × unattainable, ? needs data")
    if data is None:
        notes.append("with --data DIR, a folder of FNC-1, RumourEval and R4C, more cells have a verdict")
    elif not material.files:
        notes.append(f"nothing in {data} is a file of FNC-1, RumourEval or R4C by its published name")
    return notes
