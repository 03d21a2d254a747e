"""All simulations."""

from simulations import planning, rankings, recommending, scenarios

SCENARIOS = [*scenarios.SCENARIOS, *rankings.SCENARIOS, *recommending.SCENARIOS, *planning.SCENARIOS]
