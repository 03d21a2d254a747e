"""All simulations."""

from simulations import rankings, scenarios

SCENARIOS = [*scenarios.SCENARIOS, *rankings.SCENARIOS]
