"""Which properties a measure has: its scores of all cases, and the smallest counter-example where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.axioms.properties.candidates import Candidates, CandidateScores, Trial, exchanged, scale_of
from metaeval.analyses.axioms.properties.spec import TOLERANCE, FormalProperty, Matrices
from metaeval.measures.spec import Measure
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction


@dataclass(frozen=True)
class CounterExample:
    """Two confusion matrices whose scores do not stand as they should.

    before, after: (C, C). scale_before, scale_after: their classes, with weights; they differ where classes were
    exchanged. score_before, score_after: as the measure gives them, whichever way it is better.
    exhaustive: whether it was found where all cases were tried, so that none has fewer items.
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
        """What the smallest is smallest in: found where all were tried, items before, classes, counts."""
        before, after = self.before.ravel().tolist(), self.after.ravel().tolist()
        return not self.exhaustive, sum(before), len(self.before), before, after


@dataclass(frozen=True)
class Verdict:
    """Whether a measure has a property.

    cases: in which both scores are defined. violations: those of them that are counter-examples. worse: those of the
    counter-examples in which the score falls. undefined: cases that were left out. smallest: of the counter-examples,
    None where there is none.
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
        """Whether no case is a counter-example; None where the property does not apply, or no case is defined."""
        return self.violations == 0 if self.cases else None


def find_verdicts(
    measures: Sequence[Measure], properties: Sequence[FormalProperty], searched: Iterable[Candidates]
) -> list[list[Verdict]]:
    """A verdict on each property (inner) of each measure (outer); only one of them is needed at a time."""
    tallies = [[_Tally() for _ in properties] for _ in measures]
    for candidates in searched:
        for measure, of_measure in zip(measures, tallies, strict=True):
            scale = scale_of(measure, candidates.classes)
            if scale is None:
                continue
            scores = CandidateScores(measure, candidates, scale)
            for declared, tally in zip(properties, of_measure, strict=True):
                for trial in candidates.trials.get(declared.name, ()) if declared.applies(measure) else ():
                    tally.add(declared, scores, trial)
    return [
        [tally.verdict(measure, declared) for declared, tally in zip(properties, of_measure, strict=True)]
        for measure, of_measure in zip(measures, tallies, strict=True)
    ]


class _Tally:
    """What is found for one property, trial by trial."""

    def __init__(self) -> None:
        self.cases = 0
        self.violations = 0
        self.worse = 0
        self.undefined = 0
        self.smallest: CounterExample | None = None

    def add(self, declared: FormalProperty, scores: CandidateScores, trial: Trial) -> None:
        measure = scores.measure
        sign, (low, high) = measure.better.sign, measure.bounds
        bounds = (low, high) if measure.better is Direction.HIGHER else (-high, -low)
        before, after = scores.at(trial.before, None), scores.at(trial.after, trial.exchanged)
        undefined = np.isnan(before) | np.isnan(after)
        violated = declared.relation.violated(sign * before, sign * after, bounds) & ~undefined
        self.cases += int(len(before) - undefined.sum())
        self.undefined += int(undefined.sum())
        self.violations += int(violated.sum())
        self.worse += int((violated & (sign * (after - before) < -TOLERANCE)).sum())
        if violated.any():
            place = _smallest(scores.candidates, trial, np.flatnonzero(violated))
            found = CounterExample(
                scores.candidates.matrices[trial.before[place]],
                scores.candidates.matrices[trial.after[place]],
                scores.scale,
                exchanged(scores.scale, trial.exchanged),
                float(before[place]),
                float(after[place]),
                trial.exhaustive,
            )
            if self.smallest is None or found.size < self.smallest.size:
                self.smallest = found

    def verdict(self, measure: Measure, declared: FormalProperty) -> Verdict:
        return Verdict(measure, declared, self.cases, self.violations, self.worse, self.undefined, self.smallest)


def _smallest(candidates: Candidates, trial: Trial, among: NDArray[np.intp]) -> int:
    """The case with the fewest items, then the lexicographically first; candidates are in that order."""
    items = candidates.items[trial.before[among]]
    among = among[items == items.min()]
    before = trial.before[among]
    among = among[before == before.min()]
    return int(among[trial.after[among].argmin()])
