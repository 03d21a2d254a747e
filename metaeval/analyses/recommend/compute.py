"""The evidence for and against each measure, and the verdict that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.axioms.properties import PROPERTIES, find_verdicts
from metaeval.analyses.axioms.properties.search import candidates_of, searches
from metaeval.analyses.correlate.compute import analyse as correlate
from metaeval.analyses.correlate.compute import first_human_correlations
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.plan.goals import Pilot, Requirement, plan_ranking
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.analyses.recommend.evidence import Material, examine, moves_toward_gold
from metaeval.analyses.recommend.settings import SYNONYMS, WEIGHTS, RecommendSettings
from metaeval.analyses.recommend.verdict import Advice, Verdict, judge
from metaeval.arrays import Bools, Floats
from metaeval.errors import UnknownName, conflict, refuse, setting
from metaeval.inference.pairs import Evidence, critical_rank, fewest_permutations
from metaeval.measures import Measure, fits, measure
from metaeval.measures.presets import CONVENTION
from metaeval.measures.spec import ScaleType
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import split_halves
from metaeval.stats.resample import generator, seed_for
from metaeval.study.capabilities import GAMING, LABELS, MEAN_RECALL, RESCORE, GamingSystems
from metaeval.study.evidence import check_testable, evidence_of, gather_evidence, gather_evidence_of_runs
from metaeval.study.study import Progress, Study
from metaeval.work.blocks import map_blocks

HALVES_TRIED = 200
"""Random halves on which measures may be undefined."""

REPEATED_PERMUTATIONS = 99
"""Permutations of each repetition of the verdict."""

SEARCHED = 500
"""Random systems on which required properties are checked, for each number of classes."""


RECALLS = (MEAN_RECALL, "recall")
"""Means of the recalls of the gold classes, the second over all classes, which changes the unit alone."""


@dataclass(frozen=True)
class Recommendation:
    """A verdict and how sure it is.

    verdict: on all items. again: share of random halves of the items with the same answer; None without any.
    requirement: items that are enough where systems cannot be ranked. evidence: of each measure, with trivial systems.
    """

    verdict: Verdict
    again: float | None
    requirement: Requirement | None
    evidence: tuple[Evidence, ...]


def check(study: Study, settings: RecommendSettings) -> None:
    """Raise an `InputError` where nothing can be tested, or the official measure is not among the measures."""
    check_testable(study)
    if not critical_rank(settings.permutations, settings.alpha):
        one = setting("permutations", settings.permutations)
        expected = f"at least {fewest_permutations(settings.alpha):,}, so that a difference can be significant"
        raise refuse(None, conflict(one, setting("alpha", settings.alpha), expected))
    if settings.official is not None and settings.official not in study.measure_names:
        raise UnknownName("official measure", settings.official, study.measure_names)


def analyse(study: Study, settings: RecommendSettings, *, progress: Progress) -> Recommendation:
    """Gather the evidence, judge the measures, and judge them again on halves of the data."""
    check(study, settings)
    material = gather(study, settings, progress=progress)
    verdict = judge(examine(material, alpha=settings.alpha), settings)
    requirement = None
    if verdict.collect and verdict.head is not None:
        evidence = material.evidence[verdict.head].select(np.arange(material.systems))
        pilot, plan = Pilot.of(evidence, alpha=settings.alpha), study.config.settings_of(PlanSettings)
        requirement = plan_ranking(pilot, tau=plan.tau, sizes=np.empty(0))
    return Recommendation(verdict, _again(study, material, settings, verdict, progress), requirement, material.evidence)


def _again(
    study: Study, material: Material, settings: RecommendSettings, verdict: Verdict, progress: Progress
) -> float | None:
    """The share of random halves of the items with the same answer.

    None with human scores, which are not halved, and where no measure passes.
    """
    if not settings.halves or material.human is not None or verdict.advice is Advice.NONE:
        return None
    random = generator(seed_for(study.config.seed, "halves of the evidence"))
    answers = []
    for _ in progress(range(settings.halves), "Verdicts on halves"):
        half = material.half(random, permutations=REPEATED_PERMUTATIONS)
        answers.append(judge(examine(half, alpha=settings.alpha), settings).answer)
    return answers.count(verdict.answer) / len(answers)


def gather(study: Study, settings: RecommendSettings, *, progress: Progress) -> Material:
    """The evidence of a study about its measures."""
    gaming, runs, chance, trivial = study.find(GAMING), study.find(LABELS), None, tuple[str, ...]()
    scores, parts = (None, None) if gaming is None else gaming.score(study.config.seed)
    if scores is None or parts is None:
        evidence = gather_evidence(study, "a recommendation", permutations=settings.permutations)
    else:
        evidence, trivial = evidence_of(study, parts, settings.permutations), scores.systems
        recall_evidence = _recall_evidence(study, gaming, evidence, settings.permutations)
        if recall_evidence is not None and runs is not None:
            chance = _beside_chance(study, recall_evidence, runs.gold_frequencies)
    uses_order = moves = other_runs = None
    if runs is not None and runs.scale.ordered and len(runs.scale) > 2:
        moves = moves_toward_gold(runs, study.measures)
        uses_order = np.array([measure.scale_type is not ScaleType.NOMINAL for measure in study.measures])
    if study.has_random_runs:
        permutations = settings.permutations
        other_runs = gather_evidence_of_runs(study, "a recommendation", permutations=permutations)
    return Material(
        measures=study.measure_names,
        evidence=evidence,
        systems=len(study.systems),
        trivial=trivial,
        chance=chance,
        convention=_convention(study),
        undefined=_undefined(study, progress),
        uses_order=uses_order,
        moves=moves,
        properties=_properties(study, settings),
        human=_human(study, settings, progress),
        other_runs=other_runs,
    )


def _recall_evidence(
    study: Study, gaming: GamingSystems | None, evidence: Sequence[Evidence], permutations: int
) -> Evidence | None:
    """The evidence of all systems on the mean of the recalls; None where it has no parts."""
    for index, name in enumerate(study.measure_names):
        if name in RECALLS:
            return evidence[index]
    parts = None if gaming is None or gaming.by_recall is None else gaming.by_recall(study.config.seed)[1]
    return None if parts is None else evidence_of(study, parts, permutations)[0]


def _beside_chance(study: Study, evidence: Evidence, frequencies: NDArray[np.integer]) -> Evidence:
    """The evidence of the real systems on the mean of the recalls, and of a last one: the mean of the constant systems.

    evidence: of all systems. The trivial systems are the majority class, then each class.
    """
    systems = len(study.systems)
    constant = systems + 1 + np.flatnonzero(frequencies)

    def join(values: Floats) -> Floats:
        return np.concatenate([values[..., :systems], values[..., constant].mean(axis=-1, keepdims=True)], axis=-1)

    groupings = (replace(parts, scores=join(parts.scores), parts=join(parts.parts)) for parts in evidence.groupings)
    return Evidence(tuple(groupings), evidence.signs)


def _convention(study: Study) -> tuple[int, ...] | None:
    """Where each measure stands in the order of convention, those that it lacks last; None for a table of scores."""
    if not study.has(RESCORE):
        return None
    usual = [measure(name) for name in CONVENTION] if study.has(LABELS) else []
    metrics = [measure(name) if usual else None for name in study.measure_names]
    return tuple(usual.index(metric) if metric in usual else len(usual) + row for row, metric in enumerate(metrics))


def _undefined(study: Study, progress: Progress) -> Floats:
    """Share of random halves in which a measure is undefined for some system, (M,); 1 where it is on all items."""
    plan = split_halves(
        study.samples("a recommendation"),
        trials=HALVES_TRIED // 2,
        seed=study.config.seed,
        memory=study.config.block_memory,
    )
    blocks = map_blocks(
        plan, _any_undefined, workers=study.config.workers, progress=progress, description="Random halves"
    )
    share = np.asarray(np.concatenate(list(blocks)).mean(axis=(0, 1)), dtype=np.float64)
    share[np.isnan(study.scores.values).any(axis=-1)] = 1.0
    return share


def _any_undefined(halves: ScoreCube) -> Bools:
    """Whether a measure is undefined for some system, (T, 2, M)."""
    return np.asarray(np.isnan(halves.values).any(axis=-1))


def _properties(study: Study, settings: RecommendSettings) -> tuple[frozenset[str], ...]:
    """The required properties that each measure has."""
    if not settings.require:
        return (frozenset(),) * len(study.measure_names)
    study.need(LABELS, setting("require", ",".join(settings.require)))
    measures = study.measures
    formal = {name: PROPERTIES[SYNONYMS.get(name, name)] for name in settings.require if name != WEIGHTS}
    parts = searches(SEARCHED, seed=seed_for(study.config.seed, "recommend"))
    candidates = (candidates_of(tuple(formal.values()), part) for part in parts)
    verdicts = find_verdicts(measures, tuple(formal.values()), candidates) if formal else [[] for _ in measures]
    properties = []
    for metric, measure_verdicts in zip(measures, verdicts, strict=True):
        names = {name for name, verdict in zip(formal, measure_verdicts, strict=True) if verdict.holds}
        properties.append(frozenset(names | {WEIGHTS} if _uses_weights(metric) else names))
    return tuple(properties)


def _uses_weights(candidate: Measure) -> bool:
    """Whether a measure uses the declared weights of the classes: without any, it cannot be computed."""
    return not fits(candidate, ClassScale(("a", "b", "c"), ordered=True))


def _human(study: Study, settings: RecommendSettings, progress: Progress) -> tuple[Bools, Floats] | None:
    """Whether each measure is not significantly worse than the best by human scores, and the correlations."""
    if not study.config.data.human:
        return None
    by_system = CorrelateSettings(levels="system", alpha=settings.alpha)
    first = first_human_correlations(correlate(study, by_system, progress=progress))
    # Without a test, as of a single measure, none is worse than the best.
    best = first.best if first.test is not None else np.ones(len(first.values), dtype=np.bool_)
    return best, first.values
