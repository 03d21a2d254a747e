"""Claims of papers about measures, confirmed or refuted; with the arithmetic where conditional."""

from math import log2
from typing import Any

import numpy as np
import pytest
from analyses.axioms.axiom_cases import judge

from metaeval import axioms
from metaeval.analyses.axioms.properties.checking import Claim, read_claims
from metaeval.analyses.axioms.settings import Property
from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.model.works import WORKS

SCALE = ClassScale(("low", "mid", "high"), ordered=True)
ORDINAL: tuple[Property, ...] = ("ordinal-invariance", "ordinal-monotonicity", "imbalance")

REFUTED = {
    ("amemiya2021", "kappa:weights=linear", "prior"),
    ("amemiya2021", "kappa:weights=linear", "ordinal-monotonicity"),
}
"""What does not hold of what is claimed."""


@pytest.mark.parametrize("claim", read_claims(), ids=lambda claim: f"{claim.source} {claim.measure} {claim.property}")
def test_a_published_claim_is_held_against_the_result(claim: Claim) -> None:
    assert claim.source in WORKS
    verdict = judge(measure(claim.measure), claim.property, cases=200)
    refuted = (claim.source, claim.measure, claim.property) in REFUTED
    assert verdict.holds is (claim.has != refuted)


def test_a_refutation_says_how_often_and_whether_any_score_falls() -> None:
    report = axioms(["kappa:weights=linear", "accuracy"])
    rows: dict[tuple[str, str], Any] = {
        (str(row["measure"]), str(row["property"])): row for row in report.table("claims").records()
    }
    row = rows["kappa:weights=linear", "ordinal-monotonicity"]
    assert 0 < row["violations"] < 0.01 * row["cases"]
    assert 0 < row["worse"] < row["violations"]
    # Where scores have to be the same, none is the worse one.
    assert rows["kappa:weights=linear", "prior"]["worse"] is None
    share = row["violations"] / row["cases"]
    (sentence,) = (finding.sentence for finding in report.findings if "ordinal-monotonicity" in finding.sentence)
    assert "published claims are refuted: " in sentence
    assert f"ordinal-monotonicity of kappa:weights=linear (counter-examples in {100 * share:.1f} %)" in sentence
    accuracy = rows["accuracy", "ordinal-monotonicity"]
    # An error that comes nearer is the same to accuracy, never worse.
    assert accuracy["violations"] > 0 == accuracy["worse"]
    assert any(note.startswith("claims: each is read as one property") for note in map(str, report.notes))


def test_scores_that_fall_are_counted_apart_from_those_that_stay() -> None:
    mae, kappa = (judge(measure(name), "mended") for name in ("mae:average=micro", "kappa:weights=linear"))
    assert (mae.violations, mae.worse) == (0, 0)
    assert 0 <= kappa.worse < kappa.violations


def test_cem_ord_does_not_see_distance_across_classes_that_gold_lacks() -> None:
    """Monotonicity needs every class in gold. One item of `high`: K = 0/2 + 0 + 1 from `low`, 0/2 + 1 from `mid`.

    prox = −log2(1 / 1) = 0 for both, so that an error that comes nearer gains nothing.
    """
    far, near = np.zeros((2, 3, 3))
    far[2, 0] = near[2, 1] = 1
    assert measure("cem-ord")(np.array([far, near]), SCALE) == pytest.approx([0, 0])
    with_low = [[1, 0, 0], [0, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    near_score, far_score = measure("cem-ord")(np.array(with_low), SCALE)
    assert near_score > far_score


def test_cem_ord_ties_on_imbalance_where_gold_lacks_the_class_between() -> None:
    """Imbalance needs it, too: gold 2, 0, 1; an error into `mid` costs −log2(½) = 1 bit, whichever class it is of.

    low: K = 0/2 + 2 = 2 instead of 2/2 = 1; high: K = 0/2 + 1 = 1 instead of ½.
    """
    right = 2 * -log2(1 / 3) - log2(0.5 / 3)
    expected = 1 - 1 / right
    low_error = [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    high_error = [[2, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert measure("cem-ord")(np.array([low_error, high_error]), SCALE) == pytest.approx([expected, expected])


def test_cem_ord_alone_has_the_three_properties_of_amigo_and_others() -> None:
    report = axioms(properties=ORDINAL, cases=100)
    having = [row["measure"] for row in report.table("axioms").records() if all(row[name] for name in ORDINAL)]
    assert having == ["cem-ord"]
    assert report.findings[0].sentence == (
        f"only cem-ord of {len(report.main.rows)} measures has ordinal invariance, ordinal monotonicity and imbalance"
    )


def test_findings_are_about_what_was_asked() -> None:
    def sentences(*names: str, properties: tuple[Property, ...] = ORDINAL) -> list[str]:
        return [finding.sentence for finding in axioms(names, properties=properties, cases=0).findings]

    properties_text = "ordinal invariance, ordinal monotonicity and imbalance"
    assert sentences("cem-ord") == [f"cem-ord has {properties_text}"]
    assert sentences("gmr") == [f"gmr does not have all of {properties_text}"]
    assert sentences("gmr", "mcc", "pearson") == [
        f"none of 3 measures has {properties_text}",
        "gmr and mcc have the most properties (2 of 3)",
    ]
    assert sentences("gmr", "mcc", properties=("swap",)) == []
