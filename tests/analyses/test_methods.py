"""The paragraph on methods: it says what was done, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine

import metaeval as package

PERMUTATIONS = ("--permutations", "99", "-q")


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Scores of 1,100 items of three systems, with 11 clusters and 25 topics."""
    random = np.random.default_rng(1)
    rows = [
        f"s{system},i{item},t{item % 11},o{item % 25},{random.random():.4f},{random.random():.4f}\n"
        for system in range(3)
        for item in range(1100)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("system,item,thread,topic,bleu,comet\n" + "".join(rows))
    return str(path)


def paragraph(metaeval: CommandLine, *call: str) -> str:
    """The paragraph of a command, which JSON and the terminal show."""
    shown = json.loads(metaeval.succeeds(*call, *PERMUTATIONS, "--methods", "-f", "json").out)
    text = " ".join(shown["methods"])
    assert f"Methods: {text}" in metaeval.succeeds(*call, *PERMUTATIONS, "--methods").out
    return text


def test_the_tests_of_systems(metaeval: CommandLine, table: str) -> None:
    columns = ("--cluster", "thread", "--cluster", "topic", "--alpha", "0.1")
    text = paragraph(metaeval, "compare", "--task", "table", table, *columns, "-m", "bleu")
    version = package.__version__
    for part in (
        f"We scored 3 systems on 1,100 items (task table) with metaeval {version} under bleu.",
        (
            "all systems (3 pairs) were tested with random signs of the contributions of 11 clusters of items by "
            "thread (effective number 11) and of 25 clusters of items by topic (effective number 25)"
        ),
        "(99 permutations, seed 20201)",
        "the larger p-value and the wider interval count",
        "90 % confidence intervals exclude 0 where the p-value is at most 0.1",
        "one-sided tests",
    ):
        assert part in text
    assert "jackknife" not in text

    two = ("--system", "s0", "--system", "s2")
    pair = paragraph(metaeval, "compare", "--task", "table", table, "-m", "bleu", *two)
    assert "The differences of two systems were tested" in pair
    assert "1,100 items (dealt at random into 1,024 groups)" in pair
    for part in ("one-sided", "crossing", "all these pairs", "clusters"):
        assert part not in pair


def test_the_tests_of_measures(metaeval: CommandLine) -> None:
    data = ("--config", "configs/stance.yaml", "-m", "accuracy", "-m", "mcc")
    text = paragraph(metaeval, "stability", *data, "--trials", "20")
    assert "ranked on two random halves of the items 20 times (seed 20201)" in text
    assert "762 clusters of items by body" in text
    assert "The contributions to mcc are jackknife pseudo-values." in text
    text = paragraph(metaeval, "power", *data)
    assert "adjusted for all pairs, is at most 0.05" in text
    tukey = paragraph(metaeval, "power", *data[:4], "--test", "tukey")
    assert "randomised Tukey HSD test (99 permutations of the systems within items, seed 20201)" in tukey
    for part in ("signs", "jackknife", "clusters"):
        assert part not in tukey


def test_the_paragraph_is_only_where_it_is_asked_for(metaeval: CommandLine, table: str, tmp_path: Path) -> None:
    call = ("compare", "--task", "table", table, "-m", "bleu", "--permutations", "99")
    assert "Methods" not in metaeval.succeeds(*call).out
    assert "methods" not in json.loads(metaeval.succeeds(*call, "-f", "json").out)
    numbers = metaeval.succeeds(*call, "-f", "csv").out
    with_methods = metaeval.succeeds(*call, "-f", "csv", "--methods")
    assert with_methods.out == numbers
    for name, head in (("markdown", "## Methods"), ("latex", r"\paragraph{Methods}"), ("html", "<h2>Methods</h2>")):
        assert head in metaeval.succeeds(*call, "-f", name, "--methods").out
        assert head not in metaeval.succeeds(*call, "-f", name).out
    said = metaeval.succeeds("score", "--task", "table", table, "-m", "bleu", "--methods").err
    assert "score has no paragraph on methods" in said

    config = tmp_path / "experiment.yaml"
    sections = "compare: {permutations: 99}\npower: {permutations: 99}\n"
    config.write_text(
        f"data: {{task: table, runs: [{table}]}}\nmeasures: [bleu]\noutput: {{methods: true}}\n{sections}"
    )
    whole = metaeval.succeeds("run", str(config)).out
    assert whole.count("We scored 3 systems") == 1
    assert whole.count("The differences of all systems (3 pairs) were tested") == 1
    assert "Discriminative power is the share" in whole


def test_results_of_functions_have_it() -> None:
    result = package.compare("configs/stance.yaml", "accuracy", permutations=99)
    assert any("762 clusters of items by body" in sentence for sentence in result.methods)
    assert package.score("configs/stance.yaml", "accuracy").methods == ()
    assert "Methods:" not in str(result)
