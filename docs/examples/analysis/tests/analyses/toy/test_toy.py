"""`toy`: one option, one table and one plot, from the command line, from YAML and from Python."""

import json
from pathlib import Path

import pytest
from command_line import CommandLine, Write

import metaeval as library
from metaeval.model.report import Column, Kind, Table
from metaeval.render.plots import PLOTS

GOLD = "id,label\n1,a\n2,b\n3,b\n"
FILES = {"gold.csv": GOLD, "runs/right.csv": GOLD, "runs/wrong.csv": "id,label\n1,b\n2,b\n3,a\n"}
CONFIG = "data: {gold: gold.csv, runs: [runs], labels: a<b}\nmeasures: [accuracy]\n"
DIFFERENCE = 2 / 3


@pytest.fixture
def config(write: Write) -> str:
    for name, content in FILES.items():
        write(name, content)
    return write("experiment.yaml", f"{CONFIG}toy: {{quantile: 0.9}}\n")


def test_the_command_gives_the_difference(metaeval: CommandLine, config: str) -> None:
    report = json.loads(metaeval.succeeds("toy", "--config", config, "--quantile", "0.5", "-f", "json").out)
    assert report["tables"]["toy"] == [{"measure": "accuracy", "difference": pytest.approx(DIFFERENCE)}]


def test_the_help_describes_the_option(metaeval: CommandLine) -> None:
    assert "--quantile" in metaeval.succeeds("toy", "--help").out
    assert "toy" in metaeval.succeeds("--help").out


def test_a_section_of_yaml_runs(metaeval: CommandLine, config: str) -> None:
    report = json.loads(metaeval.succeeds("run", config, "-f", "json").out)
    assert report["tables"]["toy"][0]["difference"] == pytest.approx(DIFFERENCE)
    assert "quantile:0.9" in report["signature"]


def test_the_function_of_python_gives_the_same(config: str) -> None:
    assert library.toy(config, quantile=0.9).to_pandas()["difference"].tolist() == pytest.approx([DIFFERENCE])


@pytest.mark.parametrize("value", ["1.5", "half"])
def test_a_wrong_quantile_is_refused(metaeval: CommandLine, config: str, value: str) -> None:
    assert "quantile" in metaeval.refuses("toy", "--config", config, "--quantile", value)


def test_the_plot_is_drawn(metaeval: CommandLine, config: str, tmp_path: Path) -> None:
    metaeval.succeeds("toy", "--config", config, "--plot", "toy.svg")
    assert "accuracy" in (tmp_path / "toy.svg").read_text(encoding="utf-8")


def test_there_is_no_plot_where_no_difference_is_defined() -> None:
    table = Table("toy", "Toy", (Column("measure"), Column("difference", Kind.SCORE)), (("accuracy", float("nan")),))
    assert PLOTS["toy"].compose({"toy": table}) is None
