"""All simulations."""

from simulations import contrasts, correcting, decisions, hard, planning, preferences, rankings, recommending, scenarios

SCENARIOS = [
    *scenarios.SCENARIOS, *hard.SCENARIOS, *decisions.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS,
    *planning.SCENARIOS, *preferences.SCENARIOS, *correcting.SCENARIOS, *contrasts.SCENARIOS,
]  # fmt: skip
