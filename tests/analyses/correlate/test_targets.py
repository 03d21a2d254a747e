"""Several human scores, tables for a paper, and partial correlations."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from scipy import stats
from score_cubes import score_table

RANDOM = np.random.default_rng(11)
QUALITY = RANDOM.normal(size=(8, 1)) + RANDOM.normal(scale=0.8, size=(8, 25))
LENGTH = RANDOM.normal(size=(8, 1)) + RANDOM.normal(scale=0.5, size=(8, 25))
SCORES = {
    "one": QUALITY + LENGTH + RANDOM.normal(size=(8, 25)),
    "two": QUALITY + RANDOM.normal(size=(8, 25)),
    "three": QUALITY + RANDOM.normal(scale=3, size=(8, 25)),
    "length": LENGTH,
    "fluency": LENGTH + RANDOM.normal(scale=0.5, size=(8, 25)),
    "meaning": QUALITY + 0.5 * LENGTH + RANDOM.normal(scale=0.5, size=(8, 25)),
}
FEW = ("--resamples", "30", "--permutations", "99")
BARE = ("--interval", "none", "--test", "none")


@pytest.fixture
def call(write: Write) -> tuple[str, ...]:
    return ("--task", "table", write("scores.csv", score_table(SCORES)))


def test_dimensions_are_targets_of_their_own(metaeval: CommandLine, call: tuple[str, ...]) -> None:
    both = metaeval.report(
        "correlate", *call, "--human", "fluency", "--human", "meaning", "-m", "one", "-m", "two", *FEW
    )
    assert {row["human"] for row in both["tables"]["correlations"]} == {"fluency", "meaning"}
    assert not [row for row in both["tables"]["correlations"] if row["best"] is None]
    assert [note for note in both["notes"] if "raters of the same thing are pooled with --human-pool mean" in note]
    elsewhere = both["findings"][-1]["sentence"]
    assert "for meaning" in elsewhere
    for human in ("fluency", "meaning"):
        alone = metaeval.report("correlate", *call, "--human", human, "-m", "one", "-m", "two", *FEW)
        for name in ("correlations", "correlation_differences", "correlation_influence"):
            assert alone["tables"][name] == [row for row in both["tables"][name] if row["human"] == human]
        # Where it leads else is told of the first human scores.
        assert (alone["findings"][0] == both["findings"][0]) == (human == "fluency")


@pytest.mark.parametrize("command", ["recommend", "summary"])
def test_what_takes_one_of_several_human_scores_says_which(
    metaeval: CommandLine, call: tuple[str, ...], command: str
) -> None:
    both, few = ("fluency", "meaning"), ("-m", "one", "-m", "two")
    trials = ("--trials", "20") if command == "summary" else ("--halves", "0", "--permutations", "99")
    for names in (both, both[::-1]):
        humans = tuple(word for name in names for word in ("--human", name))
        report = metaeval.report(command, *call, *humans, *few, *trials)
        (note,) = (note for note in report["notes"] if "the first of 2 human scores" in note)
        assert note.startswith(f"human: correlation with {names[0]}, ")
        alone = metaeval.report("correlate", *call, "--human", names[0], *few, *BARE, "--level", "system")
        values = {
            row["measure"]: row["value"] for row in alone["tables"]["correlations"] if row["coefficient"] == "pearson"
        }
        assert {row["measure"]: row["human"] for row in report["tables"][command]} == pytest.approx(values)
        pooled = metaeval.report(command, *call, *humans, *few, *trials, "--human-pool", "mean")
        assert not [note for note in pooled["notes"] if "the first of" in note]


def test_a_summary_in_a_run_has_the_criteria_of_the_command_and_names_the_file_of_human_scores(
    metaeval: CommandLine, call: tuple[str, ...], write: Write
) -> None:
    ratings = [f"ann,s{system},{system}" for system in range(8)]
    human = write("human.csv", "\n".join(["measure,system,value", *ratings, ""]))
    path = write(
        "c.yaml",
        f"""
data: {{task: table, runs: ["{call[2]}"], human: ["{human}"]}}
measures: [one, two]
stability: {{trials: 20}}
summary: {{}}
correlate: {{resamples: 20, permutations: 99}}
""",
    )
    run, alone = metaeval.report("run", path), metaeval.report("summary", "--config", path)
    assert run["tables"]["summary"] == alone["tables"]["summary"]
    assert run["tables"]["summary"][0]["human"] is not None
    for report in (run, alone):
        assert [file for file in report["provenance"]["files"] if file["path"] == human]


def test_the_wide_table_has_the_values_and_ranks_of_the_long_one(metaeval: CommandLine, call: tuple[str, ...]) -> None:
    data = (*call, "--human", "fluency", "--human", "meaning", "-m", "one", "-m", "two", *FEW)
    tables = metaeval.tables("correlate", *data)
    for row in tables["correlations"]:
        for name, column in (("correlations_by_measure", "value"), ("correlation_ranks", "rank")):
            (wide,) = (
                entry for entry in tables[name] if (entry["human"], entry["measure"]) == (row["human"], row["measure"])
            )
            assert wide[f"{row['level']} {row['coefficient']}"] == row[column]
    for row in tables["correlation_differences"]:
        rows = [
            entry
            for entry in tables["correlation_p_values"]
            if all(entry[name] == row[name] for name in ("human", "level", "coefficient"))
        ]
        matrix = {entry["measure"]: entry for entry in rows}
        for one, other in ((row["measure"], row["other"]), (row["other"], row["measure"])):
            assert matrix[one][other] == row["p_adjusted"]
            assert matrix[one][one] is None


@pytest.mark.parametrize("level", ["system", "item", "global", "by-system"])
def test_partial_correlations_are_those_of_the_formula(
    metaeval: CommandLine, call: tuple[str, ...], level: str
) -> None:
    data = (*call, "--human", "meaning", "--level", level, "--coefficient", "pearson", "--partial", "length", *BARE)
    report = metaeval.report("correlate", *data)
    rows = {row["measure"]: row["value"] for row in report["tables"]["correlations"]}
    assert set(rows) == {"one", "two", "three", "fluency"}

    def vectors(cells: np.ndarray) -> np.ndarray:
        shapes = {"system": cells.mean(axis=1)[np.newaxis], "item": cells.T, "global": cells.reshape(1, -1)}
        rows: np.ndarray = shapes.get(level, cells)
        return rows

    for name, value in rows.items():
        partials = []
        for x, y, z in zip(*(vectors(SCORES[one]) for one in (name, "meaning", "length")), strict=True):
            xy, xz, yz = (stats.pearsonr(*pair).statistic for pair in ((x, y), (x, z), (y, z)))
            partials.append((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))
        assert value == pytest.approx(np.mean(partials), abs=1e-9), name


def test_what_is_given_may_be_a_file(metaeval: CommandLine, call: tuple[str, ...], write: Write) -> None:
    path = write("length.csv", score_table({"value": LENGTH}))
    data = (*call, "--human", "meaning", "-m", "one", "-m", "two", *FEW)
    by_file = metaeval.report("correlate", *data, "--partial", path)
    by_name = metaeval.report("correlate", *data, "-m", "length", "--partial", "length")
    assert by_file["tables"]["correlations"] == by_name["tables"]["correlations"]
    assert [file["path"] for file in by_file["provenance"]["files"]][-1].endswith("length.csv")
    message = metaeval.refuses("correlate", *data, "--partial", "lenght")
    assert "lenght" in message
