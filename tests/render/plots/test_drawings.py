"""Every plot, drawn from made-up reports: its description, its shapes, and when it is left out."""

import math
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from render.made_up import EXOTIC, SYSTEMS, report, scores_of
from render.plots.verdicts import verdicts
from render.plottable import study, table, texts_of, undefined

from metaeval.errors import InputError
from metaeval.model.report import Report
from metaeval.render.plots import PLOTS, SUFFIXES, Drawing, drawings, main_drawing
from metaeval.render.plots.canvas import PLACEHOLDERS

pytestmark = pytest.mark.slow

MEASURES = ("accuracy", "macro-f1", "cem-ord")
CONFUSIONS = ["annotator", "other", "label", "other_label", "units"]
SIGNATURES = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.fixture(scope="module")
def plots() -> dict[str, Drawing]:
    made = (study(SYSTEMS, MEASURES), *verdicts(SYSTEMS, MEASURES))
    return {drawing.name: drawing for one in made for drawing in drawings(one)}


@pytest.fixture(scope="module")
def pages(plots: dict[str, Drawing]) -> dict[str, str]:
    return {name: drawing.svg() for name, drawing in plots.items()}


def test_a_study_of_everything_has_every_plot(plots: dict[str, Drawing]) -> None:
    assert set(plots) == set(PLOTS)


def test_plots_stand_in_the_order_of_the_tables_they_belong_beside() -> None:
    made = study(SYSTEMS, MEASURES)
    order = [one.name for one in made.all_tables()]
    indices = [order.index(drawing.table) for drawing in drawings(made)]
    assert indices == sorted(indices)


def test_a_page_gets_images_that_say_what_they_show_in_its_colours(
    plots: dict[str, Drawing], pages: dict[str, str]
) -> None:
    for name, page in pages.items():
        root = ElementTree.fromstring(page)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.get("role") == "img"
        title, description = root[0], root[1]
        assert (title.text, description.text) == (plots[name].title, plots[name].alt)
        assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert root.get("viewBox")
        assert root.get("width") is root.get("height") is None
        assert "var(--ink, #1a1a1a)" in page
        for sentinel in (PLACEHOLDERS.ink, PLACEHOLDERS.paper, PLACEHOLDERS.grid, PLACEHOLDERS.muted):
            assert sentinel not in page.lower()
        assert "<style" not in page, "a style would be the whole page's"


def test_ids_are_unique_in_a_page_and_every_reference_finds_its_own(pages: dict[str, str]) -> None:
    ids = [one for page in pages.values() for one in re.findall(r'\bid="([^"]+)"', page)]
    assert len(ids) == len(set(ids))
    references = [one for page in pages.values() for one in re.findall(r'(?:url\(#|href="#)([^")]+)', page)]
    assert references
    assert set(references) <= set(ids)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_has_the_same_bytes_whenever_it_is_drawn(suffix: str) -> None:
    one, other = (main_drawing(study(SYSTEMS, MEASURES)).to_bytes(suffix) for _ in range(2))
    assert one == other
    assert one.startswith(SIGNATURES[suffix])


def test_files_are_light_dense_and_of_known_kinds(plots: dict[str, Drawing]) -> None:
    text = plots["similarity"].to_bytes(".svg").decode()
    assert "var(" not in text
    assert "#1a1a1a" in text
    assert ElementTree.fromstring(text).get("viewBox")
    picture = plots["stability"].to_bytes(".png")
    where = picture.index(b"pHYs") + 4
    assert int.from_bytes(picture[where : where + 4]) * 0.0254 >= 200
    with pytest.raises(InputError, match=r"'\.gif' of a plot; expected \.svg or \.png or \.pdf"):
        plots["ranks"].to_bytes(".gif")


def test_without_matplotlib_only_drawing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    drawing = main_drawing(study(SYSTEMS, MEASURES))
    assert drawing.alt
    with pytest.raises(InputError, match=r"pip install 'metaeval\[plots\]'"):
        drawing.svg()


def test_drawing_leaves_the_settings_of_matplotlib_alone(plots: dict[str, Drawing]) -> None:
    import matplotlib

    with matplotlib.rc_context({"lines.linewidth": 7.5}):
        before = matplotlib.rcParams.copy()
        plots["summary"].svg()
        assert matplotlib.rcParams.copy() == before


def test_nobody_is_given_a_window() -> None:
    script = "import sys; from metaeval.render.plots import main_drawing; from render.plottable import study; "
    script += "main_drawing(study(['a', 'b'], ['m', 'n'])).figure(); print('matplotlib.pyplot' in sys.modules)"
    tests = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", script], cwd=tests, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize(("systems", "measures"), [(1, 1), (2, 1), (1, 2), (12, 9)])
def test_a_study_of_any_size_can_be_drawn(systems: int, measures: int) -> None:
    names = [f"system {index}" for index in range(systems)], [f"m{index}" for index in range(measures)]
    for made in (study(*names), *(verdicts(*names) if systems > 1 else ())):
        for drawing in drawings(made):
            ElementTree.fromstring(drawing.svg())


def test_a_large_study_stays_readable() -> None:
    made = study([f"system_{index:03}" for index in range(100)], [f"measure-{index}:p=1" for index in range(20)])
    by_name = {drawing.name: drawing for drawing in drawings(made)}
    page = by_name["ranks"].svg()
    width, height = (float(part) for part in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', page)[0])
    assert max(width, height) < 750
    system_names = [text for text in texts_of(page) if text.startswith("system_") or "system_" in text]
    assert len(system_names) == 2 * 7, "the names of the coloured lines, at both ends"
    for systems, labels in ((30, 30), (31, 7)):
        few = study([f"system_{index:03}" for index in range(systems)], ["m", "n"])
        assert sum("system_" in text for text in texts_of(drawings(few)[0].svg())) == 2 * labels
    assert "Ranks of 100 systems, coloured for the best and those that vary most." in by_name["ranks"].alt
    assert "87 other systems" in texts_of(by_name["confusions"].svg())
    assert "Not shown: 8 more measures" in by_name["correlations"].alt
    assert by_name["correlations"].svg().count("Not shown: 8 more measures") == 2


# Names


def test_names_are_text_that_is_neither_markup_nor_a_formula() -> None:
    names = [*EXOTIC, "<script>alert(1)</script>", "$x^2$", "&amp;", "</svg>", 'style="fill: #010203"', "系統甲"]
    pages = {
        drawing.name: drawing.svg()
        for made in (study(names, MEASURES), *verdicts(names, ["$m$", "<i>n</i>"]))
        for drawing in drawings(made)
    }
    for page in pages.values():
        assert "<script" not in page
        assert page.count("</svg>") == 1
        ElementTree.fromstring(page)
    shown = {name: " ".join(texts_of(page)) for name, page in pages.items()}
    assert [name for name in (*names[len(EXOTIC) :], "two\\nlines") if name not in shown["ranks"]] == []
    assert "$m$" in shown["tiers"]
    assert "<script>alert(1)" in shown["comparisons"]


def test_odd_names_are_written_out_and_long_ones_shortened_in_the_middle() -> None:
    page = drawings(study(["evil\u202egnp", "b\uffff"], MEASURES))[0].svg()
    assert "\u202e" not in page
    assert "\\u202e" in page
    assert "\uffff" not in page
    page = drawings(study(["x" * 200 + "end", "b"], MEASURES))[0].svg()
    shown = [text for text in texts_of(page) if text.startswith("xxx")]
    assert shown
    assert all("…" in text and len(text) < 40 for text in shown)


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_letters_of_any_script_can_be_drawn(suffix: str) -> None:
    assert drawings(study(["系統甲", "\U0001f600 𓀀", "system ש"], MEASURES))[0].to_bytes(suffix)


# The main one


def test_the_main_drawing_is_that_of_the_main_table_if_any() -> None:
    made = study(SYSTEMS, MEASURES)
    assert main_drawing(made).name == "ranks"
    stable = Report("stability", made.signature, (made.table("stability"), made.table("ranks")), (), made.provenance)
    assert main_drawing(stable).name == "stability"
    with pytest.raises(InputError, match=r"no plot of the tables scores; expected one of .*similarity"):
        main_drawing(report(scores_of(["a", "b"], [0.5, 0.4])))
    count_plots = [drawing.name for drawing in drawings(undefined(study(SYSTEMS, MEASURES)))]
    assert count_plots == ["ranks", "agreement_confusions"]


# Descriptions of single plots


def test_the_alternative_text_of_stability_names_the_ends() -> None:
    rows = [["a", 0.9, 0.8, 1.0, "a"], ["b", 0.655, 0.5, 0.7, "b"], ["c", math.nan, math.nan, math.nan, ""]]
    (drawing, diagram) = drawings(report(table("stability", ["measure", "mean", "low", "high", "letters"], rows)))
    assert "Highest: a 0.90 (0.80 to 1.00); lowest: b 0.66 (0.50 to 0.70)" in drawing.alt
    assert "from b (0.66) to a (0.90); all differences are significant" in diagram.alt
    assert "—" in " ".join(texts_of(drawing.svg()))


def test_an_undefined_similarity_is_a_dash() -> None:
    rows = [["a", 1.0, 0.5, math.nan], ["b", 0.5, 1.0, 0.25], ["c", math.nan, 0.25, 1.0]]
    title = "Similarity of rankings (kendall-b) of 2 systems"
    (drawing,) = drawings(report(table("similarity", ["measure", "a", "b", "c"], rows, title=title)))
    assert "most similar: b and a (0.50); least similar: c and b (0.25)" in drawing.alt
    shown = texts_of(drawing.svg())
    assert shown.count("—") == 2
    assert "tau-b of the rankings" in shown


def test_confusions_are_in_per_cent_of_gold_the_best_system_first() -> None:
    columns = ["system", "gold", "predicted", "items", "share"]
    shares = {"a": (0.25, 0.75, 0.0, 1.0), "b": (1.0, 0.0, 0.5, 0.5)}
    cells = [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")]
    rows = [
        [name, *cell, 4 * share, share] for name, of in shares.items() for cell, share in zip(cells, of, strict=True)
    ]
    (drawing,) = drawings(report(scores_of(["b", "a"], [0.7, 0.6]), table("confusions", columns, rows)))
    assert "recall of b: 100 % of yes and 50 % of no" in drawing.alt
    numbers = [text for text in texts_of(drawing.svg()) if text.isdigit()]
    assert numbers[-8:] == ["100", "0", "50", "50", "25", "75", "0", "100"]


def test_ties_share_a_rank_in_the_labels_of_ranks() -> None:
    ranks = table("ranks", ["system", "m", "n"], [["a", 1, 2], ["b", 1, 1], ["c", 3, 2]])
    scores = table("scores", ["system", "m", "n"], [["a", 1.0, 0.5], ["b", 1.0, 1.0], ["c", 0.1, 0.5]])
    (drawing,) = drawings(report(scores, ranks))
    assert {"a 1", "b 1", "c 3", "1 b", "2 a", "2 c"} <= set(texts_of(drawing.svg()))


def test_a_scatter_tells_the_coefficients_of_the_table() -> None:
    heads = ["measure", "human", "level", "coefficient", "value", "low", "high", "best"]
    rows = [
        ["m", "Anna", "system", "pearson", 0.123, 0.0, 0.5, True],
        ["m", "Anna", "item", "pearson", 0.9, 0.0, 1.0, True],
    ]
    points = [["Anna", "m", system, score, score + 1] for system, score in (("a", 0.1), ("b", 0.2), ("c", 0.4))]
    scores = table("correlation_scores", ["human", "measure", "system", "score", "rating"], points)
    scatter, intervals = drawings(report(table("correlations", heads, rows), scores))
    assert {"a", "b", "c", "r = 0.12"} <= set(texts_of(scatter.svg()))
    assert "m: r = 0.12" in scatter.alt
    assert "system level, Pearson's r: m 0.12 (0.00 to 0.50)" in intervals.alt


def test_settings_that_are_no_numbers_are_dots() -> None:
    rows = [["wauc", "Scarton", 0.5, 1.0], ["wauc", "even", 0.4, 0.25]]
    (drawing,) = drawings(report(table("sensitivity", ["measure", "weighting", "score", "tau"], rows)))
    assert "highest 1.00 (wauc at Scarton), lowest 0.25" in drawing.alt
    assert {"Scarton", "even", "wauc"} <= set(texts_of(drawing.svg()))


def test_a_system_wins_what_the_other_one_loses() -> None:
    wins = [["a", "b", 3, 1, 0, 0.875], ["a", "c", 1, 0, 3, 0.25]]
    pairs = table("head_to_head", ["system", "other", "wins", "ties", "losses", "share"], wins)
    strengths = table("strengths", ["system", "strength", "low", "high"], [[name, 0.0, -1.0, 1.0] for name in "abc"])
    _, drawing = drawings(report(strengths, pairs))
    assert "wins against each other. Highest: a against b 0.88." in drawing.alt
    shown = texts_of(drawing.svg())
    assert shown[shown.index("—") :][:9] == ["—", "0.88", "0.25", "0.12", "—", "—", "0.75", "—", "—"]


def test_labels_of_two_annotators_are_counted_against_each_other() -> None:
    rows = [["judge", "Anna", "yes", "yes", 5], ["judge", "Anna", "yes", "no", 2], ["judge", "Anna", "no", "no", 3]]
    (drawing,) = drawings(report(table("agreement_confusions", CONFUSIONS, rows)))
    assert "Units with the same label: judge × Anna: 8 of 10." in drawing.alt
    shown = texts_of(drawing.svg())
    assert "judge × Anna" in shown
    assert [text for text in shown if text.isdigit()][-4:] == ["5", "2", "0", "3"]


def test_components_are_parts_of_one_bar() -> None:
    rows = [["m", "system", 0.1, 0.25], ["m", "item", 0.2, 0.725], ["m", "system × item", 0.01, 0.025]]
    (drawing,) = drawings(report(table("components", ["measure", "component", "variance", "share"], rows)))
    assert "Largest component of m: item (72 %)." in drawing.alt
    (axes,) = (axes for axes in drawing.figure().axes if axes.patches)
    assert [bar.get_extents().transformed(axes.transData.inverted()).intervalx.tolist() for bar in axes.patches] == [
        pytest.approx([0, 25]),
        pytest.approx([25, 97.5]),
        pytest.approx([97.5, 100]),
    ]
    assert {"25", "72"} <= set(texts_of(drawing.svg()))
    assert "2" not in texts_of(drawing.svg()), "a narrow part has no number"


# Sizes


def test_all_plots_have_letters_of_one_size(plots: dict[str, Drawing]) -> None:
    widths = set()
    for name, drawing in plots.items():
        root = ElementTree.fromstring(drawing.to_bytes(".svg"))
        assert set(re.findall(r"font-size: ([\w.]+)", drawing.svg())) == {"8px"}, name
        widths.add(root.get("width"))
    assert len(widths) == 1
