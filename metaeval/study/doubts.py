"""What may be wrong with data that can be read: at most a sentence of each kind, which names the first cases."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from metaeval.arrays import Bools, Floats
from metaeval.errors import join_all, pluralize, setting, shortened
from metaeval.model.runs import ClassRuns, DerivationRuns, TextRuns, TokenizedTexts
from metaeval.model.scores import ItemScores
from metaeval.study.study import Study

LEAST_ITEMS = 10
"""Number of items from which equal or constant values are no coincidence."""

_NAMED = 3
_ROUNDED = 1e-5
"""How much equal scores differ at most, as shares of the highest, because they are written with few digits."""

_FIRST = 99
"""Cells that are compared first."""

_FAR = 10
"""Interquartile ranges from the quartiles beyond which a repeated value stands for something else."""


def doubts_about(study: Study) -> tuple[str, ...]:
    """Sentences on data of a study that may be wrong; none with few items."""
    runs: Any = getattr(study, "runs", None)
    if runs is None or len(study.items) < LEAST_ITEMS:
        return ()
    checks = OF_SCORES if isinstance(runs, ItemScores) else OF_ANSWERS
    # Scores near the largest number overflow in differences.
    with np.errstate(all="ignore"):
        return tuple(sentence for check in checks for sentence in check(runs))


def _join_first(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return join_all([*map(shortened, names[:_NAMED]), *more])


def _equal(names: Sequence[str], keys: Sequence[Hashable]) -> list[list[str]]:
    """The groups of names with equal keys."""
    groups: dict[Hashable, list[str]] = {}
    for name, key in zip(names, keys, strict=True):
        groups.setdefault(key, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _key(values: object) -> Hashable:
    """What two equal contents share."""
    if isinstance(values, TokenizedTexts):
        return tuple(hash(part.astype(np.int64).tobytes()) for part in (values.codes, values.lengths, values.sizes))
    return hash(values.tobytes()) if isinstance(values, np.ndarray) else hash(values)


def answers(runs: Any) -> tuple[list[Hashable], Hashable]:
    """The contents of the systems and of gold; None for several references."""
    if isinstance(runs, TextRuns):
        single = bool((runs.reference_counts == 1).all())
        return list(map(_key, runs.outputs)), _key(runs.references) if single else None
    if isinstance(runs, DerivationRuns):
        single = all(len(item) == 1 for item in runs.references)
        return list(map(_key, runs.outputs)), _key(tuple(item[0] for item in runs.references)) if single else None
    return list(map(_key, runs.predicted)), _key(runs.gold.astype(runs.predicted.dtype))


def _same_answers(runs: Any) -> Iterator[str]:
    keys, gold = answers(runs)
    items = pluralize(len(runs.items), "item")
    as_gold = [name for name, key in zip(runs.systems, keys, strict=True) if key == gold]
    if as_gold:
        equal, is_gold = ("equals", "is it") if len(as_gold) == 1 else ("equal", "are they")
        yield f"{_join_first(as_gold)} {equal} gold in all {items}: {is_gold} gold?"
    for group in _equal(runs.systems, keys)[:1]:
        if group[0] not in as_gold:
            yield f"{_join_first(group)} are equal in all {items}: are they one system?"


def _never_predicted(runs: Any) -> Iterator[str]:
    if not isinstance(runs, ClassRuns) or len(runs.systems) < 2:
        return
    occurring = set(np.unique(runs.predicted).tolist())
    frequencies = runs.gold_frequencies[: len(runs.scale)].tolist()
    enough = [code for code, number in enumerate(frequencies) if number >= LEAST_ITEMS]
    never = [runs.scale.labels[code] for code in enough if code not in occurring]
    if never:
        yield f"no system predicts class {_join_first(never)}, which gold has: are labels spelled as in gold?"


def _same_scores(runs: ItemScores) -> Iterator[str]:
    items = pluralize(len(runs.items), "item")
    for group in _equal(runs.systems, list(map(_key, runs.values.swapaxes(0, 1))))[:1]:
        yield f"{_join_first(group)} are equal in all {items}: are they one system?"
    varying = {name: scores for name, scores in zip(runs.measures, runs.values, strict=True) if _varies(scores)}
    # A missing score, as 9, is near no other one.
    unscaled = [np.nan_to_num(scores / np.nanmax(np.abs(scores)), nan=9.0).ravel() for scores in varying.values()]
    alike: dict[int, list[str]] = {}
    # Most measures differ in the first cells.
    begins = np.array([scores[:_FIRST] for scores in unscaled])
    for row, name in enumerate(varying):
        near = np.flatnonzero(_close(begins[:row], begins[row])).tolist()
        same = (other for other in near if other in alike and _close(unscaled[other], unscaled[row]))
        alike.setdefault(next(same, row), []).append(name)
    for group in [names for names in alike.values() if len(names) > 1][:1]:
        yield f"{_join_first(group)} are equal or multiples of each other in all {items}: are they one measure?"


def _close(one: Floats, other: Floats) -> Bools:
    return np.asarray((np.abs(one - other) <= _ROUNDED).all(axis=-1))


def _varies(values: Floats) -> bool:
    finite = values[np.isfinite(values)]
    return bool(len(finite)) and finite.min() < finite.max()


def _constant(runs: ItemScores) -> Iterator[str]:
    if len(runs.systems) < 2:
        return
    names = [name for name, values in zip(runs.measures, runs.values, strict=True) if not _varies(values)]
    if names:
        yield f"the scores of all systems and items are the same under {_join_first(names)}"


def _inverted(runs: ItemScores) -> Iterator[str]:
    signs = np.array([direction.sign for direction in runs.directions])
    varying = [row for row, values in enumerate(runs.values) if _varies(values)]
    if len(varying) < 3 or np.isnan(runs.values).any():
        return
    scores = (runs.values.reshape(len(signs), -1) * signs[:, np.newaxis])[varying]
    correlations = np.corrcoef(scores)
    np.fill_diagonal(correlations, 0.0)
    against = (correlations < -0.2).sum(axis=1)
    names = [runs.measures[varying[row]] for row in np.flatnonzero(2 * against > len(varying) - 1).tolist()]
    if names and 2 * len(names) < len(varying):
        correlate = "correlates" if len(names) == 1 else "correlate"
        option = setting("lower_is_better", names[0])
        yield f"{_join_first(names)} {correlate} negatively with most other measures: is lower better? set {option}"


def _sentinels(runs: ItemScores) -> Iterator[str]:
    for name, values in zip(runs.measures, runs.values, strict=True):
        finite = values[np.isfinite(values)]
        unique, times = np.unique(finite, return_counts=True)
        low, high = np.quantile(finite, [0.25, 0.75]) if len(finite) else (0.0, 0.0)
        for end, next_to_it in ((0, 1), (-1, -2)) if len(unique) > 2 and high > low else ():
            value, beside = unique[end], unique[next_to_it]
            apart = min(abs(value - low), abs(value - high)) > _FAR * (high - low)
            alone = abs(value - beside) > _FAR / 2 * (high - low) or (value == -1 and beside >= 0)
            if times[end] > 1 and value % 1 == 0 and alone and (apart or value == -1):
                where = pluralize(int(times[end]), "score")
                yield f"{name} is {value:g} in {where}, far from all others: does it stand for a missing score?"
                return


def _scales(runs: ItemScores) -> Iterator[str]:
    for name, values in zip(runs.measures, runs.values, strict=True):
        rows = [scores[np.isfinite(scores)] for scores in values]
        systems = [(row.mean(), row.max(), system) for row, system in zip(rows, runs.systems, strict=True) if len(row)]
        small = [(mean, system) for mean, most, system in systems if mean > 0 and most <= 1]
        large = [(mean, system) for mean, most, system in systems if most > 1]
        if small and large and all(50 <= one / other <= 200 for one, _ in large for other, _ in small):
            names = f"{large[0][1]} ({large[0][0]:.3g} on average) and {small[0][1]} ({small[0][0]:.3g})"
            yield f"scores of {name} seem to be on scales that differ by 100: {names}"
            return


OF_ANSWERS: tuple[Callable[[Any], Iterator[str]], ...] = (_same_answers, _never_predicted)
OF_SCORES: tuple[Callable[[ItemScores], Iterator[str]], ...] = (_same_scores, _constant, _inverted, _sentinels, _scales)
