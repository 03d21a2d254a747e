"""`metaeval sensitivity`: grids, weightings, human scores, and errors."""

import json
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, refusals
from stats.test_association import ORACLES

from metaeval.analyses.sensitivity.report import Best, on_correlations, on_rankings

pytestmark = pytest.mark.usefixtures("repository")

R4C = ("--config", "configs/r4c.yaml")
RUMOUR = ("--config", "configs/rumour2017.yaml")
FNC1 = ("--config", "configs/stance.yaml")

# Scarton et al. (2020), section 4: their own, Mama Edha's and UPV's.
WEIGHTINGS = {
    "scarton": {"support": 0.40, "deny": 0.40, "query": 0.15, "comment": 0.05},
    "mama-edha": {"support": 0.157, "deny": 0.396, "query": 0.399, "comment": 0.048},
    "upv": {"support": 0.2, "deny": 0.35, "query": 0.35, "comment": 0.1},
}


def scores_of(metaeval: CommandLine, *arguments: object) -> dict[str, dict[str, float]]:
    """Scores of `metaeval score` by measure and system; the systems in order of their names."""
    rows = sorted(metaeval.tables("score", *arguments)["scores"], key=lambda row: str(row["system"]))
    return {
        measure: {row["system"]: row[measure] for row in rows if not row.get("trivial")}
        for measure in rows[0]
        if measure not in ("system", "trivial")
    }


def correlation(coefficient: str, x: Iterable[float], y: Iterable[float]) -> float:
    return ORACLES[coefficient](np.array([*x]), np.array([*y]))


def ratings_of(systems: Sequence[str], ratings: Sequence[float]) -> str:
    return "system,ann\n" + "".join(f"{system},{rating}\n" for system, rating in zip(systems, ratings, strict=True))


def systems_of(folder: str) -> list[str]:
    """The names of the systems of a folder of the sample data."""
    return sorted(path.stem for path in Path(f"sample_data/{folder}/systems").iterdir())


def measure_options(measures: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for name in measures for word in ("-m", name))


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: cell for name, cell in row.items() if name not in names}


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A file of the three weightings."""
    path, labels = tmp_path / "weights.csv", list(WEIGHTINGS["scarton"])
    rows = [",".join([name, *(str(of[label]) for label in labels)]) for name, of in WEIGHTINGS.items()]
    path.write_text("\n".join([",".join(["weights", *labels]), *rows, ""]))
    return path


# Human scores: two raters, and the four systems that they rated

PEOPLE = {"ann": (5.0, 1.0, 2.0, 3.0), "bob": (4.0, 2.0, 3.0, 1.0)}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Ratings of the derivations in the sample data by two raters."""
    path, columns = tmp_path / "people.csv", PEOPLE.values()
    rows = [f"{system},{rating},{other}" for system, rating, other in zip(systems_of("r4c"), *columns, strict=True)]
    path.write_text("\n".join(["system,ann,bob", *rows, ""]))
    return path


GRID = ("--grid", "beta=0.5:2:0.5", "--grid", "level=entity,relation,full")
POINTS = [(beta, level) for beta in ("0.5", "1", "1.5", "2") for level in ("entity", "relation", "full")]


# The grid


@pytest.mark.parametrize(
    ("config", "name", "grid"),
    [
        ("configs/r4c.yaml", "r4c-rouge", {"beta": ("0.5", "1", "2"), "level": ("entity", "relation", "full")}),
        ("configs/news.yaml", "wsk", {"lambda": ("0", "0.5", "1"), "d": ("2", "3")}),
        ("configs/stance.yaml", "mae", {"average": ("macro", "micro")}),
    ],
)
def test_a_grid_is_its_measures_one_by_one(
    metaeval: CommandLine, config: str, name: str, grid: dict[str, tuple[str, ...]]
) -> None:
    """Of derivations, of texts, and of labels with a measure of which lower is better."""
    call = ("--config", config)
    options = (word for parameter, values in grid.items() for word in ("--grid", f"{parameter}={','.join(values)}"))
    tables = metaeval.tables("sensitivity", *call, "-m", name, *options)
    points = [dict(zip(grid, point, strict=True)) for point in product(*grid.values())]
    names = [f"{name}:" + ",".join(f"{key}={value}" for key, value in point.items()) for point in points]
    single = scores_of(metaeval, *call, *measure_options(names))
    (default,) = scores_of(metaeval, *call, "-m", name).values()
    assert [{key: row[key] for key in grid} for row in tables["sensitivity"]] == points
    for row, cells, scores in zip(tables["sensitivity"], tables["sensitivity_scores"], single.values(), strict=True):
        assert without(cells, "measure", *grid) == pytest.approx(scores, abs=1e-12)
        assert row["score"] == pytest.approx(np.mean(list(scores.values())), abs=1e-12)
        assert row["tau"] == pytest.approx(correlation("kendall-b", scores.values(), default.values()), abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "grid", "point"),
    [
        ("r4c-rouge", "beta=0.5:2:0.5", "1"),
        ("r4c-rouge:beta=2", "beta=0.5:2:0.5", "2"),
        ("r4c-rouge:beta=2", "level=entity,full", "full"),
        ("r4c-align:stat=recall", "stat=precision,recall,f", "recall"),
    ],
)
def test_the_ranking_at_the_default_itself_is_that_of_the_default(
    metaeval: CommandLine, measure: str, grid: str, point: str
) -> None:
    rows = metaeval.tables("sensitivity", *R4C, "-m", measure, "--grid", grid)["sensitivity"]
    (row,) = [row for row in rows if row[grid.partition("=")[0]] == point]
    assert row["tau"] == 1
    assert row["measure"] == measure
    (mean,) = scores_of(metaeval, *R4C, "-m", measure).values()
    assert row["score"] == pytest.approx(np.mean(list(mean.values())), abs=1e-12)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall-b"])
def test_the_best_setting_and_how_flat_it_is_equal_a_search(
    metaeval: CommandLine, people: Path, coefficient: str
) -> None:
    call = (*R4C, *measure_options(("r4c-rouge", "r4c-align")), *GRID, "--human", people)
    tables = metaeval.tables("sensitivity", *call, "--coefficient", coefficient)
    assert "sensitivity_map" not in tables
    best_rows = {(row["measure"], row["human"]): row for row in tables["sensitivity_best"]}
    assert len(best_rows) == 6
    for measure in ("r4c-rouge", "r4c-align"):
        rows = [row for row in tables["sensitivity_scores"] if row["measure"] == measure]
        columns: dict[str, list[float]] = {}
        for human, ratings in PEOPLE.items():
            columns[human] = [
                correlation(coefficient, without(row, "measure", "beta", "level").values(), ratings) for row in rows
            ]
        columns["mean"] = [float(np.mean(pair)) for pair in zip(*columns.values(), strict=True)]
        settings = [row for row in tables["sensitivity"] if row["measure"] == measure]
        for human, values in columns.items():
            assert [row[human] for row in settings] == pytest.approx(values, abs=1e-9)
            row = best_rows[measure, human]
            best = max(values)
            assert row["value"] == pytest.approx(best, abs=1e-9)
            assert row["flat"] == pytest.approx(np.mean([value >= best - 0.01 for value in values]))
            names = [f"beta={beta},level={level}" for beta, level in POINTS]
            assert values[names.index(row["best"])] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("number", [2, 1, 0])
def test_the_cells_of_the_map_are_those_of_the_long_table(metaeval: CommandLine, people: Path, number: int) -> None:
    people.write_text("\n".join(",".join(line.split(",")[: 1 + number]) for line in people.read_text().splitlines()))
    tables = metaeval.tables("sensitivity", *R4C, "-m", "r4c-rouge", *GRID, *(("--human", people) if number else ()))
    column = ("tau", "ann", "mean")[number]
    assert [row["human"] for row in tables.get("sensitivity_best", [])] == [[], ["ann"], ["ann", "bob", "mean"]][number]
    cells = {(row["beta"], f"level={row['level']}"): row[column] for row in tables["sensitivity"]}
    map_cells = {
        (row["beta"], name): cell for row in tables["sensitivity_map"] for name, cell in without(row, "beta").items()
    }
    assert map_cells == cells
    assert list(map_cells) == list(cells)


def test_people_who_rated_some_items_are_followed_as_correlate_says(metaeval: CommandLine, tmp_path: Path) -> None:
    systems, path = systems_of("r4c"), tmp_path / "some.csv"
    items = list(json.loads(Path("sample_data/r4c/references.json").read_text()))[:3]
    rows = [
        f"{name},{item},{(index * 5 + n) % 7}" for index, name in enumerate(systems) for n, item in enumerate(items)
    ]
    path.write_text("\n".join(["system,item,ann", *rows, ""]))
    row = metaeval.tables("sensitivity", *R4C, "-m", "r4c-rouge", "--grid", "beta=1", "--human", path)["sensitivity"][0]
    bare = ("--coefficient", "pearson", "--interval", "none", "--test", "none", "--level", "system")
    report = metaeval.report("correlate", *R4C, "-m", "r4c-rouge", "--human", path, *bare)
    assert row["ann"] == pytest.approx(report["tables"]["correlations"][0]["value"], abs=1e-12)


def test_constant_people_have_no_best_setting(metaeval: CommandLine, people: Path, tmp_path: Path) -> None:
    flat = tmp_path / "flat.csv"
    flat.write_text("".join(f"{line.split(',')[0]},{'flat' if n == 0 else 3}\n" for n, line in
                            enumerate(people.read_text().splitlines())))  # fmt: skip
    tables = metaeval.tables("sensitivity", *R4C, "-m", "r4c-rouge", *GRID, "--human", flat)
    assert {row["flat"] for row in tables["sensitivity"]} == {None}
    (row,) = tables["sensitivity_best"]
    assert (row["best"], row["value"], row["flat"]) == (None, None, None)


def test_a_person_or_a_parameter_with_the_name_of_a_column_hides_nothing(
    metaeval: CommandLine, people: Path, weights: Path
) -> None:
    # 'score' is what ratings of systems are often called.
    call = ("sensitivity", *R4C, "-m", "r4c-rouge", "--grid", "beta=1,2")
    plain = metaeval.tables(*call)["sensitivity"]
    for name in ("score", "tau", "beta", "mean"):
        people.write_text(people.read_text().replace(people.read_text().partition(",")[2].partition(",")[0], name, 1))
        rows = metaeval.tables(*call, "--human", people)["sensitivity"]
        assert [len(row) for row in rows] == [len(plain[0]) + 3] * 2
        assert all(row.items() >= plain_row.items() for row, plain_row in zip(rows, plain, strict=True))
    weighted = ("-m", "weighted-accuracy", "--weights", weights, "--grid", "weights=inverse,scale")
    rows = metaeval.tables("sensitivity", *RUMOUR, *weighted)["sensitivity"]
    assert [(row["weighting"], row["weights"]) for row in rows] == [*product(WEIGHTINGS, ("inverse", "scale"))]


UNDEFINED = ("-m", "pairwise-accuracy", "--grid", "min-gap=1,2,5")
"""No two items of three classes are five classes apart."""


def test_a_setting_without_scores_has_no_ranking_and_is_never_the_best(metaeval: CommandLine, tmp_path: Path) -> None:
    systems, path = systems_of("fnc1"), tmp_path / "people.csv"
    path.write_text(ratings_of(systems, np.random.default_rng(4).random(len(systems)).tolist()))
    report = metaeval.report("sensitivity", *FNC1, *UNDEFINED, "--human", path)
    assert [note for note in report["notes"] if "undefined" in note or "no tau" in note]
    tables = report["tables"]
    rows = {row["min-gap"]: row for row in tables["sensitivity"]}
    assert without(rows["5"], "measure", "min-gap") == {"score": None, "tau": None, "ann": None}
    assert rows["1"]["tau"] == 1
    (best,) = tables["sensitivity_best"]
    assert best["best"] == f"min-gap={max('12', key=lambda gap: float(rows[gap]['ann']))}"
    assert best["flat"] == pytest.approx(1 / 3)
    assert {cell for name, cell in tables["sensitivity_scores"][2].items() if name in systems} == {None}


def test_measures_are_not_compared_by_how_much_their_rankings_change() -> None:
    changing, constant, undefined = np.array([1.0, 0.5, np.nan]), np.array([1.0, 1.0]), np.array([np.nan])
    (finding,) = on_rankings("xyz", [changing, np.array([0.25, 1.0]), constant])
    expected = "settings change the default ranking under x and y (lowest tau 0.25 to 0.50)"
    assert finding.sentence == f"{expected}, not under z"
    (nothing,) = on_rankings("xy", [constant, constant])
    assert nothing.sentence == "no setting changes the ranking of the systems"
    (some_undefined,) = on_rankings("xy", [constant, undefined])
    assert some_undefined.sentence == "no setting changes the ranking of the systems under x"
    assert on_rankings("x", [undefined]) == []


def test_measures_are_not_compared_by_their_highest_correlations() -> None:
    x, y = Best("x", "mean", "beta=2", 0.9, 0.25), Best("y", "mean", "beta=1", 0.7, 1.0)
    (single,) = on_correlations([Best("x", "ann", "beta=3", 0.95, 0.5), x])
    highest = "the correlation of x with human scores (mean) is highest at beta=2 (0.90)"
    assert single.sentence == f"on these data, {highest}. 25% of the settings are within 0.01 of it"
    for rows in ([x, y], [y, x, Best("z", "mean")]):
        (several,) = on_correlations(rows)
        highest = "the highest correlation with human scores (mean) over the settings is 0.70 to 0.90 under 2 measures"
        flat = "25% to 100% of the settings of a measure are within 0.01 of its highest"
        assert several.sentence == f"on these data, {highest}. {flat}"
    assert on_correlations([Best("z", "mean")]) == []


# Weightings of classes


def test_three_weightings_of_scarton_et_al_equal_their_scores_one_by_one(metaeval: CommandLine, weights: Path) -> None:
    measures = ("wauc", "weighted-f", "weighted-f:beta=2")
    tables = metaeval.tables("sensitivity", *RUMOUR, *measure_options(measures), "--weights", weights)
    default = scores_of(metaeval, *RUMOUR, *measure_options(measures))
    for name, class_weights in WEIGHTINGS.items():
        typed = ",".join(f"{label}={weight}" for label, weight in class_weights.items())
        single = scores_of(metaeval, *RUMOUR, *measure_options(measures), "--class-weights", typed)
        for measure in measures:
            (score_row,) = [
                row for row in tables["sensitivity_scores"] if (row["measure"], row["weighting"]) == (measure, name)
            ]
            (row,) = [row for row in tables["sensitivity"] if (row["measure"], row["weighting"]) == (measure, name)]
            assert without(score_row, "measure", "weighting") == pytest.approx(single[measure], abs=1e-12)
            assert row["score"] == pytest.approx(np.mean(list(single[measure].values())), abs=1e-12)
            assert row["tau"] == pytest.approx(
                correlation("kendall-b", single[measure].values(), default[measure].values()), abs=1e-12
            )
            # Those of the task are those of Scarton et al.
            assert row["tau"] == 1 or name != "scarton"


def test_weightings_and_a_grid_make_a_map(metaeval: CommandLine, weights: Path) -> None:
    report = metaeval.report("sensitivity", *RUMOUR, "-m", "weighted-f", "--weights", weights, "--grid", "beta=1,2")
    rows = report["tables"]["sensitivity"]
    assert [(row["weighting"], row["beta"]) for row in rows] == [(name, beta) for name in WEIGHTINGS for beta in "12"]
    map_rows = report["tables"]["sensitivity_map"]
    assert [list(row) for row in map_rows] == [["weighting", "beta=1", "beta=2"]] * 3
    assert [cell for row in map_rows for cell in without(row, "weighting").values()] == [row["tau"] for row in rows]
    assert [(file["path"], file["role"]) for file in report["provenance"]["files"]][-1] == (str(weights), "weights")


def test_weightings_and_people_name_the_best_weighting(metaeval: CommandLine, tmp_path: Path, weights: Path) -> None:
    systems, people = systems_of("rumoureval2017"), tmp_path / "people.csv"
    ratings = np.random.default_rng(2).permutation(len(systems)).astype(float).tolist()
    people.write_text(ratings_of(systems, ratings))
    tables = metaeval.tables("sensitivity", *RUMOUR, "-m", "wauc", "--weights", weights, "--human", people)
    values = {}
    for row in tables["sensitivity_scores"]:
        scores = [row[system] for system in systems]
        values[row["weighting"]] = correlation("pearson", scores, ratings)
    assert {row["weighting"]: row["ann"] for row in tables["sensitivity"]} == pytest.approx(values, abs=1e-9)
    (best,) = tables["sensitivity_best"]
    assert best["best"] == f"weighting={max(values, key=lambda name: values[name])}"


# Errors


@refusals("""
-q => no grid; expected values of a parameter, or weightings of the classes | use --grid lambda=0:1:0.1, for example
--grid lamda=0:1:0.5 => parameter 'lamda' of measure 'wsk' | did you mean 'lambda'?
--grid level=full => 'level' | wsk
--grid lambda=0:1.2:0.2 => lambda=1.2 in measure 'wsk'; expected a number from 0 to 1
--grid lambda=0.5,x => lambda=x in measure 'wsk'; expected a number from 0 to 1
--grid d=1:2:0.5 => d=1.5 in measure 'wsk'
--grid d => grid 'd'; expected parameter=from:to:step or parameter=value,value
--grid lambda=0:1:0.001 --grid beta=0:1:0.001 => a grid of more than 100,000 points
--grid d=2,3 --coefficient pearsn => unknown coefficient 'pearsn'. Did you mean 'pearson'
--weights configs/r4c.yaml => configs/r4c.yaml
""")
def test_what_does_not_go_together_is_told(metaeval: CommandLine, words: tuple[str, ...], parts: list[str]) -> None:
    metaeval.refuses_with(parts, "sensitivity", "--config", "configs/news.yaml", "-m", "wsk", *words)


def test_a_parameter_that_one_of_several_measures_has_not_is_told(metaeval: CommandLine) -> None:
    message = metaeval.refuses("sensitivity", *RUMOUR, "-m", "weighted-f", "-m", "wauc", "--grid", "beta=1,2")
    assert "parameter 'beta' of measure 'wauc'; expected no parameter" in message


def test_weightings_of_texts_and_grids_of_tables_are_refused(
    metaeval: CommandLine, tmp_path: Path, weights: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("system,item,bleu\na,x,1\na,y,2\nb,x,3\nb,y,1\n")
    message = metaeval.refuses("sensitivity", "--config", "configs/news.yaml", "-m", "wsk", "--weights", weights)
    assert "weightings of classes with --task texts; expected data with labels" in message
    for options in (("--grid", "d=1,2"), ("--weights", weights)):
        message = metaeval.refuses("sensitivity", "--task", "table", table, *options)
        assert "a grid of parameters with --task table, where only scores are known" in message
        assert "expected labels, texts or derivations" in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("weights,support,deny,query,comment\na,1,1,1,1\nb,1,2,1\n", ":3: 4 cells; expected 5"),
        ("weights,support,deny,huh\na,.4,.4,.2\n", "class 'huh'; expected one of"),
        ("weights,support,deny,query\na,.4,.4,.2\n", "no class weight for 'comment'"),
        ("weights,support,deny,query,comment\na,0,0,0,0\n", "class weights '0, 0, 0, 0'; expected finite numbers"),
    ],
)
def test_a_broken_file_of_weightings_is_told(metaeval: CommandLine, tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "weights.csv"
    path.write_text(text)
    message = metaeval.refuses("sensitivity", *RUMOUR, "-m", "wauc", "--weights", path)
    assert part in message
    assert "weights.csv" in message


def test_systems_that_are_all_tied_have_no_ranking_at_any_setting(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\na,x\nb,y\nc,x\n")
    tables = metaeval.tables(
        "sensitivity", "--gold", gold, f"one={gold}", f"two={gold}", "-m", "f-beta", "--grid", "beta=1,2"
    )
    assert [row["tau"] for row in tables["sensitivity"]] == [None, None]
    assert [row["score"] for row in tables["sensitivity"]] == [1, 1]
