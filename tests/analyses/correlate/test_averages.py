"""`correlate --group`: averages over groups, their ranks and tests; and items that are rated all alike."""

from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine, Write
from one_coefficient import swap_test
from scipy import stats
from score_cubes import score_table

from metaeval.analyses.correlate.groups import average_test

RANDOM = np.random.default_rng(23)
FEW = ("--resamples", "20", "--permutations", "199")
LANGUAGES = ("de", "ja", "zh")


@pytest.fixture
def call(write: Write) -> tuple[str, ...]:
    """Three languages, of which the last has systems of its own; `three` has no scores there."""
    rows = []
    for number, language in enumerate(LANGUAGES):
        quality = RANDOM.normal(size=(6, 1)) + RANDOM.normal(scale=0.7, size=(6, 12))
        measures = [quality + RANDOM.normal(scale=scale, size=(6, 12)) for scale in (0.3, 1, 3)]
        for system, item in np.ndindex(6, 12):
            name = f"{language}{system}" if number == 2 else f"s{system}"
            cells = ",".join(f"{scores[system, item]:.3f}" for scores in (*measures, quality))
            rows.append(f"{name},{language}{item},{language},{cells}")
    path = write("scores.csv", "\n".join(["system,item,lang,one,two,three,ann", *rows, ""]))
    return ("--task", "table", path, "--human", "ann")


def test_averages_are_means_of_the_groups_with_ranks_of_their_tests(
    metaeval: CommandLine, call: tuple[str, ...]
) -> None:
    report = metaeval.report("correlate", *call, "--group", "lang", "--coefficient", "pearson", *FEW)
    tables = report["tables"]
    kinds = ("system pearson", "item pearson")
    for row in tables["correlation_averages"]:
        for kind in kinds:
            values = [
                entry["value"]
                for entry in tables["correlations"]
                if entry["measure"] == row["measure"] and kind == f"{entry['level']} {entry['coefficient']}"
            ]
            assert len(values) == 3
            assert row[kind] == pytest.approx(np.mean(values), abs=1e-12)
    means = {row["measure"]: row for row in tables["correlation_averages"]}
    ranks = {row["measure"]: row for row in tables["correlation_average_ranks"]}
    for row in tables["correlation_average_differences"]:
        one, other = row["measure"], row["other"]
        assert row["difference"] == pytest.approx(means[one][row["average"]] - means[other][row["average"]], abs=1e-9)
        assert 0 < row["p"] <= row["p_adjusted"] <= 1
        if row["p_adjusted"] <= 0.05 and row["difference"] > 0:
            assert ranks[one][row["average"]] < ranks[other][row["average"]]
    assert list(tables["correlation_averages"][0]) == ["measure", *kinds]
    (sentence,) = (finding["sentence"] for finding in report["findings"] if "over 3 groups" in finding["sentence"])
    value = means["one"][kinds[0]]
    head = f"one has the highest average correlation with human scores over 3 groups (ann, {kinds[0]}: {value:.2f})"
    assert sentence.startswith(head)
    others = " and ".join(f"by {kind}" for kind in kinds[1:])
    assert sentence.endswith(f". It is also the highest {others}")


def test_measures_with_the_same_average_share_it(metaeval: CommandLine, call: tuple[str, ...]) -> None:
    bare = ("--group", "lang", "--interval", "none", "--test", "none", "--level", "system", "--coefficient", "pearson")
    path = call[2]
    rows = [line.split(",") for line in Path(path).read_text(encoding="utf-8").splitlines()]
    twice = [",".join([*cells[:4], cells[3] if number else "copy", cells[-1]]) for number, cells in enumerate(rows)]
    Path(path).write_text("\n".join([*twice, ""]), encoding="utf-8")
    (sentence,) = {
        finding["sentence"]
        for finding in metaeval.report("correlate", *call, *bare)["findings"]
        if "over 3" in finding["sentence"]
    }
    assert sentence.startswith("one and copy share the highest average correlation with human scores over 3 groups")


def test_a_column_that_a_group_lacks_is_in_no_average(metaeval: CommandLine, call: tuple[str, ...]) -> None:
    bare = ("--group", "lang", "--interval", "none", "--test", "none", "-m", "one", "-m", "two")
    report = metaeval.report("correlate", *call, *bare)
    assert "correlation_average_differences" not in report["tables"]
    assert {row["measure"] for row in report["tables"]["correlation_averages"]} == {"one", "two"}
    assert "rank" not in metaeval.succeeds("correlate", *call, *bare, "-q").out.splitlines()[0]


def test_the_average_of_equally_good_measures_differs_at_most_at_the_level() -> None:
    random, rejected, sets = np.random.default_rng(31), 0, 150
    for _ in range(sets):
        groups = []
        for size in (30, 20):
            quality = random.normal(size=(7, 1)) + random.normal(size=(7, size))
            pair = quality + random.normal(scale=1.5, size=(2, 7, size))
            test = swap_test(pair, quality, level="item", coefficient="pearson", resamples=99)
            assert test.sample is not None
            groups.append((test.difference[0, 1:], test.sample))
        rejected += float(average_test(groups, 2, seed=1).p_adjusted[0, 1]) <= 0.05
    assert stats.binom.sf(rejected - 1, sets, 0.05) > 0.001


def test_more_groups_show_more() -> None:
    """Of four groups with a difference that none shows alone, the average does."""
    random = np.random.default_rng(2)
    groups, alone = [], []
    for _ in range(12):
        quality = random.normal(size=(8, 15))
        pair = np.stack([quality + random.normal(scale=scale, size=(8, 15)) for scale in (1.0, 1.4)])
        test = swap_test(pair, quality, level="item", coefficient="pearson", resamples=399)
        assert test.sample is not None
        groups.append((test.difference[0, 1:], test.sample))
        alone.append(test.p[0, 1])
    assert average_test(groups, 2, seed=1).p[0, 1] < np.median(alone)
    assert average_test(groups, 2, seed=1).p[0, 1] <= 0.05


@pytest.mark.parametrize("level", ["item", "by-system"])
def test_items_rated_all_alike_count_as_zero_where_asked(metaeval: CommandLine, write: Write, level: str) -> None:
    scores = RANDOM.normal(size=(5, 6)).round(2)
    ratings = RANDOM.integers(0, 3, size=(5, 6))
    ratings[:, [1, 4]] = 2
    ratings[3] = 1
    data = ("--task", "table", write("scores.csv", score_table({"one": scores, "ann": ratings})), "--human", "ann")
    options = ("--level", level, "--coefficient", "pearson", "--resamples", "200")
    vectors = list(zip(scores.T, ratings.T, strict=True) if level == "item" else zip(scores, ratings, strict=True))
    correlations = [stats.pearsonr(x, y).statistic for x, y in vectors if len(set(y.tolist())) > 1]
    for choice, expected, left_out in (("drop", np.mean(correlations), len(vectors) - len(correlations)),
                                       ("zero", np.sum(correlations) / len(vectors), 0)):  # fmt: skip
        (row,) = metaeval.tables("correlate", *data, *options, "--constant-items", choice)["correlations"]
        assert row["value"] == pytest.approx(expected, abs=1e-12)
        assert row["left_out"] == left_out
        assert row["low"] <= row["value"] <= row["high"]


@pytest.mark.parametrize("coefficient", ["pearson", "kendall-b", "kendall-a"])
def test_swaps_count_items_rated_all_alike_as_zero(coefficient: str) -> None:
    human = RANDOM.integers(0, 3, size=(6, 10)).astype(float)
    human[:, :4] = 1.0
    metric = human + RANDOM.normal(size=(2, 6, 10))
    dropped, zero = (
        swap_test(metric, human, level="item", coefficient=coefficient, constant=constant, resamples=99)
        for constant in (np.nan, 0.0)
    )
    defined = (human.max(axis=0) > human.min(axis=0)).mean()
    assert zero.difference[0, 1] == pytest.approx(dropped.difference[0, 1] * defined)
    assert dropped.sample is not None
    assert zero.sample is not None
    np.testing.assert_allclose(zero.sample, dropped.sample * defined, atol=1e-12)
