"""What the files hold, and that they fit together."""

from __future__ import annotations

import numpy as np

from metaeval.config import ExperimentConfig
from metaeval.errors import counted
from metaeval.io.dataset import Track
from metaeval.model.labels import ClassRuns, NumericRuns
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.model.texts import DerivationRuns, TextRuns, TokenizedTexts
from metaeval.scoring.confusion import counts_of, gold_frequencies
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, silently

Row = tuple[Cell, ...]

_HEAD = (Column("system"), Column("file"), Column("items", Kind.COUNT))


def validate_experiment(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Read everything, compute nothing, and say what is there; gold alone will do.

    Table `files`: gold and each system, with its file and how often each class occurs; for numeric predictions the
    lowest, the mean and the highest number; for texts sentences and words, for derivations steps; for a table of scores
    how many measures.
    """
    study = read_study(config, track=track, needs_runs=False)
    study.check_measures()
    return study.report("validate", Part([_table(study)]), command_line=command_line)


def _table(study: Study) -> Table:
    if isinstance(study, LabelStudy):
        runs = study.runs
        return _of_numbers(study, runs) if isinstance(runs, NumericRuns) else _of_labels(study, runs)
    assert isinstance(study, ItemStudy)
    if isinstance(study.runs, TextRuns):
        return _of_texts(study, study.runs)
    if isinstance(study.runs, DerivationRuns):
        return _of_derivations(study, study.runs)
    rows = tuple((*head, ", ".join(study.measure_names)) for head in _heads(study))
    title = f"Scores of {counted(len(rows), 'system')} under {counted(len(study.measure_names), 'measure')}"
    return Table("files", title, (*_HEAD, Column("measures")), rows)


def _heads(study: Study) -> list[Row]:
    """The first cells of the row of each system."""
    files = zip(study.systems, study.origin.paths, strict=True)
    return [(name, path, len(study.items)) for name, path in files]


def _gold(study: Study, name: str) -> Row:
    return (name, str(study.config.data.gold), len(study.items))


def _fit_together(study: Study) -> str:
    return f" and {counted(len(study.systems), 'system')} fit together" if study.systems else " alone"


def _of_labels(study: Study, runs: ClassRuns) -> Table:
    taken = [column.name for column in _HEAD]
    columns = [Column(f"class {label}" if label in taken else label, Kind.COUNT) for label in runs.scale.labels]
    heads = [_gold(study, "gold"), *_heads(study)]
    frequencies = [gold_frequencies(runs), *counts_of(runs).sum(axis=1)]
    rows = [(*head, *of_classes.tolist()) for head, of_classes in zip(heads, frequencies, strict=True)]
    title = f"Gold{_fit_together(study)}: how often each class occurs"
    return Table("files", title, (*_HEAD, *columns), tuple(rows))


def _of_numbers(study: Study, runs: NumericRuns) -> Table:
    rows = [
        (*head, float(numbers.min()), float(numbers.mean()), float(numbers.max()))
        for head, numbers in zip(_heads(study), runs.predicted, strict=True)
    ]
    beside = f" and {counted(len(rows), 'system')} of numbers" if rows else " alone"
    columns = [Column(name, Kind.SCORE) for name in ("lowest", "mean", "highest")]
    title = f"Gold ({_frequencies(runs)}){beside}"
    return Table("files", title, (*_HEAD, *columns), ((*_gold(study, "gold"), None, None, None), *rows))


def _frequencies(runs: NumericRuns) -> str:
    counts = np.bincount(runs.gold, minlength=len(runs.scale)).tolist()
    return ", ".join(f"{label} {count}" for label, count in zip(runs.scale.labels, counts, strict=True))


def _of_texts(study: Study, runs: TextRuns) -> Table:
    heads = [_gold(study, "references"), *_heads(study)]
    rows = [(*head, *_sizes(texts)) for head, texts in zip(heads, (runs.references, *runs.outputs), strict=True)]
    columns = [Column(name, Kind.COUNT) for name in ("texts", "empty", "sentences", "words")]
    return Table("files", f"References{_fit_together(study)}: texts", (*_HEAD, *columns), tuple(rows))


def _sizes(texts: TokenizedTexts) -> Row:
    words = texts.words_of_texts()
    return (len(texts), int((words == 0).sum()), len(texts.lengths), len(texts.codes))


def _of_derivations(study: Study, runs: DerivationRuns) -> Table:
    of_gold = [derivation for of_item in runs.references for derivation in of_item]
    heads = [_gold(study, "references"), *_heads(study)]
    rows = [
        (*head, len(derivations), sum(not steps for steps in derivations), sum(map(len, derivations)))
        for head, derivations in zip(heads, (of_gold, *runs.outputs), strict=True)
    ]
    columns = [Column(name, Kind.COUNT) for name in ("derivations", "empty", "steps")]
    return Table("files", f"References{_fit_together(study)}: derivations", (*_HEAD, *columns), tuple(rows))
