"""Two phases, or subtasks, of a shared task: pairs of systems whose difference seems to have changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import norm

from metaeval.analyses.leaderboard.groups import change_between
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.measures import measure
from metaeval.scoring.parts import count_groups
from simulations.generators import Floats, correct_items, unequal_clusters
from simulations.hard import latent_runs
from simulations.scenarios import COVERAGE, LEVEL, Outcome, Scenario, groupings_of

Phase = Callable[[np.random.Generator, int], Parts]
"""The parts of the systems in a phase of so many items; the true differences are the same in every phase."""


def changes(
    name: str, items: Sequence[int], phases: Sequence[Phase], moved: Floats | float, quick: int = 0
) -> Scenario:
    """Two phases of so many items. moved: true change of the difference of each pair, (P,)."""

    def simulate(random: np.random.Generator) -> Outcome:
        samples = []
        for size, phase in zip(items, phases, strict=True):
            tests = compare_pairs(Evidence.draw([phase(random, size)], random, 499))
            samples.append(np.stack([tests.difference, tests.low, tests.high]))
        change = change_between(*samples)
        outside = (change.low > moved) | (change.high < moved)
        return {"a false change": bool((change.significant & (moved == 0)).any()), "all covered": not outside.any()}

    sizes = " and ".join(f"{size:,}" for size in items)
    claims = {"a false change": LEVEL, "all covered": COVERAGE}
    return Scenario(f"phases of {sizes} items, {name}", 1000, quick, simulate, claims)


def share_phase(shares: Floats, *, clusters: bool = False) -> Phase:
    """Systems that get these shares of items right; clusters: of about eight items, with luck of each system."""

    def phase(random: np.random.Generator, items: int) -> Parts:
        codes = [unequal_clusters(items // 8, items)] if clusters else []
        return groupings_of(correct_items(random, shares, items, luck=[(groups, 0.2) for groups in codes]), codes)[0]

    return phase


def macro_f1_phase(deviations: Floats, shares: Sequence[float]) -> Phase:
    """Systems that see classes with errors, under macro-F1."""
    f1 = measure("macro-f1")

    def phase(random: np.random.Generator, items: int) -> Parts:
        (parts,) = count_groups(latent_runs(random, items, shares, deviations), None, random).parts([f1])
        return parts

    return phase


def _pairs(shares: Floats) -> Floats:
    one, other = np.triu_indices(len(shares), k=1)
    return np.asarray(shares[one] - shares[other])


_FIVE, _TWENTY = norm.cdf(np.linspace(0.2, 1.2, 5)), norm.cdf(np.linspace(0.2, 1.2, 20))
_HIGH = np.linspace(0.94, 0.98, 5)
_OTHER = _FIVE[[1, 0, 2, 4, 3]]

SCENARIOS = [
    changes("5 systems", (150, 150), [share_phase(_FIVE)] * 2, 0.0, 60),
    changes("20 systems", (100, 1000), [share_phase(_TWENTY)] * 2, 0.0),
    changes("20 equal systems", (200, 200), [share_phase(np.full(20, 0.7))] * 2, 0.0),
    changes("5 systems with scores near 1", (100, 400), [share_phase(_HIGH)] * 2, 0.0),
    changes("5 systems, clusters", (400, 800), [share_phase(_FIVE, clusters=True)] * 2, 0.0),
    changes(
        "5 systems, of which two pairs swap",
        (300, 300),
        [share_phase(_FIVE), share_phase(_OTHER)],
        _pairs(_OTHER) - _pairs(_FIVE),
    ),
    changes("5 systems, macro-F1", (200, 400), [macro_f1_phase(np.linspace(0.8, 1.4, 5), (0.5, 0.3, 0.2))] * 2, 0.0),
    changes(
        "8 systems, macro-F1 with a rare class",
        (400, 400),
        [macro_f1_phase(np.linspace(0.8, 1.4, 8), (0.6, 0.34, 0.06))] * 2,
        0.0,
    ),
]
