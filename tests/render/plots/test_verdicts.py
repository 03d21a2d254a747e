"""Plots of discriminative power, what explains it, and how much data it takes."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from render.made_up import SYSTEMS, report
from render.plots.verdicts import axioms, plan_curve, recommend, verdicts
from render.plottable import table, texts_of, undefined

from metaeval.analyses.compare.plots import COLUMN_BETTER, MAX_SYSTEMS, ROW_BETTER, SIMILAR
from metaeval.model.report import Column, Table
from metaeval.render.plots import Drawing, drawings, main_drawing

pytestmark = pytest.mark.slow

MEASURES = ("accuracy", "macro-f1", "cem-ord")


def _only(*tables: Table) -> Drawing:
    (drawing,) = drawings(report(*tables))
    return drawing


def _segments(axes: Axes) -> list[list[float]]:
    """The ends of the intervals."""
    lines = [collection for collection in axes.collections if isinstance(collection, LineCollection)]
    return [line.get_segments()[0][:, 0].tolist() for line in lines]


def test_verdicts_that_are_undefined_or_without_rows_have_no_plot() -> None:
    assert [drawings(undefined(made)) for made in verdicts(SYSTEMS, MEASURES)] == [(), ()]
    for made in verdicts(SYSTEMS, MEASURES):
        assert drawings(report(*(Table(one.name, one.title, one.columns, ()) for one in made.tables))) == ()


def test_a_large_study_says_what_is_left_out() -> None:
    systems, measures = [f"system_{index:03}" for index in range(50)], [f"m{index}" for index in range(33)]
    by_name = {one.name: one for made in verdicts(systems, measures) for one in drawings(made)}
    left_out = {
        "power": "5 more measures",
        "tiers": "24 more measures",
        "plan_curve": "5 more measures",
        "contributions": "1,219 more pairs",
        "comparisons": "24 more measures",
    }
    for name, what in left_out.items():
        assert f"Not shown: {what}." in by_name[name].alt
        assert any(f"Not shown: {what}." in text for text in texts_of(by_name[name].svg())), name
    assert all(len(one.alt) < 5000 for one in by_name.values())


# The verdict


def test_the_verdict_is_said_in_words_beside_the_reliability_of_each_measure() -> None:
    drawing = _only(recommend(["m", "n", "o", "p", "q"]))
    shown = texts_of(drawing.svg())
    assert [text for text in shown if len(text) == 1] == ["m", "n", "o", "p", "q"]
    ends = ["0.90 use", "0.80 passes, official", "0.70 passes", "0.60 do not use: gamed", "— do not use: gamed"]
    assert [text for text in shown if text in ends] == ends
    assert "Verdict on 5 measures. Reliability (95 % interval) of the measures; use: m 0.90 (0.85 to" in drawing.alt
    assert drawing.alt.endswith("do not use: p 0.60 (0.55 to 0.65) and q — (— to —).")
    # Filled where advised, hollow where a measure passes, crosses else; an undefined reliability has no mark.
    fills = re.findall(r'<use [^>]*style="fill: ([^;]+);', drawing.svg())
    assert len(fills) == 4
    assert fills[0] == "#0072b2"
    assert all(fill.startswith("var(--paper") or fill.startswith("var(--muted") for fill in fills[1:])


@pytest.mark.parametrize("measures", [1, 3, 40])
def test_a_verdict_that_advises_no_measure_can_be_drawn(measures: int) -> None:
    made = recommend([f"m{index}" for index in range(measures)])
    unnamed = Table(made.name, made.title, made.columns, tuple((row[0], "do not use", *row[2:]) for row in made.rows))
    shown = texts_of(_only(unnamed).svg())
    assert sum("do not use" in text for text in shown) == measures


# Power


def _power(p: Sequence[float], share: float, *, title: str = "Pairs of 4 systems found different at 0.05") -> Drawing:
    rows = [["m", rank, "a", "b", 0.1, value / 7, value] for rank, value in enumerate(p, start=1)]
    heads = ["measure", "rank", "system", "other", "difference", "p", "p_adjusted"]
    differences = table("power_differences", heads, rows)
    main = table("power", ["measure", "test", "power"], [["m", "bootstrap", share]], title=title)
    return _only(main, differences)


def test_power_tells_its_level_and_its_share() -> None:
    drawing = _power([0.0002, 0.01, 0.2, 0.9], 0.5)
    assert "Significantly different pairs at 0.05 (bootstrap): m 50 %." in drawing.alt
    assert {"m 50 %", "adjusted p = 0.05"} <= set(texts_of(drawing.svg()))
    assert any("adjusted p of the difference (bootstrap)" in text for text in texts_of(drawing.svg()))
    # Without a level in the title there is no line of it; a p of 0 is drawn on a scale of logarithms.
    assert not any("p =" in text for text in texts_of(_power([0.0002, 0.2], 0.5, title="Power").svg()))
    assert _power([0.0, 0.0, 0.5], 2 / 3).to_bytes(".png")


def test_the_mark_of_the_last_significant_pair_is_below_the_line_of_the_level() -> None:
    page = _power([0.0002, 0.01, 0.04, 0.4, 0.9], 0.6).svg()
    (level,) = re.findall(r'<path d="M [\d.]+ ([\d.]+)[^>]*stroke-width: 0.9', page)
    mark = re.findall(r'<use [^>]* y="([\d.]+)"', page)[-1]
    assert 0 < float(mark) - float(level) < 10, "down is positive"


# Systems against each other

HEADS = ["measure", "system", "other", "difference", "low", "high", "better"]


def test_a_comparison_has_a_row_a_measure_or_names_the_others() -> None:
    rows = [
        ["accuracy", "a", "b", 0.2, 0.1, 0.3, "a"],
        ["mae", "a", "b", 0.4, 0.3, 0.5, "b"],
        ["f1", "a", "b", 0.0, -0.1, 0.1, ""],
    ]
    drawing = _only(table("comparisons", HEADS, rows))
    assert "1 pair of systems under 3 measures; 2 of 3 significant. Largest: a − b, mae: 0.40" in drawing.alt
    assert {"accuracy", "mae", "f1", "a − b", "a is better", "b is better"} <= set(texts_of(drawing.svg()))
    rows = [["accuracy", name, "a", math.nan if name == "c" else 0.2, 0.1, 0.3, ""] for name in ("b", "c")]
    drawing = _only(table("comparisons", HEADS, rows))
    assert "0 of 2 significant" in drawing.alt
    assert {"b", "c", "the system − a, with the 95 % interval"} <= set(texts_of(drawing.svg()))


def test_tiers_take_the_place_of_the_differences_of_all_pairs() -> None:
    all_pairs, first_pairs = verdicts(SYSTEMS, MEASURES)
    both = report(first_pairs.table("comparisons"), all_pairs.table("tiers"))
    assert [one.name for one in drawings(both)] == ["tiers", "forest"]
    assert main_drawing(both).name == "tiers"


def test_tiers_tell_the_best_and_show_letters() -> None:
    rows: list[list[Any]] = [
        ["m", "x", 1.0, 1.0, 2.0, 1, "a"],
        ["m", "y", 2.5, 1.0, 3.0, 1, "ab"],
        ["m", "z", math.nan, math.nan, math.nan, 2, "b"],
    ]
    drawing = _only(table("tiers", ["measure", "system", "rank", "rank_low", "rank_high", "tier", "letters"], rows))
    assert "m: 2 tiers, best x (rank 1, 1 to 2)" in drawing.alt
    assert {"x", "y", "z", "a", "ab", "b"} <= set(texts_of(drawing.svg()))


def test_a_forest_has_the_interval_of_each_difference_from_the_best() -> None:
    differences = {"x": (0.0, math.nan, math.nan), "y": (-0.05, -0.125, 0.025), "z": (-0.25, -0.375, -0.125)}
    rows: list[list[Any]] = [["m", name, *three, 1.0, 1.0, 3.0, 1, "a"] for name, three in differences.items()]
    heads = ["measure", "system", "difference", "low", "high", "rank", "rank_low", "rank_high", "tier", "letters"]
    _, drawing = drawings(report(table("tiers", heads, rows)))
    assert "m: 1 significantly different from x; last z: -0.25 (-0.38 to -0.12)" in drawing.alt
    (axes,) = (axes for axes in drawing.figure().axes if axes.collections)
    assert _segments(axes) == [pytest.approx([-0.125, 0.025]), pytest.approx([-0.375, -0.125])]
    assert [text for text in texts_of(drawing.svg()) if len(text) == 1] == ["x", "y", "z", "m"]


def test_p_values_are_never_0_and_coloured_for_the_better_system() -> None:
    all_pairs, _ = verdicts(["a", "b", "c"], ["m"])
    (drawing,) = (one for one in drawings(all_pairs) if one.name == "p_values")
    assert "m: 1 of 3 pairs significantly different." in drawing.alt
    shown = texts_of(drawing.svg())
    assert (shown.count("<0.001"), shown.count("0.250"), shown.count("—")) == (2, 4, 3)
    page = drawing.svg()
    assert [page.count(f"fill: {colour}") for colour in (ROW_BETTER, COLUMN_BETTER, SIMILAR)] == [1 + 1, 1 + 1, 4 + 1]


def test_p_values_of_very_many_systems_are_not_drawn() -> None:
    names = [[f"system_{index}" for index in range(count)] for count in (MAX_SYSTEMS, MAX_SYSTEMS + 1)]
    few, many = ({one.name for one in drawings(verdicts(systems, ["m"])[0])} for systems in names)
    assert few - many == {"p_values"}


# Plans


def test_a_plan_has_a_panel_a_goal_and_says_what_it_takes() -> None:
    drawing = _only(plan_curve(["m", "n"]))
    shown = texts_of(drawing.svg())
    assert {"tau ≥ 0.9", "difference with power 0.8", "interval of width 0.2, systems"} <= set(shown)
    assert "m (0.05)" in shown, "the difference that a measure is planned for"
    assert (shown.count("items"), shown.count("systems")) == (2, 1)
    assert "tau ≥ 0.9: m from 0.50 with 50 to 0.95 with 1,000" in drawing.alt


def test_a_plan_of_one_number_of_items_has_no_curve() -> None:
    rows = [["m", "tau ≥ 0.9", 100, 0.5, 0.4, 0.6], ["m", "tau ≥ 0.9", 200, math.nan, math.nan, math.nan]]
    assert drawings(report(table("plan_curve", ["measure", "goal", "n", "value", "low", "high"], rows))) == ()


# Explanations


def _contributions(extra: Sequence[str] = (), *, second: float = -0.25) -> Drawing:
    heads = ["system", "other", "gold", "predicted", "items", "items_other", "m", "n", *extra]
    rows = [
        ["a", "b", "yes", "no", 3, 1200, 0.5, second, *(0.1 for _ in extra)],
        ["a", "b", "no", "yes", 4, 0, -0.125, 0.0, *(0.1 for _ in extra)],
    ]
    return _only(table("contributions", heads, rows))


def test_contributions_sum_to_the_difference_and_unknown_ones_are_dashes() -> None:
    drawing = _contributions()
    assert "a − b: +0.375 under m and −0.250 under n, most by yes→no (+0.500 under m)" in drawing.alt
    assert {"a − b", "m +0.375", "n −0.250", "yes→no", "3 : 1,200"} <= set(texts_of(drawing.svg()))
    drawing = _contributions(second=math.nan)
    assert "n —" in texts_of(drawing.svg())
    assert "under n, most" in drawing.alt


def test_estimated_contributions_have_intervals() -> None:
    exact, estimated = _contributions().svg(), _contributions(["m_se", "n_se"]).svg()
    assert estimated.count("<path") > exact.count("<path")


def test_the_smaller_confusions_of_many_are_left_out() -> None:
    heads = ["system", "other", "gold", "predicted", "items", "items_other", "m", "n"]
    rows = [["a", "b", f"c{index}", "x", 1, 2, index / 100, 0.0] for index in range(15)]
    drawing = _only(table("contributions", heads, rows))
    shown = texts_of(drawing.svg())
    assert "c14→x" in shown
    assert "c2→x" not in shown
    assert "Not shown: 3 smaller confusions." in drawing.alt
    assert "m +1.050" in shown, "the difference holds those left out, too"


# Properties


def test_properties_are_marks_of_different_shapes() -> None:
    names = ["m", "n", "o"]
    drawing = _only(axioms(names))
    assert "Most properties: m and o (2)." in drawing.alt
    assert "Number of measures with each property: ordinal-invariance 3, bounded 2, swap 0." in drawing.alt
    paths = re.findall(r'<path d="([^"]+)"[^>]*style="fill: none', drawing.svg())
    marks = [path.count("L") for path in paths if "z" not in path]
    legend = 1
    assert marks.count(2) == 5 + legend, "ticks are lines of three points"
    assert marks.count(1) == 2 * (2 + legend) + 2 + legend, "crosses are two lines, dashes one"


# Groups of items


def test_verdicts_by_group_draw_the_reliability_with_the_interval_that_the_statistic_declares() -> None:
    verdict = recommend(["m", "n"])
    groups, columns = ("de", "zh"), (Column("group"), *verdict.columns)
    rows = tuple((group, *row) for group in groups for row in verdict.rows)
    (drawing,) = drawings(replace(report(Table("recommend", verdict.title, columns, rows)), groups=groups))
    assert drawing.alt.startswith("Dots of reliability, a panel for each group and a row for each measure.")
    assert "Highest in de: m 0.90; zh: m 0.90." in drawing.alt
    assert {"de", "zh", "m", "n", "reliability, from ci_low to ci_high"} <= set(texts_of(drawing.svg()))
    assert _segments(drawing.figure().axes[0]) == [pytest.approx([0.85, 0.95]), pytest.approx([0.75, 0.85])]
