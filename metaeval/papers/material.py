"""Public data from a folder: gold of FNC-1 and RumourEval, derivations of R4C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.references import compute as references
from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import DEFAULT_SEED, DataConfig, ExperimentConfig
from metaeval.errors import refuse, setting
from metaeval.io.dataset import Progress
from metaeval.io.labels.join import Policy
from metaeval.model.report import SourceFile
from metaeval.model.scores import ScoreCube
from metaeval.stats.intervals import percentile_interval
from metaeval.study.capabilities import GAMING, LABELS
from metaeval.study.read import read_study
from metaeval.study.study import Study, no_progress

FNC1 = "FNC-1's gold, competition_test_stances.csv"
RUMOUR_GOLD = {"2017": "subtaska.json", "2019": "final-eval-key.json"}
R4C = {"gold": "dev_csf.json", "oracle": "pred_oracle.json", "core": "pred_core.json"}

RUMOUR_MEASURES = {
    "accuracy": "accuracy",
    "macro-F1": "macro-f1",
    "GMR": "gmr",
    "wAUC": "wauc",
    "wF1": "weighted-f:beta=1",
    "wF2": "weighted-f:beta=2",
}
"""The measures of metaeval, by the columns of Scarton et al."""

LEVELS = ("entity", "relation", "full")
_STATS = {"P": "precision", "R": "recall", "F": "f"}


@dataclass(frozen=True)
class ExpectedScore:
    """A score with fewer references: its expectation, and the range of 95 % of the draws."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Material:
    """The data of a folder; fields are empty for files that it lacks.

    fnc1_counts: gold items by class. rumour_counts: the same by year. rumour_baselines: scores of constant systems by
    year. r4c_references: by number of references and column of the tables, in percent. r4c_core: scores of the baseline
    on `r4c_questions` questions. fnc1: gold and systems for the replication. files: all files that were read.
    """

    fnc1_counts: Mapping[str, int] = field(default_factory=dict)
    rumour_counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rumour_baselines: Mapping[str, ScoreCube] = field(default_factory=dict)
    r4c_references: Mapping[int, Mapping[str, ExpectedScore]] = field(default_factory=dict)
    r4c_core: Mapping[str, float] = field(default_factory=dict)
    r4c_questions: int = 0
    fnc1: tuple[str, tuple[str, ...]] | None = None
    files: tuple[SourceFile, ...] = ()


NOTHING = Material()


def read_material(
    folder: str | None,
    papers: tuple[str, ...],
    *,
    weights: Mapping[str, float],
    seed: int = DEFAULT_SEED,
    progress: Progress = no_progress,
) -> Material:
    """The data of some papers in a folder; files are searched for under their published names.

    weights: of RumourEval's classes. seed: of the draws of references. Raises InputError if the folder does not exist.
    """
    if folder is None:
        return NOTHING
    if not Path(folder).is_dir():
        raise refuse(folder, "no such folder", "a folder with the public data", f"check the path in {setting('data')}")
    reader = _Reader(Path(folder), seed, progress)
    fields: dict[str, Any] = {}
    if "amemiya2021" in papers:
        fields |= reader.fnc1()
    if "scarton2020" in papers:
        fields |= reader.rumours(weights)
    if "inoue2020" in papers:
        fields |= reader.core() | reader.oracle()
    return Material(**fields, files=tuple(dict.fromkeys(reader.files)))


@dataclass(frozen=True)
class _Reader:
    """Searches for files below a folder and reads them as the commands do; methods return fields of a `Material`."""

    folder: Path
    seed: int
    progress: Progress
    files: list[SourceFile] = field(default_factory=list)

    def find(self, name: str, word: str = "") -> str | None:
        """A file of this name anywhere below, preferably with a word in its path; None if there is none."""
        paths = sorted(map(str, self.folder.rglob(name)), key=lambda path: (word not in path, path))
        return paths[0] if paths else None

    def read(self, config: ExperimentConfig, *, needs_runs: bool = True) -> Study:
        """The study of an experiment."""
        study = read_study(replace(config, seed=self.seed), progress=self.progress, needs_runs=needs_runs)
        self.files.extend(study.origin.files)
        return study

    def fnc1(self) -> dict[str, Any]:
        """Gold counts of the official file, and the paths of tidy gold and systems: fnc1/gold.csv, fnc1/systems."""
        fields: dict[str, Any] = {}
        gold, tidy = self.find("competition_test_stances.csv"), self.find("fnc1/gold.csv")
        runs = tuple(map(str, sorted(Path(tidy).parent.glob("systems/*.csv")))) if tidy is not None else ()
        if len(runs) > 1:
            fields["fnc1"] = (tidy, runs)
        if gold is not None:
            study = self.read(ExperimentConfig(DataConfig(gold=gold, task="fnc1")), needs_runs=False)
            fields["fnc1_counts"] = _gold_counts(study)
        return fields

    def rumours(self, weights: Mapping[str, float]) -> dict[str, Any]:
        """Gold counts, and scores of constant systems, by year."""
        counts, baselines = {}, {}
        for year, name in RUMOUR_GOLD.items():
            gold = self.find(name, year)
            if gold is not None:
                data = DataConfig(gold=gold, task=f"rumoureval{year}", class_weights=weights)
                analyses = (ScoreSettings(trivial=True),)
                study = self.read(ExperimentConfig(data, tuple(RUMOUR_MEASURES.values()), analyses=analyses))
                counts[year] = _gold_counts(study)
                baselines[year], _ = study.need(GAMING, "scores of constant systems").score(self.seed)
        return {"rumour_counts": counts, "rumour_baselines": baselines}

    def oracle(self) -> dict[str, Any]:
        """Scores of the oracle with 1, 2 and 3 references."""
        study = self.derivations("oracle")
        if study is None:
            return {}
        results = references.analyse(study, ReferencesSettings(), progress=self.progress).scores
        scores = {size: _scores(result.mean.values[:, 0], result.samples[:, :, 0]) for size, result in results.items()}
        return {"r4c_references": scores}

    def core(self) -> dict[str, Any]:
        """Scores of the baseline with all references."""
        study = self.derivations("core")
        if study is None:
            return {}
        scores = dict(zip(_columns(), (100 * study.scores.values[:, 0]).tolist(), strict=True))
        return {"r4c_core": scores, "r4c_questions": len(study.items)}

    def derivations(self, kind: str) -> Study | None:
        """The study of a file of derivations, scored as in the paper; None if a file is missing."""
        gold, run = self.find(R4C["gold"]), self.find(R4C[kind])
        if gold is None or run is None:
            return None
        data = DataConfig(gold=gold, runs=(run,), task="r4c", on_missing=Policy("drop"), on_extra="drop")
        measures = tuple(f"r4c-rouge:level={level},stat={stat}" for level in LEVELS for stat in _STATS.values())
        return self.read(ExperimentConfig(data, measures))


def _columns() -> list[str]:
    return [f"{level} {stat}" for level in LEVELS for stat in _STATS]


def _scores(mean: NDArray[np.float64], trials: NDArray[np.float64]) -> dict[str, ExpectedScore]:
    """mean: (M,). trials: (T, M)."""
    ends = [percentile_interval(100 * trials[:, index]) for index in range(len(mean))]
    return {
        column: ExpectedScore(100 * float(mean[index]), *(float(end) for end in ends[index]))
        for index, column in enumerate(_columns())
    }


def _gold_counts(study: Study) -> dict[str, int]:
    runs = study.need(LABELS, "counts of gold")
    return dict(zip(runs.scale.labels, runs.gold_frequencies.tolist(), strict=True))
