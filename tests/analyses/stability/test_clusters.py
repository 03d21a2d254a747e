"""Halves of whole clusters, of one column and of two that cross each other, for every kind of data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from made_runs import labelled_runs
from numpy.typing import NDArray
from score_cubes import score_table
from sklearn.metrics import accuracy_score, f1_score

from metaeval import read_config
from metaeval.errors import InputError
from metaeval.inference.clusters import Clusters, draw_cluster_halves
from metaeval.measures import measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.resamples import split_clusters
from metaeval.stats.resample import generator
from metaeval.study.read import read_study

MEASURES = (measure("accuracy"), measure("macro-f1"))
CONFIGS = Path(__file__).parents[3] / "configs"
SCALE = ClassScale(("a", "b", "c"))


def runs_of(items: int, seed: int, systems: int = 5) -> LabelledRuns:
    random = np.random.default_rng(seed)
    gold = random.integers(0, 3, items)
    predicted = np.where(random.random((systems, items)) < 0.6, gold, random.integers(0, 3, (systems, items)))
    return labelled_runs(gold, predicted, SCALE)


def clusters_of(column: str, codes: NDArray[np.intp]) -> Clusters:
    return Clusters(column, codes, np.bincount(codes))


def plain(runs: LabelledRuns, items: Any) -> list[list[float]]:
    gold, predicted = runs.gold[items], runs.predicted[:, items]
    f1 = {"labels": range(3), "average": "macro", "zero_division": 0}
    return [
        [float(accuracy_score(gold, codes)) for codes in predicted],
        [float(f1_score(gold, codes, **f1)) for codes in predicted],
    ]


@pytest.mark.parametrize("systems", [2, 5])  # of two systems many items are identical, and stand in one row
@pytest.mark.parametrize("share", [None, 0.2])
@pytest.mark.parametrize("columns", [1, 2])
def test_halves_score_as_in_a_plain_loop(systems: int, share: float | None, columns: int) -> None:
    runs, random = runs_of(400, 1, systems), np.random.default_rng(2)
    codes = [np.unique(random.integers(0, 30, 400), return_inverse=True)[1] for _ in range(columns)]
    clusters = [clusters_of(f"c{way}", column) for way, column in enumerate(codes)]
    plan = split_clusters(LabelSamples(runs, MEASURES), clusters, trials=7, seed=3, share=share)
    seed, trials = plan.blocks[-1]
    cubes, again = plan.score((seed, trials)), generator(seed)
    column_share = (share or 0.5**columns) ** (1 / columns)
    draws = [draw_cluster_halves(again, column.sizes, trials, share=column_share) for column in clusters]
    assert len(cubes) == columns
    for trial in range(trials):
        halves = [
            [half[trial][column.codes] == 1 for half in both] for both, column in zip(draws, clusters, strict=True)
        ]
        pairs = [(halves[0][0], halves[0][1])]
        if columns == 2:
            (top, bottom), (left, right) = halves
            pairs = [(top & left, bottom & right), (top & right, bottom & left)]
        for cube, pair in zip(cubes, pairs, strict=True):
            assert cube.axes == ("trial", "half")
            for column in codes:
                assert not set(column[pair[0]]) & set(column[pair[1]])
            np.testing.assert_allclose(cube.values[trial], [plain(runs, half) for half in pair], atol=1e-12)


def test_a_block_without_items_has_no_score() -> None:
    runs = runs_of(6, 1)
    diagonal = [clusters_of("row", np.arange(6)), clusters_of("column", np.arange(6))]
    cubes = split_clusters(LabelSamples(runs, MEASURES), diagonal, trials=50, seed=1).score
    for cube in cubes((np.random.SeedSequence(1), 50)):
        accuracy = cube.values[:, :, 0]
        assert np.isnan(accuracy).any()
        assert not np.isnan(accuracy).all()


def test_halves_need_two_clusters_and_blocks_at_most_a_quarter_of_the_items() -> None:
    samples = LabelSamples(runs_of(8, 1), MEASURES)
    one, two = clusters_of("one", np.zeros(8, dtype=np.intp)), clusters_of("two", np.arange(8) % 2)
    with pytest.raises(InputError, match="1 cluster of "):
        split_clusters(samples, [one], trials=5, seed=1)
    with pytest.raises(InputError, match="not stored one by one"):
        split_clusters(samples, [replace(two, codes=None)], trials=5, seed=1)
    with pytest.raises(InputError, match="opposite blocks of two crossed columns"):
        split_clusters(samples, [two, two], trials=5, seed=1, share=0.5)


def table(write: Write, threads: int = 20, per_thread: int = 6) -> str:
    """Scores of six systems whose luck is that of a thread."""
    random = np.random.default_rng(4)
    luck, items = random.normal(0, 1, (6, threads)), np.arange(threads * per_thread)
    scores = 0.05 * np.arange(6)[:, np.newaxis] + luck[:, items // per_thread] + random.normal(0, 0.3, (6, len(items)))
    return write("scores.csv", score_table({"m": scores}, thread=items // per_thread, topic=items % 7))


def test_named_clusters_are_halved_and_make_rankings_less_stable(metaeval: CommandLine, write: Write) -> None:
    data = ("--task", "table", table(write), "--trials", "300")
    items = metaeval.report("stability", *data)
    threads = metaeval.report("stability", *data, "--cluster", "thread")
    crossed = metaeval.report("stability", *data, "--cluster", "thread", "--cluster", "topic")
    taus = [report["tables"]["stability"][0]["mean"] for report in (items, threads, crossed)]
    assert taus[0] > taus[1] + 0.2 > taus[2]
    assert items["layout"]["stability"]["title"].endswith("random halves of 120 items")
    assert threads["layout"]["stability"]["title"].endswith("random halves of 20 clusters of thread (120 items)")
    assert any("opposite blocks of halves of clusters of thread and of topic" in note for note in crossed["notes"])
    assert abs(taus[1] - threads["tables"]["stability"][0]["expected"]) < 0.1


def test_the_mean_is_that_of_both_pairs_of_blocks(metaeval: CommandLine, write: Write) -> None:
    data = ("--task", "table", table(write), "--trials", "40", "--cluster", "thread", "--cluster", "topic")
    report = metaeval.report("stability", *data)
    rows = report["tables"]["stability_distribution"]
    assert sum(row["trials"] for row in rows) == 40
    mean = sum(row["tau"] * row["trials"] for row in rows) / 40
    assert mean == pytest.approx(report["tables"]["stability"][0]["mean"])


def test_texts_have_halves_of_clusters(metaeval: CommandLine, write: Write) -> None:
    news = ("--config", str(CONFIGS / "news.yaml"), "-m", "rouge-l")
    ids = read_study(read_config(str(CONFIGS / "news.yaml"))).items
    topics = write("topics.csv", "id,topic\n" + "".join(f"{item},t{index // 2}\n" for index, item in enumerate(ids)))
    report = metaeval.report("stability", *news, "--trials", "50", "--cluster", f"{topics}:topic")
    assert "clusters of topic" in report["layout"]["stability"]["title"]
    assert report["tables"]["stability"][0]["trials"] == 50


def test_the_clusters_of_a_task_leave_the_protocol_as_it_is_and_a_note_compares_them(metaeval: CommandLine) -> None:
    call = ("--config", str(CONFIGS / "stance.yaml"), "-m", "accuracy", "--trials", "200")
    declared, off, crossed = (
        metaeval.report("stability", *call, *more)
        for more in ((), ("--cluster", "none"), ("--cluster", "headline", "--cluster", "body"))
    )
    protocol = ("mean", "sd", "low", "high", "winner", "swap_rate")
    row, without, by_blocks = (report["tables"]["stability"][0] for report in (declared, off, crossed))
    assert [row[name] for name in protocol] == [without[name] for name in protocol]
    (note,) = (note for note in declared["notes"] if note.startswith("mean tau between opposite blocks"))
    assert f"accuracy {by_blocks['mean']:.2f} ({row['mean']:.2f})" in note
    assert not any(note.startswith("mean tau between") for note in (*off["notes"], *crossed["notes"]))


def test_what_clusters_cannot_do_is_refused(metaeval: CommandLine, write: Write) -> None:
    stance = ("--config", str(CONFIGS / "stance.yaml"), "-m", "accuracy", "--trials", "5", "--cluster", "body")
    assert "whole clusters do not keep the shares of the gold classes" in metaeval.refuses(
        "stability", *stance, "--stratified"
    )
    crossed = ("--cluster", "headline", "--sizes", "0.5")
    assert "at most 0.25" in metaeval.refuses("stability", *stance, *crossed)
    one = ("--task", "table", table(write, threads=1), "--cluster", "thread")
    assert "1 cluster of thread to halve" in metaeval.refuses("stability", *one)


def test_a_curve_has_the_shares_of_the_items(metaeval: CommandLine, write: Write) -> None:
    data = ("--task", "table", table(write, threads=40), "--trials", "200", "--cluster", "thread", "--sizes", "0.1,0.5")
    rows = metaeval.tables("stability", *data)["stability_curve"]
    assert [row["items"] for row in rows] == [24, 120]
    assert rows[0]["mean"] < rows[1]["mean"]
