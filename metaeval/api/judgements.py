"""Measures beside people: the functions of the commands that take ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval import experiment
from metaeval.api.call import carry_out
from metaeval.config import (
    AgreementConfig,
    Alignment,
    DataConfig,
    ExperimentConfig,
    overlay,
)
from metaeval.render.result import Result
from metaeval.settings.kinds import as_tuple
from metaeval.stats.agreement import Level
from metaeval.study.runs import (
    Labels,
    People,
    scale_of,
    with_people,
)


def agreement(
    ratings: People,
    *,
    annotator_column: str | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    labels: Labels | None = None,
    class_values: Mapping[str, float] | None = None,
    levels: Level | Sequence[Level] = (),
    by: str | None = None,
    bootstrap: int | None = None,
    judges: str | Sequence[str] = (),
    epsilon: float | None = None,
    alignment: Alignment | None = None,
    seed: int | None = None,
) -> Result:
    """Do annotators agree? And would a judge do as well? Tables `agreement`, `leave_one_out`, `judges` and others.

    ratings: files, or a table: a row a rating (annotator, item, label) or a column an annotator (item, ann, bob …),
    with a column 'system' where systems were rated. labels: where ratings are words. levels: of Krippendorff's alpha.
    by: 'cell', or 'system' for the means of systems. judges: files, or annotators who are judges here.

    >>> import metaeval
    >>> ratings = {"item": ["q1", "q2", "q3"], "ann": [1, 2, 3], "bob": [1, 2, 2]}
    >>> result = metaeval.agreement(ratings, levels="nominal", bootstrap=0)
    >>> result.to_pandas().set_index("statistic")["value"]["alpha:level=nominal"].item()
    0.54...
    """
    data = overlay(
        with_people(DataConfig(), ratings),
        id_column=id_column,
        label_column=label_column,
        labels=scale_of(labels),
        class_values=class_values,
    )
    wanted = overlay(
        AgreementConfig(),
        annotator_column=annotator_column,
        levels=as_tuple(levels),
        by=by,
        bootstrap=bootstrap,
        judges=as_tuple(judges),
        epsilon=epsilon,
        alignment=alignment,
    )
    return carry_out(experiment.agreement, overlay(ExperimentConfig(data=data, agreement=wanted), seed=seed))
