"""Arguments of any shape are either accepted, or rejected with a helpful message."""

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import metaeval as api

GOLD = ["yes", "no", "yes", "no"]
OTHER = ["no", "no", "yes", "yes"]


def two(**options: Any) -> api.Runs:
    return api.from_labels({"a": GOLD, "b": OTHER}, gold=GOLD, labels="no<yes", **options)


def untyped(value: object) -> Any:
    """A value that the type of an argument does not allow."""
    return value


def test_numbers_of_numpy_are_numbers() -> None:
    names = ["accuracy", "mcc"]
    plain = api.stability(two(), names, trials=10, alpha=0.25, sizes=[0.25, 0.5], seed=3)
    numpy = api.stability(
        two(),
        names,
        trials=untyped(np.int64(10)),
        alpha=np.float64(0.25),
        sizes=untyped(np.array([0.25, 0.5], dtype=np.float32)),
        seed=untyped(np.int32(3)),
        stratified=untyped(np.bool_(False)),
    )
    assert json.dumps(numpy.to_dict()) == json.dumps(plain.to_dict())


def test_none_of_several_is_the_default() -> None:
    assert two(drop_gold=None).items == two().items
    assert "sizes" not in api.stability(two(), "accuracy", trials=5, sizes=untyped(None)).signature


@pytest.mark.parametrize("classes", [[0, 1], (0.0, 1.0), np.array([0, 1]), ["0", "1"]])
def test_classes_are_told_as_labels_are(classes: Any) -> None:
    runs = api.from_labels({"a": [1, 0]}, gold=[1, 0], labels=classes, class_weights=untyped({0: 1, 1: 2}))
    assert runs.config.data.labels == api.ClassScale(("0", "1"))
    assert runs.config.data.class_weights == {"0": 1, "1": 2}
    left = api.from_labels({"a": [1, 0, 2]}, gold=[1, 0, 2], labels=[*classes, 2], drop_gold=untyped([2]))
    assert left.items == ("1", "2")


@pytest.mark.parametrize("names", [("accuracy", "mcc"), iter(["accuracy", "mcc"]), np.array(["accuracy", "mcc"])])
def test_names_come_in_any_sequence(names: Any) -> None:
    assert [column.name for column in api.score(two(), names).main.columns] == ["system", "accuracy", "mcc"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: api.score(untyped(None)), "None; expected runs, or the YAML file of an experiment"),
        (
            lambda: api.score(untyped({"a": GOLD})),
            "metaeval.from_labels, from_frame, from_texts, from_distributions and from_scores make",
        ),
        (lambda: api.score(two(), []), "no measures; expected at least one"),
        (lambda: api.score(two(), {"mcc", "accuracy"}), "a set of 'accuracy', 'mcc'; expected a list"),
        (lambda: two(task=1), "unknown task '1'"),
        (lambda: two(class_weights=[1, 2]), "class_weights [1, 2]; expected numbers by name"),
        (lambda: api.stability(two(), alpha=untyped("x")), "alpha 'x'; expected a number"),
        (lambda: api.similarity(two(), coefficient=untyped(5)), "coefficient 5; expected one of kendall-b"),
        (lambda: api.from_labels(untyped([GOLD, GOLD]), gold=GOLD), "systems: a value of type list"),
        (lambda: api.from_labels({"a": GOLD}, gold=untyped(None)), "gold: None; expected a value for each item"),
        (lambda: api.from_labels({"a": GOLD}, gold=np.ones((4, 2))), "gold: a value of type ndarray and shape (4, 2)"),
        (lambda: api.from_labels(untyped({1: GOLD, "1": GOLD}), gold=GOLD), "system '1' again"),
        (lambda: api.from_labels({"": GOLD}, gold=GOLD), "no name of a system; expected one for each"),
        (
            lambda: api.from_texts({"a": ["One."]}, references=untyped(None)),
            "references: None; expected a text for each",
        ),
        (lambda: api.from_frame(untyped(None)), "None; expected a data frame"),
        (lambda: api.from_scores(untyped([[1, 2]])), "<scores>: a value of type list; expected a data frame"),
        (lambda: api.from_scores(np.array(3.0)), "shape (); expected three dimensions"),
        (
            lambda: api.from_scores(np.ones((2, 1, 3)), measures=["x"], systems=["a"]),
            "expected shape (1, 1, 3), for 1 measure, 1 system and 3 items",
        ),
        (lambda: api.read(gold=untyped(GOLD)), "gold: a value of type list; expected the path of a file"),
        (lambda: api.score(two()).save(untyped(5)), "path: the number 5; expected the path of a file"),
        (lambda: api.ClassScale(untyped((0, 1))), "the number 0 as a class; expected a text"),
    ],
)
def test_what_can_not_be_meant_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(api.MetaevalError) as raised:
        call()
    assert message in str(raised.value)


def test_an_unknown_keyword_is_an_error_of_the_function() -> None:
    with pytest.raises(TypeError, match=r"^stability\(\) got an unexpected keyword argument 'trails'$"):
        api.stability(two(), trails=5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("runs", "measure"),
    [
        (two(human={"system": ["a", "b"], "person": [1, 2]}), "accuracy"),
        (api.from_texts({"a": ["One."]}, references=["One."], sources=["One two."]), "rouge-l"),
        (api.from_scores({"system": ["a"], "item": [1], "bleu": [0.5]}), "bleu"),
    ],
)
def test_runs_survive_a_pickle(runs: api.Runs, measure: str) -> None:
    again = pickle.loads(pickle.dumps(runs))
    assert (again.systems, tuple(again.items)) == (runs.systems, tuple(runs.items))
    assert api.score(again, measure) == api.score(runs, measure)


def test_equal_results_have_one_hash() -> None:
    results = {api.score(two(), "accuracy"), api.score(two(), "accuracy"), api.score(two(), "mcc")}
    assert len(results) == 2
