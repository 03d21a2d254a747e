"""What is no baseline of a run is refused, with what is wrong."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from analysis_runs import run_named
from baseline_studies import change_rows, drops, news, numbers, refused, saved, stance, with_table

from metaeval.errors import InputError
from metaeval.gates.baselines import with_items
from metaeval.io.report_file import read_report
from metaeval.model.report import Report
from metaeval.model.scale import ClassScale
from metaeval.runner.several import run_experiment
from metaeval.study.read import read_study

pytestmark = pytest.mark.usefixtures("sample")


def test_a_baseline_made_with_other_items_is_refused() -> None:
    earlier = saved(stance())
    predictions = earlier.table("predictions")
    rows = [(f"other {row[0]}", *row[1:]) if number < 6 else row for number, row in enumerate(predictions.rows)]
    message = refused(stance(), with_table(earlier, replace(predictions, rows=tuple(rows))))
    assert message.startswith(
        "before.json: a baseline made with other items: 6 items of this run that it does not have"
    )
    assert ", and 6 items that this run does not have (other " in message
    assert "and 3 others" in message
    assert "What to do: record the baseline again with the setting save_baseline" in message


def test_items_that_were_added_to_the_data_make_a_baseline_another() -> None:
    predictions = saved(stance()).table("predictions")
    fewer = with_table(read_report("before.json"), replace(predictions, rows=tuple(predictions.rows[1:])))
    message = refused(stance(), fewer)
    assert "1 item of this run that it does not have" in message
    assert "that this run does not have" not in message


def test_a_baseline_made_with_another_gold_is_refused() -> None:
    earlier = saved(stance())
    change_rows("sample_data/fnc1/gold.csv", lambda number, row: [*row[:-1], "disagree"] if number < 9 else row)
    message = refused(stance(), earlier)
    assert "a baseline made with another gold: " in message
    assert " had another label ('" in message
    assert ", now disagree); expected the same gold" in message


def test_a_baseline_made_with_another_scale_or_task_is_refused() -> None:
    earlier = saved(stance())
    config = stance()
    nominal = replace(
        config, measures=("accuracy",), data=replace(config.data, labels=ClassScale.parse("disagree,discuss,agree"))
    )
    assert (
        "a baseline made with scale disagree<discuss<agree; expected scale disagree,discuss,agree, as in this run"
        in refused(nominal, earlier)
    )
    assert "task fnc1; expected task texts" in refused(news(), earlier)


def test_results_that_hold_no_items_are_no_baseline() -> None:
    message = refused(stance(), run_experiment(stance()))
    assert "no table 'predictions' of the items (its tables: 'scores', 'ranks'" in message


def test_a_baseline_that_was_tampered_with_is_refused() -> None:
    earlier = saved(stance())
    predictions = earlier.table("predictions")
    first, *rest = predictions.rows

    def of(*rows: tuple[Any, ...]) -> Report:
        return with_table(earlier, replace(predictions, rows=rows))

    assert "an item twice" in refused(stance(), of(first, first, *rest))
    assert "label 'maybe'; expected one of disagree, discuss, agree" in refused(
        stance(), of((*first[:-1], "maybe"), *rest)
    )
    columns = replace(predictions, columns=predictions.columns[::-1])
    assert "table 'predictions' with the columns random_guess" in refused(stance(), with_table(earlier, columns))


def test_a_baseline_without_any_of_the_systems_is_refused() -> None:
    earlier = saved(stance())
    for path in list(Path("sample_data/fnc1/systems").iterdir()):
        path.rename(path.with_stem(f"new_{path.stem}"))
    assert "a baseline with other systems (" in refused(stance(), earlier)


def test_a_level_that_no_p_could_reach_is_refused() -> None:
    assert "10 permutations, with which p never is below 0.05" in refused(stance(permutations=10), saved(stance()))
    assert drops(stance(permutations=19), saved(stance())).tables


def test_a_baseline_made_with_other_references_is_refused() -> None:
    earlier = saved(news())
    Path("sample_data/news/references/n1.A.txt").write_text("Another one.\n")
    assert "a baseline made with other gold files or references" in refused(news(), earlier)


def test_a_score_that_is_missing_from_a_baseline_of_items_is_noticed() -> None:
    earlier = saved(news())
    items = earlier.table("item_scores")
    assert "items with no score" in refused(news(), with_table(earlier, replace(items, rows=tuple(items.rows[1:]))))
    twice = (items.rows[1], *items.rows[1:])
    assert "or with two" in refused(news(), with_table(earlier, replace(items, rows=twice)))


def test_a_system_called_as_a_column_of_the_baseline_is_refused() -> None:
    config = numbers([1.0, 2.0, 3.0])
    Path("svm.csv").rename("item.csv")
    config = replace(config, data=replace(config.data, runs=("item.csv",)))
    with pytest.raises(InputError, match="system 'item', the name of a column of the baseline"):
        with_items(run_named("score", config), read_study(config))
