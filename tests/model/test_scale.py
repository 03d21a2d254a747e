from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from metaeval.errors import InputError, UnknownName
from metaeval.model.scale import ClassScale


def test_labels_are_in_the_order_that_was_declared() -> None:
    scale = ClassScale.parse(" low < mid<high ")
    assert scale.labels == ("low", "mid", "high")
    assert scale.ordered
    assert not ClassScale.parse("low,mid,high").ordered
    assert ClassScale.parse("10<9<1").labels == ("10", "9", "1")
    assert [ClassScale.parse("b<a").code(label) for label in "ba"] == [0, 1]
    with pytest.raises(UnknownName, match=r"unknown class 'Agree'\. Did you mean 'agree'\?"):
        ClassScale.parse("disagree<agree").code("Agree")


@given(
    some.lists(some.text("ab c+=1−", min_size=1).filter(lambda text: text.strip() == text), min_size=2, unique=True),
    some.booleans(),
)
def test_a_printed_scale_parses_back(labels: list[str], ordered: bool) -> None:
    scale = ClassScale(tuple(labels), ordered)
    assert ClassScale.parse(str(scale)) == scale


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agree", "1 label in the scale 'agree'"),
        ("a<b,c", "scale 'a<b,c'; expected 'low<mid<high'"),
        ("a<<b", "no name of a class in the scale 'a<<b'"),
        ("a,b,a", "class 'a' again in the scale 'a,b,a'"),
    ],
)
def test_a_scale_that_cannot_be_read_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        ClassScale.parse(text)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"values": (1.0, 1.0)}, "class values '1, 1'; expected values that rise from low to high"),
        ({"values": (1.0, 1e101)}, "class values '1, 1e+101'"),
        ({"values": (1.0, float("inf"))}, "class values '1, inf'"),
        ({"values": (2.0, 1.0)}, "class values '2, 1'"),
        ({"ordered": False, "values": (1.0, 2.0)}, "class values, but the scale 'a,b' has no order"),
        ({"weights": (0.5, -0.1)}, "class weights '0.5, -0.1'"),
        ({"weights": (0.5, float("nan"))}, "class weights '0.5, nan'"),
        ({"weights": (0.0, 0.0)}, "not all 0"),
        ({"values": (1.0,)}, "1 class value; expected 2"),
        ({"weights": (1.0, 2.0, 3.0)}, "3 class weights; expected 2"),
    ],
)
def test_numbers_that_do_not_fit_are_an_error(declared: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError) as raised:
        ClassScale(("a", "b"), **({"ordered": True} | declared))
    assert problem in str(raised.value)


def test_weights_and_values_are_declared_by_label_in_any_order() -> None:
    scale = ClassScale.parse("a<b").with_weights({"b": 0.6, "a": 0.4}).with_values({"b": 5, "a": 1})
    assert scale.weights == (0.4, 0.6)
    assert scale.values == (1.0, 5.0)
    assert scale.ordered
    np.testing.assert_array_equal(scale.class_weights(), [0.4, 0.6])
    np.testing.assert_array_equal(scale.class_values(), [1, 5])


def test_a_missing_and_an_unknown_class_are_told_together() -> None:
    with pytest.raises(InputError) as raised:
        ClassScale.parse("a,b").with_weights({"a": 1, "c": 2})
    assert [problem.found for problem in raised.value.problems] == ["class 'c'", "no class weight for 'b'"]
    assert raised.value.hints == ("name every class in class_weights",)


def test_undeclared_values_are_positions_and_undeclared_weights_an_error() -> None:
    np.testing.assert_array_equal(ClassScale.parse("a<b<c").class_values(), [0, 1, 2])
    with pytest.raises(InputError, match="no class weights for the scale 'a<b<c'"):
        ClassScale.parse("a<b<c").class_weights()


def test_a_merge_adds_weights_and_takes_the_value_it_is_given() -> None:
    scale = ClassScale(("a", "b", "c"), ordered=True, values=(1.0, 2.0, 4.0), weights=(0.2, 0.3, 0.5))
    merged = scale.merge(["c", "b"], value=3.0)
    assert merged == ClassScale(("a", "b+c"), ordered=True, values=(1.0, 3.0), weights=(0.2, 0.8))


def test_a_merged_class_without_a_value_is_an_error_only_where_values_are_asked_for() -> None:
    merged = ClassScale(("a", "b", "c"), ordered=True, values=(1.0, 2.0, 4.0)).merge(["a", "b"])
    assert merged.values is not None
    assert np.isnan(merged.values[0])
    with pytest.raises(InputError, match=r"no value for the merged class 'a\+b'"):
        merged.class_values()
    np.testing.assert_array_equal(ClassScale.parse("a<b<c").merge(["a", "b"]).class_values(), [0, 1])


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        *((labels, "in a merge of classes; expected 2 or more") for labels in ([], ["a"], ["a", "a"])),
        (["a", "b", "c"], "1 label in the scale"),
        (["a", "d"], "unknown class 'd'"),
    ],
)
def test_a_merge_is_of_some_known_classes_and_not_of_all(labels: list[str], problem: str) -> None:
    with pytest.raises((InputError, UnknownName), match=problem):
        ClassScale.parse("a,b,c").merge(labels)


@given(some.data(), some.integers(3, 8))
def test_a_merge_keeps_every_class_once_and_stands_where_its_first_did(data: some.DataObject, classes: int) -> None:
    labels = tuple(f"c{code}" for code in range(classes))
    scale = ClassScale(labels, weights=tuple(float(code) for code in range(classes)))
    chosen = data.draw(some.lists(some.sampled_from(labels), min_size=2, max_size=classes - 1, unique=True))
    groups, merged = scale.merged_groups(chosen), scale.merge(chosen)
    assert sorted(code for group in groups for code in group) == list(range(classes))
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)
    assert len(merged) == classes - len(chosen) + 1
    assert [set(label.split("+")) for label in merged.labels] == [{labels[code] for code in group} for group in groups]
    assert merged.weights is not None
    assert sum(merged.weights) == sum(range(classes))
