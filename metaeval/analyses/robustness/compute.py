"""Scores of trivial systems compared with those of the real ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import empty, refuse
from metaeval.inference.pairs import Evidence, compare_pairs, significant_directions
from metaeval.inference.statistics import PairDeviations
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
    beaten: Indices
    significantly: Indices | None
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]


def check(study: Study, settings: RobustnessSettings) -> GamingSystems:
    """The trivial systems; an `InputError` where there are none, or no real systems."""
    study.check_measures()
    if not study.systems:
        raise refuse(study.config.data.gold, empty("system", "at least one", "name a run"))
    return study.need(GAMING, "trivial systems")


def analyse(study: Study, settings: RobustnessSettings, *, progress: Progress) -> Robustness:
    """Count the real systems that score worse than each trivial one, under every measure."""
    trivial_systems = check(study, settings)
    scores, parts = trivial_systems.score(study.config.seed)
    real, trivial = (cube.filled(study.config.ranked_as).oriented().values for cube in (study.scores, scores))
    beaten = trivial[:, :, np.newaxis] > real[:, np.newaxis, :]
    significantly, evidence = None, tuple[Evidence, ...]()
    if parts is not None and len(study.items) > 1:
        systems, others = np.split(np.arange(real.shape[1] + trivial.shape[1]), [real.shape[1]])
        evidence = evidence_of(study, parts, settings.permutations)
        steps = progress(evidence, "Tests of differences")
        better = [significant_directions(evidence, others, systems, alpha=settings.alpha) > 0 for evidence in steps]
        significantly = np.array(better).sum(axis=-1)
    return Robustness(scores, beaten.sum(axis=-1), significantly, evidence, trivial_systems.notes)


def gamed_share(evidence: Evidence, systems: int, *, alpha: float) -> tuple[float, Floats]:
    """The share of the real systems that a trivial one significantly beats; on the items, and on other samples, (T,).

    evidence: of the real systems and the trivial ones after them.
    """
    total, undefined = len(evidence.scores), np.full(len(evidence.signs[0]), np.nan)
    if not evidence.defined.all():
        return float("nan"), undefined
    real, trivial = (grid.ravel() for grid in np.meshgrid(np.arange(systems), np.arange(systems, total), indexing="ij"))
    tests = compare_pairs(evidence, alpha=alpha, pairs=(trivial, real))
    # The indices of these pairs among all, as of `numpy.triu_indices`.
    indices = real * total - real * (real + 1) // 2 + trivial - real - 1

    def share(beats: Bools) -> Floats:
        return np.asarray(beats.reshape(*beats.shape[:-1], systems, -1).any(axis=-1).mean(axis=-1))

    _, chance = PairDeviations.of(evidence).statistic(lambda t: share(t[..., indices] < -tests.critical))
    return float(share(tests.significant & (tests.difference > 0))), chance
