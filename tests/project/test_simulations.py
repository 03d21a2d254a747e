"""Quick versions of the simulations: fewer data sets, wider bounds. `make simulate` runs all of them in full."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulations.__main__ import PAGE, REAL, TABLE, WITHIN, current, read, written
from simulations.every import SCENARIOS
from simulations.scenarios import Scenario


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [each for each in SCENARIOS if each.quick], ids=lambda each: each.name)
def test_outcomes_are_within_their_bounds(scenario: Scenario) -> None:
    sums = scenario.run(scenario.quick)
    for outcome, bound in scenario.claims.items():
        low, high = bound.limits(scenario.quick)
        assert low <= sums[outcome] <= high, outcome


def test_the_page_sums_up_the_table_of_todays_simulations_and_no_share_is_outside_its_bounds() -> None:
    root = Path(__file__).parents[2]
    rows = read(root / TABLE)
    assert current(rows) == list(rows.values())
    page = (root / PAGE).read_text(encoding="utf-8").partition(f"\n{REAL}")[0]
    assert page[page.index("\n## ") :] == written(current(rows))
    assert {row.verdict for row in rows.values()} == {WITHIN}
