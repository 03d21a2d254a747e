"""The leaderboard contradicts neither `compare` nor `score`, and a late submission changes nothing of the others."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals, sentences
from planted_faults import LABELS, gold_and_runs, table, write_task
from score_cubes import run_table, score_table

RUMOUR = ("--config", "configs/rumour2017.yaml", "--permutations", "999")
TEAMS = ("--metadata", "sample_data/rumoureval2017/teams.csv")
MEASURES = ("-m", "macro-f1", "-m", "accuracy", "-m", "gmr")
TASK = ("--gold", "gold.csv", "teams", "-m", "accuracy", "-m", "macro-f1", "--permutations", "999")


def by_system(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["system"]: row for row in rows}


def write_teams(write: Write, systems: int = 6, items: int = 150, seed: int = 1) -> np.ndarray[Any, Any]:
    """Gold and a file for each team, in the folder `teams`; the labels of gold."""
    gold, predicted = gold_and_runs(np.random.default_rng(seed), systems, items=items)
    labels = np.array(LABELS)
    write("gold.csv", table(labels[gold]))
    for index, row in enumerate(predicted):
        write(f"teams/t{index}.csv", table(labels[row]))
    return labels[gold]


def standings_and_tiers(metaeval: CommandLine, *call: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of `leaderboard`, and those of `compare`, which have the same ranks and letters."""
    rows, tiers = metaeval.tables("leaderboard", *call)["standings"], metaeval.tables("compare", *call)["tiers"]
    for name in ("system", "rank", "rank_low", "rank_high", "letters"):
        assert [row[name] for row in rows] == [row[name] for row in tiers if row["measure"] == tiers[0]["measure"]]
    return rows, tiers


# The same numbers as in compare and score


@pytest.mark.parametrize(
    ("data", "official", "other"),
    [
        ("rumour2017", "macro-f1", "gmr"),
        ("rumour2017", "accuracy", "gmr"),
        ("stance", "mae:average=macro", "gmr"),
        ("news", "rouge-l", "rouge-n:n=1"),
    ],
)
def test_ranks_and_letters_are_those_of_compare_and_scores_those_of_score(
    metaeval: CommandLine, data: str, official: str, other: str
) -> None:
    call = ("--config", f"configs/{data}.yaml", "-m", official, "-m", other)
    rows, tiers = standings_and_tiers(metaeval, *call, "--permutations", "999")
    assert [row[official] for row in rows] == [row["score"] for row in tiers if row["measure"] == official]
    tables = metaeval.tables("score", *call, "--interval")
    scores, intervals = by_system(tables["scores"]), tables["intervals"]
    ends = {row["system"]: (row["low"], row["high"]) for row in intervals if row["measure"] == official}
    for row in rows:
        assert (row[official], row[other]) == (scores[row["system"]][official], scores[row["system"]][other])
        assert (row["low"], row["high"]) == ends[row["system"]]
        assert row["low"] < row[official] < row["high"]


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_repeated_runs_are_compared_as_in_compare(metaeval: CommandLine, write: Write, runs: int) -> None:
    means = {"amber": (0.61, 0.69, 0.65), "coral": (0.66, 0.68, 0.79), "dusk": (0.3, 0.31, 0.32)}
    write("scores.csv", run_table({system: run_means[:runs] for system, run_means in means.items()}, items=100, seed=5))
    data = ("--task", "table", "scores.csv", "--replicate", "seed", "--permutations", "999")
    leaderboard, comparison = metaeval.report("leaderboard", *data), metaeval.report("compare", *data)
    tiers = by_system(comparison["tables"]["tiers"])
    for row in leaderboard["tables"]["standings"]:
        same = ("rank", "rank_low", "rank_high", "letters")
        assert [row[name] for name in same] == [tiers[row["system"]][name] for name in same]
    # With three runs of each, coral's lead may be one of its runs alone.
    letters = {row["system"]: row["letters"] for row in leaderboard["tables"]["standings"]}
    assert (letters["coral"] == letters["amber"]) == (runs == 3)
    assert leaderboard["findings"][0]["sentence"] == comparison["findings"][0]["sentence"]
    population = {1: "other items", 2: "other items and these runs", 3: "other items and other runs of the systems"}
    for command in (("leaderboard",), ("score", "--interval")):
        output = metaeval.succeeds(*command, *data[:5], "-q").out
        assert re.search(rf"^\[ \] .*, for {population[runs]}$", output, re.MULTILINE)


def test_the_official_measure_may_be_another_one(metaeval: CommandLine) -> None:
    first = metaeval.tables("leaderboard", *RUMOUR, "-m", "accuracy", "-m", "gmr")["standings"]
    other = metaeval.tables("leaderboard", *RUMOUR, "-m", "gmr", "-m", "accuracy", "--sort-by", "accuracy")["standings"]
    assert first == other


def test_the_scores_of_classes_are_those_of_their_measures(metaeval: CommandLine) -> None:
    rows = metaeval.tables("leaderboard", *RUMOUR, "-m", "accuracy", "--per-class")["standings"]
    classes = ("support", "deny", "query", "comment")
    measures = [word for label in classes for word in ("-m", f"f1:class={label}")]
    scores = by_system(metaeval.tables("score", "--config", "configs/rumour2017.yaml", *measures)["scores"])
    for row in rows:
        assert [row[f"f1_{label}"] for label in classes] == [
            scores[row["system"]][f"f1:class={label}"] for label in classes
        ]


def test_baselines_have_letters_and_no_rank_and_ranks_leave_them_out(metaeval: CommandLine) -> None:
    baselines = ("steady", "deny_hunter")
    rows = metaeval.tables(
        "leaderboard", *RUMOUR, "-m", "macro-f1", "--baseline", baselines[0], "--baseline", baselines[1]
    )
    comparison = metaeval.tables("compare", *RUMOUR, "-m", "macro-f1")
    better = {
        (pair["better"], pair["system"] if pair["better"] == pair["other"] else pair["other"])
        for pair in comparison["comparisons"]
        if pair["better"]
    }
    tiers = by_system(comparison["tiers"])
    systems = [row["system"] for row in rows["standings"] if row["role"] != "baseline"]
    for row in rows["standings"]:
        name = row["system"]
        assert row["letters"] == tiers[name]["letters"]
        if name in baselines:
            assert (row["rank"], row["rank_low"], row["rank_high"], row["ranks"]) == (None, None, None, "baseline")
            continue
        assert row["rank_low"] == 1 + sum((other, name) in better for other in systems)
        assert row["rank_high"] == len(systems) - sum((name, other) in better for other in systems)
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
    assert [row["rank"] for row in rows["standings"] if row["rank"]] == list(range(1, len(systems) + 1))


# Teams


def test_a_team_is_ranked_by_its_primary_submission_or_its_best(metaeval: CommandLine, write: Write) -> None:
    write_task(Path(), 1)
    report = metaeval.report("leaderboard", *TASK, "--skip-invalid", "--baseline", "team11")
    rows = report["tables"]["standings"]
    scores = by_system(metaeval.tables("score", *TASK[:-2], "--skip-invalid")["scores"])
    assert all(row["accuracy"] == scores[row["system"]]["accuracy"] for row in rows)
    rank_rows = [row for row in rows if row["rank"] is not None]
    assert [row["rank"] for row in rank_rows] == [
        1 + sum(other["accuracy"] > row["accuracy"] for other in rank_rows) for row in rank_rows
    ]
    role = {row["system"]: row["role"] for row in [*rows, *report["tables"]["further_submissions"]]}
    assert (role["team22/second"], role["team22/first"]) == ("primary", "further")
    assert scores["team22/first"]["accuracy"] > scores["team22/second"]["accuracy"]
    assert role["team11"] == "baseline"
    assert role["team12"] == "late"
    assert {row["role"] for row in rank_rows} == {"primary", "best"}
    assert len({row["team"] for row in rows}) == len(rows)
    assert any("without a file: team40" in note for note in report["notes"])


def test_models_of_an_organisation_in_a_table_are_no_runs_of_a_team(metaeval: CommandLine, write: Write) -> None:
    models = ("org/large", "org/small", "lab/one")
    rows = "".join(f"{model},{item},{(item + index) % 3}\n" for index, model in enumerate(models) for item in range(30))
    # A folder with the name of an organisation is not that of a team.
    path = write("org/scores.csv", f"system,item,score\n{rows}")
    standings = metaeval.tables("leaderboard", "--task", "table", path)["standings"]
    assert {row["system"] for row in standings} == {row["team"] for row in standings} == set(models)


def test_ranks_and_tests_are_within_tracks_and_a_baseline_is_in_each(metaeval: CommandLine, write: Write) -> None:
    write_teams(write, systems=7)
    tracks = {"t0": "one", "t1": "one", "t2": "one", "t3": "two", "t4": "two", "t5": "two"}
    write("teams/metadata.csv", "team,track\n" + "".join(f"{team},{track}\n" for team, track in tracks.items()))
    rows = metaeval.tables("leaderboard", *TASK, "--baseline", "t6")["standings"]
    for name, others in (("one", "012"), ("two", "345")):
        track_rows = [row for row in rows if row["track"] == name]
        assert {row["system"] for row in track_rows} == {"t6", *(f"t{number}" for number in others)}
        words = [word for number in f"{others}6" for word in ("--system", f"t{number}")]
        tiers = by_system(metaeval.tables("compare", *TASK, *words)["tiers"])
        assert all(row["letters"] == tiers[row["system"]]["letters"] for row in track_rows)
        assert sorted(row["rank"] for row in track_rows if row["rank"]) == [1, 2, 3]


@pytest.mark.parametrize("policy", ["error", "miss", "worst"])
@pytest.mark.parametrize("cluster", ["none", "topic"])
def test_a_late_submission_changes_nothing_of_the_others(
    metaeval: CommandLine, write: Write, policy: str, cluster: str
) -> None:
    gold = write_teams(write)
    lines = Path("gold.csv").read_text().splitlines()
    Path("gold.csv").write_text(
        "\n".join([f"{lines[0]},topic", *(f"{line},{row % 40}" for row, line in enumerate(lines[1:]))]) + "\n"
    )
    call = ("leaderboard", *TASK, "--cluster", cluster, "--on-missing", policy, "--labels", "<".join(LABELS))
    write("teams/metadata.csv", "team,late\nt9,yes\n")
    before = metaeval.tables(*call)["standings"]
    # A perfect one, and without the last items where that is allowed.
    late = table(gold).splitlines(keepends=True)
    write("teams/t9.csv", "".join(late if policy == "error" else late[:-20]))
    after = metaeval.tables(*call)
    assert after["standings"] == before
    assert [(row["system"], row["role"]) for row in after["further_submissions"]] == [("t9", "late")]
    assert after["further_submissions"][0]["accuracy"] == pytest.approx(1 if policy == "error" else 130 / 150)


@pytest.mark.parametrize("seed", range(5))
def test_pareto_optimal_submissions_are_those_that_no_other_dominates(
    metaeval: CommandLine, write: Write, seed: int
) -> None:
    write_teams(write, systems=12, seed=seed)
    costs = np.random.default_rng(seed).integers(1, 6, 12)
    euros = {f"t{index}": cost for index, cost in enumerate(costs.tolist()) if index}
    write("m.csv", "team,euro,place\n" + "".join(f"{team},{cost},x\n" for team, cost in euros.items()))
    report = metaeval.report("leaderboard", *TASK, "--metadata", "m.csv", "--cost", "euro")
    assert "and euro (without 1 submission of unknown euro): " in sentences(report)[-1]
    rows = report["tables"]["standings"]
    points = {row["system"]: (row["accuracy"], -euros[row["system"]]) for row in rows if row["system"] in euros}
    for row in rows:
        mine = points.get(row["system"])
        assert row["euro"] == euros.get(row["system"])
        beaten = mine is None or any(
            other[0] >= mine[0] and other[1] >= mine[1] and other != mine for other in points.values()
        )
        assert row["pareto"] is not beaten
        assert row["place"] == ("x" if mine else "")


# What cannot be ranked


@refusals("""
--metadata absent.csv => absent.csv: no such file
--metadata m.csv --cost price => header 'team,late,seconds' | 'price'
--metadata m.csv --cost seconds => m.csv:3: value 'fast' in column 'seconds'
--cost seconds => no table of submissions with --cost seconds | --metadata
--baseline absent => baseline 'absent'
--sort-by gmr => measure 'gmr' of --sort-by | accuracy
--metadata all.csv => no submission is left: all of them are late
--metadata m.csv --on-missing drop => --on-missing drop with late submissions (t2) | --on-missing miss
""")
def test_what_cannot_be_ranked_is_an_error(
    metaeval: CommandLine, write: Write, words: tuple[str, ...], parts: list[str]
) -> None:
    gold = write_teams(write, systems=3, items=30)
    write("m.csv", "team,late,seconds\nt1,no,3\nt2,yes,fast\n")
    write("all.csv", "team,late\nt0,yes\nt1,yes\nt2,yes\n")
    write("teams/t2.csv", "".join(table(gold).splitlines(keepends=True)[: -2 if "drop" in words else None]))
    metaeval.refuses_with(parts, "leaderboard", *TASK, *words)


# Other data, and forms


def test_systems_that_lack_scores_are_ranked_on_common_items(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(3)
    scores = random.normal(np.arange(4)[:, np.newaxis], size=(4, 30))
    write("scores.csv", score_table({"score": np.where(random.random((4, 30)) < 0.9, scores, np.nan)}))
    gaps = ("--task", "table", "scores.csv", "--on-missing", "pairwise", "--permutations", "199")
    rows, _ = standings_and_tiers(metaeval, *gaps)
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]


@pytest.mark.parametrize("systems", [10, 40])
def test_ten_systems_under_three_measures_fit_80_columns(
    metaeval: CommandLine, write: Write, monkeypatch: pytest.MonkeyPatch, systems: int
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    write_teams(write, systems=systems)
    out = metaeval.succeeds("leaderboard", *TASK, "-m", "gmr", "-q").out
    rows = [
        line
        for line in out.splitlines()
        if line.split()[1:2] and line.split()[1].startswith("t") and line.split()[0].isdigit()
    ]
    assert len(rows) == min(systems, 24)
    assert max(map(len, rows)) <= 80
    assert all(len(sentence.split()) <= 25 for sentence in out.split("\n\n")[0].split(". "))


def test_csv_and_the_page_have_all_columns_of_the_metadata(metaeval: CommandLine) -> None:
    call = ("leaderboard", *RUMOUR, *MEASURES, *TEAMS, "--cost", "seconds")
    rows = metaeval.succeeds(*call, "-f", "csv").rows()
    assert {row["system"]: row["model"] for row in rows}["even_recall"] == "ensemble of five"
    assert "model" in metaeval.succeeds(*call, "-f", "html").out


def test_a_column_of_the_metadata_with_the_name_of_another_column_is_kept(metaeval: CommandLine, write: Write) -> None:
    write_teams(write, systems=3)
    write("m.csv", "team,rank,accuracy\nt0,low,x\n")
    rows = by_system(metaeval.tables("leaderboard", *TASK, "--metadata", "m.csv")["standings"])
    assert (rows["t0"]["metadata_rank"], rows["t0"]["metadata_accuracy"]) == ("low", "x")
    assert rows["t0"]["rank"] in (1, 2, 3)


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_every_form_for_readers_has_intervals_ranks_and_letters(metaeval: CommandLine, form: str) -> None:
    out = metaeval.succeeds("leaderboard", *RUMOUR, *MEASURES, "--baseline", "steady", "-f", form).out
    assert all(part in out for part in ("0.48, 0.55", "baseline", "ab", "0.781"))
    assert "1--5" in out if form == "latex" else "1–5" in out


def test_the_plot_of_costs_names_the_pareto_front(metaeval: CommandLine, tmp_path: Path) -> None:
    call = ("leaderboard", *RUMOUR, "-m", "macro-f1", *TEAMS, "--cost", "seconds")
    metaeval.succeeds(*call, "--plot", tmp_path / "pareto.svg")
    text = (tmp_path / "pareto.svg").read_text()
    assert "Pareto-optimal: " in text
    assert "even_recall (63" in text


# Too few groups of items


@pytest.mark.parametrize(("items", "permutations"), [(4, 999), (200, 9)], ids=["too few items", "too few permutations"])
def test_that_nothing_can_be_significant_is_said_as_in_compare(
    metaeval: CommandLine, write: Write, items: int, permutations: int
) -> None:
    write_teams(write, systems=4, items=items)
    task = (*TASK[:5], "--permutations", str(permutations))

    words = ("leaderboard", *task, "--baseline", "t1")
    texts, comparison_texts = (sentences(metaeval.report(*call)) for call in (words, ("compare", *task)))
    assert texts[1] == comparison_texts[1]
    assert "too few" in texts[1] or "cannot show a difference" in texts[1]
    assert len(texts) == 2
    # Of all tracks alike it is said once.
    write("tracks.csv", "team,track\nt0,A\nt1,A\nt2,B\nt3,B\n")
    track_texts = sentences(metaeval.report("leaderboard", *task, "--metadata", "tracks.csv"))
    assert [text for text in track_texts if text.startswith(texts[1])] == track_texts[2:]
    assert len(track_texts) == 3


# Tracks with a submission, or none, and many tracks


def test_of_many_tracks_one_sentence_says_in_which_the_best_is_better(metaeval: CommandLine, write: Write) -> None:
    labels = write_teams(write, systems=7, items=150)
    write("teams/t0.csv", table(labels))
    write("tracks.csv", "team,track\nt0,A\nt1,A\nt2,B\nt3,B\nt4,C\nt5,C\n")
    report = metaeval.report("leaderboard", *TASK, "--metadata", "tracks.csv")
    expected = "the best submissions are significantly better than all others under accuracy in 1 of 4 tracks: t0 (A)"
    assert sentences(report) == [f"{expected} (adjusted p, level 0.05)"]
    assert report["layout"]["standings"]["title"].startswith("7 submissions on 150 items")
    # Of two tracks each has a sentence, and one with a single submission says so.
    write("tracks.csv", "team,track\nt0,A\nt1,A\nt2,A\nt3,A\nt4,A\nt5,A\n")
    report = metaeval.report("leaderboard", *TASK, "--metadata", "tracks.csv")
    assert sentences(report)[0] == "without a track: no other submission is compared with t6"
    assert sentences(report)[1].startswith("A: t0 is significantly better than all 5 other systems")


def test_baselines_alone_are_no_leaderboard(metaeval: CommandLine, write: Write) -> None:
    write_teams(write, systems=3)
    write("late.csv", "team,late\nt2,yes\n")
    words = ("leaderboard", *TASK, "--baseline", "t0", "--baseline", "t1")
    metaeval.refuses_with(["all of them are baselines or late", "--baseline"], *words, "--metadata", "late.csv")
    (claim, on_baseline) = sentences(metaeval.report(*words))
    assert "baseline" not in claim
    assert on_baseline.startswith("t2 is not significantly better than the baseline ")
