"""Why two measures disagree: examples whose explanation is known, and the real systems of FNC-1."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysis_runs import rows, run_named
from command_line import CommandLine, Write, refusals
from label_studies import label_files, label_study
from shared_data import SHARED_DATA, needs_shared_data

from metaeval import DataConfig, ExperimentConfig, read_config
from metaeval.analyses.explain.compute import confusions_of
from metaeval.analyses.explain.settings import ExplainSettings
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.errors import InputError, UnknownName
from metaeval.io.labels.join import Policy
from metaeval.measures import preset
from metaeval.model.scale import ClassScale

REPOSITORY = Path(__file__).resolve().parents[3]
STANCE = read_config(str(REPOSITORY / "configs/stance.yaml"))
ORDERED = ClassScale.parse("low<mid<high")


def with_measures(config: ExperimentConfig, *measures: str, **explain: Any) -> ExperimentConfig:
    return replace(config, measures=measures, preset=None, analyses=(ExplainSettings(**explain),))


def labels(write: Write, gold: str, systems: Mapping[str, str]) -> DataConfig:
    """Data of labels that are written as their first letters."""
    words = {"l": "low", "m": "mid", "h": "high"}
    answers = {name: [words[letter] for letter in letters] for name, letters in (("gold", gold), *systems.items())}
    gold_file, *runs = label_files(write, **answers)
    return DataConfig(gold=gold_file, runs=tuple(runs), labels=ORDERED)


def table(write: Write, scores: dict[str, dict[str, tuple[int, ...]]]) -> str:
    """A table of the scores of items, by measure and system."""
    rows = (
        f"{name},{system},i{item},{value}\n"
        for name, by_system in scores.items()
        for system, values in by_system.items()
        for item, value in enumerate(values)
    )
    return write("table.csv", "measure,system,item,value\n" + "".join(rows))


# `near` makes three small errors, `far` two large ones.
GOLD = "lllmmmhhh"
NEAR, FAR = "lllmmmmmm", "lllmmmhll"


def test_an_example_is_explained_as_it_was_made(write: Write) -> None:
    config = ExperimentConfig(labels(write, GOLD, {"near": NEAR, "far": FAR}))
    report = run_named("explain", with_measures(config, "mae:average=micro", "accuracy"))
    (pair,) = rows(report, "disagreements")
    assert (pair["system"], pair["other"], pair["verdict"]) == ("near", "far", "opposed")
    assert pair["mae:average=micro"] == pytest.approx(3 / 9 - 4 / 9)
    assert pair["accuracy"] == pytest.approx(-1 / 9)
    assert pair["strength"] == pytest.approx(1)
    assert pair["errors"] == "high→low"
    # In units: large errors add 4 and 2, small ones −3 and −3.
    assert pair["share"] == pytest.approx(1)
    by_cell = {(row["gold"], row["predicted"]): row for row in rows(report, "contributions")}
    # Four confusions without errors.
    assert list(by_cell) == [("high", "low"), ("high", "mid")]
    assert by_cell["high", "low"]["mae:average=micro"] == pytest.approx(-4 / 9)
    assert by_cell["high", "low"]["accuracy"] == pytest.approx(2 / 9)
    assert by_cell["high", "mid"]["accuracy"] == pytest.approx(-3 / 9)
    assert (by_cell["high", "mid"]["items"], by_cell["high", "mid"]["items_other"]) == (3, 0)
    far, near = (
        f"{system} ({more} to 0), which cost it {cost} under mae:average=micro and {other} under accuracy"
        for system, more, cost, other in (
            ("far has 2 more high→low errors than near", 2, 0.444, 0.222),
            ("near has 3 more high→mid errors than far", 3, 0.333, 0.333),
        )
    )
    order = "mae:average=micro and accuracy order the pair of systems in opposite ways, not significantly under both"
    change = "With accuracy, far gains (rank 2 to 1) and near loses (rank 1 to 2)"
    assert [finding.sentence for finding in report.findings] == [f"{order}. {change}. {far}"]
    assert rows(report, "rank_changes") == [
        {"system": "far", "mae:average=micro": 2, "accuracy": 1, "change": 1},
        {"system": "near", "mae:average=micro": 1, "accuracy": 2, "change": -1},
    ]
    pair_report = run_named("explain", with_measures(config, "mae:average=micro", "accuracy"), systems=("near", "far"))
    judgement = "mae:average=micro ranks near above far, accuracy ranks far above near"
    assert [finding.sentence for finding in pair_report.findings] == [f"{judgement}. {far}. {near}"]


def test_measures_that_agree_say_so(write: Write) -> None:
    config = ExperimentConfig(labels(write, GOLD, {"far": FAR, "right": GOLD}))
    # Trivial systems, which are scored, take no part.
    report = run_named(
        "explain", with_measures(config, "accuracy", "macro-f1").with_settings(ScoreSettings(trivial=True))
    )
    assert rows(report, "disagreements") == []
    assert [table.name for table in report.tables] == ["disagreements"]
    assert [finding.sentence for finding in report.findings] == ["accuracy and macro-f1 order both systems identically"]
    report = run_named("explain", with_measures(config, "accuracy", "macro-f1", "cem-ord"))
    assert [table.name for table in report.tables] == ["disagreement_counts"]
    assert report.findings[0].sentence == "No two of the 3 measures order any systems in opposite ways"


def test_a_named_pair_is_explained_though_measures_agree_on_it(write: Write) -> None:
    config = ExperimentConfig(labels(write, GOLD, {"near": NEAR, "far": FAR, "right": GOLD}))
    report = run_named("explain", with_measures(config, "accuracy", "mae:average=micro"), systems=("far", "right"))
    (pair,) = rows(report, "disagreements")
    assert (pair["system"], pair["other"], pair["verdict"]) == ("far", "right", "same order")
    assert (pair["errors"], pair["share"]) == ("", None)
    (finding,) = report.findings
    assert finding.sentence.startswith("Both measures rank right above far. far has 2 more high→low errors than right")


@pytest.mark.parametrize("systems", [("even_recall", "opposite_words"), ("eager_agree", "opposite_tree")])
def test_the_order_in_which_systems_are_named_changes_signs_alone(systems: tuple[str, str]) -> None:
    config = with_measures(STANCE, "cem-ord", "accuracy")
    there, back = (run_named("explain", config, systems=order) for order in (systems, systems[::-1]))
    (one,), (other,) = rows(there, "disagreements"), rows(back, "disagreements")
    assert (one["verdict"], one["errors"]) == (other["verdict"], other["errors"])
    assert one["share"] == pytest.approx(other["share"])
    assert 0.5 < one["share"] < 1
    assert one["accuracy"] == -other["accuracy"]
    assert there.findings == back.findings


def test_ties_are_marked_and_come_last(write: Write) -> None:
    # `mid` and `far` make two errors each, but not of one size.
    systems = {"far": FAR, "mid": "lllmmmhmm", "near": NEAR}
    report = run_named(
        "explain", with_measures(ExperimentConfig(labels(write, GOLD, systems)), "accuracy", "mae:average=micro")
    )
    verdicts = [(row["system"], row["other"], row["verdict"]) for row in rows(report, "disagreements")]
    assert verdicts == [("far", "near", "opposed"), ("far", "mid", "tied by accuracy")]
    assert rows(report, "disagreements")[1]["strength"] == 0
    head = "accuracy and mae:average=micro order 1 of 3 pairs of systems in opposite ways, not significantly under both"
    change = "With mae:average=micro, near gains (rank 3 to 2) and far loses (rank 1 to 3)"
    assert report.findings[0].sentence.startswith(f"{head}. {change}. near has ")
    assert "exactly one of the measures ties 1 other pair of systems" in map(str, report.notes)
    tied = with_measures(
        ExperimentConfig(labels(write, GOLD, {"far": FAR, "mid": "lllmmmhmm"})), "accuracy", "mae:average=micro"
    )
    (finding,) = run_named("explain", tied).findings
    assert finding.sentence.startswith(
        "Exactly one of accuracy and mae:average=micro ties the pair of systems. "
        "accuracy ties far and mid, mae:average=micro ranks mid above far. "
    )


def test_systems_without_a_score_are_left_out_and_counted(write: Write) -> None:
    systems = {"constant": "m" * 9, "near": NEAR, "far": FAR}
    report = run_named("explain", with_measures(ExperimentConfig(labels(write, GOLD, systems)), "mcc", "accuracy"))
    assert "2 pairs of systems cannot be compared: mcc or accuracy is undefined for one of them" in map(
        str, report.notes
    )
    pair_report = run_named(
        "explain",
        with_measures(ExperimentConfig(labels(write, GOLD, systems)), "mcc", "accuracy"),
        systems=("constant", "far"),
    )
    assert rows(pair_report, "disagreements")[0]["verdict"] == "undefined"
    assert pair_report.findings[0].sentence == "mcc cannot compare constant and far"
    assert "contributions under mcc are undefined for 1 pair of systems" in " ".join(map(str, pair_report.notes))


@pytest.mark.parametrize(("first", "second"), [("cem-ord", "accuracy"), ("mae:average=macro", "macro-f1")])
def test_contributions_of_the_sample_sum_to_the_differences(first: str, second: str) -> None:
    report = run_named("explain", with_measures(STANCE, first, second, max_pairs=50))
    pairs = rows(report, "disagreements")
    scores = {row["system"]: row for row in rows(run_named("score", with_measures(STANCE, first, second)), "scores")}
    assert len(pairs) > 10
    order = [(row["contested"], row["strength"]) for row in pairs]
    assert order == sorted(order, reverse=True)
    few = run_named("explain", with_measures(STANCE, first, second, max_pairs=3))
    assert rows(few, "disagreements") == pairs[:3]
    for pair in pairs:
        cells = [
            row
            for row in rows(report, "contributions")
            if (row["system"], row["other"]) == (pair["system"], pair["other"])
        ]
        assert len(cells) == 6
        for name in (first, second):
            expected = scores[pair["system"]][name] - scores[pair["other"]][name]
            assert pair[name] == pytest.approx(expected, abs=1e-11)
            assert sum(row[name] for row in cells) == pytest.approx(expected, abs=1e-11)


def test_many_measures_are_counted_pair_by_pair() -> None:
    report = run_named("explain", STANCE)
    counts = {row["measure"]: row for row in rows(report, "disagreement_counts")}
    for first, second in (("cem-ord", "accuracy"), ("mae:average=macro", "macro-f1")):
        pairs = rows(run_named("explain", with_measures(STANCE, first, second, max_pairs=91)), "disagreements")
        opposed = sum(row["verdict"] == "opposed" for row in pairs)
        assert counts[first][second] == counts[second][first] == opposed
    causes = rows(report, "disagreement_causes")
    assert [row["pairs"] for row in causes] == sorted((row["pairs"] for row in causes), reverse=True)
    assert all(row["pairs"] == counts[row["measure"]][row["other"]] for row in causes)
    assert report.findings[0].sentence.startswith(f"{causes[0]['measure']} and {causes[0]['other']} disagree most, on ")


def test_causes_of_one_pair_of_systems_are_those_of_its_explanation(write: Write) -> None:
    config = ExperimentConfig(labels(write, GOLD, {"near": NEAR, "far": FAR}))
    report = run_named("explain", with_measures(config, "mae:average=micro", "accuracy", "macro-f1"))
    causes = {(row["measure"], row["other"]): row for row in rows(report, "disagreement_causes")}
    cause = causes["mae:average=micro", "accuracy"]
    assert (cause["errors"], cause["pairs"], cause["share"]) == ("low⇄high", 1, pytest.approx(1))


def test_five_classes_are_sampled_and_told(write: Write) -> None:
    gold_file, *runs = label_study(write, {"one": 0.5, "other": 0.5}, 400, classes="01234")
    data = DataConfig(gold=gold_file, runs=tuple(runs), labels=ClassScale.parse("0<1<2<3<4"))
    report = run_named(
        "explain", with_measures(ExperimentConfig(data), "macro-f1", "accuracy"), systems=("one", "other")
    )
    cells = rows(report, "contributions")
    assert len(cells) == 20
    assert any("estimates from random orders" in note for note in map(str, report.notes))
    assert all(row["macro-f1_se"] < 0.01 and row["accuracy_se"] == 0 for row in cells)
    (pair,) = rows(report, "disagreements")
    assert sum(row["macro-f1"] for row in cells) == pytest.approx(pair["macro-f1"], abs=1e-11)


def test_items_of_texts_that_pull_apart_are_named() -> None:
    news = read_config(str(REPOSITORY / "configs/news.yaml"))
    config = with_measures(news, "rouge-l", "rouge-n:n=2", max_items=99)
    report = run_named("explain", config)
    pairs = rows(report, "disagreements")
    assert pairs
    for pair in pairs:
        items = [
            row
            for row in rows(report, "deciding_items")
            if (row["system"], row["other"]) == (pair["system"], pair["other"])
        ]
        for name in ("rouge-l", "rouge-n:n=2"):
            assert sum(row[name] for row in items) == pytest.approx(pair[name], abs=1e-11)
    few = run_named("explain", with_measures(news, "rouge-l", "rouge-n:n=2", max_items=1))
    assert len(rows(few, "deciding_items")) == len(pairs)
    assert f"The measures differ most on item {rows(few, 'deciding_items')[0]['item']} (" in few.findings[0].sentence


def test_items_of_a_table_count_by_their_measure_in_its_units(write: Write) -> None:
    # The last item decides: `a` is far better by x, and far worse by y (of which less is better).
    run = table(write, {"x": {"a": (1, 2, 9), "b": (2, 2, 1)}, "y": {"a": (10, 20, 90), "b": (10, 20, 10)}})
    config = ExperimentConfig(DataConfig(task="table", runs=(run,), lower_is_better=("y",)))
    report = run_named("explain", with_measures(config, "x", "y", max_items=5))
    (pair,) = rows(report, "disagreements")
    assert (pair["system"], pair["other"], pair["verdict"]) == ("a", "b", "opposed")
    assert (pair["x"], pair["y"]) == (pytest.approx(7 / 3), pytest.approx(80 / 3))
    items = rows(report, "deciding_items")
    assert [row["item"] for row in items] == ["i2", "i0"]
    assert (items[0]["x"], items[0]["y"]) == (pytest.approx(8 / 3), pytest.approx(80 / 3))
    assert "(+2.667 under x and -26.667 under y; above 0 in favour of a)" in report.findings[0].sentence


def test_an_item_that_argues_the_other_way_is_no_reason(write: Write) -> None:
    # By x `a` is better and by y `b`, though i0 alone, where they differ most, speaks for `b` by x and for `a` by y.
    one, other = (0, 4, 4, 4), (9, 0, 0, 0)
    run = table(write, {"x": {"a": one, "b": other}, "y": {"a": other, "b": one}})
    for order in (("x", "y"), ("y", "x")):
        config = ExperimentConfig(DataConfig(task="table", runs=(run,)))
        report = run_named("explain", with_measures(config, *order, max_items=4))
        assert [row["item"] for row in rows(report, "deciding_items")] == ["i1", "i2", "i3", "i0"]
        assert ". The measures differ most on item i1 (+1.000 under " in report.findings[0].sentence
        pair_report = run_named("explain", with_measures(config, *order, max_items=1), systems=("a", "b"))
        assert [row["item"] for row in rows(pair_report, "deciding_items")] == ["i1"]


def test_measures_that_scale_mixtures_down_and_those_that_do_not_are_told_apart() -> None:
    def scaled(*measures: str) -> str:
        report = run_named("explain", with_measures(STANCE, *measures), systems=("no_disagree", "opposite_net"))
        note: str
        (note,) = (note for note in map(str, report.notes) if "more errors than items" in note)
        return note

    assert "scaled down under macro-f1; under cem-ord the contribution of a cell does not" in scaled(
        "cem-ord", "macro-f1"
    )
    assert scaled("mcc", "macro-f1").endswith("items; they were scaled down")


def test_a_pair_that_cannot_be_is_refused(write: Write) -> None:
    config = ExperimentConfig(labels(write, GOLD, {"near": NEAR, "far": FAR}))
    two = with_measures(config, "accuracy", "macro-f1")
    with pytest.raises(UnknownName, match="unknown system 'fra'"):
        run_named("explain", two, systems=("near", "fra"))
    for systems in (("near",), ("near", "near"), ("near", "far", "near")):
        with pytest.raises(InputError, match="expected two different systems"):
            run_named("explain", two, systems=systems)
    with pytest.raises(InputError, match="systems with 3 measures"):
        run_named("explain", with_measures(config, "accuracy", "macro-f1", "mcc"), systems=("near", "far"))


@refusals("""
accuracy accuracy => one measure (accuracy); expected at least two
kappa kappa:weights=linear => one measure (kappa)
accuracy => Name two measures to explain, or use --all
cem-ord accuracy -m mcc => -m and --preset require --all
cem-ord accuracy --max-pairs 0 => --max-pairs
""")
@pytest.mark.usefixtures("repository")
def test_what_cannot_be_explained_is_refused(metaeval: CommandLine, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, "explain", *words, "--config", "configs/stance.yaml")


def test_predicted_numbers_are_counted_but_not_explained(write: Write) -> None:
    gold = write("gold.csv", "id,label\na,1\nb,2\nc,3\n")
    one, other = write("one.csv", "id,score\na,1\nb,2\nc,9\n"), write("other.csv", "id,score\na,2\nb,1\nc,3\n")
    data = DataConfig(gold=gold, runs=(one, other), task="scores", labels=ClassScale.parse("1<2<3"))
    config = with_measures(ExperimentConfig(data), "mae:average=micro", "kendall")
    with pytest.raises(InputError, match="explain with predicted numbers"):
        run_named("explain", config)
    report = run_named("explain", with_measures(config, "mae:average=micro", "kendall", "spearman"))
    assert [table.name for table in report.tables] == ["disagreement_counts"]
    assert rows(report, "disagreement_counts")[0]["kendall"] == 1
    why = "no pair can be contested: a test of differences with predicted numbers; expected systems that predict labels"
    assert why in map(str, report.notes)


def test_opposite_errors_are_one_kind_only_where_they_push_the_same_way() -> None:
    one = np.array([[5, 4, 0], [3, 5, 2], [0, 0, 5]])
    other = np.array([[8, 1, 0], [1, 7, 2], [0, 0, 5]])
    gains = np.array([[[0, -0.3, 0], [-0.2, 0, 0], [0, 0, 0]], [[0, -0.1, 0], [-0.1, 0, 0], [0, 0, 0]]])
    pulls = np.array([[0, 1.0, 0], [0.5, 0, 0], [0, 0, 0]])
    (kind,) = confusions_of(ORDERED.labels, one, other, gains, pulls)
    assert (kind.name, kind.items, kind.items_other, kind.contribution) == ("low⇄mid", 7, 2, 1.5)
    assert kind.oriented == pytest.approx((-0.5, -0.2))
    gains[1, 1, 0] = 0.1
    assert [kind.name for kind in confusions_of(ORDERED.labels, one, other, gains, pulls)] == ["low→mid", "mid→low"]
    gains[1, 1, 0] = -0.1
    apart = confusions_of(ORDERED.labels, one, other - np.array([[0, 0, 0], [-4, 4, 0], [0, 0, 0]]), gains, pulls)
    assert [kind.name for kind in apart] == ["low→mid", "mid→low"]


@needs_shared_data
def test_the_explanation_of_the_paper_holds_for_the_real_systems() -> None:
    """Amemiya & Sakai, section 5.1: MAE prefers the baseline to TalosCNN, others do not, for agree⇄disagree errors."""
    fnc1 = SHARED_DATA / "fnc1"
    data = DataConfig(
        gold=str(fnc1 / "gold.csv"),
        runs=(str(fnc1 / "systems"),),
        labels=ClassScale.parse("disagree<discuss<agree"),
        drop_gold=("unrelated",),
        on_unknown=Policy.parse("worst", option="--on-unknown"),
    )
    config = ExperimentConfig(data)
    report = run_named(
        "explain", with_measures(config, "macro-f1", "mae:average=macro"), systems=("fnc_baseline_gb", "talos_cnn")
    )
    (pair,) = rows(report, "disagreements")
    assert (pair["verdict"], pair["errors"]) == ("opposed", "disagree⇄agree")
    for name in ("macro-f1", "mae:average=macro"):
        contributions = [row[name] for row in rows(report, "contributions")]
        assert sum(contributions) == pytest.approx(pair[name], abs=1e-11)
    head = (
        "macro-f1 ranks talos_cnn above fnc_baseline_gb, mae:average=macro ranks fnc_baseline_gb above talos_cnn. "
        "talos_cnn has 607 more disagree⇄agree errors than fnc_baseline_gb (1,179 to 572), which cost it "
    )
    assert report.findings[0].sentence.startswith(head)

    nine = rows(run_named("explain", with_measures(config, *map(str, preset("stance-nine")))), "disagreement_causes")
    causes = {(row["measure"], row["other"]): row["errors"] for row in nine}
    # What MAE minds, and accuracy does not, are errors between the ends of the scale.
    assert causes["mae:average=macro", "accuracy"] == "disagree⇄agree"
    assert causes["mae:average=micro", "accuracy"] == "disagree⇄agree"
