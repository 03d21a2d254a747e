"""The published tables of the papers, compared with what metaeval computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from metaeval.config import DEFAULT_SEED, ExperimentConfig
from metaeval.errors import UnknownName, setting
from metaeval.io.dataset import Progress
from metaeval.model.report import AnalysisOutput, Note, Provenance, Report, as_notes, signature
from metaeval.papers import rumours, stance, summaries
from metaeval.papers.material import NOTHING, Material, read_material
from metaeval.papers.published import PAPERS, Paper, Verdict, read_paper
from metaeval.papers.studies import replicate
from metaeval.papers.tables import CheckedCell, Checks, finding_tables, judge_cells, paper_tables
from metaeval.render.result import Result
from metaeval.settings import documented_by
from metaeval.study.runs import Path, path_of
from metaeval.study.study import no_progress, versions_used
from metaeval.version import __version__

_RULES: Mapping[str, Callable[[Paper, Material], Checks]] = {
    "amemiya2021": stance.checks,
    "hirao2006": summaries.checks,
    "inoue2020": summaries.checks_of_derivations,
    "ordinal2022": stance.checks_of_ordinal,
    "scarton2020": rumours.checks,
}
"""For each paper, the checks of cells that follow from other cells or from data."""


def check_paper(paper: Paper, material: Material = NOTHING) -> list[CheckedCell]:
    """A verdict on every printed number of a paper, in printed order. material: what was read from the user's data."""
    return judge_cells(paper, _RULES[paper.key](paper, material))


def reproduce_papers(
    paper: str | None = None,
    *,
    data: str | None = None,
    seed: int = DEFAULT_SEED,
    command_line: str = "",
    progress: Progress = no_progress,
) -> Report:
    """The printed and the computed value and a verdict for every number of the papers, or of one.

    paper: a key of `PAPERS`, else `UnknownName`. data: a folder with public data in their native layout, or None.
    Table `verdicts`: counts of each verdict by paper. `findings`: cells that differ or are unattainable. `rounding`:
    cells within rounding or chance. `missing`: how many need which data. `reproduction`: one row for each cell. For one
    paper also its tables, each cell with the mark of its verdict; with FNC-1's systems also a replication of the study
    of Amemiya & Sakai, `study_similarity` and others.
    """
    if paper is not None and paper not in PAPERS:
        raise UnknownName("paper", paper, PAPERS)
    keys = PAPERS if paper is None else (paper,)
    weights = rumours.weights_of(read_paper("scarton2020"))
    material = read_material(data, keys, weights=weights, seed=seed, progress=progress)
    cells = {key: check_paper(read_paper(key), material) for key in keys}
    first, *others = finding_tables(cells)
    tables = paper_tables(read_paper(paper), cells[paper]) if paper is not None else []
    replication = replicate(material, seed=seed, progress=progress) if "amemiya2021" in keys else AnalysisOutput(())
    settings = [("papers", paper or len(PAPERS)), ("data", "public" if material.files else "none")]
    if material.files:
        settings.append(("seed", seed))
    return Report(
        "reproduce",
        signature(__version__, settings),
        (first, *tables, *others[:-1], *replication.tables, others[-1]),
        as_notes([*_notes(data, material), *replication.notes]),
        Provenance(
            __version__,
            command_line,
            tuple(dict.fromkeys((*material.files, *replication.files))),
            versions_used(),
            dict(settings),
        ),
    )


def count_differing(report: Report) -> int:
    """The number of cells that differ in a report of `reproduce_papers`."""
    return sum(record["verdict"] == Verdict.DIFFERS.value for record in report.tables[-1].records())


def _notes(data: str | None, material: Material) -> list[Note | str]:
    notes: list[Note | str] = ["; ".join(f"{verdict.value}: {verdict.meaning}" for verdict in Verdict)]
    if data is None:
        remedy = setting("data")
        notes.append(f"{remedy}, a folder with FNC-1, RumourEval and R4C as published, gives verdicts on more cells")
    elif not material.files:
        sentence = f"{data} contains no file of FNC-1, RumourEval or R4C under its published name"
        notes.append(Note(sentence, on_input=True))
    return notes


@documented_by(ExperimentConfig)
def reproduce(paper: str | None = None, *, data: Path | None = None, seed: int | None = None) -> Result:
    """Compare the tables of papers with computed values: tables `verdicts`, `findings` and others.

    Parameters
    ----------
    paper
        Name of the paper, such as 'amemiya2021' (default: all papers).
    data
        Folder with FNC-1, RumourEval and R4C as published.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.reproduce("inoue2020").main.name
    'verdicts'
    """
    folder = None if data is None else path_of(data, "data")
    name = None if paper is None else str(paper)
    return Result.of(reproduce_papers(name, data=folder, seed=ExperimentConfig().overlaid(seed=seed).seed))
