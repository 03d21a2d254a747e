"""Score cubes, scores of items and files of them made by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.model.scores import Direction, ItemScores, ScoreCube


def _directions(measures: int, lower_is_better: Collection[int]) -> tuple[Direction, ...]:
    return tuple(Direction.LOWER if number in lower_is_better else Direction.HIGHER for number in range(measures))


def _names(kind: str, number: int) -> tuple[str, ...]:
    return tuple(f"{kind}{index}" for index in range(number))


def cube(values: ArrayLike, axes: tuple[str, ...] = (), *, lower_is_better: Collection[int] = ()) -> ScoreCube:
    """Scores (*axes, M, S) of measures m0, m1 … and systems s0, s1 …"""
    scores = np.asarray(values, dtype=np.float64)
    measures, systems = scores.shape[-2:]
    return ScoreCube(scores, axes, _names("m", measures), _names("s", systems), _directions(measures, lower_is_better))


def item_scores(values: ArrayLike, *, lower_is_better: Collection[int] = (), gaps: bool = False) -> ItemScores:
    """Scores (M, S, N) of items i0, i1 …"""
    scores = np.asarray(values, dtype=np.float64)
    measures, systems, items = (_names(kind, number) for kind, number in zip("msi", scores.shape, strict=True))
    return ItemScores(scores, measures, systems, items, _directions(len(scores), lower_is_better), gaps=gaps)


def score_table(scores: Mapping[str, ArrayLike], *, systems: Sequence[str] = (), **columns: NDArray[np.intp]) -> str:
    """A file of scores (S, N) by measure, of systems s0, s1 … unless they are named, and items i0, i1 …

    columns: codes of items, such as those of threads, which are thread0, thread1 … NaN is an empty cell.
    """
    values = np.stack([np.asarray(rows, dtype=np.float64) for rows in scores.values()], axis=-1)
    lines = [",".join(["system", "item", *columns, *scores])]
    for system, item in np.ndindex(values.shape[:2]):
        names = (systems[system] if systems else f"s{system}", f"i{item}")
        cells = ["" if np.isnan(value) else repr(value) for value in values[system, item].tolist()]
        lines.append(",".join([*names, *(f"{name}{codes[item]}" for name, codes in columns.items()), *cells]))
    return "\n".join([*lines, ""])


def run_table(runs: Mapping[str, Sequence[float]], *, items: int = 200, seed: int = 7) -> str:
    """A file of scores under bleu of systems with a mean for each of their runs; the difficulty of items is shared."""
    random = np.random.default_rng(seed)
    difficulty = random.normal(0, 0.1, items)
    rows = [
        f"bleu,{system},{run},i{item},{score + difficulty[item] + random.normal(0, 0.05)}"
        for system, scores in runs.items()
        for run, score in enumerate(scores)
        for item in range(items)
    ]
    return "\n".join(["measure,system,seed,item,value", *rows, ""])
