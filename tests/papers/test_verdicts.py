"""Verdicts from arithmetic: attainable numbers, the effect of rounding, and the reasons given."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval.papers.published import (
    Box,
    Check,
    Printed,
    Span,
    Verdict,
    judge,
    means_of_truncated,
    orders,
    pearson_range,
    percentages,
    possible_ranks,
    spans,
    spearmans,
    taus,
    tie_breaks,
    weighted_range,
)

TENTHS = st.lists(st.integers(0, 9).map(lambda digit: Printed(f".{digit}")), min_size=2, max_size=4)


def verdict(printed: str, check: Check) -> Verdict:
    return judge(Printed(printed), check).verdict


# Verdicts


def test_equal_numbers_are_exact_and_the_way_is_told() -> None:
    assert judge(Printed("0.25"), Check(0.25, "a quarter")).reason == "a quarter"
    assert judge(Printed("0.33"), Check(1 / 3, "a third")).reason == "a third, rounded or truncated"
    assert judge(Printed("0.67"), Check(2 / 3, "two thirds")).reason == "two thirds, rounded"
    assert judge(Printed("0.66"), Check(2 / 3, "two thirds")).reason == "two thirds, truncated"


def test_a_paper_that_rounds_does_not_cut_off_and_a_near_miss_differs() -> None:
    check = Check(2 / 3, "two thirds", possible=(Span(0.6, 0.7),))
    assert judge(Printed("0.66"), check).verdict is Verdict.EXACT
    assert judge(Printed("0.66"), check, excluded_form="truncated").verdict is Verdict.WITHIN_ROUNDING
    judgement = judge(Printed("0.66"), Check(2 / 3), excluded_form="truncated")
    assert (judgement.verdict, judgement.reason) == (
        Verdict.DIFFERS,
        "only equal if truncated, but the other numbers of the paper are not truncated",
    )
    assert judge(Printed("0.33"), Check(1 / 3), excluded_form="truncated").verdict is Verdict.EXACT
    assert verdict("0.65", Check(2 / 3)) is Verdict.DIFFERS
    assert verdict("0.65", Check(0.6600001)) is Verdict.DIFFERS
    assert verdict("0.68", Check(2 / 3, possible=(Span(0.66, 0.674),))) is Verdict.DIFFERS
    assert verdict("0.68", Check(2 / 3, possible=(Span(0.66, 0.676),))) is Verdict.WITHIN_ROUNDING


def test_what_is_neither_found_nor_excluded_needs_data() -> None:
    check = Check(0.5, possible=(Span(0.49, 0.51),), bounds=(0.4, 0.6))
    assert [verdict(text, check) for text in ("0.51", "0.55", "0.61")] == [
        Verdict.WITHIN_ROUNDING,
        Verdict.NEEDS_DATA,
        Verdict.DIFFERS,
    ]


def test_a_number_that_cannot_be_computed_can_be_impossible() -> None:
    assert verdict("0.4", Check(needs="runs", bounds=(0.1, 0.3), constraint="it lies in")) is Verdict.DIFFERS
    assert verdict("0.3", Check(needs="runs", bounds=(0.1, 0.3), constraint="it lies in")) is Verdict.NEEDS_DATA
    judgement = judge(Printed("0.4965"), Check(needs="runs", attainable=taus(14)))
    assert judgement.verdict is Verdict.UNATTAINABLE
    assert "45/91 and 47/91" in judgement.reason
    assert "47/91, truncated" in judge(Printed("0.5164"), Check(needs="runs", attainable=taus(14))).reason


def test_draws_words_and_choices() -> None:
    assert verdict("0.4", Check(0.6, chance=(0.4, 0.8))) is Verdict.WITHIN_CHANCE
    assert verdict("0.3", Check(0.6, chance=(0.4, 0.8))) is Verdict.DIFFERS
    assert [verdict("A/B", Check(word)) for word in "ABC"] == [Verdict.EXACT, Verdict.EXACT, Verdict.DIFFERS]
    assert verdict("A", Check(needs="labels")) is Verdict.NEEDS_DATA
    assert verdict("7", Check(is_choice=True)) is Verdict.GIVEN


def test_other_readings_and_ties_are_told_where_they_decide() -> None:
    judgement = judge(Printed("0.8"), Check(1.0, "by X", others=((0.8, "by Y"),)))
    assert (judgement.verdict, judgement.reason, judgement.computed) == (Verdict.EXACT, "by Y", 0.8)
    judgement = judge(Printed("2"), Check(1.0, "place", possible=spans([(1, ""), (2, "with b above a")])))
    assert judgement.reason == "place; with b above a; the printed inputs allow 2"


# What numbers can be at all


def test_taus_and_spearmans_are_those_of_all_rankings() -> None:
    base = np.arange(5)
    values: dict[str, set[float]] = {name: set() for name in ("tau", "rho")}
    for order in permutations(range(5)):
        values["tau"].add(round(float(stats.kendalltau(base, order).statistic), 9))
        values["rho"].add(round(float(stats.spearmanr(base, order).statistic), 9))
    assert values["tau"] == {round(value, 9) for value in taus(5).values.tolist()}
    assert values["rho"] <= {round(value, 9) for value in spearmans(5).values.tolist()}


def test_one_tie_gives_what_the_laws_say_of_it() -> None:
    scores = [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2), (0, 1, 2, 3)]
    for one, other in product(scores, [tuple(order) for scores_of in scores for order in permutations(scores_of)]):
        if len({*one}) == len({*other}) == 4:
            continue
        for law, statistic in (
            (taus(4), stats.kendalltau(one, other).statistic),
            (spearmans(4), stats.spearmanr(one, other).statistic),
        ):
            assert np.abs(law.tied - statistic).min() < 1e-9


def test_means_of_truncated_cells_are_those_of_every_three() -> None:
    law = means_of_truncated(taus(4), 3, 2)
    cut = [np.trunc(value * 100 + np.sign(value) * 1e-6) / 100 for value in taus(4).values.tolist()]
    means = {round(sum(three) / 3, 9) for three in product(cut, repeat=3)}
    assert means <= {round(value, 9) for value in law.values.tolist()}
    assert law.find(Printed("0.22")) is not None
    assert law.find(Printed("0.25")) is None


def test_percentages_are_few_and_broken_ties_told() -> None:
    assert percentages(20).find(Printed("5%")) is not None
    assert percentages(20).find(Printed("7%")) is None
    box = Box.of([Printed(".2"), Printed(".2"), Printed(".4")])
    assert [tie_breaks(order, box, "abc") for order in orders(box)] == ["", "a below b", "a above b"]


# What rounding leaves open


@settings(max_examples=40, deadline=None)
@given(TENTHS)
def test_orders_are_those_of_numbers_that_round_to_the_printed_ones(cells: list[Printed]) -> None:
    rankings = set(orders(Box.of(cells)))
    inside = [np.linspace(cell.interval[0], cell.interval[1], 5, endpoint=False).round(9) for cell in cells]
    tried = {tuple((stats.rankdata(numbers, method="dense") - 1).tolist()) for numbers in product(*inside)}
    assert tried <= rankings
    # Up to four numbers in five steps of a tenth show every order.
    assert rankings == tried


@settings(max_examples=40, deadline=None)
@given(TENTHS)
def test_ranks_are_those_of_the_orders(cells: list[Printed]) -> None:
    box = Box.of(cells)
    for number in range(len(cells)):
        ranks = [1 + sum(rank > order[number] for rank in order) for order in orders(box)]
        assert possible_ranks(box, number) == (min(ranks), max(ranks))


@pytest.mark.parametrize("seed", range(8))
def test_pearson_ranges_hold_every_r_of_the_box_and_are_reached(seed: int) -> None:
    random = np.random.default_rng(seed)
    one = random.random(6)
    other = (one if seed % 2 else -one) + 0.3 * random.random(6)
    boxes = [Box.of([Printed(f"{value:.2f}") for value in values]) for values in (one, other)]
    result = pearson_range(*boxes)
    for _ in range(500):
        # Ends are tried more often than what is between.
        shares = np.clip(1.5 * random.random((2, 6)) - 0.25, 0, 1)
        x, y = (box.low + share * (box.high - box.low) for box, share in zip(boxes, shares, strict=True))
        r = float(stats.pearsonr(x, y).statistic)
        assert result.bounds[0] - 1e-12 <= r <= result.bounds[1] + 1e-12
        assert result.attained[0] - 1e-6 <= r <= result.attained[1] + 1e-6
    assert result.bounds[0] - 1e-12 <= result.attained[0] < result.attained[1] <= result.bounds[1] + 1e-12
    assert result.bounds[1] - result.bounds[0] < 1.5 * (result.attained[1] - result.attained[0])


def test_pearson_of_numbers_that_were_not_rounded_is_one_number() -> None:
    box, other = Box.exactly([1, 2, 4]), Box.exactly([2, 1, 5])
    r = float(stats.pearsonr(box.values, other.values).statistic)
    result = pearson_range(box, other)
    assert [*result.attained, *result.bounds] == pytest.approx([r] * 4)
    with pytest.raises(ValueError, match="12 numbers are too many"):
        pearson_range(Box.of([Printed(f".{number}") for number in range(12)]), Box.exactly(range(12)))


def test_sums_of_the_same_numbers_bound_each_other() -> None:
    weights, target = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [0.2, 0.6, 0.2]
    sums = [Printed("0.40"), Printed("0.30")]
    ends = weighted_range(weights, sums, target)
    assert ends is not None
    inside = [
        float(np.dot(target, numbers))
        for numbers in product(np.linspace(0, 1, 41), repeat=3)
        if all(cell.rounds(float(np.dot(row, numbers))) for row, cell in zip(weights, sums, strict=True))
    ]
    assert inside
    assert ends[0] - 1e-9 <= min(inside)
    assert max(inside) <= ends[1] + 1e-9
    assert weighted_range([[1.0], [1.0]], [Printed("0.1"), Printed("0.9")], [1.0]) is None
