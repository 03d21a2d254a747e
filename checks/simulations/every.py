"""All simulations."""

from simulations import correcting, decisions, planning, preferences, rankings, recommending, scenarios

SCENARIOS = [
    *scenarios.SCENARIOS, *decisions.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS, *planning.SCENARIOS,
    *preferences.SCENARIOS, *correcting.SCENARIOS,
]  # fmt: skip
