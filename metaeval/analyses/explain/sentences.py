"""Why two measures disagree on systems, in sentences as a paper would have them."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.explain.error_kinds import ErrorKind
from metaeval.analyses.explain.explained import DecidingItem, ExplainedPair, Explanations
from metaeval.errors import counted
from metaeval.model.report import Finding

PAIRS_TOLD = 3
"""Pairs of systems that a sentence is said of; the tables hold the others."""


def on_explanations(found: Explanations) -> list[Finding]:
    """How often two measures disagree, and why they do for the first pairs of systems."""
    sentences = [] if found.asked else [_how_often(found)]
    sentences += [sentence_of(found.measures, pair) for pair in found.pairs[:PAIRS_TOLD]]
    return [Finding("explain", sentence) for sentence in sentences]


def _how_often(found: Explanations) -> str:
    first, second = found.measures
    every = found.systems * (found.systems - 1) // 2 - found.undefined
    if not found.opposed and not found.tied:
        return f"{first} and {second} order all {found.systems} systems alike"
    told = f"{first} and {second} order {found.opposed:,} of {counted(every, 'pair')} of systems differently"
    return f"{told}, and only one of them ties {found.tied:,} more" if found.tied else told


def sentence_of(measures: tuple[str, str], pair: ExplainedPair) -> str:
    """What two measures say of two systems, and what of these makes them say so."""
    reasons = [_of_errors(measures, pair, kind) for kind in _worth_telling(pair)]
    if pair.items:
        reasons = [_of_item(measures, pair, pair.items[0])]
    told = _judgement(measures, pair)
    return f"{told}: {'; '.join(reasons)}" if reasons else told


def _judgement(measures: tuple[str, str], pair: ExplainedPair) -> str:
    one, other = pair.system, pair.other
    first, second = pair.gains
    if np.isnan(pair.gains).any():
        missing = [name for name, gain in zip(measures, pair.gains, strict=True) if np.isnan(gain)]
        return f"{' and '.join(missing)} can't compare {one} and {other}"
    if not pair.disputed:
        if not first:
            return f"both measures tie {one} and {other}"
        return f"both measures put {one} above {other}" if first > 0 else f"both measures put {other} above {one}"
    return f"{measures[0]} {_verb(first, one, other)}, {measures[1]} {_verb(second, one, other)}"


def _verb(gain: float, one: str, other: str) -> str:
    if gain == 0:
        return f"ties {one} and {other}"
    return f"puts {one} above {other}" if gain > 0 else f"puts {other} above {one}"


def _worth_telling(pair: ExplainedPair) -> list[ErrorKind]:
    """The kinds of errors to name: what pulls the measures apart most, and what each of the two prefers its system for.

    Where they agree, what adds most to the difference of the systems.
    """
    known = [kind for kind in pair.kinds if not np.isnan(kind.pull)]
    if not known:
        return []
    if not pair.disputed:
        return [max(known, key=lambda kind: _share_of_both(kind, pair))]
    for_first = max(known, key=lambda kind: pair.turn * kind.gains[0])
    for_second = min(known, key=lambda kind: pair.turn * kind.gains[1])
    return list(dict.fromkeys([known[0], for_first, for_second]))


def _share_of_both(kind: ErrorKind, pair: ExplainedPair) -> float:
    """How much of the differences under both measures a kind of errors makes."""
    return sum(gain / whole for gain, whole in zip(kind.gains, pair.gains, strict=True) if whole)


def _of_errors(measures: tuple[str, str], pair: ExplainedPair, kind: ErrorKind) -> str:
    more = kind.items - kind.items_other
    who, most, fewest = (
        (pair.system, kind.items, kind.items_other) if more > 0 else (pair.other, kind.items_other, kind.items)
    )
    costs = [-gain if more > 0 else gain for gain in kind.gains]
    told = " and ".join(f"{cost:.3f} by {name}" for cost, name in zip(costs, measures, strict=True))
    errors = f"{abs(more):,} more {kind.name} {'error' if abs(more) == 1 else 'errors'}"
    return f"{who} has {errors} ({most:,} to {fewest:,}), which cost it {told}"


def _of_item(measures: tuple[str, str], pair: ExplainedPair, item: DecidingItem) -> str:
    told = " and ".join(f"{gain:+.3f} by {name}" for gain, name in zip(item.gains, measures, strict=True))
    return f"item {item.item} pulls them apart most ({told}, in favour of {pair.system})"
