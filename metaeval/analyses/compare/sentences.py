"""Who beats whom, in sentences."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.compare.compute import Comparison, Comparisons
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Finding
from metaeval.stats.pairs import fewest_resamples
from metaeval.study.study import Study

_DUELS = 3
"""Pairs that a sentence each is said of, at most."""


def verdict(comparison: Comparison, place: int, alpha: float) -> int:
    """1 where the first of a pair is significantly better, −1 where the other is, 0 where nobody knows."""
    if not comparison.adjusted[place] <= alpha:
        return 0
    return int(np.sign(comparison.differences.value[place]))


def least_resamples(settings: CompareSettings, result: Comparisons) -> int:
    """How many resamples it takes that some difference can be significant, however large it is."""
    # By Holm the smallest of so many p-values is adjusted most; by Benjamini and Hochberg all may be small together.
    adjusts = settings.test != "tukey" and settings.correction == "holm"
    tested = [int((~np.isnan(comparison.differences.p)).sum()) for comparison in result.measures]
    fewest = min((pairs for pairs in tested if pairs), default=1)
    return fewest_resamples(fewest if adjusts else 1, alpha=settings.alpha)


def findings(study: Study, settings: CompareSettings, result: Comparisons) -> list[Finding]:
    """Of two systems who beats whom by which measures; of many, whom nobody beats, or how the first fares."""
    names, alpha = study.measure_names, settings.alpha
    verdicts = [
        {name: verdict(comparison, place, alpha) for name, comparison in zip(names, result.measures, strict=True)}
        for place in range(len(result.pairs))
    ]
    pairs = [(study.systems[one], study.systems[other]) for one, other in result.pairs.tolist()]
    if result.resamples < least_resamples(settings, result):
        sentences = [too_few_for(len(pairs), result.resamples)]
    elif result.all_pairs and len(pairs) > 1:
        sentences = [leaders(dict(zip(pairs, verdicts, strict=True)))]
    elif len(pairs) > _DUELS:
        others = {other: by_measure for (_, other), by_measure in zip(pairs, verdicts, strict=True)}
        sentences = [against_all(pairs[0][0], others)]
    else:
        sentences = [duel(*pair, by_measure) for pair, by_measure in zip(pairs, verdicts, strict=True)]
    return [Finding("compare", sentence) for sentence in sentences]


def too_few_for(pairs: int, resamples: int) -> str:
    """That nothing was found says nothing, because nothing could be.

    >>> too_few_for(300, 5000)
    '5,000 resamples are too few for 300 pairs: no difference can be significant'
    """
    told = f"{counted(resamples, 'resample')} {'is' if resamples == 1 else 'are'} too few"
    return f"{told} for {counted(pairs, 'pair')}: no difference can be significant"


def duel(one: str, other: str, verdicts: dict[str, int]) -> str:
    """Which of two systems is better; verdicts: 1 by measures for which the one is, −1 the other, 0 neither.

    >>> duel("A", "B", {"f1": 1, "kappa": 1, "accuracy": -1})
    'A beats B on 2 of 3 measures; only accuracy says otherwise'
    """
    by = {wanted: [name for name, found in verdicts.items() if found == wanted] for wanted in (1, -1, 0)}
    if not by[1] and not by[-1]:
        how = by[0][0] if len(by[0]) == 1 else f"any of {len(by[0])} measures"
        return f"{one} and {other} can't be told apart by {how}"
    if len(by[1]) == len(by[-1]):
        told = f"the measures disagree: {one} beats {other} on {listed(by[1])}, {other} beats {one} on {listed(by[-1])}"
    else:
        winner, loser, wins, losses = (
            (one, other, by[1], by[-1]) if len(by[1]) > len(by[-1]) else (other, one, by[-1], by[1])
        )
        share = f"on {len(wins)} of {len(verdicts)} measures" if len(verdicts) > 1 else f"by {wins[0]}"
        told = f"{winner} beats {loser} {share}"
        if len(by[0]) > len(wins):
            # Of few measures it is news which they are, of many it is which others there are.
            told += f" ({listed(wins)})"
        if losses:
            told += f"; only {losses[0]} says otherwise" if len(losses) == 1 else f"; {listed(losses)} say otherwise"
    if len(by[0]) > max(len(by[1]), len(by[-1])):
        return f"{told}; the other {len(by[0])} don't tell them apart"
    return f"{told}; not told apart by {listed(by[0])}" if by[0] else told


def against_all(first: str, others: dict[str, dict[str, int]]) -> str:
    """How a system fares against many others; others: the verdicts by measure, 1 where the first one is better."""
    measures = len(next(iter(others.values())))
    by: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for other, verdicts in others.items():
        mostly = next((wanted for wanted in (1, -1) if 2 * list(verdicts.values()).count(wanted) > measures), 0)
        by[mostly].append(other)
    how = f"on most of {measures} measures" if measures > 1 else f"by {next(iter(next(iter(others.values()))))}"
    told = [f"{first} beats {len(by[1])} of {counted(len(others), 'system')} {how}"]
    told[0] += f" ({listed(by[1])})" if by[1] else ""
    if by[-1]:
        told.append(f"is beaten by {len(by[-1])} ({listed(by[-1])})")
    if by[0]:
        told.append(f"neither holds for {len(by[0])} ({listed(by[0])})")
    return "; ".join(told)


def leaders(verdicts: dict[tuple[str, str], dict[str, int]]) -> str:
    """How many differences are significant, and which systems no other one beats under any measure."""
    systems = list(dict.fromkeys(system for pair in verdicts for system in pair))
    every = [(pair, name, found) for pair, by_measure in verdicts.items() for name, found in by_measure.items()]
    beaten = {pair[1] if found > 0 else pair[0] for pair, _, found in every if found}
    told = sum(found != 0 for _, _, found in every)
    names = list(dict.fromkeys(name for _, name, _ in every))
    by = "any measure" if len(names) > 1 else names[0]
    head = f"{told:,} of {len(every):,} differences are significant"
    if not told:
        return f"no two of {len(systems)} systems can be told apart by {by}"
    never = [system for system in systems if system not in beaten]
    if not never:
        return f"{head}; every system is beaten by another by {'some measure' if len(names) > 1 else by}"
    return f"{head}; no system beats {listed(never)} by {by}"
