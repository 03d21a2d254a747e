"""Experiments on the sample data and their baselines, for tests of comparisons with an earlier run."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metaeval.analyses.score.settings import ScoreSettings
from metaeval.config import CheckSettings, ExperimentConfig
from metaeval.config.read import read_config
from metaeval.errors import InputError
from metaeval.gates.baselines import compare_with_baseline, with_items
from metaeval.io.report_file import read_report
from metaeval.model.report import Report, Table
from metaeval.model.scale import ClassScale
from metaeval.render import render
from metaeval.runner.several import run_experiment
from metaeval.study.read import read_study
from metaeval.study.study import AnalysisOutput

Record = dict[str, Any]
PERMUTATIONS = 199


def experiment(name: str, *measures: str, **check: Any) -> ExperimentConfig:
    """Only the scores of an experiment of the sample data."""
    config = read_config(f"configs/{name}.yaml")
    if measures:
        config = replace(config, measures=measures, preset=None)
    scored = tuple(analysis for analysis in config.analyses if analysis.section == "score")
    return replace(config, analyses=scored, check=CheckSettings(**{"permutations": PERMUTATIONS, **check}))


def stance(**check: Any) -> ExperimentConfig:
    return experiment("stance", "macro-f1", "accuracy", "mae", **check)


def news(**check: Any) -> ExperimentConfig:
    return experiment("news", "rouge-n:n=1", "rouge-l", **check)


def saved(config: ExperimentConfig, path: str = "before.json") -> Report:
    """A baseline, through the file that holds it."""
    Path(path).write_text(render(with_items(run_experiment(config), read_study(config)), "json"))
    return read_report(path)


def drops(config: ExperimentConfig, earlier: Report) -> AnalysisOutput:
    return compare_with_baseline(read_study(config), earlier, path="before.json")


def records(part: AnalysisOutput) -> list[Record]:
    return list(part.tables[0].records())


def verdicts(part: AnalysisOutput) -> dict[str, set[Any]]:
    """By verdict, the systems that have it under some measure."""
    systems_by_verdict: dict[str, set[Any]] = {}
    for record in records(part):
        systems_by_verdict.setdefault(str(record["verdict"]), set()).add(record["system"])
    return systems_by_verdict


def change_rows(path: str, change: Callable[[int, list[str]], list[str]]) -> None:
    """Change every row of a CSV file, given its number from 0 and its cells."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *(change(number, row) for number, row in enumerate(rows))])


def labels(path: str) -> list[str]:
    with Path(path).open(newline="", encoding="utf-8") as file:
        return [row["Stance"] for row in csv.DictReader(file)]


def answering(label: str, *, every: int = 1) -> Callable[[int, list[str]], list[str]]:
    def change(number: int, row: list[str]) -> list[str]:
        return [*row[:-1], label] if number % every == 0 else row

    return change


GOLD = "sample_data/fnc1/gold.csv"
ATLAS = "sample_data/fnc1/systems/atlas_large.csv"


def with_table(report: Report, table: Table) -> Report:
    return replace(report, tables=tuple(table if old.name == table.name else old for old in report.tables))


def refused(config: ExperimentConfig, earlier: Report) -> str:
    with pytest.raises(InputError) as error:
        drops(config, earlier)
    assert "What to do: " in str(error.value)
    return str(error.value)


def table_experiment(values: dict[str, list[float]], *, lower: tuple[str, ...] = ()) -> ExperimentConfig:
    """A table of scores of items by one measure."""
    rows = [
        f"loss,{system},i{number},{value}\n" for system, scores in values.items() for number, value in enumerate(scores)
    ]
    Path("table.csv").write_text("measure,system,item,value\n" + "".join(rows))
    config = ExperimentConfig(check=CheckSettings(permutations=PERMUTATIONS))
    return replace(config, data=replace(config.data, task="table", runs=("table.csv",), lower_is_better=lower))


def numbers(values: list[float]) -> ExperimentConfig:
    """Numbers that one system predicted for items with ordered classes."""
    gold = "".join(f"i{number},{'abc'[number % 3]}\n" for number in range(len(values)))
    Path("gold.csv").write_text("id,label\n" + gold)
    Path("svm.csv").write_text("id,score\n" + "".join(f"i{number},{value}\n" for number, value in enumerate(values)))
    config = ExperimentConfig(
        measures=("pearson", "kendall"), analyses=(ScoreSettings(),), check=CheckSettings(permutations=PERMUTATIONS)
    )
    return replace(
        config,
        data=replace(config.data, task="scores", gold="gold.csv", runs=("svm.csv",), labels=ClassScale.parse("a<b<c")),
    )
