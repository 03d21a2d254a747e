"""Table `files`, the contents of the files of a study, for every kind of runs."""

from __future__ import annotations

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.distributions import DistributionRuns
from metaeval.model.labels import ClassRuns, NumericRuns
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.model.texts import DerivationRuns, TextRuns, TokenizedTexts
from metaeval.scoring.confusion import counts_of
from metaeval.study.study import Study

Row = tuple[Cell, ...]

_HEAD = (Column("system"), Column("file"), Column("items", Kind.COUNT))


def table_of_scores(study: Study) -> Table:
    """The measures of a table of scores."""
    rows = tuple((*head, ", ".join(study.measure_names)) for head in _heads(study))
    title = f"Scores of {pluralize(len(rows), 'system')} under {pluralize(len(study.measure_names), 'measure')}"
    return Table("files", title, (*_HEAD, Column("measures")), rows)


def _heads(study: Study) -> list[Row]:
    """The first cells of the row of each system."""
    files = zip(study.systems, study.origin.paths, strict=True)
    return [(name, path, len(study.items)) for name, path in files]


def _gold(study: Study, name: str) -> Row:
    return (name, str(study.config.data.gold), len(study.items))


def _fit_together(study: Study) -> str:
    return f" and {pluralize(len(study.systems), 'system')} fit together" if study.systems else " alone"


def table_of_labels(study: Study, runs: ClassRuns) -> Table:
    """How often each class occurs."""
    reserved = [column.name for column in _HEAD]
    columns = [
        Column(f"class {label}" if label in reserved else label, Kind.COUNT) for label in runs.scale.predicted_labels
    ]
    heads = [_gold(study, "gold"), *_heads(study)]
    gold = np.pad(runs.gold_frequencies, (0, runs.scale.codes - len(runs.scale)))
    frequencies = [gold, *counts_of(runs).sum(axis=1)]
    rows = [(*head, *of_classes.tolist()) for head, of_classes in zip(heads, frequencies, strict=True)]
    title = f"Gold{_fit_together(study)}: how often each class occurs"
    return Table("files", title, (*_HEAD, *columns), tuple(rows))


def table_of_numbers(study: Study, runs: NumericRuns) -> Table:
    """The lowest, the mean and the highest number."""
    rows = [
        (*head, float(numbers.min()), float(numbers.mean()), float(numbers.max()))
        for head, numbers in zip(_heads(study), runs.predicted, strict=True)
    ]
    beside = f" and {pluralize(len(rows), 'system')} of numbers" if rows else " alone"
    columns = [Column(name, Kind.SCORE) for name in ("lowest", "mean", "highest")]
    frequencies = zip(runs.scale.labels, runs.gold_frequencies.tolist(), strict=True)
    title = f"Gold ({', '.join(f'{label} {count}' for label, count in frequencies)}){beside}"
    return Table("files", title, (*_HEAD, *columns), ((*_gold(study, "gold"), None, None, None), *rows))


def table_of_texts(study: Study, runs: TextRuns) -> Table:
    """How many texts, sentences and words there are."""
    heads = [_gold(study, "references"), *_heads(study)]
    rows = [(*head, *_sizes(texts)) for head, texts in zip(heads, (runs.references, *runs.outputs), strict=True)]
    columns = [Column(name, Kind.COUNT) for name in ("texts", "empty", "sentences", "words")]
    return Table("files", f"References{_fit_together(study)}: texts", (*_HEAD, *columns), tuple(rows))


def _sizes(texts: TokenizedTexts) -> Row:
    words = texts.words_of_texts()
    return (len(texts), int((words == 0).sum()), len(texts.lengths), len(texts.codes))


def table_of_derivations(study: Study, runs: DerivationRuns) -> Table:
    """How many derivations and steps there are."""
    of_gold = [derivation for of_item in runs.references for derivation in of_item]
    heads = [_gold(study, "references"), *_heads(study)]
    rows = [
        (*head, len(derivations), sum(not steps for steps in derivations), sum(map(len, derivations)))
        for head, derivations in zip(heads, (of_gold, *runs.outputs), strict=True)
    ]
    columns = [Column(name, Kind.COUNT) for name in ("derivations", "empty", "steps")]
    return Table("files", f"References{_fit_together(study)}: derivations", (*_HEAD, *columns), tuple(rows))


def table_of_distributions(study: Study, runs: DistributionRuns) -> Table:
    """The mean probability of each class."""
    reserved = [column.name for column in _HEAD]
    columns = [Column(f"class {label}" if label in reserved else label, Kind.SCORE) for label in runs.scale.labels]
    heads = [_gold(study, "gold"), *_heads(study)]
    shares = [runs.gold.mean(axis=0), *runs.predicted.mean(axis=1)]
    rows = [(*head, *of_classes.tolist()) for head, of_classes in zip(heads, shares, strict=True)]
    return Table("files", f"Gold{_fit_together(study)}: share of each class", (*_HEAD, *columns), tuple(rows))
