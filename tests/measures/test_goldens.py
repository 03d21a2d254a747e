"""Values that others printed: authors' programs, papers, shared tasks."""

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from raw_labels import count
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.measures import measure
from metaeval.model.scale import ClassScale

THREE = ClassScale.parse("low<mid<high")


def test_the_first_data_set_of_the_cem_authors_scores_as_their_program_prints() -> None:
    # EvALLTEAM/CEM-Ord, commit 2765d56 (java 17), on 100 items of three classes.
    counts = np.array([[5, 1, 4], [5, 50, 5], [7, 8, 15]])
    assert float(measure("cem-ord")(counts, THREE)) == pytest.approx(0.7117023174151089, abs=1e-12)


@cache
def ordinal_sets() -> dict[str, dict[str, Any]]:
    sets = json.loads((SHARED_DATA / "goldens" / "ordinal.json").read_text(encoding="utf-8"))["sets"]
    return {one["id"]: one for one in sets}


# goldens/ordinal.json names tools and versions: EvALLTEAM/CEM-Ord 2765d56, dlordinal 2.7.0, scikit-learn 1.9.1,
# SciPy 1.17.1.
ORDINAL_GOLDENS = {
    "CEM_ORD__EvALLTEAM_java": "cem-ord",
    "dlordinal_amae": "mae:average=macro",
    "mae_rank_index": "mae:average=micro",
    "sklearn_cohen_kappa_none": "kappa:weights=none",
    "sklearn_cohen_kappa_linear": "kappa:weights=linear",
    "sklearn_cohen_kappa_quadratic": "kappa:weights=quadratic",
    "sklearn_accuracy": "accuracy",
    "sklearn_balanced_accuracy": "weighted-accuracy",
    "sklearn_f1_macro_labels": "macro-f1",
    "scipy_kendall_b": "kendall",
    "scipy_spearman": "spearman",
}


@needs_shared_data
@pytest.mark.parametrize("golden", ORDINAL_GOLDENS)
def test_label_sets_score_as_the_tools_print(golden: str) -> None:
    for name, one in ordinal_sets().items():
        if (golden, name) == ("dlordinal_amae", "middle_classes_absent_in_both"):
            continue  # The next test.
        gold, predicted = ([one["labels_in_order"].index(label) for label in one[side]] for side in ("gold", "pred"))
        score = measure(ORDINAL_GOLDENS[golden])(count(gold, predicted, len(scale_of(one))), scale_of(one))
        expected = one["values"][golden]
        np.testing.assert_allclose(score, np.nan if expected is None else expected, rtol=1e-9, atol=1e-9, err_msg=name)


@needs_shared_data
def test_macro_mae_keeps_the_distance_over_unused_classes_where_dlordinal_closes_the_gap() -> None:
    one = ordinal_sets()["middle_classes_absent_in_both"]
    counts = np.array(one["confusion_gold_rows"])
    used = [0, 1, 4]
    macro = measure("mae:average=macro")
    assert float(macro(counts[np.ix_(used, used)], THREE)) == pytest.approx(one["values"]["dlordinal_amae"], abs=1e-9)
    # By hand from gold 1 → 6 2 · · 1, 2 → 3 5 · · 2, 5 → 1 2 · · 8.
    by_hand = ((2 * 1 + 1 * 4) / 9 + (3 * 1 + 2 * 3) / 10 + (1 * 4 + 2 * 3) / 11) / 3
    assert float(macro(counts, scale_of(one))) == pytest.approx(by_hand, abs=1e-12)


def scale_of(one: dict[str, Any]) -> ClassScale:
    return ClassScale(tuple(map(str, one["labels_in_order"])), ordered=True)


# The worked example of the ordinal-evaluation article (2022): the ranks of works 1 to 8, and the numbers of a model.
WORKS = "FCEGACDA"
NUMBERS = [0.15, 0.30, 0.35, 0.25, 0.55, 0.45, 0.20, 0.40]
RANKS = ClassScale.parse("G<F<E<D<C<B<A")


def rectangular_counts() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts (7, 8) of rank × distinct number, and the numbers, rising."""
    numbers = np.unique(NUMBERS)
    counts = np.zeros((7, len(numbers)), dtype=np.int64)
    for rank, number in zip(WORKS, NUMBERS, strict=True):
        counts[RANKS.code(rank), np.searchsorted(numbers, number)] += 1
    return counts, numbers


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # SciPy 1.17.1 on the article's table. The article gives 'about 0.6' for Pearson's: that is Kendall's.
        ("pearson", 0.7522830250),
        ("spearman", 0.7590912410),
        ("kendall", 0.5929994533),
        # By hand: of 28 pairs, C–C and A–A have no better one; 21 of the other 26 are in the right order.
        ("pairwise-accuracy", 21 / 26),
        # Without the pairs one rank apart (F–E, F–G, E–D, C–D twice), 18 of 21.
        ("pairwise-accuracy:min-gap=2", 18 / 21),
    ],
)
def test_the_worked_example_of_the_article(name: str, expected: float) -> None:
    counts, numbers = rectangular_counts()
    score = measure(name).of_numbers(counts, RANKS.class_values(), numbers)
    assert float(score) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "by_distance"),
    [
        # Pattern 2: a rank off still earns .75, two earn .5, the worst (four ranks off, so gold is E or C) nothing.
        ("closeness:norm=gold", [1.0, 0.75, 0.5, 0.25, 0.0]),
        # Pattern 3: '0.5 to the power of the difference of ranks'.
        ("decay", [1.0, 0.5, 0.25, 0.125, 0.0625]),
        # Its tips: another base, and nothing for two ranks off or more.
        ("decay:base=0.4", [1.0, 0.4, 0.16, 0.064, 0.0256]),
        ("decay:base=0.3,cutoff=1", [1.0, 0.3, 0.0, 0.0, 0.0]),
    ],
)
def test_the_article_gives_this_credit_by_distance(name: str, by_distance: list[float]) -> None:
    for gold, away in (("E", 1), ("C", -1)):
        for distance, credit in enumerate(by_distance):
            counts = count([RANKS.code(gold)], [RANKS.code(gold) + away * distance], 7)
            assert float(measure(name)(counts, RANKS)) == pytest.approx(credit, abs=1e-12)


@needs_shared_data
def test_the_majority_system_has_kappa_zero_and_a_negative_alpha() -> None:
    # Amemiya & Sakai (2021), tables 4 and 5: kappa .0000 on both halves, ordinal alpha −.0527 and −.0434.
    scale = ClassScale.parse("disagree<discuss<agree")
    gold = pd.read_csv(SHARED_DATA / "fnc1/native/competition_test_stances.csv")["Stance"].tolist()
    gold = [stance for stance in gold if stance != "unrelated"]
    counts = count([scale.code(stance) for stance in gold], [1] * len(gold), 3)
    assert len(gold) == 7064
    assert float(measure("kappa")(counts, scale)) == 0
    assert float(measure("alpha")(counts, scale)) == pytest.approx((-0.0527 - 0.0434) / 2, abs=0.0005)
