"""Verdicts on the properties of measures, from their scores of all cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from metaeval.analyses.axioms.properties.search import Candidates, CandidateScores, Trial, exchanged, scale_of
from metaeval.analyses.axioms.properties.spec import FormalProperty
from metaeval.arrays import Indices
from metaeval.measures.spec import Measure
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.scoring.parts import TOLERANCE, Matrices


@dataclass(frozen=True)
class CounterExample:
    """Two confusion matrices (C, C) whose scores violate the relation of a property.

    scale_before, scale_after: their classes, with weights; they differ if classes were exchanged. exhaustive: whether
    it is from the exhaustive search, so that no counter-example has fewer items.
    """

    before: Matrices
    after: Matrices
    scale_before: ClassScale
    scale_after: ClassScale
    score_before: float
    score_after: float
    exhaustive: bool

    @property
    def size(self) -> tuple[bool, int, int, list[int], list[int]]:
        """The order of counter-examples: exhaustive search first, items before, classes, counts."""
        before, after = self.before.ravel().tolist(), self.after.ravel().tolist()
        return not self.exhaustive, sum(before), self.before.shape[-1], before, after


@dataclass(frozen=True)
class Verdict:
    """Whether a measure has a property.

    cases: number of cases with defined scores. violations: number of counter-examples. worse: number of those in which
    the score decreases. undefined: number of other cases. smallest: the smallest counter-example.
    """

    measure: Measure
    declared: FormalProperty
    cases: int = 0
    violations: int = 0
    worse: int = 0
    undefined: int = 0
    smallest: CounterExample | None = None

    @property
    def holds(self) -> bool | None:
        """Whether no case is a counter-example; None where the property does not apply or no case is defined."""
        return self.violations == 0 if self.cases else None


def find_verdicts(
    measures: Sequence[Measure], properties: Sequence[FormalProperty], candidate_sets: Iterable[Candidates]
) -> list[list[Verdict]]:
    """A verdict on each property (inner) of each measure (outer); uses one set of candidates at a time."""
    verdicts = [[Verdict(measure, declared) for declared in properties] for measure in measures]
    for candidates in candidate_sets:
        for measure, measure_verdicts in zip(measures, verdicts, strict=True):
            scale = scale_of(measure, candidates.classes)
            if scale is None:
                continue
            scores = CandidateScores(measure, candidates, scale)
            for index, verdict in enumerate(measure_verdicts):
                applies = verdict.declared.reads is measure.declaration.reads and verdict.declared.applies(measure)
                trials = candidates.trials.get(verdict.declared.name, ()) if applies else ()
                for trial in trials:
                    measure_verdicts[index] = _with_trial(measure_verdicts[index], scores, trial)
    return verdicts


def _with_trial(verdict: Verdict, scores: CandidateScores, trial: Trial) -> Verdict:
    """The verdict with the cases of one more trial."""
    measure = verdict.measure
    sign, (low, high) = measure.better.sign, measure.bounds
    bounds = (low, high) if measure.better is Direction.HIGHER else (-high, -low)
    before, after = scores.at(trial.before, None), scores.at(trial.after, trial.exchanged)
    undefined = np.isnan(before) | np.isnan(after)
    violated = verdict.declared.relation.violated(sign * before, sign * after, bounds) & ~undefined
    smallest = verdict.smallest
    if violated.any():
        index = _smallest(scores.candidates, trial, np.flatnonzero(violated))
        example = CounterExample(
            scores.candidates.matrices[trial.before[index]],
            after=scores.candidates.matrices[trial.after[index]],
            scale_before=scores.scale,
            scale_after=exchanged(scores.scale, trial.exchanged),
            score_before=float(before[index]),
            score_after=float(after[index]),
            exhaustive=trial.exhaustive,
        )
        smallest = example if smallest is None else min(smallest, example, key=lambda case: case.size)
    return replace(
        verdict,
        cases=verdict.cases + int((~undefined).sum()),
        violations=verdict.violations + int(violated.sum()),
        worse=verdict.worse + int((violated & (sign * (after - before) < -TOLERANCE)).sum()),
        undefined=verdict.undefined + int(undefined.sum()),
        smallest=smallest,
    )


def _smallest(candidates: Candidates, trial: Trial, among: Indices) -> int:
    """The case with the fewest items, then the lexicographically first; candidates are in that order."""
    items = candidates.items[trial.before[among]]
    among = among[items == items.min()]
    before = trial.before[among]
    among = among[before == before.min()]
    return int(among[trial.after[among].argmin()])


@dataclass(frozen=True)
class Claim:
    """A claim that a measure has a formal property, or does not have it.

    source: key in `model.works`. place: in the source. text: the claim, in our words. measure, property: names.
    """

    source: str
    place: str
    text: str
    measure: str
    property: str
    has: bool


@cache
def read_claims() -> tuple[Claim, ...]:
    """Published claims, by paper."""
    import yaml

    return tuple(
        Claim(
            entry["source"], place=entry["place"], text=entry["claim"], measure=measure, property=name, has=entry["has"]
        )
        for entry in yaml.safe_load(files(__package__).joinpath("claims.yaml").read_text(encoding="utf-8"))
        for measure in entry["measures"].split()
        for name in entry["properties"].split()
    )


def with_verdicts(verdicts: Iterable[Verdict]) -> Iterator[tuple[Claim, Verdict]]:
    """The claims about measures and properties that have a verdict, each with it, in the order of `read_claims`."""
    by_names = {(str(verdict.measure), verdict.declared.name): verdict for verdict in verdicts}
    for claim in read_claims():
        verdict = by_names.get((claim.measure, claim.property))
        if verdict is not None and verdict.holds is not None:
            yield claim, verdict
