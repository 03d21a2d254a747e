"""Findings about why two measures disagree on systems."""

from __future__ import annotations

import numpy as np

from metaeval.analyses.explain.explanations import Confusion, DecidingItem, Explanations, PairExplanation
from metaeval.errors import pluralize
from metaeval.model.report import Finding

MAX_PAIRS = 3
"""Number of pairs of systems with a finding; the tables have all of them."""


def on_explanations(explanations: Explanations) -> list[Finding]:
    """How often two measures disagree, and why they do for the first pairs of systems."""
    sentences = [] if explanations.named else [_frequency(explanations)]
    sentences += [sentence_of(explanations.measures, pair) for pair in explanations.pairs[:MAX_PAIRS]]
    return [Finding("explain", sentence) for sentence in sentences]


def _frequency(explanations: Explanations) -> str:
    first, second = explanations.measures
    opposed, tied = explanations.opposed, explanations.tied
    pairs = explanations.systems * (explanations.systems - 1) // 2 - explanations.undefined
    if not opposed and not tied:
        return f"{first} and {second} order all {explanations.systems} systems identically"
    text = f"{first} and {second} order {opposed:,} of {pluralize(pairs, 'pair')} of systems differently"
    return f"{text}; {pluralize(tied, 'other pair')} {_is(tied)} tied under exactly one of them" if tied else text


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def sentence_of(measures: tuple[str, str], pair: PairExplanation) -> str:
    """How two measures order two systems, and the main reasons for it."""
    reasons = [_confusion_reason(measures, pair, confusion) for confusion in _main_confusions(pair)]
    if pair.items:
        reasons = [_item_reason(measures, pair, pair.items[0])]
    judgement = _judgement(measures, pair)
    return f"{judgement}: {'; '.join(reasons)}" if reasons else judgement


def _judgement(measures: tuple[str, str], pair: PairExplanation) -> str:
    first, second = pair.oriented
    if np.isnan(pair.oriented).any():
        missing = [name for name, value in zip(measures, pair.oriented, strict=True) if np.isnan(value)]
        return f"{' and '.join(missing)} cannot compare {pair.system} and {pair.other}"
    if not pair.disputed:
        return _order("both measures", first, pair, plural=True)
    return f"{_order(measures[0], first, pair)}, {_order(measures[1], second, pair)}"


def _order(subject: str, difference: float, pair: PairExplanation, *, plural: bool = False) -> str:
    """A clause that says how one or both measures order two systems."""
    s = "" if plural else "s"
    if difference == 0:
        return f"{subject} tie{s} {pair.system} and {pair.other}"
    upper, lower = (pair.system, pair.other) if difference > 0 else (pair.other, pair.system)
    return f"{subject} rank{s} {upper} above {lower}"


def _main_confusions(pair: PairExplanation) -> list[Confusion]:
    """The confusions to name: the main one of the disagreement, and the main one of each measure's choice.

    If the measures agree, the one that contributes most to the difference of the systems.
    """
    known = [confusion for confusion in pair.confusions if not np.isnan(confusion.contribution)]
    if not known:
        return []
    if not pair.disputed:
        return [max(known, key=lambda confusion: _share_of_both(confusion, pair))]
    for_first = max(known, key=lambda confusion: pair.orientation * confusion.oriented[0])
    for_second = min(known, key=lambda confusion: pair.orientation * confusion.oriented[1])
    return list(dict.fromkeys([known[0], for_first, for_second]))


def _share_of_both(confusion: Confusion, pair: PairExplanation) -> float:
    """The sum of a confusion's shares of the differences under both measures."""
    return sum(part / whole for part, whole in zip(confusion.oriented, pair.oriented, strict=True) if whole)


def _confusion_reason(measures: tuple[str, str], pair: PairExplanation, confusion: Confusion) -> str:
    more = confusion.items - confusion.items_other
    system, sign = (pair.system, -1) if more > 0 else (pair.other, 1)
    fewest, most = sorted((confusion.items, confusion.items_other))
    costs = " and ".join(
        f"{sign * value:.3f} under {name}" for value, name in zip(confusion.oriented, measures, strict=True)
    )
    errors = pluralize(abs(more), f"more {confusion.name} error")
    return f"{system} has {errors} ({most:,} to {fewest:,}), which cost it {costs}"


def _item_reason(measures: tuple[str, str], pair: PairExplanation, item: DecidingItem) -> str:
    values = " and ".join(f"{value:+.3f} under {name}" for value, name in zip(item.oriented, measures, strict=True))
    return f"the measures differ most on item {item.item} ({values}, in favour of {pair.system})"
