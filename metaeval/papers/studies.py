"""A replication of the study of Amemiya & Sakai on other, public systems: which of its findings hold there?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.merge_classes.compute import analyse as merge_analyse
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.similarity.compute import analyse as similarity_analyse
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability.compute import analyse as stability_analyse
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.arrays import Floats
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.io.dataset import Progress
from metaeval.io.labels.join import Policy
from metaeval.model.report import AnalysisOutput, Cell, Column, Kind, Table
from metaeval.model.scale import ClassScale
from metaeval.papers.material import Material
from metaeval.papers.published import Paper, read_paper
from metaeval.papers.stance import nearest_groups, similarities
from metaeval.stats.association import kendall_b
from metaeval.study.read import read_study
from metaeval.study.study import Study

_MERGES = ("discuss+agree", "disagree+discuss", "disagree+agree")
_COLUMNS = ("consistency", "Agree+Discuss", "Disagree+Discuss", "Agree+Disagree", "mean")
"""The columns of tables 3 and 6; the merges are in the order of `_MERGES`."""

_CONCLUSIONS = (
    ("most consistent", 0, 1),
    ("least consistent", 0, -1),
    ("most sensitive to merging classes: lowest mean tau", -1, -1),
    ("least sensitive to merging classes: highest mean tau", -1, 1),
)
"""What the paper concludes about one measure: a description, and the column with its largest (1) or smallest value."""


@dataclass(frozen=True, eq=False)
class _Results:
    """Results for M measures, in the order of the paper.

    similarity: (M, M). criteria: consistency, tau after each merge, and the mean of these taus, (M, 5).
    """

    measures: tuple[str, ...]
    similarity: Floats
    criteria: Floats


def replicate(material: Material, *, seed: int, progress: Progress) -> AnalysisOutput:
    """The nine measures on the systems of the data, beside the printed results; empty if there are no systems."""
    if material.fnc1 is None:
        return AnalysisOutput(())
    paper = read_paper("amemiya2021")
    paper_results = _read_results(paper)
    study = read_study(_config(*material.fnc1, seed), progress=progress)
    results = _compute(study, paper_results.measures, progress)
    head = f"{len(study.systems)} public systems on {len(study.items):,} items"
    titles = (f"Similarity of rankings, {head}", "Table 2 as printed")
    similarity = _beside_printed("similarity", results.measures, results, paper_results, titles)
    titles = (f"Consistency, and tau after merges, {head}", "Tables 3 and 6 as printed")
    criteria = _beside_printed("criteria", _COLUMNS, results, paper_results, titles)
    note = f"replication of the study: {head}; the systems differ from the paper's, whose numbers are in parentheses"
    tables = (similarity, criteria, _findings(paper, results, paper_results))
    return AnalysisOutput(tables, (note, *study.origin.notes), files=study.origin.files)


def _read_results(paper: Paper) -> _Results:
    """Tables 2, 3 and 6 of the paper."""
    measures = paper.table("7", "ranks").names
    tau = similarities(paper.table("2"))
    similarity = np.array([[tau[one].get(other, 1.0) for other in measures] for one in measures])
    consistency, merges = paper.table("3").column("tau"), paper.table("6")
    rows = [[consistency[name].value, *(cell.value for cell in merges.row(name).values())] for name in measures]
    return _Results(measures, similarity, np.array(rows))


def _config(gold: str, runs: Sequence[str], seed: int) -> ExperimentConfig:
    data = DataConfig(
        gold=gold,
        runs=tuple(runs),
        labels=ClassScale(("disagree", "discuss", "agree"), ordered=True),
        drop_gold=("unrelated",),
        on_unknown=Policy("worst"),
    )
    # One permutation: differences between measures are not tested here.
    analyses = (
        SimilaritySettings(permutations=0),
        StabilitySettings(permutations=1),
        MergeSettings(merges=_MERGES, permutations=0),
    )
    return ExperimentConfig(data, preset="stance-nine", seed=seed, analyses=analyses)


def _compute(study: Study, measures: tuple[str, ...], progress: Progress) -> _Results:
    """The results of `similarity`, `stability` and `merge-classes`."""
    similarity = similarity_analyse(study, study.config.settings_of(SimilaritySettings), progress=progress).values
    stability = stability_analyse(study, study.config.settings_of(StabilitySettings), progress=progress).consistency
    merges = merge_analyse(study, study.config.settings_of(MergeSettings), progress=progress)
    return _Results(measures, similarity, np.column_stack([stability.means, merges.values.T, merges.means]))


def _beside_printed(
    name: str, columns: Sequence[str], results: _Results, paper_results: _Results, titles: tuple[str, str]
) -> Table:
    """A matrix of the results beside that of the paper; name: of the field. titles: of the table and of the paper's."""
    header = (Column("measure"), *(Column(column, Kind.SCORE) for column in columns))
    here, there = (
        tuple((measure, *row) for measure, row in zip(of.measures, getattr(of, name).tolist(), strict=True))
        for of in (results, paper_results)
    )
    return Table(f"study_{name}", titles[0], header, here, Table(f"printed_{name}", titles[1], header, there))


def _findings(paper: Paper, results: _Results, paper_results: _Results) -> Table:
    """How similar the tables are, and which conclusions of the paper hold."""
    above = np.triu_indices(len(results.measures), k=1)
    rows: list[tuple[Cell, ...]] = []
    for table, ours, theirs in (
        ("table 2", results.similarity[above], paper_results.similarity[above]),
        ("table 3", results.criteria[:, 0], paper_results.criteria[:, 0]),
        ("the means of table 6", results.criteria[:, -1], paper_results.criteria[:, -1]),
    ):
        rows.append((f"tau of {table} and ours", None, float(kendall_b(ours, theirs)), None))
    for conclusion, column, sign in _CONCLUSIONS:
        names = [of.measures[int((sign * of.criteria[:, column]).argmax())] for of in (paper_results, results)]
        rows.append((conclusion, *names, names[0] == names[1]))
    letters = {name: cell.text for name, cell in paper.table("7", "groups").column("similarity").items()}
    tau = {
        name: dict(zip(results.measures, row, strict=True))
        for name, row in zip(results.measures, results.similarity.tolist(), strict=True)
    }
    for name, check in nearest_groups(tau, letters).items():
        nearest = str(check.computed)
        rows.append((f"group most similar to {name}", letters[name], nearest, nearest in letters[name].split("/")))
    columns = (Column("finding"), Column("paper"), Column("here", Kind.SCORE), Column("holds", Kind.FLAG))
    return Table("study_findings", "Which findings of the paper hold on other systems", columns, tuple(rows))
