"""`metaeval axioms`: tables, notes and findings."""

import json
import time

import pytest
from command_line import CommandLine

from metaeval.analyses.axioms.properties import PROPERTIES


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


def test_the_smallest_counter_example_is_printed(metaeval: CommandLine) -> None:
    out = metaeval.succeeds("axioms", "-m", "gmr", "--property", "swap").out
    assert "[[0,0],[1,1]]  [[0,1],[0,1]]" in out
    assert "the same score" in out
    assert "measures:1|properties:1|cases:500|seed:20201" in out


def test_many_counter_examples_are_for_machines(metaeval: CommandLine) -> None:
    out = metaeval.succeeds("axioms", "--preset", "stance-nine", "--cases", 0).out
    assert "[[" not in out
    assert "Not shown: counter_examples, axiom_cases, properties" in out
    found = metaeval.report("axioms", "--preset", "stance-nine", "--cases", 0)
    assert len(found["tables"]["counter_examples"]) > 40


def test_tables_and_columns_are_public(metaeval: CommandLine) -> None:
    found = metaeval.report("axioms", "-m", "mcc", "-m", "accuracy", "--cases", 5)
    assert {name: list(rows[0]) for name, rows in found["tables"].items()} == {
        "axioms": ["measure", *PROPERTIES],
        "counter_examples": [
            "measure", "property", "labels", "before", "after", "score_before", "score_after", "expected", "cases",
            "violations", "search",
        ],
        "claims": [
            "source", "place", "claim", "measure", "property", "has", "verdict", "cases", "violations", "worse",
        ],
        "axiom_cases": ["measure", "property", "holds", "cases", "violations", "undefined"],
        "properties": ["property", "statement", "source"],
    }  # fmt: skip
    assert any("a score is undefined" in note for note in found["notes"])
    assert found["provenance"]["settings"]["cases"] == 5


def test_the_seed_decides_which_random_systems_are_tried(metaeval: CommandLine) -> None:
    def counts(*seed: object) -> object:
        call = ("axioms", "-m", "mae", "--property", "mended", "--cases", 40, "-f", "json", *seed)
        return json.loads(metaeval.succeeds(*call).out)["tables"]["axiom_cases"]

    assert counts("--seed", 3) == counts("--seed", 3)
    assert counts("--seed", 3) != counts("--seed", 4)


def test_without_measures_all_of_labels_are_tried_in_seconds(metaeval: CommandLine) -> None:
    begun = time.process_time()
    rows = metaeval.succeeds("axioms", "-f", "csv", "-q").rows()
    assert time.process_time() - begun < 15
    assert len(rows) > 30
    assert {"kappa:weights=none", "kappa:weights=linear", "cem-ord", "wauc"} <= {row["measure"] for row in rows}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--property", "imbalanced"], "Did you mean 'imbalance'?"),
        (["--preset", "stance-ten"], "Did you mean 'stance-nine'?"),
        (["--preset", "rouge"], "which reads texts"),
    ],
)
def test_what_can_not_be_asked_is_refused(metaeval: CommandLine, arguments: list[str], message: str) -> None:
    assert message in metaeval.refuses("axioms", *arguments)
