"""All simulations."""

from simulations import contrasts, correcting, decisions, planning, preferences, rankings, recommending, scenarios

SCENARIOS = [
    *scenarios.SCENARIOS, *decisions.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS, *planning.SCENARIOS,
    *preferences.SCENARIOS, *correcting.SCENARIOS, *contrasts.SCENARIOS,
]  # fmt: skip
