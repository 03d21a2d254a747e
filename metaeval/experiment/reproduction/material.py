"""What a folder of public data lets one compute: gold of FNC-1 and RumourEval, derivations of R4C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.config import DEFAULT_SEED, DataConfig, ExperimentConfig, ReferencesConfig, ScoreConfig
from metaeval.errors import InputError
from metaeval.experiment.fewer_references import find_references
from metaeval.experiment.label_study import LabelStudy, score_runs
from metaeval.experiment.reading import read_study
from metaeval.experiment.study import Study, silently
from metaeval.io.dataset import Track
from metaeval.io.policies import Policy
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.trivial import with_trivial_systems
from metaeval.stats.intervals import percentile_interval

FNC1 = "FNC-1's gold, competition_test_stances.csv"
RUMOURS = {
    "2017": "RumourEval 2017's gold, subtaska.json",
    "2019": "RumourEval 2019's gold, final-eval-key.json",
}
R4C = {"gold": "R4C's dev_csf.json", "oracle": "pred_oracle.json", "core": "pred_core.json"}

RUMOUR_MEASURES = {
    "accuracy": "accuracy",
    "macro-F1": "macro-f1",
    "GMR": "gmr",
    "wAUC": "wauc",
    "wF1": "weighted-f:beta=1",
    "wF2": "weighted-f:beta=2",
}
"""The columns of Scarton et al. and what metaeval calls them."""

LEVELS = ("entity", "relation", "full")
_STATS = {"P": "precision", "R": "recall", "F": "f"}


@dataclass(frozen=True)
class Drawn:
    """A score against fewer references: its expectation, and the range of 95 % of the draws."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Material:
    """What was found in a folder of data; empty where nothing was.

    fnc1_counts: gold items by class. rumour_counts: the same by year. rumour_baselines: scores of constant systems by
    year. r4c_references: by number of references and column of the tables, in percent. r4c_core: the baseline's scores,
    on `r4c_questions` questions. fnc1: gold and systems for the study made again. files: all that was read.
    """

    fnc1_counts: Mapping[str, int] = field(default_factory=dict)
    rumour_counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rumour_baselines: Mapping[str, ScoreCube] = field(default_factory=dict)
    r4c_references: Mapping[int, Mapping[str, Drawn]] = field(default_factory=dict)
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
    track: Track = silently,
) -> Material:
    """What of a folder concerns some papers; files are looked for by the names that their publishers gave them.

    weights: of RumourEval's classes. seed: of the draws of references. A folder that does not exist is an `InputError`.
    """
    if folder is None:
        return NOTHING
    if not Path(folder).is_dir():
        raise InputError.at(
            folder, found="no folder", expected="the folder that holds the public data", hint="check the path of --data"
        )
    finder = _Finder(Path(folder), seed, track)
    parts: dict[str, object] = {}
    if "amemiya2021" in papers:
        parts |= finder.fnc1()
    if "scarton2020" in papers:
        parts |= finder.rumours(weights)
    if "inoue2020" in papers:
        parts |= finder.r4c()
    return Material(files=tuple(dict.fromkeys(finder.files)), **parts)  # type: ignore[arg-type]


@dataclass
class _Finder:
    """Looks for files below a folder, and reads them as the commands do."""

    folder: Path
    seed: int
    track: Track
    files: list[SourceFile] = field(default_factory=list)

    def find(self, name: str, within: str = "") -> str | None:
        """The first file of a name, below folders whose path holds a word."""
        found = [path for path in sorted(self.folder.rglob(name)) if within in str(path.relative_to(self.folder))]
        return str(found[0]) if found else None

    def read(self, config: ExperimentConfig, *, needs_runs: bool = True) -> Study:
        """The study of some files, which are remembered."""
        study = read_study(replace(config, seed=self.seed), track=self.track, needs_runs=needs_runs)
        self.files += study.origin.files
        return study

    def fnc1(self) -> dict[str, object]:
        """Gold counts, and where the systems lie."""
        gold = self.find("competition_test_stances.csv")
        if gold is None:
            return {}
        study = self.read(ExperimentConfig(DataConfig(gold=gold, task="fnc1")), needs_runs=False)
        runs = tuple(str(path) for path in sorted(self.folder.glob("fnc1/systems/*.csv")))
        tidy = self.find("gold.csv", "fnc1")
        return {"fnc1_counts": _gold_counts(study), "fnc1": (tidy, runs) if tidy and len(runs) > 1 else None}

    def rumours(self, weights: Mapping[str, float]) -> dict[str, object]:
        """Gold counts and scores of constant systems by year."""
        counts, scores = {}, {}
        for year, name in (("2017", "subtaska.json"), ("2019", "final-eval-key.json")):
            gold = self.find(name, year)
            if gold is None:
                continue
            data = DataConfig(gold=gold, task=f"rumoureval{year}", class_weights=weights)
            config = ExperimentConfig(data, tuple(RUMOUR_MEASURES.values()), score=ScoreConfig(trivial=True))
            study = self.read(config)
            assert isinstance(study, LabelStudy)
            counts[year] = _gold_counts(study)
            scores[year] = score_runs(with_trivial_systems(study.runs, seed=self.seed), study.measures)
        return {"rumour_counts": counts, "rumour_baselines": scores}

    def r4c(self) -> dict[str, object]:
        """Scores of the oracle against 1, 2 and 3 references, and of the baseline against all."""
        gold, oracle, core = (self.find(name) for name in ("dev_csf.json", "pred_oracle.json", "pred_core.json"))
        found: dict[str, object] = {}
        if gold and oracle:
            study = self.read(_derivations(gold, oracle))
            by_size = find_references(study, track=self.track)
            found["r4c_references"] = {
                size: _drawn(fewer.mean.values[:, 0], fewer.drawn[:, :, 0]) for size, fewer in by_size.items()
            }
        if gold and core:
            study = self.read(_derivations(gold, core))
            scores = study.scores.values[:, 0]
            found["r4c_questions"] = len(study.items)
            found["r4c_core"] = dict(zip(_columns(), (100 * scores).tolist(), strict=True))
        return found


def _derivations(gold: str, run: str) -> ExperimentConfig:
    drop = Policy.parse("drop", option="--on-missing")
    data = DataConfig(gold=gold, runs=(run,), task="r4c", on_missing=drop, on_extra="drop")
    measures = tuple(f"r4c-rouge:level={level},stat={stat}" for level in LEVELS for stat in _STATS.values())
    return ExperimentConfig(data, measures, references=ReferencesConfig())


def _columns() -> list[str]:
    return [f"{level} {stat}" for level in LEVELS for stat in _STATS]


def _drawn(mean: NDArray[np.float64], trials: NDArray[np.float64]) -> dict[str, Drawn]:
    """mean: (M,). trials: (T, M)."""
    ends = [percentile_interval(100 * trials[:, place]) for place in range(len(mean))]
    return {
        column: Drawn(100 * float(mean[place]), *(float(end) for end in ends[place]))
        for place, column in enumerate(_columns())
    }


def _gold_counts(study: Study) -> dict[str, int]:
    assert isinstance(study, LabelStudy)
    scale: ClassScale = study.runs.scale
    counts = np.bincount(study.runs.gold, minlength=len(scale))
    return dict(zip(scale.labels, counts.tolist(), strict=True))
