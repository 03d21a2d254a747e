"""Which cells a condition speaks of, and whether it holds of them."""

import math
import re
from collections.abc import Sequence

import pytest

from metaeval.gates import ConditionError, Outcome, Verdict, judge, parse_gates
from metaeval.model.report import Cell, Column, Kind, Provenance, Report, Table


def report_of(*tables: Table) -> Report:
    return Report("run", "metaeval:0.1.0", tables, (), Provenance("0.1.0"))


def columns(texts: str, scores: str = "", counts: str = "", flags: str = "") -> tuple[Column, ...]:
    kinds = ((texts, Kind.TEXT), (scores, Kind.SCORE), (counts, Kind.COUNT), (flags, Kind.FLAG))
    return tuple(Column(name, kind) for names, kind in kinds for name in names.split())


def scores(*rows: tuple[Cell, ...]) -> Table:
    names = "accuracy macro-f1 wsk:d=2,lambda=0.5"
    ranks = Table("ranks", "Ranks", columns("system", counts=names), tuple((row[0], 1, 2, 3) for row in rows))
    return Table("scores", "Scores", columns("system", names), rows, beside=ranks)


SYSTEMS = scores(("a.b", 0.9, 0.75, 0.5), ("my system", 0.8, math.nan, 0.25), ("c", 0.5, 0.0, 0.125), ("5", 1, 1, 1))
CORRELATIONS = Table(
    "correlations",
    "Correlations",
    columns("measure level coefficient", "value low", "n", "best"),
    (
        ("rouge-l", "system", "kendall-b", 0.6, 0.29, 6, True),
        ("rouge-l", "system", "pearson", 0.7, 0.41, 6, False),
        ("rouge-l", "item", "pearson", 0.2, 0.1, 60, False),
        ("rouge-n:n=1", "system", "pearson", 0.5, math.nan, 6, False),
        ("rouge-n:n=2", "system", "pearson", 0.4, 0.2, 6, True),
    ),
)
PAIRS = Table(
    "similarity_intervals", "Pairs", columns("measure other", "value"), (("kappa", "mae", 0.5), ("mcc", "kappa", 0.25))
)
CURVE = Table("curve", "Curve", columns("measure", "mean", "items"), (("mae", 0.5, 100), ("mae", 0.75, 200)))
STABILITY = Table("stability", "Stability", columns("measure", "mean"), (("cem-ord", 0.55123456789), ("mae", 0.7)))
REPORT = report_of(SYSTEMS, CORRELATIONS, PAIRS, CURVE, STABILITY, Table("total", "One", columns("", "value"), ((7,),)))


def judged(condition: str, report: Report = REPORT, baseline: Report | None = None) -> Outcome:
    (outcome,) = judge(parse_gates([condition], baseline=baseline is not None), report, baseline)
    assert outcome.condition == condition
    return outcome


def value_of(path: str) -> float:
    return judged(f"{path} < -5").value


def refused(*conditions: str, report: Report = REPORT, baseline: Report | None = None) -> ConditionError:
    with pytest.raises(ConditionError) as caught:
        judge(parse_gates(conditions, baseline=baseline is not None), report, baseline)
    return caught.value


def pointed(error: ConditionError) -> list[str]:
    return [mistake.condition[slice(*mistake.span)] for mistake in error.mistakes]


# Which cell a path stands for


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("scores.a.b.accuracy", 0.9),
        ("scores.a.b.wsk:d=2,lambda=0.5", 0.5),
        ('scores."a.b"."wsk:d=2,lambda=0.5"', 0.5),
        ("scores.a.b.wsk", 0.5),
        ('scores."my system".accuracy', 0.8),
        ("scores.'my system'.accuracy", 0.8),
        ("scores.5.accuracy", 1.0),
        ("ranks.a.b.macro-f1", 2.0),
        ("correlations.rouge-l.kendall.low", 0.29),
        ("correlations.rouge-l.system.kendall-b.low", 0.29),
        ("correlations.kendall-b.system.rouge-l.low", 0.29),
        ("correlations.rouge-l.item.value", 0.2),
        ("correlations.item.n", 60.0),
        ("similarity_intervals.kappa.mae.value", 0.5),
        ("similarity_intervals.mae.kappa.value", 0.5),
        ("similarity_intervals.kappa.mcc.value", 0.25),
        ("curve.mae.200.mean", 0.75),
        ("curve.100.mean", 0.5),
        ("total.value", 7.0),
    ],
)
def test_a_path_leads_to_a_cell(path: str, value: float) -> None:
    assert value_of(path) == value


def test_a_whole_name_wins_over_one_that_it_begins() -> None:
    table = Table("t", "T", columns("measure", "f1 f"), (("kendall-b", 0.5, 1.5), ("kendall", 0.25, 1.25)))
    assert judged("t.kendall.f < 0", report_of(table)).value == 1.25


@pytest.mark.parametrize("lost", ["atlas", "atlas_large", "roberta"])
def test_a_condition_on_a_lost_run_judges_no_other(lost: str) -> None:
    names = ("atlas_base", "atlas_large-v2", "roberta:seed=1")
    report = report_of(
        scores(*((name, 0.9, 0.9, 0.9) for name in names)),
        Table("wins", "Wins", columns("system other", "wins"), ((names[0], names[1], 1.0), (names[0], names[2], 2.0))),
        Table("chosen", "Chosen", columns("best", "value"), tuple((name, 0.9) for name in names)),
    )
    for condition in (f"scores.{lost}.accuracy < 0.5", f"wins.{lost}.wins < 0", f"chosen.{lost}.value < 0"):
        error = refused(condition, report=report)
        assert pointed(error) == [lost]
        assert "did you mean '" in str(error)


def test_the_settings_of_a_name_may_be_left_out() -> None:
    table = Table("t", "T", columns("measure", "kappa:weights=linear"), (("kendall-b", 0.5), ("kappa:x=1", 0.25)))
    assert judged("t.kendall.kappa < 0", report_of(table)).value == 0.5
    assert judged("t.kappa.kappa < 0", report_of(table)).value == 0.25


def test_the_longest_run_of_parts_that_is_a_name_is_taken_unless_quotes_say_otherwise() -> None:
    table = Table("t", "T", columns("one other", "x"), (("a", "b", 1.0), ("a.b", "c", 2.0)))
    assert judged("t.a.b.x < 0", report_of(table)).value == 2
    assert judged('t."a"."b".x < 0', report_of(table)).value == 1


@pytest.mark.parametrize(
    ("condition", "place", "says"),
    [
        ("scors.a.b.accuracy < 1", "scors", "did you mean 'scores'?"),
        ("scores.a.b.acuracy < 1", "acuracy", "did you mean 'accuracy'?"),
        ("scores.a.b.zzz < 1", "zzz", "one of system, accuracy, macro-f1"),
        ("scores.my.accuracy-0.1 < 1", "accuracy-0.1", "put spaces around the operator: accuracy - 0.1"),
        ("stability.cem-od.mean < 1", "cem-od", "did you mean 'cem-ord'?"),
        ("stability.zzz.mean < 1", "zzz", "one of cem-ord, mae"),
        ("scores.x.b.accuracy < 1", "x.b", "did you mean 'a.b'?"),
        ("correlations.rouge-n.pearson.low < 1", "rouge-n", "could be 'rouge-n:n=1' or 'rouge-n:n=2'"),
        ("correlations.item.kendall.low < 1", "kendall", "which no row has together with 'item'"),
        ("correlations.item.kend.low < 1", "kend", "did you mean 'kendall-b'?"),
        ("scores.a.b.macro-f < 1", "macro-f", "did you mean 'macro-f1'?"),
        ("correlations.item.kendall-b.low < 1", "item.kendall-b", "no row of the table 'correlations' with all of"),
        ("correlations.rouge-l.low < 1", "correlations.rouge-l.low", "3 rows"),
        ("correlations.*.*.low < 1", "*", "a second '*'"),
        ("scores.accuracy < 1", "scores.accuracy", "system (a.b, my system, c, 5)"),
    ],
)
def test_a_name_that_is_not_there_is_pointed_at(condition: str, place: str, says: str) -> None:
    error = refused(condition)
    assert pointed(error) == [place]
    assert says in str(error)


def test_rows_that_a_path_does_not_tell_apart_are_named_by_what_does() -> None:
    says = str(refused("correlations.rouge-l.low < 1"))
    assert "they differ in level (system, item); coefficient (kendall-b, pearson); n (6, 60);" in says
    assert "measure (" not in says
    assert "'*' for any" in says


def test_the_names_of_all_conditions_are_looked_up_before_one_is_refused() -> None:
    error = refused("scors.a.b.accuracy < 1", "stability.mae.mean < 1", "stability.mae.men < stability.x.mean")
    assert pointed(error) == ["scors", "men", "x"]


# Whether it holds


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("stability.cem-ord.mean < 0.6", Verdict.FAILED),
        ("0.6 > stability.cem-ord.mean", Verdict.FAILED),
        ("stability.cem-ord.mean < 0.55", Verdict.PASSED),
        ("stability.cem-ord.mean <= 0.55123456789", Verdict.FAILED),
        ("stability.cem-ord.mean < 0.55123456789", Verdict.PASSED),
        ("stability.cem-ord.mean != 0.55123456789", Verdict.PASSED),
        ("correlations.rouge-l.kendall.n == 6", Verdict.FAILED),
        ("correlations.rouge-l.kendall.low < 0.3", Verdict.FAILED),
        ("scores.c.accuracy - scores.a.b.accuracy < -0.3", Verdict.FAILED),
        ("-scores.c.accuracy * 2 / 4 + 1 >= 0.75", Verdict.FAILED),
        ("scores.c.accuracy < 0.4 or scores.c.macro-f1 < 0.4", Verdict.FAILED),
        ("scores.c.accuracy < 0.4 and scores.c.macro-f1 < 0.4", Verdict.PASSED),
        ("not scores.c.accuracy < 0.4", Verdict.FAILED),
        ("correlations.rouge-l.kendall.best == true", Verdict.FAILED),
        ("correlations.rouge-l.kendall.best != true", Verdict.PASSED),
        ('correlations.rouge-l.kendall.level == "system"', Verdict.FAILED),
        ("correlations.rouge-l.kendall.level != 'system'", Verdict.PASSED),
        ("correlations.rouge-l.kendall.level == correlations.rouge-l.item.level", Verdict.PASSED),
        ("scores.'my system'.macro-f1 < 0.5", Verdict.UNDEFINED),
        ("scores.'my system'.macro-f1 == scores.'my system'.macro-f1", Verdict.UNDEFINED),
        ("scores.'my system'.macro-f1 * 0 < 0.5", Verdict.UNDEFINED),
        ("scores.c.accuracy / scores.c.macro-f1 < 0.5", Verdict.UNDEFINED),
        ("scores.c.accuracy * 1e308 * 1e308 > 0.5", Verdict.UNDEFINED),
        ("not scores.'my system'.macro-f1 < 0.5", Verdict.UNDEFINED),
    ],
)
def test_a_gate_fails_where_its_condition_holds(condition: str, verdict: Verdict) -> None:
    assert judged(condition).verdict is verdict


TRUE, FALSE, UNKNOWN = "scores.c.accuracy < 1", "scores.c.accuracy > 1", "scores.'my system'.macro-f1 < 1"


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        (f"{TRUE} or {UNKNOWN}", Verdict.FAILED),
        (f"{UNKNOWN} or {TRUE}", Verdict.FAILED),
        (f"{FALSE} or {UNKNOWN}", Verdict.UNDEFINED),
        (f"{FALSE} and {UNKNOWN}", Verdict.PASSED),
        (f"{UNKNOWN} and {FALSE}", Verdict.PASSED),
        (f"{UNKNOWN} and {TRUE}", Verdict.UNDEFINED),
        (f"{TRUE} and {TRUE}", Verdict.FAILED),
        (f"{FALSE} or {FALSE}", Verdict.PASSED),
    ],
)
def test_what_is_undefined_decides_only_what_it_can_change(condition: str, verdict: Verdict) -> None:
    assert judged(condition).verdict is verdict


def test_an_undefined_cell_does_not_pass_and_is_named() -> None:
    outcome = judged("scores.'my system'.macro-f1 < 0.5")
    assert not outcome.passed
    assert outcome.reason == 'scores."my system".macro-f1 is undefined'
    assert math.isnan(outcome.value)
    assert "division by zero" in judged("scores.c.accuracy / scores.c.macro-f1 < 0.5").reason


@pytest.mark.parametrize(
    ("condition", "place", "says"),
    [
        ("correlations.rouge-l.kendall.level < 1", "correlations.rouge-l.kendall.level < 1", "words compared with"),
        ("stability.mae.mean == 'x'", "stability.mae.mean == 'x'", "a number compared with words"),
        ("stability.mae.mean == true", "stability.mae.mean == true", "a number compared with true or false"),
        ("correlations.rouge-l.kendall.level + 1 < 1", "correlations.rouge-l.kendall.level", "words to reckon with"),
        ("-correlations.rouge-l.kendall.best < 1", "correlations.rouge-l.kendall.best", "true or false to reckon"),
        ("correlations.item.level < correlations.item.level", "correlations.item.level", "words with '<'"),
    ],
)
def test_words_are_not_reckoned_with(condition: str, place: str, says: str) -> None:
    error = refused(condition)
    assert pointed(error) == [place]
    assert says in str(error)


# Any row, any column


@pytest.mark.parametrize(
    ("condition", "verdict", "reason"),
    [
        ("scores.*.accuracy < 0.6", "failed", "scores.c.accuracy is 0.5000, below 0.6, alone of 4 cells"),
        ("scores.*.accuracy < 0.85", "failed", "scores.c.accuracy is 0.5000, below 0.85, and so is 1 more of 4 cells"),
        ("scores.*.accuracy > 0.1", "failed", "scores.5.accuracy is 1, above 0.1, and so are 3 more of 4 cells"),
        (
            "scores.*.accuracy < 0.4",
            "passed",
            "scores.c.accuracy is 0.5000, not below 0.4, and that is the nearest of 4 cells",
        ),
        ("scores.*.macro-f1 < -1", "undefined", 'scores."my system".macro-f1 is undefined (1 of 4 cells)'),
        ("scores.*.macro-f1 > 0.9", "failed", "scores.5.macro-f1 is 1, above 0.9, alone of 4 cells"),
        ("scores.c.* < 0.1", "failed", "scores.c.macro-f1 is 0, below 0.1, alone of 3 cells"),
        ("scores.*.* > 2", "undefined", 'scores."my system".macro-f1 is undefined (1 of 12 cells)'),
        ("correlations.rouge-l.*.low < 0.2", "failed", "correlations.rouge-l.item.pearson.low is 0.1000, below 0.2,"),
        ("scores.*.accuracy - scores.c.accuracy > 0.45", "failed", "scores.5.accuracy - scores.c.accuracy is 0.5000"),
        ("not scores.*.accuracy > 0.95", "passed", "scores.5.accuracy is 1, above 0.95"),
    ],
)
def test_a_star_stands_for_any(condition: str, verdict: str, reason: str) -> None:
    outcome = judged(condition)
    assert (outcome.verdict.value, outcome.reason[: len(reason)]) == (verdict, reason)


def test_a_star_over_no_row_is_no_answer() -> None:
    empty = Table("scores", "Scores", columns("system", "accuracy"), ())
    assert "no row in 'scores'" in str(refused("scores.*.accuracy < 1", report=report_of(empty)))


# Against a baseline


def test_baseline_is_the_same_cell_of_the_earlier_result() -> None:
    earlier = report_of(scores(("c", 0.52, 0.0, 0.0), ("a.b", 0.9, 0.76, 0.5)))
    outcome = judged("scores.a.b.macro-f1 < baseline - 0.005", baseline=earlier)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.reason == 'scores."a.b".macro-f1 is 0.7500, below baseline - 0.005 (0.7550)'
    assert (outcome.value, outcome.limit) == (0.75, 0.76 - 0.005)
    assert judged("scores.a.b.macro-f1 < baseline - 0.02", baseline=earlier).passed
    assert judged("scores.c.accuracy < baseline.scores.c.accuracy", baseline=earlier).verdict is Verdict.FAILED


def test_each_row_of_a_star_has_its_own_baseline() -> None:
    now = report_of(scores(("a", 0.5, 0, 0), ("b", 0.8, 0, 0)))
    earlier = report_of(scores(("b", 0.9, 0, 0), ("a", 0.4, 0, 0)))
    outcome = judged("scores.*.accuracy < baseline", now, earlier)
    assert outcome.reason == "scores.b.accuracy is 0.8000, below baseline (0.9000), alone of 2 cells"


def test_an_undefined_baseline_is_no_answer() -> None:
    earlier = report_of(scores(("c", math.nan, 0.0, 0.0)))
    outcome = judged("scores.c.accuracy < baseline", baseline=earlier)
    assert (outcome.verdict, outcome.reason) == (Verdict.UNDEFINED, "baseline.scores.c.accuracy is undefined")


@pytest.mark.parametrize(
    ("earlier", "says"),
    [
        (STABILITY, "a baseline without the table 'scores'"),
        (Table("scores", "S", columns("system", "mcc"), (("c", 1.0),)), "a baseline without the column 'accuracy'"),
        (scores(("d", 1, 1, 1)), "a baseline with 0 rows of 'c' in 'scores'"),
    ],
)
def test_what_the_baseline_has_not_is_asked_for_in_vain(earlier: Table, says: str) -> None:
    error = refused("scores.c.accuracy < baseline", baseline=report_of(earlier))
    assert pointed(error) == ["baseline"]
    assert says in str(error)


def test_a_cell_of_the_baseline_that_is_not_there_is_pointed_at() -> None:
    error = refused("scores.c.accuracy < baseline.scores.d.accuracy", baseline=report_of(scores(("c", 1, 1, 1))))
    assert pointed(error) == ["d"]
    assert "of the baseline" in str(error)


# What is said


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("stability.cem-ord.mean < 0.6", "stability.cem-ord.mean is 0.5512, below 0.6"),
        ("stability.cem-ord.mean >= 0.6", "stability.cem-ord.mean is 0.5512, not at least 0.6"),
        ("0.6 > stability.cem-ord.mean", "stability.cem-ord.mean is 0.5512, below 0.6"),
        ("0.5 >= stability.cem-ord.mean", "stability.cem-ord.mean is 0.5512, not at most 0.5"),
        ("stability.cem-ord.mean < 0.5512346", "stability.cem-ord.mean is 0.55123457, below 0.5512346"),
        ("total.value == 7", "total.value is 7, equal to 7"),
        (
            "stability.mae.mean < scores.c.accuracy",
            "stability.mae.mean is 0.7000, not below scores.c.accuracy (0.5000)",
        ),
        ("correlations.rouge-l.kendall.best == true", "correlations.rouge-l.kendall-b.best is true, equal to true"),
        ("correlations.item.level == 'x'", 'correlations.item.level is "item", not equal to "x"'),
        (f"{TRUE} and {FALSE}", "scores.c.accuracy is 0.5000, not above 1"),
        (f"{TRUE} or total.value > 1", "scores.c.accuracy is 0.5000, below 1; total.value is 7, above 1"),
    ],
)
def test_a_reason_is_a_sentence_with_numbers(condition: str, reason: str) -> None:
    assert judged(condition).reason == reason


def test_numbers_of_an_outcome_have_full_precision() -> None:
    outcome = judged("stability.cem-ord.mean < 0.6")
    assert (outcome.value, outcome.limit) == (0.55123456789, 0.6)
    assert judged("0.6 > stability.cem-ord.mean").value == 0.55123456789


@pytest.mark.parametrize("cells", [(10**400,), (math.inf,), (None,)])
def test_what_is_no_finite_number_is_undefined(cells: Sequence[Cell]) -> None:
    table = Table("t", "T", columns("", "x"), (tuple(cells),))
    assert judged("t.x > 0", report_of(table)).verdict is Verdict.UNDEFINED


def test_the_name_of_a_found_cell_leads_to_it_again() -> None:
    outcome = judged("scores.*.wsk > 0.9")
    (name,) = re.findall(r"^(.*) is ", outcome.reason)
    assert value_of(name) == 1
