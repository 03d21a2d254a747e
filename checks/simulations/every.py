"""All simulations."""

from simulations import decisions, planning, rankings, recommending, scenarios

SCENARIOS = [
    *scenarios.SCENARIOS, *decisions.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS, *planning.SCENARIOS,
]  # fmt: skip
