"""All simulations."""

from simulations import correcting, decisions, planning, rankings, recommending, scenarios

SCENARIOS = [
    *scenarios.SCENARIOS, *decisions.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS, *planning.SCENARIOS,
    *correcting.SCENARIOS,
]  # fmt: skip
