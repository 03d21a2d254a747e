"""Over subtasks: means of the ranks and scores of each leaderboard, and changes that are seldom found by chance."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from hypothesis import given
from hypothesis import strategies as st
from planted_faults import LABELS, gold_and_runs
from scipy.stats import kendalltau, rankdata

from metaeval.analyses.leaderboard.groups import find_reordered_pairs

GROUPS = ("--config", "configs/rumour2017.yaml", "--permutations", "999", "-m", "macro-f1", "-m", "accuracy")
STORY = ("--group", "sample_data/rumoureval2017/stories.csv:story")


def tables_of_groups(metaeval: CommandLine, *more: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The tables over the subtasks, and the rows of each subtask by team."""
    tables = metaeval.tables("leaderboard", *GROUPS, *STORY, *more)
    groups: dict[str, dict[str, Any]] = {}
    for row in tables["standings"]:
        if row["rank"] is not None:
            groups.setdefault(row["group"], {})[row["team"]] = row
    return tables, groups


@pytest.mark.parametrize("more", [(), ("--metadata", "sample_data/rumoureval2017/teams.csv", "--baseline", "steady")])
def test_means_are_those_of_the_leaderboards_of_the_subtasks(metaeval: CommandLine, more: Sequence[str]) -> None:
    tables, groups = tables_of_groups(metaeval, *more)
    teams = [row["team"] for row in tables["subtasks"]]
    assert set(teams) == set.intersection(*map(set, groups.values()))
    scores = np.array([[groups[group][team]["macro-f1"] for team in teams] for group in groups])
    ranks = np.array(
        [
            rankdata([-row["macro-f1"] for row in of.values()])[[list(of).index(team) for team in teams]]
            for of in groups.values()
        ]
    )
    assert [row["mean_rank"] for row in tables["subtasks"]] == pytest.approx(ranks.mean(axis=0).tolist())
    assert [row["mean_score"] for row in tables["subtasks"]] == pytest.approx(scores.mean(axis=0).tolist())
    assert [row["mean_rank"] for row in tables["subtasks"]] == sorted(ranks.mean(axis=0))
    for row, (one, other) in zip(tables["between_subtasks"], combinations(range(len(groups)), 2), strict=True):
        assert row["tau"] == pytest.approx(kendalltau(scores[one], scores[other]).statistic)
        differences = [
            np.subtract.outer(scores[index], scores[index])[np.triu_indices(len(teams), 1)] for index in (one, other)
        ]
        assert row["swapped"] == (differences[0] * differences[1] < 0).sum()
    mean_rank, mean_score = ranks.mean(axis=0), scores.mean(axis=0)
    expected = {
        (teams[one], teams[other])
        for one in range(len(teams))
        for other in range(len(teams))
        if mean_rank[one] < mean_rank[other] and mean_score[one] < mean_score[other]
    }
    assert {(row["team"], row["other"]) for row in tables.get("reordered_pairs", [])} == expected


def test_a_change_follows_from_the_intervals_of_compare_in_both_subtasks(metaeval: CommandLine) -> None:
    tables, _ = tables_of_groups(metaeval)
    comparisons = metaeval.tables("compare", *GROUPS, *STORY)["comparisons"]
    pairs = {(row["group"], row["system"], row["other"]): row for row in comparisons if row["measure"] == "macro-f1"}
    changes = {
        (row["subtask"], row["subtask_other"], row["team"], row["other"]): row for row in tables["changed_pairs"]
    }
    groups = list(dict.fromkeys(group for group, _, _ in pairs))
    names = list(dict.fromkeys((one, other) for _, one, other in pairs))
    for first, second in combinations(groups, 2):
        for one, other in names:
            before, after = pairs[first, one, other], pairs[second, one, other]
            change = after["difference"] - before["difference"]
            low = change - np.hypot(after["difference"] - after["low"], before["high"] - before["difference"])
            high = change + np.hypot(after["high"] - after["difference"], before["difference"] - before["low"])
            row = changes.pop((first, second, one, other), None)
            assert (row is not None) == (low > 0 or high < 0)
            if row is not None:
                assert [row[name] for name in ("change", "low", "high")] == pytest.approx([change, low, high])
    assert not changes


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=2, max_size=7))
def test_reordered_pairs_are_ahead_by_one_mean_and_behind_by_the_other(rows: list[tuple[int, int]]) -> None:
    rank, score = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    for one, other in find_reordered_pairs(rank, score):
        assert rank[one] < rank[other]
        assert score[one] < score[other]
    swapped = sum((a[0] - b[0]) * (b[1] - a[1]) < 0 for a, b in combinations(rows, 2))
    assert len(find_reordered_pairs(rank, score)) == swapped


def test_a_system_that_is_much_better_in_one_phase_changes(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(2)
    labels = np.array(LABELS)
    for phase in ("dev", "test"):
        gold, predicted = gold_and_runs(random, 4, items=300)
        if phase == "dev":
            predicted[0, :280] = gold[:280]
        rows = zip(*([labels[row] for row in (gold, *predicted)]), strict=True)
        lines = [f"{phase}{number},{','.join(row)}" for number, row in enumerate(rows)]
        write(f"{phase}.csv", "id,gold,a,b,c,d\n" + "\n".join(lines) + "\n")
    report = metaeval.report("leaderboard", "--group-by-file", "dev.csv", "test.csv", "-m", "accuracy")
    assert {row["team"] for row in report["tables"]["changed_pairs"]} == {"a"}
    assert {row["other"] for row in report["tables"]["changed_pairs"]} == set("bcd")
    assert all(row["high"] < 0 for row in report["tables"]["changed_pairs"])
    assert report["tables"]["between_subtasks"][0]["changed"] == 3
    assert "dev and test rank the teams" in report["findings"][1]["sentence"]


def test_over_subtasks_only_teams_of_one_track_are_compared(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(4)
    gold, predicted = gold_and_runs(random, 5, items=90)
    labels = np.array(LABELS)
    phases = ("dev", "test", "new")
    rows = [f"i{item},{labels[label]},{phases[item % 3]}" for item, label in enumerate(gold)]
    write("gold.csv", "\n".join(["id,label,phase", *rows, ""]))
    for system, row in zip("abcde", predicted, strict=True):
        cells = [f"i{item},{labels[label]}" for item, label in enumerate(row)]
        write(f"teams/{system}.csv", "\n".join(["id,label", *cells, ""]))
    write("tracks.csv", "team,track\na,X\nb,X\nc,X\nd,Y\ne,Y\n")
    words = ("--gold", "gold.csv", "teams", "-m", "accuracy", "--group", "phase", "--metadata", "tracks.csv")
    report = metaeval.report("leaderboard", *words, "--permutations", "199")
    tables = report["tables"]
    scores = [{row["team"]: row[phase] for row in tables["subtasks"]} for phase in phases]
    pairs = [("X: a", "X: b"), ("X: a", "X: c"), ("X: b", "X: c"), ("Y: d", "Y: e")]
    differences = np.array([[of[one] - of[other] for one, other in pairs] for of in scores])
    for row, (one, other) in zip(tables["between_subtasks"], combinations(np.sign(differences), 2), strict=True):
        assert row["pairs"] == len(pairs)
        assert row["tau"] == pytest.approx((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum()))
    assert all(row["team"][0] == row["other"][0] for row in tables.get("reordered_pairs", []))
    # Who is first is a question of each track, and sentences on single subtasks are notes.
    assert len(report["findings"]) == 2
    assert not any("first by mean rank" in finding["sentence"] for finding in report["findings"])
    assert any("best score" in note for note in report["notes"])
