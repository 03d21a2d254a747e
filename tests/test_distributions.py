"""Distributions over classes through the analyses of items, from files and from Python."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine
from numpy.typing import NDArray
from scipy.stats import kendalltau
from shared_data import SHARED_DATA, needs_shared_data

import metaeval as api

ROOT = Path(__file__).resolve().parents[1]
REVIEWS = (
    *("--task", "distributions", "--labels", "1<2<3<4<5"),
    *("--gold", str(ROOT / "sample_data/reviews/votes.csv"), str(ROOT / "sample_data/reviews/systems")),
)
TWO = ("-m", "nmd", "-m", "cross-entropy:epsilon=0.01", "-m", "rnod:level=run")
NAMES = ["nmd", "cross-entropy:epsilon=0.01", "rnod:level=run"]


def shares(
    seed: int, items: int = 40, parts: tuple[float, ...] = (0.1, 0.4, 0.9)
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64]]:
    """Systems with so much noise, and gold."""
    random = np.random.default_rng(seed)
    gold = random.dirichlet(np.full(4, 0.7), items)
    noise = random.dirichlet(np.ones(4), (len(parts), items))
    return {f"s{index}": (1 - part) * gold + part * noise[index] for index, part in enumerate(parts)}, gold


def runs(seed: int = 1, **options: Any) -> api.Runs:
    systems, gold = shares(seed)
    return api.from_distributions(systems, gold=gold, labels="a<b<c<d", **options)


ANALYSES = [
    ("score", (), "scores"),
    ("similarity", ("--permutations", "99"), "similarity"),
    ("stability", ("--trials", "50", "--permutations", "99"), "stability"),
    ("power", ("--permutations", "99"), "power"),
    ("compare", ("--permutations", "99"), "comparisons"),
    ("plan", ("--resamples", "20"), "plan"),
    ("robustness", ("--permutations", "99"), "robustness"),
    ("summary", ("--trials", "20"), "summary"),
    ("recommend", ("--permutations", "99"), "recommend"),
    ("merge-classes", ("--adjacent", "--permutations", "99"), "merge_classes"),
    ("sensitivity", ("--grid", "level=item,run"), "sensitivity"),
]


@pytest.mark.parametrize(("command", "options", "table"), ANALYSES, ids=[name for name, *_ in ANALYSES])
def test_an_analysis_of_items_works_on_distributions(
    metaeval: CommandLine, command: str, options: tuple[str, ...], table: str
) -> None:
    rows = metaeval.report(command, *REVIEWS, *TWO, *options)["tables"][table]
    names = {row.get("measure") for row in rows}
    assert names == {None} or names == set(NAMES) or command == "sensitivity"
    assert len(rows) >= len(NAMES)


def test_reliability_is_of_means_and_explain_of_two_measures(metaeval: CommandLine) -> None:
    components = metaeval.report("reliability", *REVIEWS, "-m", "nmd")["tables"]
    assert {row["component"] for row in components["components"]} == {"system", "item", "system × item"}
    pairs = metaeval.report("explain", "nmd", "nvd", *REVIEWS)["tables"]
    assert {"soft", "majority"} in [{row["system"], row["other"]} for row in next(iter(pairs.values()))]


def test_the_best_system_of_each_review_is_not_the_best_of_all_reviews(metaeval: CommandLine) -> None:
    rows = metaeval.report("score", *REVIEWS, "-m", "nmd", "-m", "nmd:level=run")["tables"]
    best = {name: min(rows["scores"], key=lambda row: row[name])["system"] for name in ("nmd", "nmd:level=run")}
    assert best == {"nmd": "calibrated", "nmd:level=run": "same-for-all"}
    worst = max(rows["scores"], key=lambda row: row["nmd"])["system"]
    assert worst == "same-for-all"


def test_the_table_of_shares_holds_the_means(metaeval: CommandLine) -> None:
    systems, gold = shares(2)
    report = api.score(api.from_distributions(systems, gold=gold, labels="a<b<c<d"), "jsd").to_dict()
    rows = report["tables"]["class_shares"]
    assert [row["class"] for row in rows] == list("abcd") * 3
    assert [row["predicted"] for row in rows[4:8]] == pytest.approx(systems["s1"].mean(axis=0).tolist())
    assert [row["gold"] for row in rows[:4]] == pytest.approx(gold.mean(axis=0).tolist())


def test_python_and_files_give_the_same(metaeval: CommandLine, tmp_path: Path) -> None:
    systems, gold = shares(3)
    for name, values in {"gold": gold, **systems}.items():
        lines = [f"{item},{','.join(map(repr, row))}" for item, row in enumerate(values.tolist(), start=1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,a,b,c,d", *lines]), encoding="utf-8")
    files = [tmp_path / f"{name}.csv" for name in systems]
    read = api.read(files, gold=tmp_path / "gold.csv", task="distributions", labels="a<b<c<d")
    in_memory = api.from_distributions(systems, gold=gold, labels="a<b<c<d")
    assert in_memory.systems == read.systems
    for measures in (None, ["nmd", "rnod:over=all,level=run"]):
        assert api.score(in_memory, measures).to_dict()["tables"] == api.score(read, measures).to_dict()["tables"]


@pytest.mark.parametrize(
    ("systems", "gold", "message"),
    [
        ({"a": [[1.0, 0.0]]}, [[1, 0, 0]], "system 'a': .* expected an array of numbers of shape \\(1, 3\\)"),
        ({"a": [[1.0, 0, 0]]}, [1, 0, 0], "gold: .* expected an array of numbers of shape \\(N, 3\\)"),
        ({"a": [[1.0, 0, 0]]}, [[1, 0, 0], [0, 1, 0]], "of shape \\(2, 3\\)"),
        ({"a": [[1.0, 0, "x"]]}, [[1, 0, 0]], "system 'a': a value of type list"),
        ({"a": [[float("nan"), 1, 0]]}, [[1, 0, 0]], "<distributions>:1: system 'a': no value in column 'x'"),
        ({"a": [[1, 0, -1]]}, [[0, 0, 0]], "no number above 0 for item '1'.*\n.*'-1' in column 'z'"),
        ({"a": [[1, 0, 0]], "b": [[1, 0, -1]]}, [[1, 0, 0]], "<distributions>:1: system 'b': value '-1' in column 'z'"),
    ],
)
def test_wrong_arrays_are_refused(systems: Any, gold: Any, message: str) -> None:
    with pytest.raises(api.InputError, match=message):
        api.from_distributions(systems, gold=gold, labels="x<y<z")


def test_clusters_groups_and_human_scores_are_those_of_items() -> None:
    half = ["first"] * 20 + ["second"] * 20
    alone = [api.score(api.from_distributions({name: of[part] for name, of in shares(1)[0].items()},
                                              gold=shares(1)[1][part], labels="a<b<c<d"), NAMES)
             for part in (slice(20), slice(20, 40))]  # fmt: skip
    by_half = api.score(runs(group={"half": half}), NAMES).to_dict()["tables"]["scores"]
    values = [[row[name] for name in NAMES] for row in by_half if row["group"] == "first"]
    assert values == [[row[name] for name in NAMES] for row in alone[0].to_dict()["tables"]["scores"]]
    clustered = api.compare(runs(clusters={"document": [number // 4 for number in range(40)]}), NAMES, permutations=99)
    assert "clusters:" in clustered.to_dict()["signature"]
    human = {"measure": ["h"] * 3, "system": ["s0", "s1", "s2"], "value": [3, 2, 1]}
    correlations = api.correlate(runs(human=human), "nmd", resamples=20).to_dict()["tables"]["correlations"]
    assert {row["value"] for row in correlations if row["coefficient"] == "kendall-b"} == {1.0}


def test_runs_of_a_system_are_averaged_and_methods_name_the_sources(metaeval: CommandLine) -> None:
    folder = ROOT / "sample_data/reviews/systems"
    files = [f"a@1={folder / 'sharp.csv'}", f"a@2={folder / 'soft.csv'}"]
    rows = metaeval.report("score", *REVIEWS[:6], *files, *TWO)["tables"]["scores"]
    alone = metaeval.report("score", *REVIEWS[:6], folder / "sharp.csv", folder / "soft.csv", *TWO)["tables"]["scores"]
    assert rows[0]["nmd"] == pytest.approx((alone[0]["nmd"] + alone[1]["nmd"]) / 2)
    methods = metaeval.report("compare", *REVIEWS, *TWO, "--methods", "--permutations", "99")["methods"]
    assert "7 systems on 80 items (task distributions)" in methods[0]
    assert "nmd [@sakai2021]" in methods[0]


def test_a_merge_of_classes_adds_their_probabilities() -> None:
    systems, gold = shares(6, 30, (0.5, 0.4, 0.6, 0.7, 0.9))
    data = api.from_distributions(systems, gold=gold, labels="a<b<c<d")
    names = ["nmd", "rnod", "jsd", "cross-entropy", "nmd:level=run"]
    rows = api.merge_classes(data, names, adjacent=True, permutations=99).to_dict()["tables"]["merge_classes"]
    before = api.score(data, names).to_dict()["tables"]["scores"]
    for merge, index, labels in (("a+b", 0, "ab<c<d"), ("b+c", 1, "a<bc<d"), ("c+d", 2, "a<b<cd")):
        merged = {
            name: np.add.reduceat(of, [at for at in range(4) if at != index + 1], axis=1)
            for name, of in systems.items()
        }
        truth = np.add.reduceat(gold, [at for at in range(4) if at != index + 1], axis=1)
        after = api.score(api.from_distributions(merged, gold=truth, labels=labels), names).to_dict()["tables"][
            "scores"
        ]
        after_of = {row["system"]: row for row in after}
        for row in rows:
            pairs = [(one[row["measure"]], after_of[one["system"]][row["measure"]]) for one in before]
            assert row[merge] == pytest.approx(kendalltau(*zip(*pairs, strict=True)).statistic), (merge, row["measure"])
    assert {"ci_low", "ci_high", "corrected"} <= set(rows[0])


def test_merges_have_evidence_of_clusters_and_refuse_what_has_no_meaning(metaeval: CommandLine) -> None:
    crossed = {"document": [number // 4 for number in range(40)], "author": [number % 10 for number in range(40)]}
    report = api.merge_classes(runs(clusters=crossed), ["nmd", "nvd"], adjacent=True, permutations=99).to_dict()
    assert "clusters:" in report["signature"]
    with_interval = [row for row in report["tables"]["merge_classes"] if row["ci_low"] is not None]
    assert all(-1 <= row["ci_low"] < row["mean"] < row["ci_high"] <= 1 for row in with_interval)
    assert "--balance with --task distributions" in metaeval.refuses(
        "merge-classes", *REVIEWS, "-m", "nmd", "--balance"
    )
    values = ("--class-values", "1=1,2=2,3=3,4=4,5=9", "-m", "wasserstein")
    message = metaeval.refuses("merge-classes", *REVIEWS, *values, "--adjacent")
    assert "no value for the merged classes 1+2, 2+3, 3+4, 4+5" in message
    merge_report = metaeval.report("merge-classes", *REVIEWS, *values, "--merge", "4+5", "--merged-values", "4+5=6")
    assert list(merge_report["tables"]["merge_classes"][0])[:2] == ["measure", "4+5"]


def test_logarithms_that_few_items_decide_are_scored_and_not_tested() -> None:
    gold = np.tile([[0.2, 0.8], [0.6, 0.4]], (20, 1))
    systems = {"never": np.tile([0.0, 1.0], (40, 1)), "often": np.tile([0.5, 0.5], (40, 1))}
    pairs = [number // 2 for number in range(40)]
    runs, clustered = (
        api.from_distributions(systems, gold=gold, labels="no<yes", clusters=clusters)
        for clusters in (None, {"pair": pairs})
    )
    fragile, because = "cross-entropy:level=run", "a few items decide the logarithms of smaller ones"
    enough = f"expected shares of at least 0.12 (5 of 40 groups of items): {because}"
    assert api.score(runs, fragile).to_dict()["tables"]["scores"]
    for test in (partial(api.compare, permutations=99), partial(api.robustness, permutations=99)):
        with pytest.raises(api.InputError) as refusal:
            test(runs, fragile)
        assert str(refusal.value).splitlines() == [
            f"a test of {fragile}, where never predicts 0 of class no; {enough}",
            "What to do: set epsilon=0.12 in the measure, or choose jsd:level=run.",
        ]
        assert test(runs, ["cross-entropy:level=run,epsilon=0.12", "cross-entropy", "brier:level=run"])
    with pytest.raises(api.InputError, match=r"0.25 \(5 of 20 groups"):
        api.compare(clustered, "cross-entropy:level=run,epsilon=0.12", permutations=99)


def test_trivial_systems_with_the_shares_of_gold_are_noted(metaeval: CommandLine) -> None:
    notes = metaeval.report("robustness", *REVIEWS, "-m", "nmd:level=run", "--permutations", "99")["notes"]
    assert any(note.startswith("mean of gold and shuffled gold have the class shares of gold") for note in notes)


def test_what_needs_labels_says_so(metaeval: CommandLine) -> None:
    assert "expected data with labels" in metaeval.refuses("score", *REVIEWS, "--trivial")
    assert "expected --task texts" in metaeval.refuses("references", *REVIEWS)
    assert "--on-unknown with --task distributions" in metaeval.refuses("score", *REVIEWS, "--on-unknown", "drop")


@needs_shared_data
def test_soft_labels_of_star_ratings(metaeval: CommandLine) -> None:
    """Judges that predict one star against the votes of human raters, with a plain computation from the file."""
    folder = SHARED_DATA / "cebab_stars_judges"
    votes: dict[str, list[int]] = {}
    for line in (folder / "human_votes.csv").read_text(encoding="utf-8").splitlines()[1:]:
        item, _, label = line.split(",")
        votes.setdefault(item, []).append(int(label))
    options = ("--task", "distributions", "--labels", "1<2<3<4<5", "--gold", folder / "human_votes.csv")
    call = (*options, folder / "systems", "--on-extra", "drop", "-m", "nmd", "-m", "nvd")
    rows = metaeval.report("score", *call)["tables"]["scores"]
    assert len(rows) == 6
    for row in rows:
        lines = (folder / "systems" / f"{row['system']}.csv").read_text(encoding="utf-8").splitlines()[1:]
        stars = {line.split(",")[0]: int(line.split(",")[1]) for line in lines}
        nmd = [np.mean([abs(vote - stars[item]) for vote in item_votes]) / 4 for item, item_votes in votes.items()]
        nvd = [np.mean([vote != stars[item] for vote in item_votes]) for item, item_votes in votes.items()]
        # From a point, the match distance is the mean distance of the votes, the variational one the share of others.
        assert (row["nmd"], row["nvd"]) == (pytest.approx(np.mean(nmd)), pytest.approx(np.mean(nvd)))


def test_a_merge_is_not_found_to_matter_less_because_an_unreliable_ranking_is_corrected_beyond_one(
    metaeval: CommandLine,
) -> None:
    report = metaeval.report("merge-classes", *REVIEWS, "-m", "nmd:level=run", "-m", "nmd", "--permutations", "499")
    run_row = next(row for row in report["tables"]["merge_classes"] if row["measure"] == "nmd:level=run")
    assert run_row["reliability"] < 0.3
    assert run_row["corrected"] == 1 > run_row["corrected_low"]
    assert report["findings"][0]["sentence"].startswith("no two measures differ significantly in sensitivity")
