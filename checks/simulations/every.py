"""All simulations."""

from simulations import rankings, recommending, scenarios

SCENARIOS = [*scenarios.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS]
