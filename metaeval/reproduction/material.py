"""What a folder of public data lets one compute: gold of FNC-1 and RumourEval, derivations of R4C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.references import compute as references
from metaeval.analyses.references.settings import ReferencesSettings
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import DEFAULT_SEED, DataConfig, ExperimentConfig
from metaeval.errors import InputError
from metaeval.io.dataset import Track
from metaeval.io.labels.policies import Policy
from metaeval.model.report import SourceFile
from metaeval.model.scores import ScoreCube
from metaeval.stats.intervals import percentile_interval
from metaeval.study.capabilities import LABELS, TRIVIAL
from metaeval.study.read import read_study
from metaeval.study.study import Study, silently

FNC1 = "FNC-1's gold, competition_test_stances.csv"
RUMOURS = {
    "2017": "RumourEval 2017's gold, subtaska.json",
    "2019": "RumourEval 2019's gold, final-eval-key.json",
}
R4C = {"gold": "dev_csf.json", "oracle": "pred_oracle.json", "core": "pred_core.json"}

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
    reader = _Reader(Path(folder), seed, track)
    found = NOTHING
    if "amemiya2021" in papers:
        found = reader.with_fnc1(found)
    if "scarton2020" in papers:
        found = reader.with_rumours(found, weights)
    if "inoue2020" in papers:
        found = reader.with_oracle(reader.with_core(found))
    return replace(found, files=tuple(dict.fromkeys(found.files)))


@dataclass(frozen=True)
class _Reader:
    """Looks for files below a folder, reads them as the commands do, and adds what they hold to what was found."""

    folder: Path
    seed: int
    track: Track

    def find(self, name: str, word: str = "") -> str | None:
        """A file of a name anywhere below, rather one with a word in its path; None where there is none."""
        paths = sorted(map(str, self.folder.rglob(name)), key=lambda path: (word not in path, path))
        return paths[0] if paths else None

    def read(self, config: ExperimentConfig, *, needs_runs: bool = True) -> Study:
        """The study of some files."""
        return read_study(replace(config, seed=self.seed), track=self.track, needs_runs=needs_runs)

    def with_fnc1(self, found: Material) -> Material:
        """Gold counts of the official file, and where tidy gold and systems lie, in fnc1/gold.csv and fnc1/systems."""
        gold, tidy = self.find("competition_test_stances.csv"), self.find("fnc1/gold.csv")
        if tidy is not None:
            runs = tuple(map(str, sorted(Path(tidy).parent.glob("systems/*.csv"))))
            found = replace(found, fnc1=(tidy, runs)) if len(runs) > 1 else found
        if gold is None:
            return found
        study = self.read(ExperimentConfig(DataConfig(gold=gold, task="fnc1")), needs_runs=False)
        return replace(found, fnc1_counts=_gold_counts(study), files=(*found.files, *study.origin.files))

    def with_rumours(self, found: Material, weights: Mapping[str, float]) -> Material:
        """Gold counts and scores of constant systems by year."""
        for year, name in (("2017", "subtaska.json"), ("2019", "final-eval-key.json")):
            gold = self.find(name, year)
            if gold is None:
                continue
            data = DataConfig(gold=gold, task=f"rumoureval{year}", class_weights=weights)
            config = ExperimentConfig(data, tuple(RUMOUR_MEASURES.values()), analyses=(ScoreSettings(trivial=True),))
            study = self.read(config)
            scores, _ = study.need(TRIVIAL, "scores of constant systems")(self.seed)
            found = replace(
                found,
                rumour_counts={**found.rumour_counts, year: _gold_counts(study)},
                rumour_baselines={**found.rumour_baselines, year: scores},
                files=(*found.files, *study.origin.files),
            )
        return found

    def with_oracle(self, found: Material) -> Material:
        """Scores of the oracle against 1, 2 and 3 references."""
        gold, oracle = self.find(R4C["gold"]), self.find(R4C["oracle"])
        if gold is None or oracle is None:
            return found
        study = self.read(_derivations(gold, oracle))
        by_size = references.analyse(study, ReferencesSettings(), track=self.track).scores
        drawn = {size: _drawn(of.mean.values[:, 0], of.drawn[:, :, 0]) for size, of in by_size.items()}
        return replace(found, r4c_references=drawn, files=(*found.files, *study.origin.files))

    def with_core(self, found: Material) -> Material:
        """Scores of the baseline against all references."""
        gold, core = self.find(R4C["gold"]), self.find(R4C["core"])
        if gold is None or core is None:
            return found
        study = self.read(_derivations(gold, core))
        scores = (100 * study.scores.values[:, 0]).tolist()
        return replace(
            found,
            r4c_core=dict(zip(_columns(), scores, strict=True)),
            r4c_questions=len(study.items),
            files=(*found.files, *study.origin.files),
        )


def _derivations(gold: str, run: str) -> ExperimentConfig:
    drop = Policy.parse("drop", option="--on-missing")
    data = DataConfig(gold=gold, runs=(run,), task="r4c", on_missing=drop, on_extra="drop")
    measures = tuple(f"r4c-rouge:level={level},stat={stat}" for level in LEVELS for stat in _STATS.values())
    return ExperimentConfig(data, measures)


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
    runs = study.need(LABELS, "counts of gold").runs
    return dict(zip(runs.scale.labels, runs.gold_frequencies.tolist(), strict=True))
