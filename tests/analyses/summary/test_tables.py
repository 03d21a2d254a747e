"""The finding of the summary, and criteria that can and cannot be ranked."""

import numpy as np

from metaeval.analyses.summary.compute import Criterion, pareto_optimal
from metaeval.analyses.summary.report import findings

NAN = float("nan")


def criterion(
    values: list[float],
    *different: tuple[int, int],
    higher_is_better: bool = True,
    statistics: list[float] | None = None,
) -> Criterion:
    """Values that are also what is tested; different: pairs of measures that differ significantly."""
    numbers = np.array(values)
    p = np.ones((len(values), len(values)))
    for one, other in different:
        p[one, other] = p[other, one] = 0.01
    statistic = numbers if statistics is None else np.array(statistics)
    return Criterion(numbers, numbers, numbers, statistic, p, higher_is_better, np.empty((0, len(values))))


def test_pareto_optimal_measures_are_named_or_none() -> None:
    values = np.array([0.91, 0.85, 0.5]), np.array([0.4, 0.3, 0.9])

    def sentences(pareto: str, testable: str = "xyz") -> list[str]:
        optimal, is_tested = (np.array([name in names for name in "xyz"]) for names in (pareto, testable))
        return [finding.sentence for finding in findings("xyz", optimal, is_tested, *values)]

    x_values = "(consistency 0.91 and discrimination 0.40)"
    assert sentences("x") == [f"x is the only Pareto-optimal measure {x_values}"]
    assert sentences("x", "xz") == [f"x is the only Pareto-optimal measure {x_values}. Not tested: y"]
    both_values = "(consistency 0.85 to 0.91 and discrimination 0.30 to 0.40)"
    assert sentences("xy") == [f"x and y are the Pareto-optimal measures {both_values}"]
    nothing = (
        "no measure is significantly better than another in consistency or discrimination and at least as good in both"
    )
    assert sentences("xyz") == [nothing]
    # A measure that alone can be tested is not praised.
    assert sentences("x", "x") == []


def test_consistency_is_better_high_and_discrimination_low() -> None:
    np.testing.assert_array_equal(criterion([0.9, 0.5, NAN, 0.9]).ranks, [1, 3, NAN, 1])
    assert criterion([0.2, 0.1, 0.0, 0.3], higher_is_better=False).ranks.tolist() == [3, 2, 1, 4]
    assert criterion([0.3, 0.3]).ranks.tolist() == [1, 1]
    assert criterion([0.2, 0.1], (0, 1), higher_is_better=False).letters == ["b", "a"]


def test_only_significant_differences_spoil_the_pareto_optimum() -> None:
    nothing = criterion([0.9, 0.8, 0.7])
    fewer = criterion([0.1, 0.2, 0.3], higher_is_better=False)
    assert pareto_optimal(nothing, fewer).tolist() == [True, True, True]
    assert pareto_optimal(criterion([0.9, 0.8, 0.7], (0, 2)), fewer).tolist() == [True, True, False]
    # Significantly better in one criterion, and worse in the other: neither replaces the other.
    against = criterion([0.3, 0.2, 0.1], higher_is_better=False)
    assert pareto_optimal(criterion([0.9, 0.8, 0.7], (0, 2)), against).tolist() == [True, True, True]
    # What is tested decides, not what is printed; what is undefined is not optimal.
    consistency = criterion([0.7, 0.9], (0, 1), statistics=[0.9, 0.7])
    assert pareto_optimal(consistency, criterion([0.1, 0.1], higher_is_better=False)).tolist() == [True, False]
    assert pareto_optimal(criterion([0.9, NAN]), criterion([0.1, 0.2])).tolist() == [True, False]
