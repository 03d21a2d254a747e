"""From the text of a condition to its tree: what is read, and where it points at what can't be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InputError
from metaeval.gates import ConditionError, Mistake, parse_gate, parse_gates
from metaeval.gates.expression import (
    BASELINE,
    KEYWORDS,
    OPERATORS,
    Baseline,
    Binary,
    CellPath,
    Negative,
    Node,
    Not,
    Number,
    Part,
    Text,
    Truth,
    parts_of,
    plainly,
)
from metaeval.gates.parsing import MOST_WORDS

# Any tree that can be written is read as itself

ODD = ("cem-ord", "wsk:d=2,lambda=0.5", "a+b", "my system", "a.b", '"', "\\", "x==y", "*", "not", "f-", "÷", "&x")
names = st.one_of(st.sampled_from(ODD), st.text(min_size=1, max_size=6))


def paths(*, may_have_wildcard: bool) -> st.SearchStrategy[CellPath]:
    later = names.map(plainly)
    if may_have_wildcard:
        later |= st.just(Part("*"))
    first = names.map(lambda name: plainly(name, first=True))
    parts = st.tuples(first, st.lists(later, min_size=1, max_size=3)).map(lambda both: (both[0], *both[1]))
    return st.builds(CellPath, parts, st.booleans())


def numbers_with(path: CellPath) -> st.SearchStrategy[Node]:
    """Values that begin with a cell, so that `baseline` has one to its left."""
    leaves: st.SearchStrategy[Node] = st.builds(Number, st.floats(0, 1e300))
    leaves |= paths(may_have_wildcard=False).filter(lambda other: other.of_baseline)
    leaves |= st.just(Baseline(path)) if not path.of_baseline else st.nothing()
    arithmetic = st.sampled_from([OPERATORS[sign] for sign in "+-*/"])
    return st.recursive(
        leaves,
        lambda inner: st.builds(Negative, inner) | st.builds(Binary, arithmetic, inner, inner),
        max_leaves=5,
    )


@st.composite
def comparisons(draw: st.DrawFn) -> Binary:
    path = draw(paths(may_have_wildcard=True))
    if draw(st.booleans()):
        right: Node = draw(st.builds(Text, st.text(max_size=6)) | st.builds(Truth, st.booleans()))
        return Binary(OPERATORS[draw(st.sampled_from(["==", "!="]))], path, right)
    sign = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    return Binary(OPERATORS[sign], path, draw(numbers_with(path)))


conditions: st.SearchStrategy[Node] = st.recursive(
    comparisons(),
    lambda inner: (
        st.builds(Not, inner) | st.builds(Binary, st.sampled_from([OPERATORS["and"], OPERATORS["or"]]), inner, inner)
    ),
    max_leaves=5,
)


@given(conditions)
def test_a_condition_that_is_printed_is_read_as_itself(tree: Node) -> None:
    assert parse_gate(str(tree)).tree == tree


@given(conditions)
def test_a_place_of_the_tree_is_where_it_stands_in_the_text(tree: Node) -> None:
    text = str(tree)
    for node in parts_of(parse_gate(text).tree):
        if isinstance(node, CellPath):
            assert text[slice(*node.span)] == str(node)


pieces = st.sampled_from(
    ["a.b", "scores.x.f1", "0.5", "1e999", "(", ")", "<", "==", "-", "*", "not", "and", "baseline", '"', "'", ".", " "]
)


@given(st.text() | st.lists(pieces, max_size=30).map(" ".join) | st.lists(pieces, max_size=30).map("".join))
def test_any_text_is_a_condition_or_an_input_error(text: str) -> None:
    try:
        tree = parse_gate(text).tree
    except InputError:
        return
    assert parse_gate(str(tree)).tree == tree


@pytest.mark.parametrize("text", ["(" * 5000, "-" * 5000, "not " * 5000, "a.b < 1 + " * 5000, "a.b < " + "1+" * 5000])
def test_a_condition_without_end_is_refused_before_it_is_walked(text: str) -> None:
    with pytest.raises(ConditionError, match=f"at most {MOST_WORDS - 1} words"):
        parse_gate(text)


# What is an operator, and what belongs to a name


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("stability.cem-ord.mean < 0.6", "stability.cem-ord.mean < 0.6"),
        ("scores.mysystem.macro-f1 < baseline - 0.01", "scores.mysystem.macro-f1 < baseline - 0.01"),
        ("scores.s.f1<baseline-.01", "scores.s.f1 < baseline - 0.01"),
        ("(scores.s.f1-(1-.5))*2>=1e-3", "(scores.s.f1 - (1 - 0.5)) * 2 >= 0.001"),
        ("scores.s.f1 < 2-0.5*-3", "scores.s.f1 < 2 - 0.5 * -3"),
        ("0.6>scores.a/b+c.kappa:weights=linear", "0.6 > scores.a/b+c.kappa:weights=linear"),
        ("not a.b < 1 and a.b>2 or a.c==1", "not a.b < 1 and a.b > 2 or a.c == 1"),
        ("a.b < 1 and (a.b > 2 or a.c == 1)", "a.b < 1 and (a.b > 2 or a.c == 1)"),
        ("not (a.b < 1 or a.b > 2)", "not (a.b < 1 or a.b > 2)"),
        ("a.b - (a.c - a.d) > a.e / (2 * a.f)", "a.b - (a.c - a.d) > a.e / (2 * a.f)"),
        ("""a.'my "x"'.b == 'yes'""", 'a."my \\"x\\"".b == "yes"'),
        ("a.b != true\n or\t a.c == 5.", "a.b != true or a.c == 5"),
    ],
)
def test_signs_are_operators_where_words_begin(text: str, printed: str) -> None:
    assert str(parse_gate(text).tree) == printed


def test_operators_of_a_level_go_from_left_to_right() -> None:
    assert parse_gate("a.b < 5 - 3 - 1").tree == parse_gate("a.b < ((5 - 3) - 1)").tree
    assert parse_gate("a.b < 5 - 3 - 1").tree != parse_gate("a.b < 5 - (3 - 1)").tree


def test_baseline_is_the_nearest_cell_to_the_left_in_the_same_comparison() -> None:
    tree = parse_gate("t.a.x - t.b.x < baseline and t.c.x < baseline + baseline.t.d.x - baseline").tree
    asked = [str(node.path) for node in parts_of(tree) if isinstance(node, Baseline)]
    assert asked == ["t.b.x", "t.c.x", "t.c.x"]


# Where it points


def pointed(error: ConditionError) -> list[str]:
    return [mistake.condition[slice(*mistake.span)] for mistake in error.mistakes]


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", "", "the end; expected a number or a cell"),
        ("stability.x.mean <", "", "the end"),
        ("stability.x.mean < 95%", "95%", "a number, as 0.6"),
        ("stability.x.mean < 0,5", "0,5", "a number, as 0.6"),
        ("stability.x.mean < 1e999", "1e999", "below 1e308"),
        ("stability.x.mean = 0.5", "=", "did you mean '=='?"),
        ("stability.x.mean =< 0.5", "=<", "did you mean '<='?"),
        ("a.b < 1 && a.c < 1", "&&", "did you mean 'and'?"),
        ("a.b ≤ 1", "≤", "did you mean '<='?"),
        ("a.b < 1 adn a.c < 1", "adn", "did you mean 'and'?"),
        ("a.b == yes", "yes", "write words that are compared with in quotes"),
        ("a.b == nan", "nan", "where a cell is undefined, a gate fails by itself"),
        ("a.b != None", "None", "where a cell is undefined, a gate fails by itself"),
        ("scores.my sys.accuracy < 1", "sys.accuracy", "write names with spaces in quotes"),
        ("scores.my big sys.accuracy < 1", "big", "write names with spaces in quotes"),
        ("0.5 < a.b < 0.7", "<", "write 'a < b and b < c'"),
        ("a.b", "a.b", "which is only a value"),
        ("a.b < 1 and a.c", "a.c", "which is only a value"),
        ("not a.b", "a.b", "which is only a value"),
        ("a.b < (a.c < 1)", "(a.c < 1)", "a condition"),
        ("1 < 2", "1 < 2", "a comparison without a cell"),
        ("(a.b < 1", "", "')' for the '(' at character 1"),
        ("a.b < 1)", ")", "'and', 'or'"),
        ("a.b a.c", "a.c", "'and', 'or'"),
        ("a..b < 1", ".", "a name after the dot"),
        ("a.b. < 1", " ", "a name after the dot"),
        (".a < 1", ".", "a number or a cell"),
        ('a."b < 1', '"', "without an end"),
        ('a."b"c < 1', "c", "a dot or a space"),
        ("baseline < a.b", "baseline", "without a cell to its left"),
        ("a.b < 1 and 2 > baseline", "baseline", "without a cell to its left"),
        ("baseline.a < 1", "baseline.a", "a table, a row and a column"),
        ("*.a.b < 1", ".", "a number or a cell"),
        ("t.*.a < t.*.b", "t.*.b", "a second cell with '*'"),
        ('a.b < "x"', '"x"', "use == or !="),
        ("a.b + true < 1", "true", "use == or !="),
        ("$(rm).b < 1", "$", "a cell, as TABLE.ROW.COLUMN"),
        ("__import__('os').b < 1", "__import__", "a cell, as TABLE.ROW.COLUMN"),
    ],
)
def test_a_mistake_points_at_its_place(text: str, place: str, says: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse_gate(text)
    error = caught.value
    assert pointed(error) == [place]
    assert says in str(error)


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
    with pytest.raises(ConditionError) as caught:
        parse_gate(condition)
    shown, line = str(caught.value).splitlines()[1:3]
    assert line == "  " + carets
    assert "\t" not in shown


@pytest.mark.parametrize("name", ["n" * 10_000, "模" * 10_000])
@pytest.mark.parametrize("condition", ["{0}.b < x", "a.b < {0}", "a.{0} < x and a.b < 1", "a.{0}", "a.b < 0,5 {0}"])
def test_of_a_long_condition_only_what_is_near_the_place_is_told(condition: str, name: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse_gate(condition.format(name))
    found, line, carets, *_ = str(caught.value).splitlines()
    assert len(str(caught.value)) < 1_200
    assert (len(line) < 170, len(found) < 600) == (True, True)
    assert 0 < carets.count("^") <= 2 * len(line)
    assert "…" in line


def test_the_carets_of_a_long_condition_stand_under_the_place() -> None:
    with pytest.raises(ConditionError) as caught:
        parse_gate("a.b < 1 and " * 30 + "a.b < 95% and " + "a.b < 1 and " * 30)
    _, line, carets = str(caught.value).splitlines()
    assert line[carets.index("^") : carets.rindex("^") + 1] == "95%"


def test_names_can_not_send_control_characters_to_a_terminal() -> None:
    for text in ("a.b < [31mred", "a.‮b < x", "]0;x.b"):
        with pytest.raises(ConditionError) as caught:
            parse_gate(text)
        assert not set("‮") & set(str(caught.value))


def test_all_wrong_conditions_are_told_at_once() -> None:
    with pytest.raises(ConditionError) as caught:
        parse_gates(["a.b <", "a.b < 1", "a.b < baseline", "1 < 2"], baseline=False)
    assert [mistake.condition for mistake in caught.value.mistakes] == ["a.b <", "a.b < baseline", "1 < 2"]
    assert str(caught.value).startswith("3 problems of conditions\n")
    assert len(caught.value.problems) == 3


def test_a_baseline_is_spoken_of_only_where_there_is_one() -> None:
    for condition in ("a.b < baseline", "a.b < baseline.a.c"):
        assert parse_gates([condition], baseline=True)[0].needs_baseline
        with pytest.raises(ConditionError, match="--baseline FILE"):
            parse_gates([condition], baseline=False)
    assert not parse_gate('a.b < a."baseline"').needs_baseline


def test_hundreds_of_mistakes_are_counted() -> None:
    error = ConditionError([Mistake(f"a.b < x{number}", (6, 8), "x") for number in range(25)])
    assert str(error).splitlines()[-1] == "and 5 more"


def test_keywords_are_no_names_of_tables() -> None:
    assert all(plainly(name, first=True).in_quotes for name in (*KEYWORDS, BASELINE))
