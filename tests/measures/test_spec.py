"""Names of measures: parsing, printing, and the required parts of every declaration."""

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE, VARIANTS
from hypothesis import given
from hypothesis import strategies as some

from metaeval.arrays import Counts, Scores
from metaeval.errors import InputError, UnknownName
from metaeval.measures import PRESETS, REGISTRY, ScaleType, fitting, measure, preset
from metaeval.measures.declare import label_measure, numeric_form
from metaeval.measures.parameters import Parameter
from metaeval.measures.presets import explain
from metaeval.model.scale import ClassScale
from metaeval.model.scores import Direction
from metaeval.model.works import WORKS
from metaeval.scoring.confusion import merge


def test_a_measure_says_all_that_its_reader_needs() -> None:
    for declaration in REGISTRY.values():
        assert declaration.title, declaration
        assert declaration.meaning.endswith("."), declaration
        assert declaration.formula, declaration
        assert declaration.source in WORKS
        assert declaration.undefined, declaration
        assert declaration.question, declaration
        assert declaration.traits is not None, declaration
        assert all(parameter.meaning for parameter in declaration.parameters), declaration
        assert all(low < high for low, high in (variant.bounds for variant in declaration.variants()))


def test_a_name_prints_what_was_given_however_it_was_written() -> None:
    assert measure("decay").parameters == {"base": 0.5, "cutoff": None}
    assert measure("decay:cutoff=1").parameters == {"base": 0.5, "cutoff": 1}
    assert measure("decay:cutoff=2,base=0.25").parameters == {"base": 0.25, "cutoff": 2}
    assert measure("precision:class=agree").parameters == {"class": "agree"}
    assert str(measure("decay")) == "decay"
    assert str(measure("decay:cutoff=1,base=0.50")) == "decay:base=0.5,cutoff=1"
    assert str(measure("weighted-f:beta=2.0")) == "weighted-f:beta=2"
    assert str(measure("decay:cutoff=")) == "decay:cutoff="
    assert str(measure(" accuracy ")) == "accuracy"
    assert measure("kappa") == measure("kappa:weights=linear")
    assert len({measure("kappa"), measure("kappa:weights=linear"), measure("kappa:weights=none")}) == 2
    assert measure("kappa") != measure("accuracy")
    assert str(measure("decay:base=-0.0")) == str(measure("decay:base=0")) == "decay:base=0"
    assert measure(" f1-of-averages ") == measure("f1-of-averages")
    assert measure("kappa: weights = none") == measure("kappa:weights=none")
    assert str(measure("decay : base=0.3 , cutoff = 1")) == "decay:base=0.3,cutoff=1"


def test_a_measure_is_the_same_in_another_process() -> None:
    revived = pickle.loads(pickle.dumps(EVERY_SETTING))
    assert revived == EVERY_SETTING
    assert [str(setting) for setting in revived] == [str(setting) for setting in EVERY_SETTING]


@some.composite
def written_measures(draw: some.DrawFn) -> str:
    """Any measure with any of its parameters, in any order, as a user might write it."""
    declaration = REGISTRY[draw(some.sampled_from(sorted(REGISTRY)))]
    chosen = draw(some.lists(some.sampled_from(declaration.parameters), unique_by=id)) if declaration.parameters else []
    settings = [f"{parameter.name}={draw(written_values(parameter))}" for parameter in chosen]
    return f"{declaration.name}:{','.join(settings)}" if settings else declaration.name


def limits(parameter: Parameter) -> tuple[Any, Any]:
    low, high = ((None if math.isinf(bound) else parameter.type(bound)) for bound in parameter.limits)
    return low, high


def written_values(parameter: Parameter) -> some.SearchStrategy[str]:
    if parameter.is_choice:
        return some.sampled_from(parameter.choices)
    by_type: dict[type, some.SearchStrategy[str]] = {
        int: some.integers(*limits(parameter)).map(str),
        float: some.floats(*limits(parameter), allow_nan=False, allow_infinity=False).map(repr),
        str: some.text("abcß意見 +-'=:", min_size=1).filter(lambda text: text.strip() == text),
    }
    written = by_type[parameter.type] | some.sampled_from(parameter.choices or ("1",))
    return some.just("") | written if parameter.default is None else written


@given(written_measures())
def test_a_printed_name_parses_back(text: str) -> None:
    written = measure(text)
    again = measure(str(written))
    assert again == written
    assert str(again) == str(written)


def test_what_is_unknown_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown measure 'macrof1'\. Did you mean 'macro-f1'\?"):
        measure("macrof1")
    with pytest.raises(InputError, match=r"parameter 'bas' of measure 'decay'; expected one of base, cutoff\n.*'base'"):
        measure("decay:bas=0.3")
    with pytest.raises(InputError, match="parameter 'beta' of measure 'accuracy'; expected no parameter"):
        measure("accuracy:beta=1")
    with pytest.raises(UnknownName, match=r"unknown weights of kappa 'linaer'\. Did you mean 'linear'\?"):
        measure("kappa:weights=linaer")
    with pytest.raises(UnknownName, match=r"unknown class 'lo'\. Did you mean 'low'\?"):
        measure("f1:class=lo").check(SCALE)
    with pytest.raises(UnknownName, match=r"unknown preset 'stance-nin'\. Did you mean 'stance-nine'\?"):
        preset("stance-nin")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decay:base=0.3,base=0.4", "parameter 'base' again"),
        ("decay:base", "parameter 'base' in measure 'decay:base'; expected parameter=value"),
        ("decay:base=0.3,", "no parameter in measure"),
        ("decay:base=half", "base=half in measure 'decay'; expected a number"),
        ("decay:base=nan", "base=nan in measure 'decay'; expected a number"),
        ("decay:base=inf", "base=inf in measure 'decay'; expected a number"),
        ("decay:base=-inf", "base=-inf in measure 'decay'; expected a number"),
        ("decay:base=", "base= without a value in measure 'decay'; expected a number"),
        ("decay:cutoff=1.5", "cutoff=1.5 in measure 'decay'; expected a whole number"),
        ("fnc1-score:unrelated=", "unrelated= without a value"),
        ("cross-entropy:epsilon=0", "leave out epsilon"),
    ],
)
def test_a_setting_that_cannot_be_read_is_an_error(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        measure(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "decay:base=0", "decay:base=1", "decay:base=-0.5", "decay:cutoff=-1", "f-beta:beta=0", "weighted-f:beta=-1",
        "pairwise-accuracy:min-gap=0", "fnc1-score:unrelated=elsewhere", "macro-f1:classes=low+low",
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_an_error_when_checked(text: str) -> None:
    with pytest.raises(InputError):
        measure(text).check(SCALE)


def test_a_merged_class_is_named_by_its_parts() -> None:
    merged = ClassScale.parse("a,b,c").merge(["a", "b"])
    counts = np.array([[4, 1], [2, 3]])
    assert measure("macro-f1:classes=a+b")(counts, merged) == measure("f1:class=a+b")(counts, merged)


def test_a_measure_of_order_is_an_error_on_a_nominal_scale() -> None:
    nominal = ClassScale(SCALE.labels, weights=SCALE.weights)
    for variant in VARIANTS:
        if variant.scale_type is ScaleType.NOMINAL:
            variant.check(nominal)
        else:
            with pytest.raises(InputError, match="labels='unrelated<low<mid<high'"):
                variant.check(nominal)


def test_order_and_ratios_are_checked() -> None:
    measure("wauc").check_order(ClassScale.parse("low<high"))
    with pytest.raises(InputError, match="on the nominal scale 'yes,no'"):
        measure("kappa").check_order(ClassScale.parse("yes,no"))
    with pytest.raises(InputError, match="expected values above 0"):
        measure("alpha:level=ratio").check(ClassScale(("a", "b"), ordered=True, values=(0.0, 1.0)))


@pytest.mark.parametrize("name", ["weighted-f", "wauc", "weighted-accuracy:weights=scale"])
def test_a_weighted_measure_is_an_error_without_declared_weights(name: str) -> None:
    with pytest.raises(InputError, match="a weight for each of low, high in class_weights"):
        measure(name).check(ClassScale.parse("low<high"))


@pytest.mark.parametrize("name", ["mae", "pearson", "alpha:level=interval", "alpha:level=ratio"])
def test_a_measure_of_values_is_an_error_where_a_merged_class_has_none(name: str) -> None:
    with pytest.raises(InputError, match=r"no value for the merged class 'low\+mid'"):
        measure(name).check(SCALE.merge(["low", "mid"]))
    measure(name).check(SCALE.merge(["low", "mid"], value=2.0))


@pytest.mark.parametrize("name", PRESETS)
def test_the_measures_of_a_preset_are_named_as_in_it(name: str) -> None:
    assert tuple(map(str, preset(name))) == PRESETS[name]
    assert len({measure(text).declaration.reads for text in PRESETS[name]}) == 1


def test_presets_hold_what_papers_compare_and_all_what_the_scale_allows() -> None:
    assert len(PRESETS["stance-nine"]) == 9
    assert len(PRESETS["rumour-six"]) == 6
    assert len(PRESETS["tsc3"]) == 4 + 1 + 3 + 3 + 3 + 3
    assert len(PRESETS["r4c"]) == len(PRESETS["r4c-alignment"]) == 9
    assert fitting(SCALE) == tuple(one for one in VARIANTS if str(one) != "mean")
    fnc1 = {str(one) for one in VARIANTS if one.declaration.name == "fnc1-score"}
    needs_weights = {"weighted-f", "wauc", "weighted-accuracy:weights=scale"}
    nominal = {str(one) for one in fitting(ClassScale.parse("yes,no"))}
    assert nominal == {str(one) for one in VARIANTS if one.scale_type is ScaleType.NOMINAL} - needs_weights - fnc1 - {
        "mean"
    }
    unweighted = {str(one) for one in fitting(ClassScale.parse("low<high"))}
    assert nominal < unweighted
    assert needs_weights.isdisjoint(unweighted)


def declare(name: str = "sketch", **parameters: str) -> Callable[[Any], Any]:
    return label_measure(
        name, title="Sketch", question="how good is it", better=Direction.HIGHER, bounds=(0.0, 1.0),
        scale=ScaleType.NOMINAL, source="s", formula="1", undefined="never", traits=set(), parameters=parameters,
    )  # fmt: skip


def ones(counts: Counts, *, beta: float = 1.0) -> Scores:
    return np.full(counts.shape[:-2], beta)


@pytest.mark.parametrize(
    ("declaring", "message"),
    [
        (declare("accuracy", beta="weight"), "measure 'accuracy' of module .*test_spec, which metaeval has already"),
        (declare("two words", beta="weight"), "measure name .two words.; expected one or more characters"),
        (declare(beta="weight", gamma="no such"), "ones has no parameter gamma"),
        (numeric_form("mae"), "'mae' is registered twice"),
    ],
)
def test_a_faulty_declaration_fails_where_it_is_made(declaring: Callable[[Any], Any], message: str) -> None:
    before = set(REGISTRY)
    with pytest.raises((ValueError, InputError), match=message):
        declaring(ones)
    assert set(REGISTRY) == before


def test_properties_of_a_measure_are_each_named_once_with_the_variants_that_have_them() -> None:
    properties = dict(explain(REGISTRY["rnod"]))["Properties"].split("; ")
    assert properties == [
        "exchanging gold and predictions does not change the score (over=all)",
        "duplicating every item does not change the score",
        "reversing the order of the classes does not change the score",
    ]


def test_the_range_of_a_weighted_sum_says_what_it_holds_for() -> None:
    summing = {name for name in REGISTRY if "sum to 1" in dict(explain(REGISTRY[name]))["Range"]}
    assert summing == {"weighted-f", "wauc"}


def test_classes_to_average_over_are_those_of_merges_within_them() -> None:
    counts = np.array([[5, 1, 2, 0], [1, 4, 0, 2], [2, 2, 6, 1], [0, 1, 1, 3]])
    scale = ClassScale(("a", "b", "c", "d"))
    merged = merge(counts, scale.merged_groups(["b", "c"]))
    after = scale.merge(["b", "c"])
    class_scores = [measure(f"f1:class={name}")(merged, after) for name in ("a", "b+c")]
    assert measure("macro-f1:classes=c+a+b")(merged, after) == pytest.approx(np.mean(class_scores))
    assert np.isnan(measure("macro-f1:classes=a+b")(merged, after))
    with pytest.raises(UnknownName, match="unknown class 'e'"):
        measure("macro-f1:classes=a+e")(merged, after)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean:of=accuracy+mae", "part 'mae' in mean:of=accuracy\\+mae; expected a measure of which higher scores"),
        ("mean:of=accuracy+mean", "part 'mean'"),
        ("mean:of=accuracy", "two or more different measures"),
        ("mean:of=kappa+kappa:weights=linear", "two or more different measures"),
        ("mean:of=accuracy+rouge-l", "measure 'rouge-l', which reads texts, on labels"),
    ],
)
def test_a_mean_is_of_different_measures_of_labels_in_one_direction(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure(text).check(SCALE)


def test_an_unknown_part_of_a_mean_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown measure 'acuracy'"):
        measure("mean:of=acuracy+mcc").check(SCALE)


def test_a_mean_uses_of_the_classes_what_its_parts_use() -> None:
    assert measure("mean:of=accuracy+cem-ord").scale_type is ScaleType.ORDINAL
    assert measure("mean:of=accuracy+cem-ord+pearson").scale_type is ScaleType.INTERVAL
    assert measure("mean:of=mcc+accuracy").bounds == (-0.5, 1.0)
    with pytest.raises(InputError, match="uses the order of the classes"):
        measure("mean:of=accuracy+cem-ord").check(ClassScale(("a", "b", "c")))


def test_the_name_of_a_mean_needs_no_quotes() -> None:
    name = "mean:of=accuracy/macro-f1:average=weighted:classes=low+high/kappa:weights=linear"
    assert str(measure(name)) == name
    assert str(measure(str(measure(name)))) == name
