"""The study of Amemiya & Sakai made again on other, public systems: which of its findings hold there?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.compute import analyse as merge_analyse
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.similarity.compute import analyse as similarity_analyse
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability.compute import analyse as stability_analyse
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.io.dataset import Track
from metaeval.io.labels.policies import Policy
from metaeval.model.report import AnalysisOutput, Cell, Column, Kind, Table
from metaeval.model.scale import ClassScale
from metaeval.reproduction.amemiya import nearest_groups
from metaeval.reproduction.cells import column_of
from metaeval.reproduction.material import Material
from metaeval.reproduction.published.reading import Paper, read_paper
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank_correlation import kendall_b
from metaeval.study.read import read_study
from metaeval.study.study import Study

Numbers = NDArray[np.float64]

_MERGES = ("discuss+agree", "disagree+discuss", "disagree+agree")
_CRITERIA = ("consistency", "Agree+Discuss", "Disagree+Discuss", "Agree+Disagree", "mean")
"""The columns of tables 3 and 6; the merges stand in the order of `_MERGES`."""


@dataclass(frozen=True, eq=False)
class _Results:
    """What the study found of M measures, in the order of the paper.

    similarity: (M, M). criteria: consistency, tau after each merge, and their mean, (M, 5).
    """

    measures: tuple[str, ...]
    similarity: Numbers
    criteria: Numbers


def regenerate(material: Material, *, seed: int, track: Track) -> AnalysisOutput:
    """The nine measures on the systems that were found, beside what the paper prints; nothing without systems."""
    if material.fnc1 is None:
        return AnalysisOutput(())
    paper = read_paper("amemiya2021")
    printed = _printed(paper)
    study = read_study(_config(*material.fnc1, seed), track=track)
    found = _computed(study, printed.measures, track)
    head = f"{len(study.systems)} public systems on {len(study.items):,} items"
    titles = (f"Similarity of rankings, {head}", "Table 2 as printed")
    similarity = _beside_printed("similarity", found.measures, found, printed, titles)
    titles = (f"Consistency, and tau after merges, {head}", "Tables 3 and 6 as printed")
    criteria = _beside_printed("criteria", _CRITERIA, found, printed, titles)
    tables = (similarity, criteria, _findings(paper, found, printed))
    note = f"the study made again: {head}; the systems are others than the paper's, whose figures are in parentheses"
    return AnalysisOutput(tables, (note, *study.origin.notes), files=study.origin.files)


def _printed(paper: Paper) -> _Results:
    """The paper's tables 2, 3 and 6."""
    measures = paper.table("7", "ranks").names
    similarity = np.eye(len(measures))
    table = paper.table("2")
    for (row, column), value in np.ndenumerate(table.array()):
        if not np.isnan(value):
            pair = measures.index(table.names[row]), measures.index(table.header[column])
            similarity[pair] = similarity[pair[::-1]] = value
    stable = column_of(paper.table("3"), "tau")
    merged = paper.table("6")
    rows = [[stable[name].value, *(cell.value for cell in merged.row(name) if cell)] for name in measures]
    return _Results(measures, similarity, np.array(rows))


def _config(gold: str, runs: Sequence[str], seed: int) -> ExperimentConfig:
    data = DataConfig(
        gold=gold,
        runs=tuple(runs),
        labels=ClassScale(("disagree", "discuss", "agree"), ordered=True),
        drop_gold=("unrelated",),
        on_unknown=Policy.parse("worst", option="--on-unknown"),
    )
    return ExperimentConfig(
        data,
        preset="stance-nine",
        seed=seed,
        analyses=(
            SimilaritySettings(resamples=0),
            # No measures are tested for a difference here.
            StabilitySettings(permutations=1),
            MergeSettings(merges=_MERGES, resamples=0),
        ),
    )


def _computed(study: Study, measures: tuple[str, ...], track: Track) -> _Results:
    """What `similarity`, `stability` and `merge-classes` find."""
    similarity = similarity_analyse(study, study.config.settings_of(SimilaritySettings), track=track).values
    tau = stability_analyse(study, study.config.settings_of(StabilitySettings), track=track).consistency.tau
    merges = merge_analyse(study, study.config.settings_of(MergeSettings), track=track)
    return _Results(measures, similarity, np.column_stack([defined_mean(tau), merges.values.T, merges.means]))


def _beside_printed(
    name: str, columns: Sequence[str], found: _Results, printed: _Results, titles: tuple[str, str]
) -> Table:
    """A matrix of the results beside that of the paper; name: of the field. titles: of the table and of the paper's."""
    header = (Column("measure"), *(Column(column, Kind.SCORE) for column in columns))
    here, there = (
        tuple((measure, *row) for measure, row in zip(results.measures, getattr(results, name).tolist(), strict=True))
        for results in (found, printed)
    )
    beside = Table(f"printed_{name}", titles[1], header, there)
    return Table(f"study_{name}", titles[0], header, here, beside=beside)


def _findings(paper: Paper, found: _Results, printed: _Results) -> Table:
    """How alike the tables are, and what the paper concludes from them."""
    above = np.triu_indices(len(found.measures), k=1)
    rows: list[tuple[Cell, ...]] = [
        ("tau of table 2 and ours", None, _tau(found.similarity[above], printed.similarity[above]), None),
        ("tau of table 3 and ours", None, _tau(found.criteria[:, 0], printed.criteria[:, 0]), None),
        ("tau of the means of table 6 and ours", None, _tau(found.criteria[:, -1], printed.criteria[:, -1]), None),
    ]
    for what, column, sign in (
        ("most consistent", 0, 1),
        ("least consistent", 0, -1),
        ("notices order most: lowest mean tau after merges", -1, -1),
        ("notices order least: highest mean tau after merges", -1, 1),
    ):
        names = [results.measures[int((sign * results.criteria[:, column]).argmax())] for results in (printed, found)]
        rows.append((what, *names, names[0] == names[1]))
    letters = {name: cell.text for name, cell in column_of(paper.table("7", "groups"), "similarity").items()}
    tau = {
        name: dict(zip(found.measures, row, strict=True))
        for name, row in zip(found.measures, found.similarity.tolist(), strict=True)
    }
    for name, check in nearest_groups(tau, letters).items():
        near = str(check.computed)
        rows.append((f"group that {name} is most like", letters[name], near, near in letters[name].split("/")))
    columns = (Column("finding"), Column("paper"), Column("here", Kind.SCORE), Column("holds", Kind.FLAG))
    return Table("study_findings", "What holds of the paper's findings on other systems", columns, tuple(rows))


def _tau(one: Numbers, other: Numbers) -> float:
    return float(kendall_b(one, other))
