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
    alone = json.loads(metaeval.succeeds("agreement", "r.csv", "-f", "json").out)
    for text in ("agreement: {ratings: r.csv}\n", "data: {human: [r.csv]}\nagreement: {}\n"):
        run = json.loads(metaeval.succeeds("run", write("e.yaml", text), "-f", "json").out)
        assert run["tables"] == alone["tables"]
        assert run["signature"] == alone["signature"]


def test_several_analyses_sign_their_fields_with_their_names(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    run = json.loads(metaeval.succeeds("run", write("e.yaml", BOTH), "-f", "json").out)
    assert {"agreement", "axioms"} <= set(run["tables"])
    fields = [field.partition(":")[0] for field in run["signature"].split("|")]
    assert {"agreement-units", "axioms-cases", "seed"} <= set(fields)
    assert len(fields) == len(set(fields))


def test_results_without_runs_are_checked_saved_and_compared(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    write("e.yaml", BOTH)
    metaeval.succeeds("check", "e.yaml", "--save-baseline", "b.json", "--fail-if", "agreement.fleiss.value < -1")
    assert json.loads(Path("b.json").read_text(encoding="utf-8"))["tables"]["agreement"]
    assert metaeval("check", "e.yaml", "--fail-if", "agreement.fleiss.value < 1").code == 1


def test_an_experiment_stores_its_sections(metaeval: CommandLine, write: Write) -> None:
    write("r.csv", RATINGS)
    write("e.yaml", BOTH)
    first = metaeval.succeeds("run", "e.yaml", "--output-dir", "store").out
    assert Path("store/axioms.csv").exists()
    assert metaeval.succeeds("run", "e.yaml", "--output-dir", "store", "--resume").out == first


def test_a_section_without_files_is_refused(metaeval: CommandLine, write: Write) -> None:
    assert "ratings" in metaeval.refuses("run", write("e.yaml", "agreement: {}\n"))


def test_a_function_takes_its_files_by_position_or_by_name(write: Write) -> None:
    path = write("r.csv", RATINGS)
    assert api.agreement(path).signature == api.agreement(ratings=path).signature
    with pytest.raises(TypeError, match="missing a required argument: 'ratings'"):
        api.agreement()
    with pytest.raises(InputError, match="ratings"):
        api.agreement([])
