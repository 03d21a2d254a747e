"""Every interval of `correlate` holds its own estimate, lies on the scale, and has a width."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import metaeval
from metaeval.analyses.correlate.settings import Coefficient, Interval, Level

Scores = NDArray[np.float64]

KINDS = ("same", "reversed", "binary", "rounded", "outlier", "related", "unrelated", "gaps")

FROM_ZERO = ("pairwise-accuracy", "acc-eq", "soft-pairwise")


def scores_of(kind: str, systems: int, items: int, random: np.random.Generator) -> tuple[Scores, Scores]:
    """Scores of a metric and of people, (S, N)."""
    quality = random.normal(0, random.choice([0, 0.12, 1]), systems)[:, np.newaxis]
    human, metric = quality + random.normal(size=(2, systems, items))
    if kind == "unrelated":
        metric = random.normal(size=human.shape)
    if kind in ("binary", "rounded"):
        human, metric = (
            np.round(scores) if kind == "rounded" else (scores > 0).astype(float) for scores in (human, metric)
        )
    if kind == "outlier":
        metric[0] += 50
        human[0] += 9
    if kind == "gaps":
        metric[random.random(metric.shape) < 0.2] = np.nan
    return {"same": (human, human), "reversed": (-human, human)}.get(kind, (metric, human))


def intervals_of(kind: str, systems: int, items: int, seed: int) -> list[tuple[str, float, float, float]]:
    """The coefficient, value and interval of every level, coefficient and kind of interval."""
    random = np.random.default_rng(seed)
    metric, human = scores_of(kind, systems, items, random)
    rows = [(system, item) for system, item in np.ndindex(metric.shape) if not np.isnan(metric[system, item])]
    table: dict[str, Any] = {
        "system": [f"s{system}" for system, _ in rows],
        "item": [f"i{item}" for _, item in rows],
        "document": [f"d{item // 2}" for _, item in rows],
        "metric": [float(metric[row]) for row in rows],
        "human": [float(human[row]) for row in rows],
    }
    clusters = "document" if random.random() < 0.5 else None
    runs = metaeval.from_scores(table, human="human", on_missing="pairwise", clusters=clusters)
    intervals = []
    for level in get_args(Level) if items > 1 else ("system",):
        coefficients = [name for name in get_args(Coefficient) if name != "soft-pairwise" or level == "system"]
        if items == 1:
            coefficients.remove("soft-pairwise")
        for interval in get_args(Interval):
            if interval == "none" or (interval == "items" and items == 1):
                continue
            result = metaeval.correlate(
                runs, levels=level, coefficients=coefficients, interval=interval, test="none", resamples=50
            )
            for row in result.to_dict()["tables"]["correlations"]:
                if row["value"] is not None and row["low"] is not None:
                    intervals.append((row["coefficient"], row["value"], row["low"], row["high"]))
    return intervals


def check(kind: str, systems: int, items: int, seed: int) -> None:
    for coefficient, value, low, high in intervals_of(kind, systems, items, seed):
        of = f"{coefficient} of {kind} scores"
        assert (0 if coefficient in FROM_ZERO else -1) <= low <= value <= high <= 1, of
        assert low < high, of


@pytest.mark.parametrize("kind", KINDS)
def test_an_interval_holds_its_estimate_and_has_a_width(kind: str) -> None:
    check(kind, 6, 5, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_interval_of_random_studies_holds_its_estimate_and_has_a_width(kind: str) -> None:
    random = np.random.default_rng(KINDS.index(kind))
    for seed in range(6):
        check(kind, int(random.integers(2, 15)), int(random.choice([1, 2, 3, 12, 60])), seed)


def test_means_of_many_noisy_items_that_correlate_by_chance_have_an_interval_around_them() -> None:
    """Errors of items hide a correlation of means, which resampled items show lower than it is."""
    systems, items, most = 14, 200, (0.0, 0)
    for seed in range(100):
        random = np.random.default_rng(seed)
        quality = random.normal(0, 0.12, (systems, 1))
        human, metric = (quality + random.normal(size=(systems, items)) for _ in range(2))
        most = max(most, (float(np.corrcoef(human.mean(axis=1), metric.mean(axis=1))[0, 1]), seed))
    random = np.random.default_rng(most[1])
    quality = random.normal(0, 0.12, (systems, 1))
    human, metric = (quality + random.normal(size=(systems, items)) for _ in range(2))
    names = np.indices(human.shape).reshape(2, -1)
    table = {"system": names[0], "item": names[1], "metric": metric.ravel(), "human": human.ravel()}
    for interval in ("both", "items", "systems", "fisher"):
        result = metaeval.correlate(
            metaeval.from_scores(table, human="human"), levels="system", interval=interval, test="none"
        )
        for row in result.to_dict()["tables"]["correlations"]:
            assert row["low"] < row["value"] < row["high"], interval
