"""All simulations."""

from simulations import (
    contrasts,
    correcting,
    decisions,
    hard,
    planning,
    preferences,
    rankings,
    recommending,
    runs,
    scenarios,
    scores,
)

SCENARIOS = [
    *scenarios.SCENARIOS, *hard.SCENARIOS, *runs.SCENARIOS, *scores.SCENARIOS, *decisions.SCENARIOS,
    *rankings.SCENARIOS, *recommending.SCENARIOS,
    *planning.SCENARIOS, *preferences.SCENARIOS, *correcting.SCENARIOS, *contrasts.SCENARIOS,
]  # fmt: skip
