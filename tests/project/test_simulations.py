"""Quick versions of the simulations: fewer data sets, wider bounds. `make simulate` runs all of them in full."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulations.__main__ import PAGE, REAL, read, written
from simulations.every import SCENARIOS
from simulations.scenarios import Scenario


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [each for each in SCENARIOS if each.quick], ids=lambda each: each.name)
def test_outcomes_are_within_their_bounds(scenario: Scenario) -> None:
    sums = scenario.run(scenario.quick)
    for outcome, bound in scenario.claims.items():
        low, high = bound.limits(scenario.quick)
        assert low <= sums[outcome] <= high, outcome


def test_the_page_has_simulations_as_they_are_now_and_no_share_outside_its_bounds() -> None:
    page = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8").partition(f"\n{REAL}")[0]
    sections = page[page.index("\n## ") :]
    assert written(read(page)) == sections
    assert "✗" not in sections
