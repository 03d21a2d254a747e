"""Pairs that `contrast` generates from classes: what they are, and that their verdicts are those of `axioms`."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals, sentences
from every_measure import EVERY_SETTING

import metaeval as api
from metaeval.analyses.axioms.properties import PROPERTIES, Verdict, find_verdicts
from metaeval.analyses.axioms.properties.search import Search, candidates_of, scale_of, searches
from metaeval.measures import Measure
from metaeval.stats.resample import seed_for

Row = dict[str, Any]

MONOTONICITY = [PROPERTIES["ordinal-monotonicity"]]


def rows(measures: Sequence[Measure] | str, labels: Any) -> list[Row]:
    names = measures if isinstance(measures, str) else [str(measure) for measure in measures]
    table: list[Row] = api.contrast(labels=labels, measures=names).to_dict()["tables"]["contrast"]
    return table


def rows_by_measure(measures: Sequence[Measure], classes: int) -> dict[Measure, list[Row]]:
    """The rows of each measure on the classes that `axioms` gives it."""
    tables: dict[Measure, list[Row]] = {}
    scales = {measure: scale_of(measure, classes) for measure in measures}
    for scale in {scale for scale in scales.values() if scale is not None}:
        subset = [measure for measure in measures if scales[measure] == scale]
        table = rows(subset, scale)
        tables |= {measure: [row for row in table if row["measure"] == str(measure)] for measure in subset}
    return tables


def counted(table: list[Row], share: str) -> int:
    return sum(round(row["pairs"] * row[share]) for row in table if row["pairs"])


@pytest.mark.parametrize("classes", [2, 3])
def test_every_measure_errs_in_as_many_pairs_as_axioms_finds_counter_examples(classes: int) -> None:
    candidates = candidates_of(MONOTONICITY, Search(classes))
    tables = rows_by_measure(EVERY_SETTING, classes)
    verdicts: dict[Measure, Verdict] = {
        result.measure: result for (result,) in find_verdicts(list(tables), MONOTONICITY, [candidates])
    }
    assert len(tables) > 30
    for measure, table in tables.items():
        verdict, pairs = verdicts[measure], sum(row["pairs"] for row in table)
        better, ties = counted(table, "accuracy"), counted(table, "ties")
        assert (pairs, sum(row["undefined"] for row in table)) == (verdict.cases, verdict.undefined), measure
        assert pairs - better == verdict.violations, measure
        assert pairs - better - ties == verdict.worse, measure
        if pairs:
            assert all(row["verdict"] in ("sees", None) for row in table) == verdict.holds, measure


@pytest.mark.parametrize("classes", [4, 5, 6, 7])
def test_every_measure_sees_all_errors_exactly_if_it_is_monotonous(classes: int) -> None:
    parts = searches(500, seed=seed_for(20201, "axioms"))
    every = (candidates_of(MONOTONICITY, part) for part in parts)
    tables = rows_by_measure(EVERY_SETTING, classes)
    for (verdict,) in find_verdicts(list(tables), MONOTONICITY, every):
        sees = all(row["verdict"] == "sees" for row in tables[verdict.measure])
        assert sees == verdict.holds, verdict.measure


def test_pairs_are_a_better_and_a_worse_prediction_of_one_item_in_every_small_data_set() -> None:
    (nearer,) = (row for row in rows("mae:average=micro", "lo<mid<hi") if row["phenomenon"] == "lo: mid over hi")
    matrices = set()
    for gold in itertools.chain.from_iterable(
        itertools.combinations_with_replacement(range(3), size) for size in range(3, 7)
    ):
        if len(set(gold)) == 3:
            for predicted in itertools.product(range(3), repeat=len(gold)):
                matrix = np.zeros((3, 3), dtype=np.int64)
                np.add.at(matrix, (list(gold), list(predicted)), 1)
                if matrix[0, 2]:
                    matrices.add(matrix.tobytes())
    assert nearer["pairs"] == len(matrices)
    assert (nearer["accuracy"], nearer["ties"], nearer["tau"], nearer["verdict"]) == (1, 0, 1, "sees")


def test_without_an_order_only_correct_predictions_are_better() -> None:
    table = rows("accuracy", "support,deny,query")
    assert {row["phenomenon"] for row in table} == {
        f"{one}: {one} over {other}" for one, other in itertools.permutations(("support", "deny", "query"), 2)
    }
    assert {row["accuracy"] for row in table} == {1}


def test_generated_pairs_have_neither_intervals_nor_tests(metaeval: CommandLine, write: Write) -> None:
    options = ("contrast", "--labels", "disagree<discuss<agree", "-m", "accuracy", "-m", "cem-ord", "--methods")
    report = metaeval.report(*options)
    assert not {"low", "high", "p", "p_adjusted"} & set(report["tables"]["contrast"][0])
    assert sentences(report) == [
        "accuracy is blind to disagree: discuss over agree and agree: discuss over disagree (ties in 100% of pairs)",
        "cem-ord sees all 8 phenomena in every pair",
    ]
    (methods,) = report["methods"]
    assert "by the share of pairs" in methods
    assert "interval" not in methods
    write("e.yaml", "data: {labels: disagree<discuss<agree}\nmeasures: [accuracy, cem-ord]\ncontrast: {}\n")
    run = metaeval.report("run", "e.yaml")
    assert run["tables"] == report["tables"]
    # The measure has a title, the statistic of the same name does not.
    assert 'id="plot-contrast"' in metaeval.succeeds(*options, "-f", "html").out


def test_the_classes_may_be_those_of_a_task(metaeval: CommandLine) -> None:
    task_tables = metaeval.tables("contrast", "--task", "rumoureval2017", "-m", "wauc")
    declared = ("--labels", "support,deny,query,comment", "--class-weights", "support=.4,deny=.4,query=.15,comment=.05")
    assert task_tables == metaeval.tables("contrast", *declared, "-m", "wauc")
    ordered = metaeval.report("contrast", "--task", "fnc1", "--labels", "disagree<discuss<agree", "-m", "cem-ord")
    assert "scale:disagree<discuss<agree" in ordered["signature"]


def test_of_more_phenomena_than_fit_a_terminal_the_first_table_is_a_row_for_each_measure(metaeval: CommandLine) -> None:
    options = ("contrast", "--labels", "a<b<c<d<e", "-m", "accuracy", "-m", "kappa")
    shown = metaeval.succeeds(*options, "-q").out
    words = [line.split() for line in shown.splitlines()]
    assert ["measure", "sees", "weak", "blind", "inverts", "lowest"] in words
    assert ["accuracy", "20", "0", "20", "0", "0.0000"] in words, "20 corrected errors of 40 changes"
    tables = metaeval.tables(*options)
    for row in tables["contrast_verdicts"]:
        cells = [cell for cell in tables["contrast"] if cell["measure"] == row["measure"]]
        for kind in ("sees", "weak", "blind", "inverts"):
            assert row[kind] == sum(cell["verdict"] == kind for cell in cells)
        assert row["lowest"] == min(cell["accuracy"] for cell in cells)
    few = metaeval.succeeds("contrast", "--labels", "a<b<c", "-m", "accuracy", "-q").out
    assert "How many phenomena" not in few, "the other tables show it"


@refusals("""
=> no pairs; expected a file of pairs, or classes | --labels 'disagree<discuss<agree'
--labels a<b --cluster doc => --cluster doc with no pairs; expected a file of pairs
--labels a<b --margin 0.9 => --margin 0.9 with no pairs
--labels a<b --margin 0.5 => --margin 0.5; expected an accuracy above 0.5
--labels a<b --lower-is-better ter => --lower-is-better ter with no pairs
--labels a<b<c<d<e<f<g<h => a scale of 8 classes without a file of pairs; expected at most 7
--task fnc => unknown task 'fnc'
--task texts => no pairs; expected a file of pairs, or classes | --task fnc1
--labels a,b,c -m cem-ord => cem-ord
--labels a<b -m cross-entropy:epsilon=0 => expected a number from 1e-300 to 1 | leave out epsilon (default: 1e-12)
--labels a<b -m rouge-l => measure 'rouge-l', which reads texts
""")
def test_errors(metaeval: CommandLine, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, "contrast", *words)
