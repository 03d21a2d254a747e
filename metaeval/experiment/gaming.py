"""Can a measure be gamed? Trivial systems among the real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import on_gaming
from metaeval.config import ExperimentConfig, RobustnessConfig
from metaeval.errors import InputError, counted
from metaeval.io.dataset import Track
from metaeval.model.report import Column, Kind, Report, Table
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.model.texts import TextRuns
from metaeval.scoring.trivial_outputs import trivial_derivations, trivial_texts
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy, score_with_trivial
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, silently, undefined_notes


@dataclass(frozen=True)
class Gamed:
    """Scores of K trivial systems beside those of the real ones.

    scores: of the trivial systems, (M, K). beaten: how many real systems each beats, (M, K).
    """

    scores: ScoreCube
    beaten: NDArray[np.intp]


def robustness(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """How many real systems each trivial one beats under every measure.

    Table `robustness`: measure, a column a trivial system with the number of real systems whose score is worse. Table
    `robustness_scores`: the same columns with the scores.
    """
    study = read_study(config, track=track)
    part = robustness_tables(study, find_gamed(study))
    return study.report("robustness", part, command_line=command_line, sections=[RobustnessConfig()])


def find_gamed(study: Study) -> Gamed:
    """Compute what `robustness` tells."""
    study.check_measures()
    if not study.systems:
        raise InputError.at(study.config.data.gold, found="no system", expected="at least one", hint="name a run")
    scores = _trivial_scores(study)
    real, trivial = study.scores.oriented().values, scores.oriented().values
    one, other = trivial[:, :, np.newaxis], real[:, np.newaxis, :]
    # An undefined score is worse than any other and beats none.
    beaten = (one > other) | (np.isnan(other) & ~np.isnan(one))
    return Gamed(scores, beaten.sum(axis=-1))


def _trivial_scores(study: Study) -> ScoreCube:
    seed = study.config.seed
    if isinstance(study, LabelStudy):
        (cube, _), real = score_with_trivial(study.runs, study.measures, seed=seed), len(study.systems)
        return ScoreCube(cube.values[:, real:], (), cube.measures, cube.systems[real:], cube.directions)
    assert isinstance(study, ItemStudy)
    if isinstance(study.runs, ItemScores):
        raise InputError.at(
            found="trivial systems with --task table, where nobody can score them",
            expected="labels, texts or derivations",
            hint="score such systems with the tool that made the table",
        )
    runs = study.runs
    gaming = trivial_texts(runs, seed=seed) if isinstance(runs, TextRuns) else trivial_derivations(runs, seed=seed)
    return study.scoring(gaming, study.measures, "Comparing trivial systems").mean()


def robustness_tables(study: Study, found: Gamed) -> Part:
    """The tables of `robustness`, and what to say of them."""
    names, scores = study.measure_names, found.scores
    counts = [Column(system, Kind.COUNT) for system in scores.systems]
    values = [Column(system, Kind.SCORE) for system in scores.systems]
    title = f"How many of {counted(len(study.systems), 'real system')} each trivial one beats"
    beside = Table(
        "robustness_scores",
        "Scores of the trivial systems",
        (Column("measure"), *values),
        tuple((name, *row) for name, row in zip(names, scores.values.tolist(), strict=True)),
    )
    table = Table(
        "robustness",
        f"{title} (its score)",
        (Column("measure"), *counts),
        tuple((name, *row) for name, row in zip(names, found.beaten.tolist(), strict=True)),
        beside=beside,
    )
    findings = on_gaming(names, scores.systems, found.beaten, systems=len(study.systems))
    return Part([table], [*_notes(study), *undefined_notes(scores)], findings)


def _notes(study: Study) -> list[str]:
    if isinstance(study, LabelStudy):
        return ["the random systems are one draw each: another --seed, another score"]
    without = isinstance(study, ItemStudy) and isinstance(study.runs, TextRuns) and study.runs.sources is None
    return ["without --sources there are no lists of words and no leads of sources"] if without else []
