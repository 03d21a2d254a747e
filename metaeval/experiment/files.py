"""What the files hold, and that they fit together."""

from __future__ import annotations

import numpy as np

from metaeval.config import ExperimentConfig
from metaeval.errors import counted
from metaeval.experiment.study import check_measures, read_study, silently
from metaeval.io.dataset import Track
from metaeval.model.labels import NumericRuns
from metaeval.model.report import Cell, Column, Kind, Report, Table


def validate(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Read everything, compute nothing, and say what is there; gold alone will do.

    Table `files`: gold and each system, with its file and how often each class occurs; for numeric predictions the
    lowest, the mean and the highest number.
    """
    study = read_study(config, track=track, needs_runs=False)
    check_measures(study)
    runs, data = study.runs, study.config.data
    scale = runs.scale
    gold = ("gold", str(data.gold), len(runs.items))
    if isinstance(runs, NumericRuns):
        columns = [Column(name, Kind.SCORE) for name in ("lowest", "mean", "highest")]
        rows = [
            (name, path, len(runs.items), float(numbers.min()), float(numbers.mean()), float(numbers.max()))
            for name, path, numbers in zip(runs.systems, study.dataset.paths, runs.predicted, strict=True)
        ]
        beside = f" and {counted(len(rows), 'system')} of numbers" if rows else " alone"
        title = f"Gold ({_frequencies(runs)}){beside}"
        table_rows: list[tuple[Cell, ...]] = [(*gold, None, None, None), *rows]
    else:
        taken = ("system", "file", "items")
        columns = [Column(f"class {label}" if label in taken else label, Kind.COUNT) for label in scale.labels]
        table_rows = [
            (*head, *np.bincount(codes, minlength=len(scale)).tolist())
            for head, codes in (
                (gold, runs.gold),
                *(
                    ((name, path, len(runs.items)), codes)
                    for name, path, codes in zip(runs.systems, study.dataset.paths, runs.predicted, strict=True)
                ),
            )
        ]
        beside = f" and {counted(len(runs.systems), 'system')} fit together" if runs.systems else " alone"
        title = f"Gold{beside}: how often each class occurs"
    head = (Column("system"), Column("file"), Column("items", Kind.COUNT))
    table = Table("files", title, (*head, *columns), tuple(table_rows))
    return study.report("validate", [table], [], command_line=command_line)


def _frequencies(runs: NumericRuns) -> str:
    counts = np.bincount(runs.gold, minlength=len(runs.scale)).tolist()
    return ", ".join(f"{label} {count}" for label, count in zip(runs.scale.labels, counts, strict=True))
