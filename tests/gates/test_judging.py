"""Which cells a condition speaks of, and whether it holds of them."""

import math
import re
from collections.abc import Sequence

import pytest

from metaeval.gates.conditions import GateSyntaxError, Outcome, Verdict, judge, parse_gates
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


def value_of(path: str, report: Report = REPORT) -> float:
    return judged(f"{path} < -5", report).value


def refused(*conditions: str, report: Report = REPORT, baseline: Report | None = None) -> GateSyntaxError:
    with pytest.raises(GateSyntaxError) as caught:
        judge(parse_gates(conditions, baseline=baseline is not None), report, baseline)
    return caught.value


def pointed(error: GateSyntaxError) -> list[str]:
    return [problem.condition[slice(*problem.span)] for problem in error.problems]


# Which cell a path stands for


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ('scores."a.b".accuracy', 0.9),
        ('scores."a.b"."wsk:d=2,lambda=0.5"', 0.5),
        ('scores."my system".accuracy', 0.8),
        ("ranks.5.macro-f1", 2.0),
        ('ranks."a.b".macro-f1', 2.0),
        ("correlations.rouge-l.kendall-b.low", 0.29),
        ("correlations.rouge-l.system.kendall-b.low", 0.29),
        ("correlations.rouge-l.item.value", 0.2),
        ("similarity_intervals.kappa.mae.value", 0.5),
        ("similarity_intervals.mcc.kappa.value", 0.25),
        ("curve.mae.200.mean", 0.75),
        ("total.value", 7.0),
    ],
)
def test_a_path_leads_to_a_cell(path: str, value: float) -> None:
    assert value_of(path) == value


def test_the_order_of_names_tells_a_pair_from_its_opposite() -> None:
    wins = Table("wins", "Wins", columns("system other", "wins"), (("a", "b", 1.0), ("b", "a", 2.0)))
    assert (value_of("wins.a.b.wins", report_of(wins)), value_of("wins.b.a.wins", report_of(wins))) == (1, 2)


@pytest.mark.parametrize("run", ["atlas", "atlas_large", "roberta"])
def test_a_condition_on_a_lost_run_judges_no_other(run: str) -> None:
    report = report_of(scores(*((name, 0.9, 0.9, 0.9) for name in ("atlas_base", "atlas_large-v2", "roberta:seed=1"))))
    error = refused(f"scores.{run}.accuracy < 0.5", report=report)
    assert pointed(error) == [run]
    assert "did you mean '" in str(error)


@pytest.mark.parametrize(
    ("condition", "part", "says"),
    [
        ('scors."a.b".accuracy < 1', "scors", "did you mean 'scores'?"),
        ("scores.c.acuracy < 1", "acuracy", "did you mean 'accuracy'?"),
        ("scores.c.wsk < 1", "wsk", """did you mean '"wsk:d=2,lambda=0.5"'?"""),
        ("stability.cem-od.mean < 1", "cem-od", "did you mean 'cem-ord'?"),
        ("scores.a.b.accuracy < 1", "a", """did you mean '"a.b"'?"""),
        ("correlations.rouge-n.pearson.low < 1", "rouge-n", "did you mean 'rouge-n:n=1' or 'rouge-n:n=2'?"),
        ("correlations.item.kendall-b.low < 1", "item.kendall-b", "no row of the table 'correlations'"),
        ("correlations.pearson.rouge-l.n < 1", "pearson.rouge-l", "in the order of measure, level, coefficient, n"),
        ("scores.accuracy < 1", "scores.accuracy", "system (a.b, my system, c, 5)"),
    ],
)
def test_a_name_that_is_not_there_is_pointed_at(condition: str, part: str, says: str) -> None:
    error = refused(condition)
    assert pointed(error) == [part]
    assert says in str(error)


def test_rows_that_a_path_does_not_tell_apart_are_named_by_what_does() -> None:
    says = str(refused("correlations.rouge-l.low < 1"))
    assert "3 rows of the table 'correlations'" in says
    assert "they differ in level (system, item); coefficient (kendall-b, pearson); n (6, 60);" in says
    assert "measure (" not in says
    assert "'*' for any" in says


def test_the_names_of_all_conditions_are_looked_up_before_one_is_refused() -> None:
    error = refused("scors.c.accuracy < 1", "stability.mae.mean < 1", "stability.mae.men < stability.x.mean")
    assert pointed(error) == ["scors", "men", "x"]


# Whether it holds


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("stability.cem-ord.mean < 0.6", Verdict.FAILED),
        ("stability.cem-ord.mean < 0.55", Verdict.PASSED),
        ("stability.cem-ord.mean <= 0.55123456789", Verdict.FAILED),
        ("stability.cem-ord.mean < 0.55123456789", Verdict.PASSED),
        ("stability.cem-ord.mean != 0.55123456789", Verdict.PASSED),
        ("correlations.rouge-l.kendall-b.n == 6", Verdict.FAILED),
        ("scores.c.accuracy < scores.5.accuracy", Verdict.FAILED),
        ('scores.c.accuracy - scores."a.b".accuracy < -0.3', Verdict.FAILED),
        ("scores.c.accuracy < scores.5.accuracy - 0.6", Verdict.PASSED),
        ("correlations.rouge-l.kendall-b.best == true", Verdict.FAILED),
        ("correlations.rouge-l.kendall-b.best == false", Verdict.PASSED),
        ('scores."my system".macro-f1 < 0.5', Verdict.UNDEFINED),
        ('scores."my system".macro-f1 == scores."my system".macro-f1', Verdict.UNDEFINED),
        ('scores.c.accuracy - scores."my system".macro-f1 < 0.5', Verdict.UNDEFINED),
    ],
)
def test_a_gate_fails_where_its_condition_holds(condition: str, verdict: Verdict) -> None:
    assert judged(condition).verdict is verdict


@pytest.mark.parametrize("cells", [(10**400,), (math.inf,), (None,)])
def test_what_is_no_finite_number_is_undefined(cells: Sequence[Cell]) -> None:
    table = Table("t", "T", columns("", "x"), (tuple(cells),))
    assert judged("t.x > 0", report_of(table)).verdict is Verdict.UNDEFINED


def test_texts_are_not_compared() -> None:
    condition = "correlations.rouge-l.kendall-b.level < 1"
    error = refused(condition)
    assert pointed(error) == [condition]
    assert "text, 'system' in correlations.rouge-l.kendall-b.level; expected cells with numbers" in str(error)


# Any row, any column


@pytest.mark.parametrize(
    ("condition", "verdict", "reason"),
    [
        ("scores.*.accuracy < 0.6", "failed", "scores.c.accuracy is 0.5000, below 0.6 (1 of 4 cells)"),
        ("scores.*.accuracy < 0.85", "failed", "scores.c.accuracy is 0.5000, below 0.85 (2 of 4 cells)"),
        ("scores.*.accuracy < 0.4", "passed", "scores.c.accuracy is 0.5000, not below 0.4 (closest of 4 cells)"),
        ("scores.*.macro-f1 < -1", "undefined", 'scores."my system".macro-f1 is undefined (1 of 4 cells)'),
        ("scores.c.* < 0.1", "failed", "scores.c.macro-f1 is 0, below 0.1 (1 of 3 cells)"),
        ("scores.*.* > 2", "undefined", 'scores."my system".macro-f1 is undefined (1 of 12 cells)'),
        (
            "correlations.rouge-l.*.low < 0.2",
            "failed",
            "correlations.rouge-l.item.pearson.low is 0.1000, below 0.2 (1 of 3 cells)",
        ),
        (
            "scores.*.accuracy - scores.c.accuracy > 0.45",
            "failed",
            "scores.5.accuracy - scores.c.accuracy is 0.5000, above 0.45 (1 of 4 cells)",
        ),
    ],
)
def test_a_star_stands_for_any(condition: str, verdict: str, reason: str) -> None:
    outcome = judged(condition)
    assert (outcome.verdict.value, outcome.reason) == (verdict, reason)


def test_a_star_over_no_row_is_no_answer() -> None:
    empty = Table("scores", "Scores", columns("system", "accuracy"), ())
    assert "no row of the table 'scores'" in str(refused("scores.*.accuracy < 1", report=report_of(empty)))


def test_the_name_of_a_found_cell_leads_to_it_again() -> None:
    (name,) = re.findall(r"^(.*) is ", judged('scores.*."wsk:d=2,lambda=0.5" > 0.9').reason)
    assert value_of(name) == 1


# Against a baseline


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("{} < baseline - 0.005", "{0} is 0.7500, below baseline.{0} - 0.005 (0.7550)"),
        ("{} - baseline < -0.005", "{0} - baseline.{0} is -0.0100, below -0.005"),
        ("{} < baseline - 0.02", "{0} is 0.7500, not below baseline.{0} - 0.02 (0.7400)"),
    ],
)
def test_baseline_is_the_same_cell_of_the_earlier_result(condition: str, reason: str) -> None:
    earlier = report_of(scores(("c", 0.52, 0.0, 0.0), ("a.b", 0.9, 0.76, 0.5)))
    cell = 'scores."a.b".macro-f1'
    assert judged(condition.format(cell), baseline=earlier).reason == reason.format(cell)


def test_each_row_of_a_star_has_its_own_baseline() -> None:
    now = report_of(scores(("a", 0.5, 0, 0), ("b", 0.8, 0, 0)))
    earlier = report_of(scores(("b", 0.9, 0, 0), ("a", 0.4, 0, 0)))
    outcome = judged("scores.*.accuracy < baseline", now, earlier)
    assert outcome.reason == "scores.b.accuracy is 0.8000, below baseline.scores.b.accuracy (0.9000) (1 of 2 cells)"


def test_an_undefined_baseline_is_no_answer() -> None:
    earlier = report_of(scores(("c", math.nan, 0.0, 0.0)))
    outcome = judged("scores.c.accuracy < baseline", baseline=earlier)
    assert (outcome.verdict, outcome.reason) == (Verdict.UNDEFINED, "baseline.scores.c.accuracy is undefined")


@pytest.mark.parametrize(
    ("earlier", "says"),
    [
        (STABILITY, "'scores', which is no table of the baseline"),
        (Table("scores", "S", columns("system", "mcc"), (("c", 1.0),)), "'accuracy', which is no column of"),
        (scores(("d", 1, 1, 1)), "'c', which is in no row of the table 'scores' of the baseline"),
    ],
)
def test_a_cell_that_the_baseline_does_not_have_is_an_error(earlier: Table, says: str) -> None:
    error = refused("scores.c.accuracy < baseline", baseline=report_of(earlier))
    assert pointed(error) == ["baseline"]
    assert says in str(error)


# Messages


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("stability.cem-ord.mean < 0.6", "stability.cem-ord.mean is 0.5512, below 0.6"),
        ("stability.cem-ord.mean <= 0.5", "stability.cem-ord.mean is 0.5512, not at most 0.5"),
        ("stability.cem-ord.mean < 0.5512346", "stability.cem-ord.mean is 0.55123456789, below 0.5512346"),
        ("total.value == 7", "total.value is 7, equal to 7"),
        (
            "stability.mae.mean < scores.c.accuracy",
            "stability.mae.mean is 0.7000, not below scores.c.accuracy (0.5000)",
        ),
        ('scores."my system".macro-f1 < 0.5', 'scores."my system".macro-f1 is undefined'),
    ],
)
def test_a_reason_is_a_sentence_with_numbers(condition: str, reason: str) -> None:
    assert judged(condition).reason == reason


def test_numbers_of_an_outcome_have_full_precision() -> None:
    outcome = judged("stability.cem-ord.mean < 0.6")
    assert (outcome.value, outcome.limit) == (0.55123456789, 0.6)


PLACES = Column("verdict", values=("named", "excluded", 'as "is"'))
VERDICTS = report_of(
    Table(
        "recommend",
        "Verdict",
        (*columns("measure role"), PLACES, *columns("reason", "value")),
        (("f1", "official", 'as "is"', "blind", 1.0), ("mae", "", "named", None, math.nan)),
    )
)


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ('recommend.official.verdict == "excluded"', Verdict.PASSED),
        ('recommend.official.verdict != "excluded"', Verdict.FAILED),
        (r'recommend.f1.verdict == "as \"is\""', Verdict.FAILED),
        ('recommend.*.verdict == "named"', Verdict.FAILED),
        ('recommend.f1.reason == "any text"', Verdict.PASSED),
        ('recommend.mae.reason == "any text"', Verdict.UNDEFINED),
        ("recommend.f1.verdict == recommend.mae.verdict", Verdict.PASSED),
        ("recommend.f1.verdict != recommend.mae.verdict", Verdict.FAILED),
        ("recommend.f1.verdict != recommend.mae.reason", Verdict.UNDEFINED),
    ],
)
def test_a_text_is_compared_with_a_text(condition: str, verdict: Verdict) -> None:
    assert judged(condition, VERDICTS).verdict is verdict


def test_a_text_is_compared_with_that_of_the_baseline() -> None:
    rows = (("f1", "official", "named", "blind", 1.0),)
    earlier = report_of(Table("recommend", "Verdict", VERDICTS.main.columns, rows))
    outcome = judged("recommend.f1.verdict != baseline", VERDICTS, earlier)
    reason = """recommend.f1.verdict is 'as "is"', other than baseline.recommend.f1.verdict ('named')"""
    assert (outcome.verdict, outcome.reason) == (Verdict.FAILED, reason)


@pytest.mark.parametrize(
    ("condition", "part", "says"),
    [
        ('recommend.f1.value == "1"', "recommend.f1.value", "expected a cell with text"),
        ("recommend.f1.verdict == 1", "recommend.f1.verdict == 1", """as in recommend.f1.verdict == "as \\"is\\"\""""),
        ("recommend.f1.verdict < recommend.mae.verdict", "", "cells with numbers"),
        ("recommend.f1.verdict == recommend.f1.value", "", "cells with numbers"),
        ('recommend.f1.verdict == "exluded"', '"exluded"', 'did you mean "excluded"?'),
        ('recommend.*.verdict != "zzz"', '"zzz"', """one of "named", "excluded", "as \\"is\\"\""""),
    ],
)
def test_a_text_that_a_cell_never_has_is_an_error(condition: str, part: str, says: str) -> None:
    error = refused(condition, report=VERDICTS)
    assert pointed(error) == [part or condition]
    assert says in str(error)
