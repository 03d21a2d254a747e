"""Scores of items from known variances: intervals of the generalisability coefficient should contain the true one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metaeval.inference.parts import Components
from simulations.generators import Codes, Floats

VARIANCES = {
    "system": 0.02, "cluster": 0.1, "item": 0.3, "system_cluster": 0.05, "system_item": 0.4,
    "run": 0.01, "run_cluster": 0.05, "run_item": 0.6,
}  # fmt: skip


def covers(
    random: np.random.Generator, systems: int, runs: int, codes: Codes | None, items: int, *, skewed: bool = False
) -> bool:
    """Whether the interval of one data set contains the coefficient; codes: of clusters of the items.

    skewed: whether effects are from exponential distributions, not from normal ones.
    """
    true = {
        name: value * (codes is not None or "cluster" not in name) * (runs > 1 or "run" not in name)
        for name, value in VARIANCES.items()
    }
    clusters = np.zeros(items, dtype=np.intp) if codes is None else codes
    system_of_run = np.repeat(np.arange(systems), runs)

    def noise(name: str, rows: int) -> Floats:
        columns = clusters.max() + 1 if "cluster" in name else 1 if name in ("system", "run") else items
        effects = random.exponential(1, (rows, columns)) - 1 if skewed else random.standard_normal((rows, columns))
        values: Floats = effects * np.sqrt(true[name])
        return values[:, clusters] if "cluster" in name else values

    scores = noise("cluster", 1) + noise("item", 1)
    system_effects = noise("system", systems) + noise("system_cluster", systems) + noise("system_item", systems)
    number = len(system_of_run)
    run_effects = noise("run", number) + noise("run_cluster", number) + noise("run_item", number)
    components = Components.of(scores + system_effects[system_of_run] + run_effects, system_of_run, codes)
    low, high = components.interval()
    return bool(low <= replace(components, **true).coefficient() <= high)  # type: ignore[arg-type]
