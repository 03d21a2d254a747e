"""`metaeval plan`: its tables, notes and findings, and data that are too small."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from label_studies import label_files
from score_cubes import score_table

from metaeval.analyses.plan.compute import Goal, Purpose
from metaeval.analyses.plan.goals import Requirement, unknown
from metaeval.analyses.plan.report import amount_text, requirement_sentence

NO_CURVE = (np.empty(0),) * 4

STANCE = ("plan", "--config", "configs/stance.yaml", "-m", "cem-ord", "-m", "macro-f1", "--permutations", "199")
FEW = ("--resamples", "20", "--permutations", "99")
PEOPLE = ("--human", "ann0", "--human", "ann1", "--human", "ann2")


def scores(people: int = 0, systems: int = 8, items: int = 40, *, alike: bool = False) -> str:
    """A wide table of two measures and some annotators."""
    random = np.random.default_rng(5)
    quality = np.zeros(systems) if alike else np.linspace(0, 1, systems)
    columns = {"good": 0.3, "fair": 1.0, **{f"ann{number}": 0.8 for number in range(people)}}
    noise = {name: random.normal(scale=scale, size=(1 if alike else systems, items)) for name, scale in columns.items()}
    return score_table({name: quality[:, np.newaxis] + values for name, values in noise.items()})


@pytest.mark.usefixtures("repository")
def test_the_tables_have_their_public_columns_and_three_goals_a_measure(metaeval: CommandLine) -> None:
    report = metaeval.report(*STANCE)
    assert list(report["tables"]) == ["plan", "plan_curve"]
    rows = report["tables"]["plan"]
    columns = ["measure", "goal", "unit", "needed", "low", "high", "limit", "now"]
    assert list(rows[0]) == [*columns, "clusters of headline", "clusters of body", "required"]
    assert list(report["tables"]["plan_curve"][0]) == ["measure", "goal", "n", "value", "low", "high"]
    assert [(row["measure"], row["goal"].partition(" of ")[0]) for row in rows] == [
        *(("cem-ord", "tau ≥ 0.9"), ("macro-f1", "tau ≥ 0.9")),
        *(("cem-ord", "difference"), ("macro-f1", "difference")) * 2,
    ]
    assert [row["goal"].endswith("0.8, 90 % of pairs") for row in rows] == [False] * 4 + [True] * 2
    assert all(row["unit"] == "items" for row in rows)
    assert rows[0]["low"] < rows[0]["needed"] < rows[0]["high"]
    # As many items a cluster as in the pilot, which has 760 headlines.
    assert rows[0]["clusters of headline"] == pytest.approx(rows[0]["needed"] * 760 / 1413, abs=1)
    assert report["signature"].endswith(
        "tau:0.9|power:0.8|interval-width:0.2|correlation-delta:0.1|permutations:199|resamples:200|alpha:0.05"
    )


@pytest.mark.usefixtures("repository")
def test_the_plan_agrees_with_halves_of_the_pilot(metaeval: CommandLine) -> None:
    halves = metaeval.report(*("stability", *STANCE[1:-2]), "--trials", "10", "--permutations", "199")
    expected = {row["measure"]: row["expected"] for row in halves["tables"]["stability"]}
    curve = metaeval.tables(*STANCE, "--sizes", "706")["plan_curve"]
    for row in curve:
        if row["goal"] == "tau ≥ 0.9":
            # Two disjoint halves are two test sets of 706 items.
            assert row["n"] == 706
            assert row["value"] == pytest.approx(expected[row["measure"]], abs=0.005)


@pytest.mark.usefixtures("repository")
def test_what_power_finds_significant_is_found_in_most_cases(metaeval: CommandLine) -> None:
    # Every larger difference of any pair is significant.
    table = metaeval.tables("power", *STANCE[1:])["power"]
    threshold = {row["measure"]: row["needed"] for row in table}["cem-ord"]
    rows = [
        row
        for row in metaeval.tables(*STANCE, "--delta", f"{threshold:.6f}")["plan"]
        if row["measure"] == "cem-ord" and row["goal"].startswith("difference")
    ]
    assert rows[0]["now"] > rows[1]["now"] > 0.5
    assert rows[0]["needed"] < rows[1]["needed"]


@pytest.mark.usefixtures("repository")
def test_one_per_cent_of_errors_costs_accuracy_a_hundredth(metaeval: CommandLine) -> None:
    rows = metaeval.tables(*STANCE, "-m", "accuracy")["plan"]
    goals = {row["measure"]: row["goal"] for row in rows if row["goal"].endswith("0.8")}
    assert goals["accuracy"] == "difference of 0.01 with power 0.8"
    # It is a different difference of each measure.
    assert len(set(goals.values())) == 3


def test_with_people_systems_and_annotators_are_planned(metaeval: CommandLine, write: Write) -> None:
    path = write("scores.csv", scores(people=3))
    options = ("--interval-width", "0.15", "--correlation-delta", "0.002", "--methods")
    report = metaeval.report("plan", "--task", "table", path, *PEOPLE, *FEW, *options)
    difference = "difference of 0.002 in correlation with power 0.8"
    rows = [row for row in report["tables"]["plan"] if row["unit"] != "items" or "correlation" in row["goal"]]
    assert {(row["measure"], row["unit"], row["goal"]) for row in rows} == {
        (measure, unit, goal)
        for measure in ("good", "fair")
        for unit, goal in (
            *((unit, "interval of width 0.15") for unit in ("systems", "annotators")),
            *((unit, difference) for unit in ("systems", "items")),
        )
    }
    (item_row,) = (row for row in rows if (row["measure"], row["unit"]) == ("good", "items"))
    # Which is the limit for a pair of measures is the same for both.
    assert item_row["needed"] is None or item_row["now"] < 0.8
    assert any(f"a {difference}" in note for note in report["notes"]) == (item_row["limit"] is None)
    assert any("errors on an item are independent between systems" in note for note in report["notes"])
    assert "swaps whole systems" in " ".join(report["methods"])
    sentences = [finding["sentence"] for finding in report["findings"]]
    assert any("systems" in sentence and "with human scores" in sentence for sentence in sentences)
    goals = {row["goal"] for row in report["tables"]["plan_curve"]}
    assert {"interval of width 0.15, systems", "interval of width 0.15, annotators", difference} <= goals


def test_systems_that_are_all_alike_have_no_plan_and_a_note_says_so(metaeval: CommandLine, write: Write) -> None:
    path = write("scores.csv", scores(alike=True))
    report = metaeval.report("plan", "--task", "table", path, *FEW)
    rows = report["tables"]["plan"]
    assert all(row["needed"] is None and row["now"] is None for row in rows)
    # Once for each measure and kind of goal.
    assert [row["required"] for row in rows] == ["no two systems differ"] * 4
    (finding,) = report["findings"]
    assert finding["sentence"] == (
        "no number of items is known for rankings to agree with tau 0.9: no two systems differ"
    )


def test_what_is_out_of_reach_is_left_open(metaeval: CommandLine, write: Write) -> None:
    path = write("scores.csv", scores())
    call = ("plan", "--task", "table", path, "-m", "fair", *FEW, "--tau", "0.9999")
    report = metaeval.report(*call)
    row = report["tables"]["plan"][0]
    assert (row["needed"], row["high"], row["limit"]) == (None, None, 640)
    assert row["required"].startswith("> 640")
    assert "numbers above 16 times those of the pilot are too far to extrapolate to" in report["notes"]
    undefined = metaeval(*call, "-q", "--fail-if", 'plan.fair."tau ≥ 0.9999".needed > 5000')
    assert (undefined.code, "needed is undefined" in undefined.err) == (1, True)
    assert report["findings"][0]["sentence"].startswith("640 items are not enough for rankings to agree")


def test_two_systems_on_few_items_are_a_rough_guess(metaeval: CommandLine, write: Write) -> None:
    path = write("scores.csv", scores(systems=2, items=6))
    report = metaeval.report("plan", "--task", "table", path, "-m", "good", *FEW)
    assert len(report["tables"]["plan"]) == 3
    row = report["tables"]["plan"][0]
    assert (row["needed"], row["required"]) == (None, "only two systems")
    (finding,) = report["findings"]
    assert finding["sentence"].startswith("6 items are too few to estimate")
    assert finding["sentence"].endswith("the plan is a rough guess")


def test_systems_that_differ_alike_on_all_items_show_no_errors_to_plan_by(metaeval: CommandLine, write: Write) -> None:
    path = write("scores.csv", score_table({"acc": [[0] * 12, [1] * 12]}))
    rows = metaeval.tables("plan", "--task", "table", path, *FEW)["plan"]
    assert [row["required"] for row in rows] == ["only two systems", "no difference varies between items"]


def test_few_resamples_of_people_are_told_to_be_few(metaeval: CommandLine, write: Write) -> None:
    path = write("scores.csv", scores(people=3))
    for number, sentence in ((1, "1 resample is too few"), (49, "49 resamples are too few"), (50, None)):
        call = ("plan", "--task", "table", path, *PEOPLE, "-m", "good", "--permutations", "99", "--resamples", number)
        few = [note for note in metaeval.report(*call)["notes"] if "too few for low and high" in note]
        assert [note.startswith(str(sentence)) for note in few] == ([True] if sentence else [])


def test_a_score_costs_a_hundredth_of_its_range(metaeval: CommandLine, write: Write) -> None:
    system, item = np.indices((4, 40))
    path = write("range.csv", score_table({"good": (item + system * (item % 3)) % 21}))
    rows = metaeval.tables("plan", "--task", "table", path, *FEW)["plan"]
    assert rows[1]["goal"] == "difference of 0.2 with power 0.8"


def test_scores_that_some_items_decide_on_alone_have_a_reason_of_their_own(metaeval: CommandLine, write: Write) -> None:
    # Without the one item that is not `0` in gold and in the predictions, MCC is undefined.
    zeros = "0" * 38
    paths = label_files(write, gold=f"0{zeros}1", a=f"0{zeros}1", b=f"1{zeros}1")
    report = metaeval.report("plan", "--labels", "0,1", "-m", "mcc", *FEW, "--gold", *paths)
    rows = report["tables"]["plan"]
    assert {row["required"] for row in rows} == {"scores are undefined without some items"}
    assert not any("nan" in row["goal"] for row in rows)


def test_a_system_without_a_score_is_left_out(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(6)
    gold = random.integers(2, size=50)
    answers = {name: np.where(random.random(50) < right, gold, 1 - gold) for name, right in (("a", 0.9), ("b", 0.6))}
    paths = label_files(write, gold=gold, **answers, constant="0" * 50)
    call = ("plan", "--gold", paths[0], "--labels", "0,1", "-m", "mcc", *FEW, "--delta", "0.1")
    with_constant, without = (metaeval.report(*call, *runs) for runs in (paths[1:], paths[1:3]))
    assert "mcc is undefined (—) for 1 of 3 systems, left out of the plan" in with_constant["notes"]
    assert with_constant["tables"] == without["tables"]


def test_rankings_that_do_not_show_groups_of_systems_have_a_note(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(2)
    call = ("plan", "--task", "table", write("scores.csv", score_table({"weak": random.normal(size=(8, 40))})), *FEW)
    assert any("may have a tau lower by 0.2 than planned for weak" in note for note in metaeval.report(*call)["notes"])
    good = write("scores.csv", scores())
    report = metaeval.report("plan", "--task", "table", good, *FEW, "-m", "good")
    assert not any("than planned for" in note for note in report["notes"])


REQUIRED = {
    "609 (319 to 1,629)": Requirement(608.2, 318.1, 1628.1, 0.9, *NO_CURVE, most=22608, least=50),
    "2,061 (from 770)": Requirement(2061, 770, np.inf, 0.9, *NO_CURVE, most=22608, least=50),
    "60 (up to 90)": Requirement(60, 50, 90, 0.9, *NO_CURVE, most=22608, least=50),
    "at most 50 (up to 90)": Requirement(50, 50, 90, 0.9, *NO_CURVE, most=22608, least=50),
    "> 22,608 (from 770)": Requirement(np.inf, 770, np.inf, 0.9, *NO_CURVE, most=22608.5, least=50),
    "> 22,608": Requirement(np.inf, np.inf, np.inf, 0.9, *NO_CURVE, most=22608, least=50),
    "never enough": Requirement(np.inf, np.inf, np.inf, 0.9, *NO_CURVE, most=np.inf),
    "only two systems": unknown(np.empty(0)),
    "5": Requirement(5, 5, 5, 0.9, *NO_CURVE, most=80),
}


@pytest.mark.parametrize("text", REQUIRED)
def test_every_requirement_is_a_number_a_bound_or_a_reason(text: str) -> None:
    goal = Goal(Purpose.RANKING, "m", "tau ≥ 0.9", "items", REQUIRED[text], "only two systems")
    assert amount_text(goal) == text
    with_unit = amount_text(goal, with_unit=True)
    assert with_unit.replace(" items", "") == text
    assert ("items" in with_unit) == (text[0] in ">a" or text[0].isdecimal())


def test_the_finding_has_the_smallest_and_the_largest_requirement() -> None:
    def sentence(*estimates: tuple[float, float, float], missing: str = "") -> str:
        goals = [
            Goal(Purpose.RANKING, name, "", "items", Requirement(*amounts, 0.9, *NO_CURVE, most=640, least=10), missing)
            for name, amounts in zip("abc", estimates, strict=False)
        ]
        return requirement_sentence(goals, "for this")

    far, some, more, least = (np.inf, np.inf, np.inf), (50, 20, 90), (70, 40, np.inf), (10, 10, 30)
    assert sentence(some) == "50 items under a (95 % interval: 20 to 90) are enough for this"
    assert sentence(more, some) == "50 items under b (95 % interval: 20 to 90) to 70 under a are enough for this"
    assert sentence(some, far) == "50 items under a (95 % interval: 20 to 90) to over 640 under b are enough for this"
    assert sentence(some, some) == "50 items under both measures are enough for this"
    assert sentence(least, some) == "at most 10 items under a to 50 under b are enough for this"
    assert sentence(far, far) == "640 items are not enough for this under any measure"
    assert sentence((np.inf, 300, np.inf)) == "640 items may not be enough for this under a (95 % interval: from 300)"
    unknown_of_both = [(np.nan, np.nan, np.nan)] * 2
    assert sentence(*unknown_of_both, missing="why") == "no number of items is known for this: why"
