"""Quick versions of the simulations: fewer data sets, wider bounds. `make simulate` runs all of them in full."""

from __future__ import annotations

import pytest
from simulations.every import SCENARIOS
from simulations.scenarios import Scenario

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("scenario", [each for each in SCENARIOS if each.quick], ids=lambda each: each.name)
def test_outcomes_are_within_their_bounds(scenario: Scenario) -> None:
    sums = scenario.run(scenario.quick)
    for outcome, bound in scenario.claims.items():
        low, high = bound.limits(scenario.quick)
        assert low <= sums[outcome] <= high, outcome
