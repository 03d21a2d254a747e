"""In a whole run the summary takes the results of other sections, and computes what no section asks for."""

from dataclasses import replace
from typing import Any

import pytest
from analysis_runs import run_named
from command_line import Write
from label_studies import label_file

from metaeval.analyses.merge_classes import compute as merging
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.stability import compute as stability
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.model.scale import ClassScale
from metaeval.runner.several import run_experiment

LABELS = ("lo", "mid", "hi")


@pytest.fixture
def config(write: Write) -> ExperimentConfig:
    """Three systems on 30 items."""
    gold = [LABELS[item % 3] for item in range(30)]
    for every in (3, 4, 5):
        predictions = [LABELS[(item + (item % every == 0)) % 3] for item in range(30)]
        write(f"runs/s{every}.csv", label_file(predictions))
    data = DataConfig(gold=write("gold.csv", label_file(gold)), runs=("runs",), labels=ClassScale.parse("lo<mid<hi"))
    few = ExperimentConfig(data, measures=("accuracy", "cem-ord"))
    return replace(few, analyses=(SummarySettings(), StabilitySettings(trials=20, permutations=20)))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of analyses, one each time that one is computed."""
    names: list[str] = []
    for name, module in (("stability", stability), ("merge-classes", merging)):

        def counting(*arguments: Any, name: str = name, analyse: Any = module.analyse, **options: Any) -> Any:
            names.append(name)
            return analyse(*arguments, **options)

        monkeypatch.setattr(module, "analyse", counting)
    return names


def test_what_two_sections_need_is_computed_once(config: ExperimentConfig, computed: list[str]) -> None:
    report = run_experiment(config.with_settings(MergeSettings(permutations=20)))
    assert computed == ["stability", "merge-classes"]
    assert {"stability", "merge_classes", "summary"} <= {table.name for table in report.all_tables()}


def test_what_only_the_summary_needs_has_no_tables_but_is_signed(config: ExperimentConfig, computed: list[str]) -> None:
    report = run_experiment(config)
    assert computed == ["stability", "merge-classes"]
    assert "merge_classes" not in {table.name for table in report.all_tables()}
    assert "merge-classes.permutations:4999" in report.signature


def test_trials_of_the_command_are_those_of_all_that_it_combines(config: ExperimentConfig, computed: list[str]) -> None:
    report = run_named("summary", config.with_settings(SummarySettings(trials=7)))
    assert computed == ["stability", "merge-classes"]
    assert "stability.trials:7|" in report.signature
