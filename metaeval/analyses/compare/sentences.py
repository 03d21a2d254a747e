"""Findings of `compare`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.compare.compute import Comparison, Comparisons
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.sentences import all_or_names, every, join_names
from metaeval.errors import pluralize
from metaeval.model.report import Finding
from metaeval.study.study import Study

_MAX_PAIRS = 3
"""Number of pairs up to which each pair has a finding of its own."""


def verdicts(comparison: Comparison) -> NDArray[np.int_]:
    """For each pair 1 where its first system is significantly better, −1 where the other is, else 0, (P,)."""
    tests = comparison.tests
    return np.where(tests.significant, np.sign(np.nan_to_num(tests.difference)), 0).astype(np.int_)


def findings(study: Study, settings: CompareSettings, result: Comparisons) -> list[Finding]:
    """Whether the best system is significantly better than the others, or which of the pairs differ."""
    names = study.measure_names
    if result.all_pairs and len(result.pairs) > 1:
        systems = [study.systems[place] for place in result.systems.tolist()]
        claims = on_winners(systems, dict(zip(names, result.measures, strict=True)))
    else:
        pairs = [(study.systems[one], study.systems[other]) for one, other in result.pairs]
        by_pair: dict[tuple[str, str], dict[str, int]] = {}
        for name, comparison in zip(names, result.measures, strict=True):
            for pair, sign, p in zip(pairs, verdicts(comparison).tolist(), comparison.tests.p.tolist(), strict=True):
                # An undefined difference has no verdict.
                if not math.isnan(p):
                    by_pair.setdefault(pair, {})[name] = sign
        if len(by_pair) > _MAX_PAIRS:
            others = {other: of_pair for (_, other), of_pair in by_pair.items()}
            claims = [(on_first(pairs[0][0], others), {bool(sign) for own in others.values() for sign in own.values()})]
        else:
            claims = [(on_pair(*pair, own), {bool(sign) for sign in own.values()}) for pair, own in by_pair.items()]
    return [Finding("compare", f"{text} (permutation test, {_level(found, settings.alpha)})") for text, found in claims]


def _level(significant: set[bool], alpha: float) -> str:
    """What the adjusted p-values behind a sentence are, by whether its differences are significant."""
    if len(significant) > 1:
        return f"adjusted p, level {alpha:g}"
    return f"adjusted p {'≤' if significant == {True} else '>'} {alpha:g}"


def on_winners(systems: Sequence[str], comparisons: Mapping[str, Comparison]) -> list[tuple[str, set[bool]]]:
    """For each system that has the best score a sentence, and whether the differences it names are significant."""
    by_outcome: dict[tuple[tuple[str, ...], tuple[str, ...], int], list[str]] = {}
    for measure, comparison in comparisons.items():
        order = comparison.order
        if order is None or order.defined.sum() < 2:
            continue
        best = order.best(systems)
        is_best = np.isin(systems, best)
        # Systems with the same score may differ from the others by other tests.
        similar = order.defined & ~is_best & ~order.better[is_best].all(axis=0)
        others = np.flatnonzero(similar)[np.argsort(-order.scores[similar], kind="stable")].tolist()
        outcome = (tuple(best), tuple(systems[place] for place in others), int(order.defined.sum()))
        by_outcome.setdefault(outcome, []).append(measure)
    claims = []
    for (best_names, others, tested), measures in by_outcome.items():
        under = all_or_names(measures, len(comparisons))
        rest = "" if tested == len(systems) else " that can be tested"
        worse, is_shared = tested - len(best_names), len(best_names) > 1
        of_tested = f" of the {tested} systems{rest}" if rest else ""
        both = "both" if len(best_names) == 2 else "all"
        if not is_shared and not others:
            text = f"{best_names[0]} is significantly better than {every(worse, 'other system')}{rest} under {under}"
        else:
            text = f"{join_names(best_names)} {'share' if is_shared else 'has'} the best score{of_tested} under {under}"
        if others:
            relation = (
                f"but are not {both} significantly better than" if is_shared else "not significantly different from"
            )
            text += f", {relation} {join_names(others)}"
        elif is_shared and worse:
            text += f" and are {both} significantly better than {every(worse, 'other system')}"
        claims.append((text, {not others and worse > 0}))
    return claims


def on_pair(one: str, other: str, by_measure: Mapping[str, int]) -> str:
    """The verdicts on one pair of systems, by measure.

    >>> on_pair("A", "B", {"f1": 1, "kappa": 1, "accuracy": -1})
    'A is significantly better than B under 2 of 3 measures (f1 and kappa); significantly worse under accuracy'
    """
    better, worse, undecided = ([name for name, own in by_measure.items() if own == sign] for sign in (1, -1, 0))
    if not better and not worse:
        return f"{one} and {other} are not significantly different under {_any(undecided)}"
    if len(worse) > len(better):
        one, other, better, worse = other, one, worse, better
    which = better[0] if len(by_measure) == 1 else f"{len(better)} of {len(by_measure)} measures ({join_names(better)})"
    which = every(len(better)) if len(better) == len(by_measure) > 1 else which
    parts = [f"{one} is significantly better than {other} under {which}"]
    parts += [f"significantly worse under {join_names(worse)}"] if worse else []
    parts += [f"not significantly different under {join_names(undecided)}"] if undecided else []
    return "; ".join(parts)


def on_first(first: str, others: Mapping[str, Mapping[str, int]]) -> str:
    """The verdicts on the first system and each of many others: {other: {measure: 1 where the first is better}}."""
    measures = max(map(list, others.values()), key=len)
    majority = {other: _majority(list(of_pair.values())) for other, of_pair in others.items()}
    better, worse, neither = ([other for other, own in majority.items() if own == sign] for sign in (1, -1, 0))
    which = f"most of {len(measures)} measures" if len(measures) > 1 else measures[0]
    systems = f"{len(better)} of {pluralize(len(others), 'system')}{f' ({join_names(better)})' if better else ''}"
    parts = [f"{first} is significantly better than {systems} under {which}"]
    parts += [f"significantly worse than {len(worse)} ({join_names(worse)})"] if worse else []
    parts += [f"neither for {len(neither)} ({join_names(neither)})"] if neither else []
    return "; ".join(parts)


def _majority(signs: Sequence[int]) -> int:
    """The sign that more than half of the measures have; 0 if there is none."""
    return next((sign for sign in (1, -1) if 2 * signs.count(sign) > len(signs)), 0)


def _any(measures: Sequence[str]) -> str:
    return f"any of {len(measures)} measures" if len(measures) > 1 else measures[0]
