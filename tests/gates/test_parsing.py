"""From the text of a condition to its gate: what is read, and where an error points at what cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.gates.conditions import MAX_LENGTH, Gate, GateSyntaxError, format_name, names_of, parse_gate, parse_gates

ODD = ("cem-ord", "wsk:d=2,lambda=0.5", "a+b", "my system", "a.b", '"', "\\", "x==y", "*", "not", "f-", "÷", "&x")
names = st.one_of(st.sampled_from(ODD), st.text(min_size=1, max_size=6))
pieces = st.sampled_from(
    ["a.b", "scores.x.f1", "0.5", "1e999", "(", ")", "<", "==", "-", "*", "not", "and", "baseline", '"', "'", ".", " "]
)


def texts(gate: Gate) -> tuple[list[str], str, list[str]]:
    return [token.text for token in gate.left], gate.operator, [token.text for token in gate.right]


def refused(*conditions: str, baseline: bool = True) -> GateSyntaxError:
    with pytest.raises(GateSyntaxError) as caught:
        parse_gates(conditions, baseline=baseline)
    return caught.value


def pointed(error: GateSyntaxError) -> list[str]:
    return [problem.condition[slice(*problem.span)] for problem in error.problems]


# What is read


@given(names, st.lists(names, min_size=1, max_size=3))
def test_any_names_can_be_written_and_are_read_as_themselves(table: str, others: list[str]) -> None:
    cell = ".".join([format_name(table, is_table=True), *map(format_name, others)])
    (token,) = parse_gate(f"{cell} < 1").left
    assert [name.text for name in names_of(token)] == [table, *others]
    assert all(name.kind != "wildcard" for name in names_of(token))


@given(st.text() | st.lists(pieces, max_size=30).map(" ".join) | st.lists(pieces, max_size=30).map("".join))
def test_any_text_is_a_condition_or_an_input_error(text: str) -> None:
    try:
        gate = parse_gate(text)
    except InputError:
        return
    assert gate.condition == text


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("stability.cem-ord.mean < 0.6", (["stability.cem-ord.mean"], "<", ["0.6"])),
        ("s.x.f1<=.5", (["s.x.f1"], "<=", [".5"])),
        ("s.x.f1 > -1e-3", (["s.x.f1"], ">", ["-1e-3"])),
        ("s.x.f1 >= s.y.f1", (["s.x.f1"], ">=", ["s.y.f1"])),
        ("s.x.f1 - s.y.f1 > 0.02", (["s.x.f1", "s.y.f1"], ">", ["0.02"])),
        ("s.x.f1 < baseline - 0.01", (["s.x.f1"], "<", ["baseline", "0.01"])),
        ("s.x.f1 - baseline\n < \t-0.01 ", (["s.x.f1", "baseline"], "<", ["-0.01"])),
        ("axioms.m.bounded != true", (["axioms.m.bounded"], "!=", ["true"])),
        ("s.a/b+c.kappa:weights=linear==1", (["s.a/b+c.kappa:weights=linear"], "==", ["1"])),
        ('s."my - system".f1 < 1', (['s."my - system".f1'], "<", ["1"])),
        ('recommend.a.verdict == "not shown"', (["recommend.a.verdict"], "==", ['"not shown"'])),
    ],
)
def test_a_condition_compares_cells_and_numbers(condition: str, expected: tuple[list[str], str, list[str]]) -> None:
    assert texts(parse_gate(condition)) == expected


# What is not


@pytest.mark.parametrize(
    ("condition", "part", "says"),
    [
        ("a.b < 1 and a.c < 1", "and", "write each condition separately"),
        ("not a.b < 1", "not", "use the opposite operator"),
        ("(a.b < 1)", "(", "remove the parentheses"),
        ("a.b < max(1)", "max", "a number, such as 0.6, or a cell"),
        ("a.b < 2 * 0.01", "*", "compute other numbers beforehand"),
        ("a.b / a.c < 1", "/", "compute other numbers beforehand"),
        ("a.b - a.c < a.d - 1", "-", "compute other numbers beforehand"),
        ("a.b == nan", "nan", "a gate fails if a cell is undefined"),
        ("0.5 < a.b", "0.5", "write the cell first"),
        ("a.b < a.c < 0.7", "<", "the end of the condition"),
        ("a.b < baseline.a.c", "baseline.a.c", "a cell and its own baseline"),
        ("a.b - a.c < baseline", "baseline", "a cell and its own baseline"),
        ("", "", "the end; expected a cell, such as TABLE.ROW.COLUMN"),
        ("a.b <", "", "the end; expected a number, such as 0.6, or a cell"),
        ("a.b", "", "expected a comparison"),
        ("a.b < 95%", "95%", "a number, such as 0.6"),
        ("a.b = 0.5", "=", "write '=='"),
        ('a.b < "x"', '"x"', "compare a cell of text by == or !="),
        ("a.b == x-y", "x-y", 'write a text in double quotes: "x-y"'),
        ("a.b == ", "", 'the end; expected a number, such as 0.6, a text in double quotes, such as "named", or a cell'),
        ('a.b == "x" - 1', "-", "the end of the condition"),
        ("a.b =< 0.5", "=<", "write '<='"),
        ("a.b − 1 < 2", "−", "write '-'"),
        ("a.b -0.5 < 1", "-0.5", "write spaces around operators"),
        ("scores.my sys.accuracy < 1", "sys.accuracy", "names with spaces in double quotes"),
        ("a..b < 1", "a..b", "a cell, such as TABLE.ROW.COLUMN"),
        ('a."b < 1', 'a."b', "a cell, such as TABLE.ROW.COLUMN"),
        ("baseline < a.b", "baseline", "a cell, such as TABLE.ROW.COLUMN"),
        ("*.a.b < 1", "*", "a cell, such as TABLE.ROW.COLUMN"),
        ("t.*.a < t.*.b", "t.*.b", "one cell with '*'"),
        ("__import__('os').b < 1", "__import__", "a cell, such as TABLE.ROW.COLUMN"),
    ],
)
def test_what_the_language_does_not_have_is_pointed_at(condition: str, part: str, says: str) -> None:
    error = refused(condition)
    assert pointed(error) == [part]
    assert says in str(error)


def test_a_baseline_is_allowed_only_where_there_is_one() -> None:
    assert parse_gates(["a.b < baseline"], baseline=True)
    assert "use check, with the setting baseline" in str(refused("a.b < baseline", baseline=False))
    assert parse_gates(['a.b < a."baseline"'], baseline=False)


@pytest.mark.parametrize(
    ("condition", "carets"),
    [
        ("a.b < x", "      ^"),
        ("模型.b < x", "         ^"),
        ("a.b <\n\tx", "       ^"),
        ("e\u0301.b < xyz", "      ^^^"),
    ],
)
def test_carets_stand_under_the_place_whatever_the_letters(condition: str, carets: str) -> None:
    problem, line, below, *_ = str(refused(condition)).splitlines()
    assert problem.endswith("; expected a number, such as 0.6, or a cell, such as TABLE.ROW.COLUMN")
    assert below == "  " + carets
    assert "\t" not in line


@pytest.mark.parametrize("text", ["a.b < 1 - " * 5000, "(" * 5000, "a." + "模" * 5000 + " < 1"])
def test_a_condition_without_end_is_refused_and_not_repeated(text: str) -> None:
    message = str(refused(text))
    assert f"at most {MAX_LENGTH:,}" in message
    assert len(message) < 400


@pytest.mark.parametrize("text", ["a.b < \x1b[31mred", "a.\u202eb < x", "\x1b]0;x.b"])
def test_errors_send_no_control_characters_to_a_terminal(text: str) -> None:
    assert not set("\x1b\u202e") & set(str(refused(text)))


def test_all_wrong_conditions_are_told_at_once() -> None:
    error = refused("a.b <", "a.b < 1", "a.b < baseline", "1 < 2", baseline=False)
    assert [problem.condition for problem in error.problems] == ["a.b <", "a.b < baseline", "1 < 2"]
    assert str(error).startswith("3 problems of conditions\n")
    many = refused(*(f"a.b < x{number}" for number in range(25)))
    assert str(many).splitlines()[-1] == "and 5 more"
