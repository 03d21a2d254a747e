"""Split-half consistency on score cubes made by hand, and measures that are not compared."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from score_cubes import cube, score_table

from metaeval.analyses.stability.compute import (
    SplitHalfAgreement,
    reasons_against,
    share_of_winners,
    split_half_consistency,
)
from metaeval.analyses.stability.report import on_stability


def test_halves_are_compared_by_the_pairs_of_systems_that_both_define() -> None:
    random = np.random.default_rng(8)
    values = random.integers(4, size=(200, 2, 3, 6)).astype(float)
    values[random.random(values.shape) < 0.4] = np.nan
    agreement = split_half_consistency(cube(values, ("trial", "half"), lower_is_better=(1,)))
    for trial, measure in np.ndindex(200, 3):
        halves = values[trial, :, measure]
        halves = halves[:, ~np.isnan(halves).any(axis=0)]
        first, second = (np.sign(np.subtract.outer(half, half)) for half in halves)
        systems, untied = halves.shape[1], np.sqrt((first**2).sum() * (second**2).sum())
        # Tau is undefined where a half ties all systems, and both are for fewer than two.
        tau = (first * second).sum() / untied if untied else np.nan
        discordant = (first * second < 0).sum() / (systems * (systems - 1)) if systems > 1 else np.nan
        assert agreement.tau[trial, measure] == pytest.approx(tau, nan_ok=True)
        assert agreement.discordant[trial, measure] == pytest.approx(discordant, nan_ok=True)
    assert set(agreement.discordant[np.isnan(agreement.tau)].tolist()) > {0.0}


def test_the_best_of_one_half_is_the_best_of_the_other_with_ties_broken_at_random() -> None:
    values = np.random.default_rng(1).integers(3, size=(40, 2, 2, 5)).astype(float)
    values[0, 0, 0] = np.nan
    values[1, 0, 0, 0] = np.nan
    values[1, 0, 0, 1:] = values[1, 1, 0, 1:] = [4, 3, 2, 1]
    values[1, 1, 0, 0] = 9
    agreement = split_half_consistency(cube(values, ("trial", "half"), lower_is_better=(1,)))
    assert np.isnan(agreement.winner[0, 0])
    # A system with a score in one half only is not its best.
    assert agreement.winner[1, 0] == 1
    for trial, measure in np.ndindex(40, 2):
        first, second = values[trial, :, measure] * (-1 if measure else 1)
        if not np.isnan(first).any():
            best = [np.flatnonzero(half == half.max()) for half in (first, second)]
            same = [one == other for one in best[0] for other in best[1]]
            assert agreement.winner[trial, measure] == pytest.approx(np.mean(same))
    assert share_of_winners(np.ones(4), np.ones(4)) == 0.25


# Measures that are not compared, and rankings that do not repeat

NAN = np.nan
FEW = ("--trials", "400", "--permutations", "199")


def trials(*means: float) -> SplitHalfAgreement:
    """Trials of measures with these mean taus and a standard deviation of about .1."""
    tau = np.add.outer(np.tile([-0.1, 0.1], 200), means)
    return SplitHalfAgreement(tau, tau, tau, np.zeros(tau.shape, dtype=np.int64))


def test_a_measure_is_compared_if_its_expected_tau_is_that_of_the_halves_and_it_ties_no_more_than_others() -> None:
    expected, ties = np.array([0.79, 0.56, 1.0, NAN, 0.5]), np.array([0.1, 0.0, 0.49, 0.1, 0.25])
    reasons = reasons_against(expected, ties, trials(0.53, 0.53, 1.0, 0.5, NAN))
    assert [bool(reason) for reason in reasons] == [True, False, True, False, False]
    assert "an expected tau of 0.79 is not that of the halves, 0.53" in reasons[0]
    assert reasons[2] == "it ties 49 % of the pairs of systems, which tau-b leaves out"
    # Copies of a system tie under every measure.
    assert not any(reasons_against(expected[:2], np.array([0.6, 0.7]), None))


def test_no_ranking_repeats_where_no_expected_tau_is_above_zero() -> None:
    (finding,) = on_stability("ab", np.array([-0.2, -0.02]), np.ones((2, 2)), alpha=0.05)
    assert finding.sentence == "no measure gives a ranking that repeats on other items (expected tau -0.20 to -0.02)"


@pytest.mark.parametrize("seed", [1, 2])
def test_where_one_cluster_holds_most_items_the_expected_tau_is_that_of_halves_or_none(
    metaeval: CommandLine, write: Write, seed: int
) -> None:
    random, clusters = np.random.default_rng(seed), np.append(np.zeros(70, dtype=int), 1 + np.arange(30) // 3)
    scores = random.normal(size=(8, 11))[:, clusters] + 0.3 * random.normal(size=(8, 100))
    path = write("scores.csv", score_table({"value": scores.round(3)}, topic=clusters))
    report = metaeval.report("stability", "--task", "table", path, "--cluster", "topic", *FEW)
    (row,) = report["tables"]["stability"]
    if row["expected"] is None:
        assert any("is not that of the halves" in note for note in report["notes"])
        assert row["ci_low"] is row["ci_high"] is None
    else:
        assert row["expected"] == pytest.approx(row["mean"], abs=0.1)


def test_the_winner_of_halves_and_the_share_of_ties_are_told(metaeval: CommandLine, write: Write) -> None:
    shares = np.array([0.95, 0.5, 0.45, 0.0, 0.0, 0.0])
    scores = (np.random.default_rng(3).random((6, 60)) < shares[:, np.newaxis]).astype(int)
    path = write("scores.csv", score_table({"value": scores}))
    (row,) = metaeval.tables("stability", "--task", "table", path, *FEW)["stability"]
    assert row["winner"] == 1
    assert row["ties"] == pytest.approx(3 / 15)
