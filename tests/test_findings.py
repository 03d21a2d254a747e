"""Tables behind plots agree with the main tables, and findings agree with the tables."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysis_runs import run_named
from scipy.stats import pearsonr
from sklearn.metrics import confusion_matrix

from metaeval import ExperimentConfig, read_config
from metaeval.analyses.merge_classes.report import on_merges
from metaeval.analyses.score.report import on_scores
from metaeval.analyses.sentences import best_of, join_names
from metaeval.analyses.stability.report import on_stability
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.arrays import Floats
from metaeval.model.report import Report
from metaeval.model.runs import LabelledRuns
from metaeval.model.scores import Direction, ScoreCube
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
    confusions = rows(run_named("score", stance), "confusions")
    labels = study.runs.scale.labels
    for index, system in enumerate(study.systems):
        expected = confusion_matrix(study.runs.gold, study.runs.predicted[index], labels=range(len(labels)))
        system_rows = [row for row in confusions if row["system"] == system]
        assert [(row["gold"], row["predicted"]) for row in system_rows] == [(g, p) for g in labels for p in labels]
        assert [row["items"] for row in system_rows] == expected.ravel().tolist()
        shares = expected / expected.sum(axis=1, keepdims=True)
        assert [row["share"] for row in system_rows] == pytest.approx(shares.ravel().tolist(), abs=1e-15)


def test_the_distribution_has_the_mean_and_the_spread_of_the_trials(stance: ExperimentConfig) -> None:
    report = run_named("stability", stance)
    for row in rows(report, "stability"):
        trials = [trial for trial in rows(report, "stability_distribution") if trial["measure"] == row["measure"]]
        tau = np.repeat([trial["tau"] for trial in trials], [trial["trials"] for trial in trials])
        assert len(tau) == row["trials"] - row["undefined"]
        assert (np.diff([trial["tau"] for trial in trials]) > 0).all()
        assert [tau.mean(), tau.std(ddof=1)] == pytest.approx([row["mean"], row["sd"]], abs=1e-12)
        assert np.percentile(tau, [2.5, 97.5]).tolist() == pytest.approx([row["low"], row["high"]], abs=1e-12)


def test_points_have_the_correlation_that_is_told_of_them() -> None:
    pytest.importorskip("sudachipy")
    report = run_named("correlate", read_config(str(REPOSITORY / "configs/people.yaml")))
    correlations = {
        (row["measure"], row["human"]): row["value"]
        for row in rows(report, "correlations")
        if row["coefficient"] == "pearson" and row["level"] == "system"
    }
    points: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for row in rows(report, "correlation_scores"):
        points[row["measure"], row["human"]].append((row["score"], row["rating"]))
    assert len(points) == 5 * 6
    for pair, values in points.items():
        assert pearsonr(*np.transpose(values)).statistic == pytest.approx(correlations[pair], abs=1e-9), pair


def cube(values: list[list[float]], measures: tuple[str, ...], *, lower: tuple[str, ...] = ()) -> ScoreCube:
    directions = tuple(Direction.LOWER if name in lower else Direction.HIGHER for name in measures)
    return ScoreCube(np.array(values), (), measures, tuple("abcdefgh"[: len(values[0])]), directions)


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        (cube([[1, 2], [4, 3]], ("up", "down"), lower=("down",)), "b has the best score under both measures"),
        (cube([[2, 1]], ("up",)), "a has the best score under up"),
        (cube([[2, 2, 1]], ("up",)), "a and b share the best score under up"),
        (
            cube([[2, 1], [2, 1], [1, 2]], ("x", "y", "z")),
            "the best system depends on the measure: a under 2 of 3 and b under z",
        ),
        (
            cube([[2, 2, 1], [2, 1, 3]], ("x", "y")),
            "the best system depends on the measure: a and b (tied) under x and c under y",
        ),
        (cube([[NAN, 1], [NAN, NAN]], ("x", "y")), "b has the best score under x"),
        (cube([[1, 1], [2, 2]], ("x", "y")), "a and b share the best score under both measures"),
        (
            cube([[1, 1, 1], [2, 2, 0]], ("x", "y")),
            "a and b share the best score under both measures. c is as good under x",
        ),
        (cube([[1, 1], [2, 1]], ("x", "y")), "a has the best score under both measures. b is as good under x"),
        (
            cube([[1, 1, 1], [2, 2, 0], [1, 0, 1]], ("x", "y", "z")),
            "a has the best score under all 3 measures. b and c are as good under some measures",
        ),
        (
            cube([[2.0, 1, 1, 1, 1]] * 2 + [[0.0, 1, 1, 1, 1], [0, 1, 2, 0, 0], [0, 2, 1, 0, 0]], tuple("vwxyz")),
            (
                "the best system depends on the measure: a under 2 of 5, 4 systems (tied) under x and "
                "others under the other 2"
            ),
        ),
    ],
)
def test_the_best_system_is_named(scores: ScoreCube, text: str) -> None:
    findings = on_scores(scores)
    assert {finding.criterion for finding in findings} == {"score"}
    assert ". ".join(finding.sentence for finding in findings) == text


def test_one_system_and_ties_are_told_as_such() -> None:
    assert on_scores(cube([[1]], ("x",))) == []
    assert on_scores(cube([[NAN, NAN]], ("x",))) == []
    assert join_names(list("abcde")) == "a, b, c and 2 others"
    assert best_of("abc", np.array([0.3, 0.3, 0.0])) == ["a", "b"]
    assert best_of("ab", np.array([NAN, NAN])) == []


def p_values(measures: int, *pairs: tuple[int, int, float]) -> Floats:
    """Adjusted p-values of all pairs, 1 where nothing else is said."""
    p = np.ones((measures, measures))
    for one, other, value in pairs:
        p[one, other] = p[other, one] = value
    return p


def test_the_most_stable_measures_are_named() -> None:
    def stable(names: str, expected: list[float], *pairs: tuple[int, int, float]) -> str:
        (finding,) = on_stability(names, np.array(expected), p_values(len(names), *pairs), alpha=0.05)
        return finding.sentence

    most = "z is the most stable measure (expected tau 0.75)"
    assert stable("xyz", [0.5, NAN, 0.75], (0, 2, 0.01), (0, 1, NAN), (1, 2, NAN)) == (
        f"{most}. x is significantly less stable than z (0.50, adjusted p ≤ 0.01). Not tested: y"
    )
    assert stable("xy", [0.5, NAN], (0, 1, NAN)) == "x alone can be tested (expected tau 0.50). Not tested: y"
    assert stable("xyw", [0.5, 0.75, 0.7], (0, 1, 0.03), (1, 2, 0.4)) == (
        "y and w are the most stable measures (expected tau 0.70 to 0.75, not significantly different). "
        "x is significantly less stable than y (0.50, adjusted p ≤ 0.03)"
    )
    assert stable("xy", [0.5, 0.75], (0, 1, 0.2)) == (
        "no two measures differ significantly in stability (expected tau 0.50 to 0.75): none is the most stable"
    )
    # Two measures may differ from each other, and neither from the best.
    assert stable("xyw", [0.5, 0.75, 0.7], (0, 2, 0.01)) == (
        "no measure is significantly less stable than y (expected tau 0.50 to 0.75), though others differ from each "
        "other"
    )
    # A worse value that is not significantly worse is no best one, and equal values are ties.
    assert stable("xyw", [0.8, 0.7, 0.6], (0, 1, 0.03)) == (
        "y is significantly less stable than x (expected tau 0.70 against 0.80, adjusted p ≤ 0.03). "
        "w is not significantly different from it (0.60)"
    )
    assert stable("xyw", [0.8, 0.8, 0.6], (0, 2, 0.01), (1, 2, 0.01)) == (
        "x and y are the most stable measures (expected tau 0.80, tied). w is significantly less stable than x (0.60, "
        "adjusted p ≤ 0.01)"
    )
    assert "(expected tau 0.801). y is significantly less stable than x (0.799," in stable(
        "xy", [0.801, 0.799], (0, 1, 0.01)
    )
    assert stable("x", [0.5]) == "only x is analysed (expected tau 0.50)"
    assert on_stability("x", np.array([NAN]), p_values(1), alpha=0.05) == []


def test_the_measures_most_sensitive_to_merges_are_named() -> None:
    (uses,) = on_merges("xyz", np.array([0.5, -0.25, 0.75]), p_values(3, (0, 1, 0.02), (1, 2, 0.01)))
    assert uses.sentence == (
        "y is the most sensitive to merging classes (corrected tau -0.25). x and z are significantly less sensitive "
        "than y (0.50 to 0.75, adjusted p ≤ 0.02)"
    )
    (equal,) = on_merges("xyz", np.array([1.0, NAN, 0.9]), p_values(3))
    assert equal.sentence == (
        "no two measures differ significantly in sensitivity to merging classes (corrected tau 0.90 to 1.00): none is "
        "the most sensitive. Not tested: y"
    )
    assert on_merges("x", np.array([NAN]), p_values(1)) == []


@pytest.mark.slow
def test_findings_of_a_summary_and_of_its_sections_are_told_once() -> None:
    config = read_config(str(REPOSITORY / "configs/stance.yaml"))
    findings = run_experiment(config).findings
    assert len({finding.sentence for finding in findings}) == len(findings)
    criteria = list(dict.fromkeys(finding.criterion for finding in findings))
    assert criteria == ["recommend", "score", "similarity", "stability", "merge-classes", "summary"]
    assert config.section("stability") == StabilitySettings()
