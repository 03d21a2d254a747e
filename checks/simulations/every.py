"""All simulations."""

from simulations import decisions, planning, preferences, rankings, recommending, scenarios

SCENARIOS = [
    *scenarios.SCENARIOS, *decisions.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS, *planning.SCENARIOS,
    *preferences.SCENARIOS,
]  # fmt: skip
