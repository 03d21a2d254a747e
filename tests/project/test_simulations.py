"""Quick versions of the simulations: fewer data sets, wider bounds. `make simulate` runs all of them in full."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from simulations.__main__ import PAGE, REAL, TABLE, WITHIN, current, read, written
from simulations.every import SCENARIOS
from simulations.real import study_of
from simulations.regret import RULES, damage_missed, outcomes
from simulations.scenarios import Scenario

from metaeval.measures.presets import candidates
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario", [scenario for scenario in SCENARIOS if scenario.quick], ids=lambda scenario: scenario.name
)
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


# The regret of rules that choose a measure

SCALE = ClassScale.parse("low<mid<high")


@pytest.mark.slow
def test_no_choice_beats_the_best_in_hindsight_and_accuracy_does_not_notice_farther_errors(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    gold = random.integers(0, 3, 200)
    (tmp_path / "systems").mkdir()
    for number, file in enumerate(["gold.csv", *(f"systems/s{system}.csv" for system in range(8))]):
        right = random.random(200) < (0.5 + 0.05 * number if number else 1.0)
        codes = np.where(right, gold, random.integers(0, 3, 200))
        rows = [f"{item},{SCALE.labels[code]}" for item, code in enumerate(codes.tolist())]
        (tmp_path / file).write_text("\n".join(["id,label", *rows]) + "\n", encoding="utf-8")
    study = study_of(tmp_path, SCALE, [str(measure) for measure in candidates(SCALE)])
    losses = outcomes(study, splits=2).losses
    assert losses.shape == (2, 3, len(RULES))
    assert np.nanmin(losses) >= 0
    assert (losses[:, 0, -1] == 0).all()
    # Where `recommend` names no measure, it has no loss.
    assert (np.nanmax(losses[:, 0, :-1], axis=-1) > 0).all()
    assert isinstance(study.runs, LabelledRuns)
    farther = damage_missed(study.runs, ("accuracy", "mae:average=micro"), random)[-1]
    assert farther.tolist() == [1.0, 0.0]
