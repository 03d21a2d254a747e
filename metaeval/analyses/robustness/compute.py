"""Scores of trivial systems compared with those of the real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.errors import InputError
from metaeval.inference.pairs import Evidence, significantly_better
from metaeval.model.scores import ScoreCube
from metaeval.study.capabilities import GAMING, GamingSystems
from metaeval.study.evidence import evidence_of
from metaeval.study.study import Progress, Study


@dataclass(frozen=True)
class Robustness:
    """Scores of K trivial systems.

    scores: (M, K). beaten: number of real systems that each trivial system beats, (M, K). significantly: number of
    those that it beats significantly; None where nothing can be tested. evidence: of all systems by measure; empty
    likewise. notes: about the trivial systems.
    """

    scores: ScoreCube
    beaten: NDArray[np.intp]
    significantly: NDArray[np.intp] | None
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]


def check(study: Study, settings: RobustnessSettings) -> GamingSystems:
    """The trivial systems; an `InputError` where there are none, or no real systems."""
    study.check_measures()
    if not study.systems:
        raise InputError.at(study.config.data.gold, found="no system", expected="at least one", hint="name a run")
    return study.need(GAMING, "trivial systems")


def analyse(study: Study, settings: RobustnessSettings, *, progress: Progress) -> Robustness:
    """Count the real systems that score worse than each trivial one, under every measure."""
    trivial_systems = check(study, settings)
    scores, parts = trivial_systems.scored(study.config.seed)
    real, trivial = (cube.filled(study.config.ranked_as).oriented().values for cube in (study.scores, scores))
    beaten = trivial[:, :, np.newaxis] > real[:, np.newaxis, :]
    significantly, evidence = None, tuple[Evidence, ...]()
    if parts is not None and len(study.items) > 1:
        systems, others = np.split(np.arange(real.shape[1] + trivial.shape[1]), [real.shape[1]])
        evidence = evidence_of(study, parts, settings.permutations)
        every = progress(evidence, "Tests of differences")
        better = [significantly_better(each, others, systems, alpha=settings.alpha) for each in every]
        significantly = np.array(better).sum(axis=-1)
    return Robustness(scores, beaten.sum(axis=-1), significantly, evidence, trivial_systems.notes)
