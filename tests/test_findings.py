"""Tables behind plots are what the main tables were made of, and findings say what the tables say."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import confusion_matrix

from metaeval.analyses.correlate.tables import on_correlations
from metaeval.analyses.merge_classes.tables import on_merges
from metaeval.analyses.score.tables import on_scores
from metaeval.analyses.sentences import (
    best_of,
    listed,
)
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.stability.tables import on_stability
from metaeval.config import ExperimentConfig, read_config
from metaeval.model.labels import LabelledRuns
from metaeval.model.report import Report
from metaeval.model.scores import Direction, ScoreCube
from metaeval.runner.one import run_named
from metaeval.runner.several import run_experiment
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study

REPOSITORY = Path(__file__).resolve().parent.parent
NAN = float("nan")


def rows(report: Report, table: str) -> list[dict[str, Any]]:
    return list(report.table(table).records())


@pytest.fixture(scope="module")
def stance() -> ExperimentConfig:
    return read_config(str(REPOSITORY / "configs/stance.yaml"))


def test_confusions_are_those_of_scikit_learn(stance: ExperimentConfig) -> None:
    study = read_study(stance)
    assert isinstance(study, LabelStudy)
    assert isinstance(study.runs, LabelledRuns)
    found = rows(run_named("score", stance), "confusions")
    labels = study.runs.scale.labels
    for place, system in enumerate(study.systems):
        expected = confusion_matrix(study.runs.gold, study.runs.predicted[place], labels=range(len(labels)))
        of_system = [row for row in found if row["system"] == system]
        assert [(row["gold"], row["predicted"]) for row in of_system] == [(g, p) for g in labels for p in labels]
        assert [row["items"] for row in of_system] == expected.ravel().tolist()
        shares = expected / expected.sum(axis=1, keepdims=True)
        assert [row["share"] for row in of_system] == pytest.approx(shares.ravel().tolist(), abs=1e-15)


def test_the_distribution_has_the_mean_and_the_spread_of_the_trials(stance: ExperimentConfig) -> None:
    report = run_named("stability", stance)
    for row in rows(report, "stability"):
        drawn = [each for each in rows(report, "stability_distribution") if each["measure"] == row["measure"]]
        tau = np.repeat([each["tau"] for each in drawn], [each["trials"] for each in drawn])
        assert len(tau) == row["trials"] - row["undefined"]
        assert (np.diff([each["tau"] for each in drawn]) > 0).all()
        assert [tau.mean(), tau.std(ddof=1)] == pytest.approx([row["mean"], row["sd"]], abs=1e-12)
        assert np.percentile(tau, [2.5, 97.5]).tolist() == pytest.approx([row["low"], row["high"]], abs=1e-12)


def test_points_have_the_correlation_that_is_told_of_them() -> None:
    pytest.importorskip("sudachipy")
    report = run_named("correlate", read_config(str(REPOSITORY / "configs/people.yaml")))
    told = {
        (row["measure"], row["human"]): row["value"]
        for row in rows(report, "correlations")
        if row["coefficient"] == "pearson" and row["level"] == "system"
    }
    points: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for row in rows(report, "correlation_scores"):
        points[row["measure"], row["human"]].append((row["score"], row["rating"]))
    assert len(points) == 5 * 6
    for pair, values in points.items():
        assert pearsonr(*np.transpose(values)).statistic == pytest.approx(told[pair], abs=1e-9), pair


def cube(values: list[list[float]], measures: tuple[str, ...], *, lower: tuple[str, ...] = ()) -> ScoreCube:
    directions = tuple(Direction.LOWER if name in lower else Direction.HIGHER for name in measures)
    return ScoreCube(np.array(values), (), measures, tuple("abcdefgh"[: len(values[0])]), directions)


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        (cube([[1, 2], [4, 3]], ("up", "down"), lower=("down",)), "b is the best system by both measures"),
        (cube([[2, 1]], ("up",)), "a is the best system by up"),
        (cube([[2, 2, 1]], ("up",)), "a, b are equally good by up"),
        (
            cube([[2, 1], [2, 1], [1, 2]], ("x", "y", "z")),
            "which system is best depends on the measure: a by 2 (x, y); b by 1 (z)",
        ),
        (cube([[NAN, 1], [NAN, NAN]], ("x", "y")), "b is the best system by x"),
    ],
)
def test_the_best_system_is_named(scores: ScoreCube, sentence: str) -> None:
    (finding,) = on_scores(scores)
    assert (finding.criterion, finding.sentence) == ("score", sentence)


def test_one_system_and_ties_are_told_as_such() -> None:
    assert on_scores(cube([[1]], ("x",))) == []
    assert on_scores(cube([[NAN, NAN]], ("x",))) == []
    assert listed(list("abcde")) == "a, b, c and 2 others"
    assert best_of("abc", np.array([0.1 + 0.2, 0.3, 0.0])) == ["a", "b"]
    assert best_of("ab", np.array([NAN, NAN])) == []


def test_the_most_stable_and_the_most_discriminating_measure_are_named() -> None:
    (most,) = on_stability("xyz", np.array([0.5, NAN, 0.75]))
    assert most.sentence == "z ranks systems most alike on other items (mean tau 0.75 between halves), x least (0.50)"
    (same,) = on_stability("xy", np.array([0.5, 0.5]))
    assert same.sentence == "x, y rank systems most alike on other items (mean tau 0.50 between halves)"
    assert on_stability("x", np.array([NAN])) == []
    (uses,) = on_merges("xy", np.array([0.5, -0.25]))
    assert uses.sentence.startswith("y makes most use of the distinctions between classes (mean tau -0.25 when some")
    assert uses.sentence.endswith(", x least (0.50)")


def test_the_follower_of_people_is_named_with_those_no_worse() -> None:
    def told(best: list[bool] | None) -> str:
        found = None if best is None else np.array(best)
        values, low, high = np.array([0.5, 0.7]), np.array([0.4, 0.6]), np.array([0.6, 0.8])
        (finding,) = on_correlations("xy", values, low, high, found, what="ann, kendall-b")
        return finding.sentence

    head = "y follows people best (ann, kendall-b 0.70, 95 % from 0.60 to 0.80)"
    assert told(None) == head
    assert told([True, True]) == f"{head}; not told apart from it: x"
    assert told([False, True]) == f"{head}; better than every other one"


def test_findings_of_a_summary_and_of_its_sections_are_told_once() -> None:
    config = read_config(str(REPOSITORY / "configs/stance.yaml"))
    criteria = [finding.criterion for finding in run_experiment(config).findings]
    assert criteria == ["score", "similarity", "stability", "merge-classes", "summary"]
    assert config.section("stability") == StabilitySettings()
