"""`metaeval correlate --cluster`: whole clusters are drawn and swapped, and the notes say so."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from one_coefficient import correlation_interval, swap_test
from score_cubes import score_table

from metaeval.stats.soft_accuracy import soft_accuracy

CLUSTERS = np.repeat(np.arange(8), [1, 2, 3, 4, 1, 2, 3, 8])
RANDOM = np.random.default_rng(3)
HUMAN = RANDOM.normal(size=(5, 24)).round(3)
METRIC = (HUMAN + RANDOM.normal(size=(2, 5, 24)) + RANDOM.normal(size=(2, 5, 8))[..., CLUSTERS]).round(3)
FEW = ("--resamples", "50", "--permutations", "199")


@pytest.fixture
def call(write: Write) -> tuple[object, ...]:
    table = write("scores.csv", score_table({"one": METRIC[0], "two": METRIC[1], "ann": HUMAN}))
    threads = [f"i{item},t{cluster},a{item % 5}" for item, cluster in enumerate(CLUSTERS)]
    write("threads.csv", "\n".join(["item,thread,author", *threads, ""]))
    return ("--task", "table", table, "--human", "ann", *FEW)


THREADS, AUTHORS = ("--cluster", "threads.csv:thread"), ("--cluster", "threads.csv:author")


@pytest.mark.parametrize("level", ["system", "item"])
@pytest.mark.parametrize("units", ["both", "items"])
def test_intervals_and_tests_are_those_of_whole_clusters(
    metaeval: CommandLine, call: tuple[object, ...], level: str, units: str
) -> None:
    options = ("--level", level, "--interval", units, "--test", units, "--coefficient", "pearson")
    report = metaeval.report("correlate", *call, *options, *THREADS)
    low, high = correlation_interval(
        METRIC, HUMAN[np.newaxis], level=level, coefficient="pearson", resampled=units, clusters=CLUSTERS, resamples=50
    )
    rows = {row["measure"]: row for row in report["tables"]["correlations"]}
    for index, name in enumerate(("one", "two")):
        assert (rows[name]["low"], rows[name]["high"]) == pytest.approx((low[index, 0], high[index, 0]), abs=1e-9)
    test = swap_test(
        METRIC, HUMAN, level=level, coefficient="pearson", swap=units, clusters=CLUSTERS, resamples=199
    )  # fmt: skip
    (difference,) = report["tables"]["correlation_differences"]
    assert difference["p"] == pytest.approx(test.p[0, 1])
    notes, columns = "\n".join(report["notes"]), report["layout"]["correlations"]["columns"]
    sampling_units = "systems and clusters of thread" if units == "both" else "clusters of thread"
    swapped = "each system's clusters of thread" if units == "both" else "clusters of thread"
    about = f"95 % interval (for other {sampling_units})"
    assert [column["name"] for column in columns if column.get("about") == about] == ["low", "high"]
    assert f"199 permutations of {swapped}, p_adjusted for the pair" in notes
    assert "8 clusters of thread, effective number 5" in notes


def test_soft_accuracy_flips_whole_clusters(metaeval: CommandLine, call: tuple[object, ...]) -> None:
    options = ("--coefficient", "soft-pairwise", "--interval", "none", "--test", "none")
    report = metaeval.report("correlate", *call, *options, *THREADS)
    values = {row["measure"]: row["value"] for row in report["tables"]["correlations"]}
    expected = soft_accuracy(METRIC, HUMAN[np.newaxis], clusters=CLUSTERS, flips=199).values[:, 0]
    assert [values["one"], values["two"]] == pytest.approx(expected.tolist())
    assert "soft-pairwise flips whole clusters of thread" in report["notes"]


def test_two_columns_are_refused_unless_no_items_are_resampled(metaeval: CommandLine, call: tuple[object, ...]) -> None:
    crossed = (*THREADS, *AUTHORS)
    refused = metaeval.refuses("correlate", *call, *crossed)
    assert "correlations with two columns of clusters, thread and author; expected one column" in refused
    assert "name one of them, such as --cluster thread" in refused
    assert "or resample systems alone: --interval systems" in refused
    report = metaeval.report("correlate", *call, *crossed, "--interval", "systems", "--test", "systems")
    assert "clusters of thread and of author play no role in correlate" in report["notes"]
    abouts = [column.get("about") for column in report["layout"]["correlations"]["columns"]]
    assert "95 % interval (for other systems)" in abouts


def test_an_only_cluster_has_no_interval(metaeval: CommandLine, write: Write, call: tuple[object, ...]) -> None:
    write("one.csv", "\n".join(["item,all", *(f"i{item},x" for item in range(24)), ""]))
    only = ("--cluster", "one.csv:all", "--interval", "items", "--level", "system")
    for row in metaeval.tables("correlate", *call, *only)["correlations"]:
        assert row["low"] is row["high"] is None
