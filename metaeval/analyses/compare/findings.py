"""Findings of `compare`: which systems are significantly better than which."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.analyses.compare.compute import Comparisons, SingleSystem
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import all_or_names, every, join_names, on_outcome, too_few_groups
from metaeval.errors import join_all
from metaeval.inference.standings import Comparison, Outcome, outcome_of
from metaeval.model.report import Finding
from metaeval.study.evidence import how_tested, with_caution
from metaeval.study.study import Study

_LARGE = 1e12
"""Size from which values have an exponent."""

_ELSEWHERE = {"items": "on other items", "runs": "in other runs", "both": "on other items and runs"}
"""Where scores would be other ones, by what differences are for."""

_FEW = 2
"""Number of names that a sentence on verdicts lists; of more it says their number."""


def findings(study: Study, settings: CompareSettings, result: Comparisons) -> list[Finding]:
    """Whether the best system is significantly better than the others, or which of the pairs differ."""
    names = study.measure_names
    tests = {name: comparison.tests for name, comparison in zip(names, result.measures, strict=True)}
    caveats = too_few_groups(
        tests,
        permutations=settings.permutations,
        alpha=settings.alpha,
        groups=result.groups,
        smallest_p=result.smallest_p,
    )
    caveats = caveats or _on_untested(names, result)
    if result.all_pairs and len(result.pairs) > 1:
        systems = [study.systems[index] for index in result.systems.tolist()]
        claims, significant = on_winners(systems, dict(zip(names, result.measures, strict=True)))
        if len(names) == 1:
            claims += _on_corrected(study, systems, result)
    else:
        pairs = [(study.systems[one], study.systems[other]) for one, other in result.pairs]
        by_pair: dict[tuple[str, str], dict[str, int]] = {}
        for name, comparison in zip(names, result.measures, strict=True):
            pair_tests = comparison.tests
            for pair, sign, p in zip(pairs, pair_tests.directions.tolist(), pair_tests.p.tolist(), strict=True):
                # An undefined difference has no verdict.
                if not math.isnan(p):
                    by_pair.setdefault(pair, {})[name] = sign
        significant = {bool(sign) for signs in by_pair.values() for sign in signs.values()}
        claims = [on_pair(*pair, signs) for pair, signs in by_pair.items()]
        if len(by_pair) > 1:
            claims = [on_baseline(pairs[0][1], {system: signs for (system, _), signs in by_pair.items()})]
    if claims:
        how = how_tested(study, _level(significant, settings.alpha), result.over)
        claims = [f"{claims[0]} ({how})", *(claims[1:] if not caveats else [])]
    return with_caution(study, [Finding("compare", sentence) for sentence in (*claims, *caveats)])


def _on_corrected(study: Study, systems: Sequence[str], result: Comparisons) -> list[str]:
    """A sentence on the score of the best system, where its having been chosen has raised it."""
    winner = result.measures[0].winner
    if winner is None or winner.is_shared:
        return []
    sign = study.scores.directions[0].sign
    corrected, low, high = winner.corrected_in(sign)
    observed = float(result.measures[0].scores[winner.system]) * sign
    digits = decimals_of(high - low)
    score, middle, *ends = (decimal(value, digits) for value in (observed, corrected, low, high))
    if not math.isfinite(low) or score == middle:
        return []
    interval = f"95 % interval {ends[0]} to {ends[1]}"
    claim = f"{systems[winner.system]}'s {score} would be about {middle} {_ELSEWHERE[result.over]}"
    return [f"{claim} ({interval}), corrected for its having been chosen"]


def decimals_of(width: float) -> int:
    """As many decimals as show the two leading digits of a width, from 2 to 4.

    >>> [decimals_of(width) for width in (8.0, 0.2, 0.03, 0.0004)]
    [2, 2, 3, 4]
    """
    return int(np.clip(1 - math.floor(math.log10(width)), 2, 4)) if 0 < width < math.inf else 2


def decimal(value: float, digits: int) -> str:
    """A value with so many decimals; a large one with four digits, as in tables.

    >>> decimal(0.256, 2), decimal(-7.6666e198, 2)
    ('0.26', '-7.667e+198')
    """
    return f"{value:.{digits}f}" if abs(value) < _LARGE else f"{value:.4g}"


def on_single_system(study: Study, result: SingleSystem) -> Finding:
    """Its score, or the number of its scores, where there is no other system."""
    name, measures = study.systems[result.system], study.measure_names
    alone = "no other system is compared with it"
    if len(measures) > 1:
        return Finding("compare", f"{name} has scores under {len(measures)} measures; {alone}")
    low, high = (float(ends[0, result.system]) for ends in result.intervals)
    digits = decimals_of(high - low)
    value = decimal(float(study.scores.values[0, result.system]), digits)
    ends = f" (95 % interval {decimal(low, digits)} to {decimal(high, digits)})"
    interval = ends if math.isfinite(low) else ""
    return Finding("compare", f"{name} has {value} under {measures[0]}{interval}; {alone}")


def _on_untested(names: Sequence[str], result: Comparisons) -> list[str]:
    tests = zip(names, result.measures, strict=True)
    untested = [name for name, comparison in tests if np.isnan(comparison.tests.p).all()]
    why = "a score is undefined, or would be without some items"
    return [f"not tested: {join_names(untested)} ({why})"] if untested else []


def _level(significant: set[bool], alpha: float) -> str:
    """What the adjusted p-values behind sentences are, by whether their differences are significant."""
    if len(significant) > 1:
        return f"adjusted p, level {alpha:g}"
    return f"adjusted p {'≤' if significant == {True} else '>'} {alpha:g}"


def on_winners(systems: Sequence[str], comparisons: Mapping[str, Comparison]) -> tuple[list[str], set[bool]]:
    """At most two sentences on the systems with the best scores, and whether their differences are significant.

    systems: in their order. comparisons: by measure.
    """
    all_outcomes = {measure: outcome_of(systems, comparison) for measure, comparison in comparisons.items()}
    outcomes = {measure: outcome for measure, outcome in all_outcomes.items() if outcome is not None}
    significant = {outcome.is_decided for outcome in outcomes.values()}
    by_best: dict[tuple[str, ...], dict[str, Outcome]] = {}
    for measure, outcome in outcomes.items():
        by_best.setdefault(outcome.best, {})[measure] = outcome
    if len(set(outcomes.values())) == 1:
        measures = list(outcomes)
        scores = comparisons[measures[0]].scores
        by_score = [systems[index] for index in np.argsort(-scores, kind="stable").tolist()]
        under = all_or_names(measures, len(comparisons))
        return [on_outcome(outcomes[measures[0]], by_score, under)], significant
    first, *others = sorted(by_best.values(), key=len, reverse=True) or [{}]
    if len(others) > 1:
        return [_on_best(first, len(systems), len(comparisons)), _on_others(others)], significant
    return [_on_best(subset, len(systems), len(comparisons)) for subset in (first, *others) if subset], significant


def _on_best(outcomes: Mapping[str, Outcome], systems: int, measures: int) -> str:
    """A sentence on measures with the same best systems; systems, measures: number of all."""
    best = next(iter(outcomes.values())).best
    number = sum(outcome.is_decided for outcome in outcomes.values())
    names, is_shared = join_names(best), len(best) > 1
    under = all_or_names(list(outcomes), measures)
    if 1 < len(outcomes) < measures:
        under = f"{len(outcomes)} of {measures} measures"
    others = "all others"
    if any(outcome.tested_count < systems for outcome in outcomes.values()):
        others += " that can be tested"
    if number == len(outcomes):
        return f"{names} {'are' if is_shared else 'is'} significantly better than {others} under {under}"
    claim = f"{names} {'share' if is_shared else 'has'} the best score under {under}"
    if number:
        return f"{claim}, significantly better than {others} under {number}"
    return f"{claim}, not significantly better than {others}{' under any' if len(outcomes) > 1 else ''}"


def _on_others(outcomes: Sequence[Mapping[str, Outcome]]) -> str:
    """A sentence on the measures with other best systems than most measures have."""
    every_outcome = [outcome for by_measure in outcomes for outcome in by_measure.values()]
    names = list(dict.fromkeys(name for outcome in every_outcome for name in outcome.best))
    number = sum(outcome.is_decided for outcome in every_outcome)
    how = f"significantly under {number}" if number else "not significantly"
    return f"{join_names(names)} have the best score under the other {len(every_outcome)}, {how}"


def on_pair(one: str, other: str, by_measure: Mapping[str, int]) -> str:
    """The verdicts on one pair of systems, by measure.

    >>> on_pair("A", "B", {"f1": 1, "kappa": 1, "accuracy": -1})
    'A is significantly better than B under 2 of 3 measures and significantly worse under accuracy'
    """
    better, worse, undecided = (
        [name for name, verdict in by_measure.items() if verdict == sign] for sign in (1, -1, 0)
    )
    if not better and not worse:
        which = f"any of {len(undecided)} measures" if len(undecided) > 1 else undecided[0]
        return f"{one} and {other} are not significantly different under {which}"
    if len(worse) > len(better):
        one, other, better, worse = other, one, worse, better
    which = better[0] if len(by_measure) == 1 else f"{len(better)} of {len(by_measure)} measures"
    which = every(len(better)) if len(better) == len(by_measure) > 1 else which
    parts = [f"{one} is significantly better than {other} under {which}"]
    parts += [f"significantly worse under {_few(worse)}"] if worse else []
    parts += [f"not significantly different under {_few(undecided)}"] if undecided else []
    return join_all(parts)


def on_baseline(baseline: str, systems: Mapping[str, Mapping[str, int]]) -> str:
    """The verdicts on many systems beside a baseline: {system: {measure: 1 where it is better}}.

    >>> on_baseline("A", {"B": {"f1": 1}, "C": {"f1": -1}, "D": {"f1": 0}})
    '1 of 3 systems (B) is significantly better than A under f1, and 1 (C) significantly worse'
    """
    measures = max(map(list, systems.values()), key=len)
    majority = {system: _majority(list(signs.values())) for system, signs in systems.items()}
    better, worse = ([system for system, value in majority.items() if value == sign] for sign in (1, -1))
    are_tested = all(len(signs) == len(measures) for signs in systems.values())
    agree = len(measures) == 2 or all(len(set(signs.values())) == 1 for signs in systems.values())
    which = every(len(measures)) if are_tested and agree else f"most of {len(measures)} measures"
    which = measures[0] if len(measures) == 1 else which
    subject = f"{len(better) or 'none'} of {len(systems)} systems{_in_parentheses(better)}"
    return (
        f"{subject} {'are' if len(better) > 1 else 'is'} significantly better than {baseline} under {which}, and "
        f"{len(worse) or 'none'}{_in_parentheses(worse)} significantly worse"
    )


def _few(names: Sequence[str]) -> str:
    """Names, or of more than two their number."""
    return join_all(names) if len(names) <= _FEW else str(len(names))


def _in_parentheses(names: Sequence[str]) -> str:
    return f" ({join_all(names)})" if 0 < len(names) <= _FEW else ""


def _majority(signs: Sequence[int]) -> int:
    """The sign that more than half of the measures have; 0 if there is none."""
    return next((sign for sign in (1, -1) if 2 * signs.count(sign) > len(signs)), 0)
