"""The study of this analysis: pairs of good and bad outputs, and the measures that score both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metaeval.arrays import Indices, Scores
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import (
    conflict,
    one_of,
    pluralize,
    refuse,
    setting,
)
from metaeval.grid import round_to_grid
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.io.memory import OUTPUTS, REFERENCES
from metaeval.io.texts.rows import InMemoryTexts, TextRow
from metaeval.judges.contrast.generated import GeneratedPairs, generated_pairs
from metaeval.judges.contrast.pairs import ContrastSet, read_contrasts
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.measures import Measure, candidates, fitting, preset, select_measures
from metaeval.measures.presets import CANDIDATES
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.names import match_names
from metaeval.settings import options_of
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.labels import declared_scale, with_numbers
from metaeval.study.read import read_study
from metaeval.study.runs import scale_of
from metaeval.study.study import AnalysedTables, Progress, Sources, Study, refuse_long_work, without_excluded

_CELLS_AT_ONCE = 1 << 22
"""Cells of confusion matrices that are scored at once."""

_WITHOUT_FILE = ("task", "labels", "class_weights", "class_values", "exclude_measures")
"""The options that do not take a file of pairs."""

GOOD_OUTPUT, BAD_OUTPUT = "good", "bad"


@dataclass(frozen=True)
class ContrastStudy(AnalysedTables):
    """A contrast set, and M measures of it: those of other tools first.

    measures: our own. names: of all. directions: of all. texts: the texts as a study with the systems good and bad;
    None without texts. scale: of labels. generated: the pairs, if they were generated from it. levels: the study of
    each level of a column of groups.
    """

    pairs: ContrastSet
    names: tuple[str, ...]
    directions: tuple[Direction, ...]
    texts: Study | None
    scale: ClassScale | None
    generated: GeneratedPairs | None = None
    levels: Mapping[str, ContrastStudy] = field(default_factory=dict)

    def scores(self) -> Scores:
        """The scores of the good and the bad outputs, (M, 2, N)."""
        if self.generated is not None:
            return self.generated.scores(self.measures)
        indices = [self.pairs.names.index(name) for name in self.names[: len(self.names) - len(self.measures)]]
        parts = [self.pairs.scores[indices]]
        if self.texts is not None:
            parts.append(self.texts.need(ITEM_SCORES, "contrasts").values)
        elif self.scale is not None and self.pairs.labels is not None:
            parts.append(score_labels(self.measures, self.scale, self.pairs.labels))
        return np.concatenate(parts)

    @property
    def contents(self) -> str:
        """What the pairs are."""
        pairs = self.pairs
        number = pluralize(len(pairs), "pair" if self.generated is None else "generated pair")
        contents = f"{number} of {pluralize(len(pairs.phenomena), 'phenomenon', 'phenomena')}"
        clusters = pairs.clusters
        if clusters is None:
            return contents
        return f"{contents} in {pluralize(len(clusters.sizes), 'cluster')} of {clusters.column}"

    def settings(self) -> list[tuple[str, object]]:
        """The fields of the signature."""
        settings, pairs, texts = self.config.settings_of(ContrastSettings), self.pairs, self.texts
        declares_direction = settings.lower_is_better or self.config.data.lower_is_better
        lower = [name for name, better in zip(self.names, self.directions, strict=True) if better is Direction.LOWER]
        return [
            ("pairs", len(pairs)),
            ("phenomena", len(pairs.phenomena)),
            ("measures", len(self.names)),
            ("tokenizer", texts and texts.config.data.tokenizer),
            ("scale", self.scale and str(self.scale)),
            ("clusters", pairs.clusters and pairs.clusters.column),
            ("severities", "<".join(pairs.severities)),
            ("group", settings.group),
            ("replicates", settings.replicates),
            ("exclude-systems", ",".join(settings.exclude_systems)),
            ("exclude-measures", ",".join(settings.exclude_measures)),
            ("margin", f"{settings.margin:g}" if settings.margin != ContrastSettings.margin else ""),
            ("lower-is-better", ",".join(name for name in lower if name in pairs.names) if declares_direction else ""),
        ]


def read(config: ExperimentConfig, settings: ContrastSettings, *, progress: Progress) -> ContrastStudy:
    """Read the pairs and choose the measures."""
    data = config.data.overlaid(
        task=settings.task,
        labels=scale_of(settings.labels),
        class_weights=settings.class_weights,
        class_values=settings.class_values,
        tokenizer=settings.tokenizer,
        lower_is_better=settings.lower_is_better,
        exclude_systems=settings.exclude_systems,
        exclude_measures=settings.exclude_measures,
    )
    scale = _scale(data)
    if not settings.pairs:
        return _generated(replace(config, data=data), settings, scale)
    pairs = read_contrasts(data, settings, scale)
    scale = scale if pairs.labels is not None else None
    read_scores, ours = _split_measures(config, pairs)
    excluded, data = data.exclude_measures, replace(data, exclude_measures=())
    our_config = replace(config, measures=ours, data=data)
    texts: Study | None = None
    measures: tuple[Measure, ...] = ()
    if pairs.texts and (ours or config.preset is not None or not config.measures):
        texts = _study_of_texts(our_config, pairs, progress)
        measures = texts.measures
    elif scale is not None:
        measures = _measures_of_labels(our_config, scale, any_read=bool(read_scores and config.measures))
    left = without_excluded((*read_scores, *measures), excluded)
    read_scores = tuple(name for name in read_scores if name in left)
    measures = tuple(measure for measure in measures if measure in left)
    texts = replace(texts, measures=measures) if texts is not None and measures else None
    if settings.replicates is not None and not read_scores:
        raise refuse(None, conflict(setting("replicates"), "no scores of another tool", "columns NAME-good, NAME-bad"))
    _check_names(data.lower_is_better, pairs, "lower_is_better")
    directions = tuple(Direction.LOWER if name in data.lower_is_better else Direction.HIGHER for name in read_scores)
    notes = [*pairs.notes, *(texts.origin.notes if texts is not None else ())]
    clusters = (pairs.clusters,) if pairs.clusters is not None else ()
    study = ContrastStudy(
        config=config,
        origin=Sources(settings.pairs, pairs.files, {}, tuple(notes), clusters),
        pairs=pairs,
        measures=measures,
        names=(*read_scores, *map(str, measures)),
        directions=(*directions, *(measure.better for measure in measures)),
        texts=texts,
        scale=scale,
    )

    def level_study(pairs: ContrastSet) -> ContrastStudy:
        level_texts = texts and replace(_study_of_texts(our_config, pairs, progress), measures=measures)
        return replace(study, pairs=pairs, texts=level_texts)

    return replace(study, levels={level: level_study(pairs_of_level) for level, pairs_of_level in pairs.levels.items()})


def _generated(config: ExperimentConfig, settings: ContrastSettings, scale: ClassScale | None) -> ContrastStudy:
    """Pairs that are generated from a scale."""
    path = config.file.path if config.file else None
    if scale is None:
        declare = f"declare the classes, as in {setting('labels', 'disagree<discuss<agree')}"
        hint = f"{declare}, or name a task that has classes, as in {setting('task', 'fnc1')}"
        expected = "a file of pairs, or classes, of which pairs are generated"
        raise refuse(path, "no pairs", expected, hint, kind="missing")
    for name, option in options_of(ContrastSettings).items():
        value = getattr(settings, name)
        if name not in _WITHOUT_FILE and value != option.default:
            hint = f"leave out {setting(name)}, or name a file of pairs"
            raise refuse(path, conflict(setting(name, option.kind.to_text(value)), "no pairs", "a file of pairs", hint))
    generated = generated_pairs(scale)
    measures = without_excluded(_measures_of_labels(config, scale, any_read=False), settings.exclude_measures)
    names, directions = tuple(map(str, measures)), tuple(measure.better for measure in measures)
    return ContrastStudy(
        config=config,
        origin=Sources((), (), {}, ()),
        pairs=generated.pairs,
        measures=measures,
        names=names,
        directions=directions,
        texts=None,
        scale=scale,
        generated=generated,
    )


def _scale(data: DataConfig) -> ClassScale | None:
    """The scale that is declared, or that of the task, with its weights and values."""
    task = TASKS[data.task]
    scale = declared_scale(data, task) if isinstance(task, LabelTask) else data.labels
    return None if scale is None else with_numbers(scale, data)


def _split_measures(config: ExperimentConfig, pairs: ContrastSet) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The scores of other tools and our own measures that are requested; without a request, all scores."""
    if not config.measures:
        return (pairs.names if config.preset is None else ()), ()
    ours = tuple(name for name in config.measures if not match_names([name], pairs.names))
    if not pairs.texts and pairs.labels is None:
        _check_names(ours, pairs, "measures")
    return match_names(config.measures, pairs.names), ours


def _check_names(names: Sequence[str], pairs: ContrastSet, option: str) -> None:
    """Raise an `InputError` if an option names a score of another tool that the pairs do not have."""
    for name in [name for name in names if name not in pairs.names]:
        found = f"no columns '{name}-good' and '{name}-bad' of {setting(option, name)}"
        expected = one_of(pairs.names) if pairs.names else "scores of another tool"
        hint = f"add these columns, or correct {setting(option)}"
        raise refuse((pairs.files[0].path, 1), found, expected, hint, kind="missing")


def _measures_of_labels(config: ExperimentConfig, scale: ClassScale, *, any_read: bool) -> tuple[Measure, ...]:
    """The measures of labels, by default the usual ones on a scale."""
    measures = select_measures(config.measures, lambda: fitting(scale))
    name = config.preset if config.preset is not None or measures or any_read else CANDIDATES
    if name == CANDIDATES:
        measures += candidates(scale)
    elif name is not None:
        measures += fitting(scale) if name == "all" else preset(name)
    for measure in measures:
        measure.check(scale)
    return tuple(dict.fromkeys(measures))


def _study_of_texts(config: ExperimentConfig, pairs: ContrastSet, progress: Progress) -> Study:
    """Texts as two systems, with a pair as an item."""
    references, *sides = pairs.texts
    items = list(map(str, range(1, len(references) + 1)))

    def texts(path: str, role: str, systems: Sequence[str], columns: Sequence[Sequence[str]]) -> InMemoryTexts:
        table = zip(systems, columns, strict=True)
        rows = [TextRow(item, cell, 0, name) for name, cells in table for item, cell in zip(items, cells, strict=True)]
        return InMemoryTexts(path, role, b"", "", rows)

    memory = (texts(OUTPUTS, "run", (GOOD_OUTPUT, BAD_OUTPUT), sides), texts(REFERENCES, "gold", ("",), (references,)))
    data = DataConfig(
        gold=REFERENCES,
        runs=(OUTPUTS,),
        task="texts",
        memory=memory,
        tokenizer=config.data.tokenizer,
        lexicon=config.data.lexicon,
    )
    return read_study(replace(config, data=data), progress=progress)


def score_labels(measures: Sequence[Measure], scale: ClassScale, labels: Indices) -> Scores:
    """Scores of a data set with the good label of a pair and with the bad one in its place, (M, 2, N).

    labels: gold, good and bad, (3, N). The other items have their good labels.
    """
    classes = len(scale)
    gold, good, bad = labels
    counts = np.bincount(gold * classes + good, minlength=classes**2).astype(np.float64)
    kinds, which = np.unique((gold * classes + good) * classes + bad, return_inverse=True)
    refuse_long_work(
        3.0 * len(measures) * len(kinds) * classes**2,
        f"{pluralize(len(kinds), 'different pair')} of {pluralize(classes, 'class', 'classes')}, "
        f"scored by {pluralize(len(measures), 'measure')}",
        "merge classes, or take a random sample of the pairs",
    )
    step = max(1, _CELLS_AT_ONCE // classes**2)
    scores = np.empty((len(measures), 1 + len(kinds)))
    scores[:, 0] = _score(measures, scale, counts[np.newaxis])[:, 0]
    for begin in range(0, len(kinds), step):
        before, new = np.divmod(kinds[begin : begin + step], classes)
        changed_counts, rows = np.tile(counts, (len(before), 1)), np.arange(len(before))
        changed_counts[rows, before] -= 1
        changed_counts[rows, before // classes * classes + new] += 1
        scores[:, 1 + begin : 1 + begin + step] = _score(measures, scale, changed_counts)
    return np.stack([np.broadcast_to(scores[:, :1], (len(measures), len(gold))), scores[:, 1:][:, which]], axis=1)


def _score(measures: Sequence[Measure], scale: ClassScale, counts: Scores) -> Scores:
    """Scores (M, n) of flat confusion counts, (n, C²)."""
    stacked = counts.reshape(-1, len(scale), len(scale))
    scores = [round_to_grid(measure(stacked, scale), measure.unit(scale)) for measure in measures]
    return np.array(scores).reshape(len(measures), len(stacked))
