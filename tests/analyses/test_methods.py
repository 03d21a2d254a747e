"""The paragraph on methods: it says what was done, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from command_line import CommandLine, Write
from score_cubes import score_table

import metaeval as package

PERMUTATIONS = ("--permutations", "99", "-q")


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Scores of 1,100 items of three systems, with 11 clusters and 25 topics."""
    random = np.random.default_rng(1)
    scores, items = dict(zip(("bleu", "comet"), random.random((2, 3, 1100)), strict=True)), np.arange(1100)
    path = tmp_path / "scores.csv"
    path.write_text(score_table(scores, thread=items % 11, topic=items % 25))
    return str(path)


def paragraph(metaeval: CommandLine, *call: str) -> str:
    """The paragraph of a command."""
    with TemporaryDirectory() as folder:
        bib = Path(folder) / "works.bib"
        text = " ".join(metaeval.report(*call, *PERMUTATIONS, "--methods", "--bibtex", bib)["methods"])
        # The file has the works that the text cites, each once.
        entries = re.findall(r"^@\w+\{(\w+),$", bib.read_text(encoding="utf-8"), re.MULTILINE)
    assert entries == sorted(set(re.findall(r"@(\w+)", text)))
    assert "metaeval" in entries
    return text


def test_the_tests_of_systems(metaeval: CommandLine, table: str) -> None:
    columns = ("--cluster", "thread", "--cluster", "topic", "--alpha", "0.1")
    text = paragraph(metaeval, "compare", "--task", "table", table, *columns, "-m", "bleu")
    version = package.__version__
    for part in (
        f"We scored 3 systems on 1,100 items (task table) with metaeval {version} [@metaeval] under bleu.",
        (
            "all systems (3 pairs) were tested with random signs of the contributions of 11 clusters of items by "
            "thread (effective number 11) and of 25 clusters of items by topic (effective number 25)"
        ),
        "(99 permutations, seed 20201)",
        "the larger p-value and the wider interval count",
        "90 % confidence intervals exclude 0 where the p-value is at most 0.1",
        "the systems that may be the best, than which none is significantly better, derive from these differences",
        "was shrunk by Hall's transformation [@hall1992]",
    ):
        assert part in text
    assert "jackknife" not in text

    two = ("--system", "s0", "--system", "s2")
    pair = paragraph(metaeval, "compare", "--task", "table", table, "-m", "bleu", *two)
    assert "The differences of two systems were tested" in pair
    assert "1,100 items (dealt at random into 1,024 groups)" in pair
    for part in ("one-sided", "crossing", "all these pairs", "clusters"):
        assert part not in pair


def test_pseudo_values_of_numbers_and_of_counted_patterns(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(2)
    gold = random.integers(3, size=60)
    predicted = np.where(random.random((3, 60)) < 0.7, gold, random.integers(3, size=(3, 60)))
    files = [
        write(f"s{system}.csv", "id,score\n" + "".join(f"{item},{number}\n" for item, number in enumerate(row)))
        for system, row in enumerate(predicted)
    ]
    gold_file = write("gold.csv", "id,label\n" + "".join(f"{item},{label}\n" for item, label in enumerate(gold)))
    measures = ("-m", "mae:average=micro", "-m", "pearson")
    numbers = ("--task", "scores", "--labels", "0<1<2", "--gold", gold_file, *files, *measures)
    assert "contributions to mae:average=micro, pearson are jackknife" in paragraph(metaeval, "robustness", *numbers)

    table = Path(gold_file).with_name("all.parquet")
    columns = {f"s{system}": row.astype(str) for system, row in enumerate(predicted)}
    pd.DataFrame({"id": np.arange(60), "gold": gold.astype(str), **columns}).to_parquet(table)
    patterns = ("--labels", "0<1<2", "--gold", str(table), "--engine", "duckdb", "-m", "accuracy", "-m", "mcc")
    assert "The contributions to a difference in mcc are along the gradient" in paragraph(
        metaeval, "compare", *patterns
    )


def test_the_tests_of_measures(metaeval: CommandLine) -> None:
    data = ("--config", "configs/stance.yaml", "-m", "accuracy", "-m", "mcc")
    text = paragraph(metaeval, "stability", *data, "--trials", "20")
    assert "ranked on two random halves of the items 20 times (seed 20201)" in text
    assert "762 clusters of items by body" in text
    assert "The signs of both of these crossing columns add up" in text
    assert "larger p-value" not in text
    assert "The contributions to mcc are jackknife pseudo-values." in text
    text = paragraph(metaeval, "power", *data)
    assert "adjusted for all pairs, is at most 0.05" in text
    tukey = paragraph(metaeval, "power", *data[:4], "--test", "tukey")
    assert (
        "randomised Tukey HSD test [@carterette2012] (99 permutations of the systems within items, seed 20201)" in tukey
    )
    for part in ("signs", "jackknife", "clusters"):
        assert part not in tukey


def test_trivial_systems(metaeval: CommandLine) -> None:
    data = ("--config", "configs/stance.yaml", "-m", "accuracy", "-m", "mcc")
    text = paragraph(metaeval, "robustness", *data, "--alpha", "0.1")
    for part in (
        "The differences of each of 6 trivial systems from each real one (84 pairs) were tested with random signs",
        "762 clusters of items by body",
        "the larger p-value and the wider interval count",
        "The contributions to a difference in mcc are along the gradient of the measure at the mean of the sums",
        "a measure by the largest statistic [@westfall1993]; a difference is significant up to 0.1.",
    ):
        assert part in text


@pytest.mark.slow
def test_the_summary_of_criteria(metaeval: CommandLine) -> None:
    data = ("--config", "configs/stance.yaml", "-m", "accuracy", "-m", "mcc", "--trials", "20", "-q", "--methods")
    text = " ".join(metaeval.report("summary", *data)["methods"])
    assert "consistency, the expected tau between random halves, were tested with random signs" in text
    assert "Their differences in discrimination" in text
    assert "tested likewise (4,999 permutations)" in text


def test_plans(metaeval: CommandLine, table: str) -> None:
    text = paragraph(metaeval, "plan", "--task", "table", table, "--cluster", "topic", "-m", "bleu")
    for part in (
        "25 clusters of items by topic",
        "a line in the log odds",
        "Power is that of the same test",
        "at 0.05",
    ):
        assert part in text
    assert "drawing them" not in text
    plan = paragraph(metaeval, "plan", "--task", "table", table, "--human", "comet", "-m", "bleu", "--resamples", "20")
    assert "drawing them" not in plan, "three systems are too few for a plan of systems"


def test_correlations_with_human_scores(metaeval: CommandLine, table: str) -> None:
    call = ("correlate", "--task", "table", table, "--human", "comet", "--level", "item", "--resamples", "20")
    text = paragraph(metaeval, *call, "-m", "bleu", "--coefficient", "pearson")
    assert "correlated with the human scores comet (pearson at level item)" in text
    assert "by Student's t of Fisher's z, with a jackknife of systems and items [@cameron2011]" in text
    assert "were tested" not in text, "there is one measure"
    none = paragraph(metaeval, *call, "-m", "bleu", "--interval", "none")
    assert "intervals" not in none
    data = ("--config", "configs/tsc3.yaml", "--human", "sample_data/tsc3/human.csv", "--level", "system")
    tests = paragraph(metaeval, "correlate", *data, "--resamples", "20", "--test", "both")
    assert "in the correlation with human scores were tested with random swaps" in tests
    assert "scores of each cell (system × item) (99 permutations, seed 20201); p-values" in tests
    systems = paragraph(metaeval, "correlate", *data, "--resamples", "20", "--interval", "items")
    assert "20 bootstrap resamples of items (seed 20201)" in systems
    assert "scores of systems (99 permutations" in systems
    williams = paragraph(metaeval, "correlate", *data, "--test", "williams", "--interval", "fisher")
    assert "tested with Williams' test [@williams1959]; p-values are adjusted by Holm's method [@holm1979]" in williams
    assert "by Student's t of Fisher's z, with the variances of independent pairs [@bonett2000]." in williams


def test_agreement_of_annotators(metaeval: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    random = np.random.default_rng(3)
    rows = [f"i{item},{','.join(map(str, random.integers(1, 4, 3).tolist()))}\n" for item in range(40)]
    path.write_text("item,ann,bo,cy\n" + "".join(rows))
    call = ("agreement", path, "-q", "--methods")
    text = " ".join(metaeval.report(*call)["methods"])
    assert "We measured the agreement of 3 annotators on 120 ratings of 40 items" in text
    assert "Wilson's, with the variance of a jackknife over the 40 items and Student's t" in text
    assert "1,000 permutations of each annotator's ranks (seed 20201)" in text
    assert "Judges" not in text
    text = " ".join(metaeval.report(*call, "--judge", "cy")["methods"])
    assert "Judges were tested with the alternative annotator test [@calderon2025] (epsilon" in text


def test_comparisons_with_a_baseline(metaeval: CommandLine, table: str, tmp_path: Path) -> None:
    saved, config = str(tmp_path / "saved.json"), tmp_path / "experiment.yaml"
    config.write_text(f"data: {{task: table, runs: [{table}]}}\nmeasures: [bleu]\n")
    metaeval.succeeds("check", str(config), "--save-baseline", saved)
    text = paragraph(metaeval, "check", str(config), "--baseline", saved)
    assert "The differences between 3 systems and the same systems of an earlier run were tested" in text
    assert "1,100 items (dealt at random into 1,024 groups) to the scores (99 permutations, seed 20201)" in text
    assert "We scored 3 systems on 1,100 items" in text
    gates = metaeval.succeeds("check", str(config), "--fail-if", "scores.s0.bleu < 0", "--methods")
    assert "check has no paragraph on methods" in gates.err


@pytest.mark.slow
def test_the_paragraph_is_only_where_it_is_asked_for(metaeval: CommandLine, table: str, tmp_path: Path) -> None:
    call = ("compare", "--task", "table", table, "-m", "bleu", "--permutations", "99")
    assert "Methods" not in metaeval.succeeds(*call).out
    assert "Methods: We scored 3 systems" in metaeval.succeeds(*call, "--methods").out
    assert "methods" not in metaeval.report(*call)
    numbers = metaeval.succeeds(*call, "-f", "csv").out
    with_methods = metaeval.succeeds(*call, "-f", "csv", "--methods")
    assert with_methods.out == numbers
    for name, head in (("markdown", "## Methods"), ("latex", r"\paragraph{Methods}"), ("html", "<h2>Methods</h2>")):
        assert head in metaeval.succeeds(*call, "-f", name, "--methods").out
        assert head not in metaeval.succeeds(*call, "-f", name).out
    message = metaeval.succeeds("score", "--task", "table", table, "-m", "bleu", "--methods").err
    assert "score has no paragraph on methods" in message

    config = tmp_path / "experiment.yaml"
    sections = "compare: {permutations: 99}\npower: {permutations: 99}\n"
    config.write_text(
        f"data: {{task: table, runs: [{table}]}}\nmeasures: [bleu]\noutput: {{methods: true}}\n{sections}"
    )
    whole = metaeval.succeeds("run", str(config)).out
    assert whole.count("We scored 3 systems") == 1
    assert whole.count("The differences of all systems (3 pairs) were tested") == 1
    assert "Discriminative power [@sakai2006] is the share" in whole


@pytest.mark.usefixtures("repository")
def test_works_of_any_command_are_written_beside_its_results(metaeval: CommandLine, tmp_path: Path) -> None:
    call, bib = ("score", "--config", "configs/stance.yaml", "-m", "kappa:weights=linear"), tmp_path / "works.bib"
    without = metaeval.succeeds(*call)
    assert metaeval.succeeds(*call, "--bibtex", bib) == without
    bibtex = bib.read_text(encoding="utf-8")
    assert re.findall(r"^@(\w+)\{(\w+),$", bibtex, re.MULTILINE) == [("article", "cohen1968"), ("misc", "metaeval")]
    assert metaeval.refuses(*call, "--bibtex", "configs/stance.yaml").startswith(
        "Error: configs/stance.yaml: the file that"
    )
    assert "one file for the results and for the references" in metaeval.refuses(*call, "-o", bib, "--bibtex", bib)
    package.score("configs/stance.yaml", "kappa:weights=linear").save(tmp_path / "again.bib")
    assert (tmp_path / "again.bib").read_text(encoding="utf-8") == bibtex
    table = metaeval.succeeds("compare", *call[1:], "--permutations", "99", "--methods", "-f", "latex").out
    assert r"under Cohen's kappa (linear) \cite{cohen1968}." in table
    assert r"\cite{westfall1993}" in table
    prose = metaeval.succeeds("compare", *call[1:], "--permutations", "99", "--methods", "-f", "markdown").out
    assert "(linear) [@cohen1968]." in prose
