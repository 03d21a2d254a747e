"""Experiments of analyses that read files of their own."""

import json
from pathlib import Path

import pytest
from command_line import CommandLine, Write

import metaeval as api
from metaeval.errors import InputError

RATINGS = "item,ann,bob\n1,3,3\n2,4,5\n3,1,1\n"
BOTH = "agreement: {ratings: [r.csv]}\naxioms: {cases: 5}\n"


def test_an_experiment_of_ratings_needs_no_gold(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    alone = metaeval.report("agreement", "r.csv")
    for text in ("agreement: {ratings: r.csv}\n", "data: {human: [r.csv]}\nagreement: {}\n"):
        run = metaeval.report("run", write("e.yaml", text))
        assert run["tables"] == alone["tables"]
        assert run["signature"] == alone["signature"]


def test_several_analyses_sign_their_fields_with_their_names(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    run = metaeval.report("run", write("e.yaml", BOTH))
    assert {"agreement", "axioms"} <= set(run["tables"])
    fields = [field.partition(":")[0] for field in run["signature"].split("|")]
    assert {"agreement-units", "axioms-cases", "seed"} <= set(fields)
    assert len(fields) == len(set(fields))


@pytest.mark.slow
def test_results_without_runs_are_checked_saved_and_compared(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    write("e.yaml", BOTH)
    metaeval.succeeds("check", "e.yaml", "--save-baseline", "b.json", "--fail-if", "agreement.fleiss.value < -1")
    assert json.loads(Path("b.json").read_text(encoding="utf-8"))["tables"]["agreement"]
    assert metaeval("check", "e.yaml", "--fail-if", "agreement.fleiss.value < 1").code == 1


@pytest.mark.slow
def test_an_experiment_stores_its_sections(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    write("e.yaml", BOTH)
    first = metaeval.succeeds("run", "e.yaml", "--output-dir", "store").out
    assert Path("store/axioms.csv").exists()
    assert metaeval.succeeds("run", "e.yaml", "--output-dir", "store", "--resume").out == first


def test_tables_of_analyses_are_validated_without_gold_or_beside_it(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", "item,ann,bob\n1,no,no\n2,yes,no\n3,yes,yes\n")
    write("v.csv", "item,better,worse\n1,A,B\n2,B,A\n3,A,C\n")
    config = write("e.yaml", "agreement: {ratings: r.csv}\npreferences: {verdicts: v.csv}\naxioms: {}\ncontrast: {}\n"
                          "data: {labels: no<yes}\nmeasures: [accuracy]\n")  # fmt: skip
    report = metaeval.report("validate", "--config", config)
    assert [tuple(row.values()) for row in report["tables"]["tables"]] == [
        ("axioms", "", "1 measure"),
        ("contrast", "", "1,320 generated pairs of 2 phenomena"),
        ("agreement", "r.csv", "6 ratings of 3 items by 2 annotators"),
        ("preferences", "v.csv", "3 verdicts on 3 items and 3 systems"),
    ]
    assert [table.name for table in api.validate(config).tables] == ["tables"]
    write("gold.csv", "id,label\n1,yes\n2,no\n")
    both = write("b.yaml", "data: {gold: gold.csv, labels: no<yes}\npreferences: {verdicts: v.csv}\n")
    report = metaeval.report("validate", "--config", both)
    assert list(report["tables"]) == ["files", "tables"]
    assert {file["path"] for file in report["provenance"]["files"]} >= {"gold.csv", "v.csv"}
    write("gold.csv", "id,label\n1,yes\n2,maybe\n")
    write("v.csv", "item,better,worse\n1,A,\n2,B,A\n3,A,A\n")
    message = metaeval.refuses("validate", "--config", both)
    assert [part in message for part in ("gold.csv:3", "v.csv:2", "v.csv:4")] == [True] * 3


def test_a_section_without_files_is_refused(metaeval: CommandLine, write: Write) -> None:
    assert "ratings" in metaeval.refuses("run", write("e.yaml", "agreement: {}\n"))


def test_a_function_takes_its_files_by_position_or_by_name(write: Write) -> None:
    path = write("r.csv", RATINGS)
    assert api.agreement(path).signature == api.agreement(ratings=path).signature
    with pytest.raises(TypeError, match="missing a required argument: 'ratings'"):
        api.agreement()
    with pytest.raises(InputError, match="ratings"):
        api.agreement([])
