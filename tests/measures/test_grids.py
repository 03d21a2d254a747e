"""Grids of parameters: what their values are, what is no grid, and a measure at a point of one."""

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some

from metaeval.errors import InputError, UnknownName
from metaeval.measures.grids import MAX_POINTS, Axis, at_point, points
from metaeval.measures.spec import measure


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("lambda=0:1:0.1", [f"0.{tenth}".replace("0.0", "0") for tenth in range(10)] + ["1"]),
        ("skip=90:110:10", ["90", "100", "110"]),
        ("beta=0:1:0.4", ["0", "0.4", "0.8"]),
        ("beta=1e-1:3e-1:1e-1", ["0.1", "0.2", "0.3"]),
        ("beta=-0.0:0.1:0.1", ["0", "0.1"]),
        (" beta = 0 : 1 : 0.5 ", ["0", "0.5", "1"]),
        ("stat=recall, f", ["recall", "f"]),
        ("d=3", ["3"]),
    ],
)
def test_a_grid_has_both_ends_and_decimal_values(text: str, values: list[str]) -> None:
    axis = Axis.parse(text)
    assert list(axis.values) == values
    assert axis.name == text.partition("=")[0].strip()
    assert str(axis) == f"{axis.name}={','.join(values)}"


@given(
    first=some.integers(-10_000, 10_000),
    count=some.integers(1, 60),
    step=some.integers(1, 5_000),
    digits=some.integers(0, 6),
)
def test_every_value_of_a_range_parses_and_the_ends_are_the_ends(
    first: int, count: int, step: int, digits: int
) -> None:
    begin, last, stride = (Decimal(whole).scaleb(-digits) for whole in (first, first + step * (count - 1), step))
    values = Axis.parse(f"beta={begin}:{last}:{stride}").values
    assert [Decimal(value) for value in values] == [begin + stride * index for index in range(count)]
    assert (Decimal(values[0]), Decimal(values[-1])) == (begin, last)
    assert all("e" not in value.lower() and float(value) == float(Decimal(value)) for value in values)


def test_points_are_every_combination_once_the_last_changing_fastest() -> None:
    axes = [Axis("d", ("1", "2")), Axis("beta", ("3",)), Axis("stat", ("f", "recall", "precision"))]
    for some_axes in (axes, axes[:2], axes[:1]):
        assert list(points(some_axes)) == list(product(*(axis.values for axis in some_axes)))


@pytest.mark.parametrize(
    "text",
    [
        *("", "=", "lambda", "lambda=", "=0:1:0.1", "lambda=0:1", "lambda=0:1:0.1:2", "lambda=a:b:c", "lambda=0,,1"),
        *("lambda=,", "lambda=0:1:0", "lambda=0:1:-0.1", "lambda=1:0:0.1", "lambda=1:0:-0.1", "lambda=0:nan:1"),
        *("lambda=0:inf:1", "lambda=inf:inf:1", "lambda=-inf:0:1", "lambda=nan:1:1", "lambda=0:1:nan", "lambda=::"),
    ],
)
def test_what_is_no_grid_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        Axis.parse(text)
    subject = f"grid '{text}'" if text else "no grid"
    assert f"{subject}; expected parameter=from:to:step or parameter=value,value" in str(refusal.value)


def test_ranges_that_are_too_long_and_numbers_beyond_all_arithmetic_are_refused() -> None:
    for text in ("lambda=0:1:0.000001", "lambda=0:1e30:1", "d=1:100001:1", "d=0:99999.5:0.5"):
        with pytest.raises(InputError, match="of more than 100,000 points; expected fewer values"):
            Axis.parse(text)
    beyond = ("lambda=0:1:1e-9999999", "lambda=0:1e999999:1e-10", "lambda=1e9999999:1e9999999:1", "lambda=0:1:inf")
    for text in (*beyond, "lambda=0.5:0.45:0.1"):
        with pytest.raises(InputError):
            Axis.parse(text)


def test_values_and_grids_that_come_twice_and_unknown_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="value '2' again in grid 'd=2,3,2'"):
        Axis.parse("d=2,3,2")
    with pytest.raises(InputError, match="parameter 'd' again in a grid; expected every parameter once"):
        points([Axis.parse("d=2,3"), Axis.parse("beta=1"), Axis.parse("d=4")])
    with pytest.raises((InputError, UnknownName)) as refusal:
        at_point(measure("esk"), [Axis.parse("lamda=0:1:0.5")], ("0",))
    assert "lamda" in str(refusal.value)
    assert "lambda" in str(refusal.value)


def test_a_grid_has_so_many_points_and_no_more() -> None:
    long = Axis.parse(f"beta=1:{MAX_POINTS // 10}:1")
    ten = Axis.parse("lambda=0.1:1:0.1")
    assert len(points([long, ten])) == MAX_POINTS
    with pytest.raises(InputError, match=f"a grid of more than {MAX_POINTS:,} points; expected fewer values"):
        points([long, Axis.parse("lambda=0:1:0.1")])


def test_a_point_takes_the_place_of_what_was_given_and_leaves_the_rest() -> None:
    base = measure("esk:d=3")
    assert points([]) == [()]
    assert at_point(base, [], ()) == base
    axes = [Axis.parse("d=2,3"), Axis.parse("stat=recall")]
    point = at_point(measure("esk:d=4,beta=3"), axes, ("2", "recall"))
    assert point == measure("esk:d=2,beta=3,stat=recall")
    assert at_point(measure("esk"), [Axis.parse("d=2")], ("2",)) == measure("esk:d=2")
    base = measure("esk:d=3,lambda=0.25")
    assert at_point(base, [Axis.parse("lambda=0:1:0.25")], ("0.25",)) == base


@pytest.mark.parametrize(
    ("name", "grid", "value"), [("esk", "lambda", "1.2"), ("esk", "d", "1.5"), ("rouge-n", "n", "0"), ("esk", "d", "x")]
)
def test_a_value_beyond_what_the_parameter_takes_is_refused(name: str, grid: str, value: str) -> None:
    with pytest.raises(InputError, match=f"{grid}={value} in measure '{name}'"):
        at_point(measure(name), [Axis(grid, (value,))], (value,))
