"""`metaeval axioms`: tables, notes and findings."""

import time

from command_line import CommandLine

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.report import on_claims


def test_a_measure_is_put_to_every_property_in_little_time(metaeval: CommandLine) -> None:
    begun = time.process_time()
    outcome = metaeval.succeeds("axioms", "-m", "accuracy", "-m", "cem-ord", "-f", "csv")
    assert time.process_time() - begun < 3
    accuracy, cem = outcome.rows()
    assert list(accuracy) == ["measure", *PROPERTIES]
    assert accuracy["relabelling"] == "true"
    assert accuracy["imbalance"] == "false"
    assert accuracy["nearer"] == ""
    assert (cem["imbalance"], cem["swap"]) == ("true", "false")
    assert "only cem-ord of 2 measures has ordinal invariance" in outcome.err


def test_only_properties_in_which_measures_differ_have_a_column_for_readers(metaeval: CommandLine) -> None:
    title, header = metaeval.succeeds("axioms", "-m", "accuracy", "-m", "macro-f1").out.split("\n\n")[1:3]
    for name in ("bounded", "perfect-best", "replication", "chance", "prior"):
        assert name not in header
    assert "all have ordinal-invariance" not in title
    assert "all have bounded, perfect-best" in title
    assert title.endswith("none has prior or chance)")
    # Those of ordered classes are always there, and so are all properties of a single measure.
    assert "invariance" in header
    alone = metaeval.succeeds("axioms", "-m", "accuracy").out.split("\n\n")
    assert "all have" not in alone[1]
    assert "chance" in alone[2]


def test_refuted_claims_are_one_finding() -> None:
    def claim(name: str, verdict: str, violations: int) -> dict[str, object]:
        return {"measure": "m", "property": name, "verdict": verdict, "cases": 200, "violations": violations}

    right, wrong, none = claim("swap", "confirmed", 0), claim("prior", "refuted", 168), claim("chance", "refuted", 0)
    assert on_claims([right]) == []
    one = "1 of 2 published claims is refuted: prior of m (counter-examples in 84 %)"
    assert on_claims([right, wrong]) == [one]
    two = "2 of 3 published claims are refuted: prior of m (counter-examples in 84 %) and chance of m"
    assert on_claims([right, wrong, none]) == [f"{two} (counter-examples in 0 %)"]
    assert on_claims([wrong, wrong, none]) == [
        "3 of 3 published claims are refuted: prior of m, prior of m and chance of m"
    ]


def test_the_seed_decides_which_random_systems_are_tried(metaeval: CommandLine) -> None:
    def counts(*seed: object) -> object:
        return metaeval.tables("axioms", "-m", "mae", "--property", "mended", "--cases", 40, *seed)["axiom_cases"]

    assert counts("--seed", 3) == counts("--seed", 3)
    assert counts("--seed", 3) != counts("--seed", 4)
