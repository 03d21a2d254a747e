"""The tables that papers printed: typed here a second time in part, and held against what they say of themselves."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from metaeval.errors import InputError, UnknownName
from metaeval.reproduction.published.reading import PAPERS, Paper, Printed, PublishedTable, read_paper

SHAPES = {
    "amemiya2021": {
        "2": (8, 8),
        "3": (9, 1),
        "4 X": (14, 1),
        "4 Y": (14, 1),
        "5 X": (14, 1),
        "5 Y": (14, 1),
        "6": (9, 4),
        "7 groups": (9, 1),
        "7 ranks": (9, 2),
        "figure 3": (4, 3),
    },
    "hirao2006": {
        "3 short": (5, 10),
        "3 long": (5, 10),
        "4 short r": (5, 5),
        "4 short rho": (5, 5),
        "4 long r": (5, 5),
        "4 long rho": (5, 5),
        "5": (23, 14),
        "6": (23, 14),
        "7": (23, 14),
        "8": (23, 14),
        "9": (11, 4),
        "10 short": (3, 3),
        "10 long": (3, 3),
        "11 short": (3, 3),
        "11 long": (3, 3),
    },
    "inoue2020": {"1": (3, 6), "2": (3, 9), "3": (2, 9)},
    "ordinal2022": {"labels": (7, 1), "values": (4, 3), "works": (8, 2), "pairs": (3, 5)},
    "scarton2020": {
        "1 counts": (5, 2),
        "1 percentages": (4, 2),
        "2": (11, 6),
        "3": (16, 6),
        "4": (8, 2),
        "weights": (3, 4),
    },
}

# Table, row, column, cell: read off the papers, not off the YAML. Five a table, or all where it has fewer.
SPOTS = {
    "amemiya2021": """
2 | alpha-ORD | alpha-INT | 0.5164
2 | alpha-ORD | F1-of-means | 0.6923
2 | MAE-mu | accuracy | 0.4965
2 | kappa | F1-mean | 0.6043
2 | F1-mean | F1-of-means | 0.5384
3 | kappa | tau | 0.7811
3 | F1-mean | tau | 0.7388
3 | MAE-M | tau | 0.6217
3 | alpha-INT | tau | 0.5882
3 | alpha-ORD | tau | 0.4727
4 X | RoBERTa | score | 0.6304
4 X | featMLP | score | 0.3102
4 X | TalosTree | score | 0.2615
4 X | baseline | score | 0.0640
4 X | random | score | -0.0118
4 Y | XLNet | score | 0.5455
4 Y | TalosEnsemble | score | 0.3117
4 Y | TalosTree | score | 0.2828
4 Y | TalosCNN | score | 0.1853
4 Y | majority | score | 0.0000
5 X | XLNet | score | 0.5364
5 X | UCLMR | score | 0.2637
5 X | Chips | score | 0.1753
5 X | baseline | score | 0.0156
5 X | majority | score | -0.0527
5 Y | RoBERTa | score | 0.5760
5 Y | TalosTree | score | 0.2594
5 Y | BERT | score | 0.2468
5 Y | stackLSTM | score | 0.1822
5 Y | random | score | -0.0325
6 | alpha-INT | Agree+Discuss | 0.5384
6 | MAE-M | mean | 0.1721
6 | MAE-mu | mean | 0.3919
6 | kappa | Disagree+Discuss | 0.8901
6 | F1-mean | mean | 0.5313
6 | F1-of-means | Agree+Disagree | 0.4285
7 groups | alpha-ORD | similarity | A
7 groups | MAE-M | similarity | C
7 groups | MAE-mu | similarity | B
7 groups | CEM-ORD | similarity | A/B
7 groups | F1-of-means | similarity | A
7 ranks | alpha-ORD | consistency | 9
7 ranks | MAE-M | ordinal classes | 1
7 ranks | CEM-ORD | consistency | 3
7 ranks | kappa | ordinal classes | 9
7 ranks | F1-mean | ordinal classes | 8
figure 3 | BERT | one way | 397
figure 3 | BERT | both | 500
figure 3 | TalosTree | other way | 0
figure 3 | TalosCNN | other way | 65
figure 3 | baseline | both | 118
""",
    "hirao2006": """
3 short | D1 | sys6 | .365
3 short | D2 | sys5 | .290
3 short | D3 | sys1 | .302
3 short | D4 | sys9 | .159
3 short | D5 | sys8 | .329
3 long | D1 | sys6 | .392
3 long | D2 | sys2 | .185
3 long | D3 | sys8 | .336
3 long | D4 | sys3 | .313
3 long | D5 | sys10 | .293
4 short r | D1 | D1 | 1.00
4 short r | D1 | D2 | .968
4 short r | D2 | D5 | .878
4 short r | D3 | D4 | .972
4 short r | D4 | D5 | .954
4 short rho | D1 | D4 | .697
4 short rho | D1 | D5 | .758
4 short rho | D2 | D3 | .830
4 short rho | D3 | D5 | .879
4 short rho | D4 | D5 | .818
4 long r | D1 | D2 | .908
4 long r | D1 | D5 | .786
4 long r | D2 | D4 | .963
4 long r | D3 | D4 | .862
4 long r | D4 | D5 | .923
4 long rho | D1 | D2 | .964
4 long rho | D1 | D5 | .855
4 long rho | D2 | D4 | .952
4 long rho | D3 | D4 | .842
4 long rho | D4 | D5 | .903
5 | ROUGE-1 | D1 all | .965
5 | ROUGE-L | D2 all | .683
5 | ROUGE-S9 | D4 content | .789
5 | ROUGE-SU4 | mean content | .878
5 | ESK d=2 beta=3 | mean all | .950
5 | WSK d=4 beta=3 | Davg all | .955
6 | ROUGE-1 | D1 all | .988
6 | ROUGE-4 | D4 content | .746
6 | ROUGE-SU4 | D2 content | .600
6 | ESK d=4 beta=3 | D3 all | .988
6 | WSK d=4 beta=2 | D5 all | .903
7 | ROUGE-1 | D3 content | .798
7 | ROUGE-3 | mean all | .892
7 | ROUGE-4 | D4 content | .292
7 | ESK d=2 beta=2 | D3 all | .987
7 | WSK d=3 beta=2 | D5 all | .923
8 | ROUGE-2 | Davg content | .939
8 | ROUGE-S* | D4 all | .553
8 | ROUGE-SU* | D4 all | .527
8 | ESK d=4 beta=3 | D1 all | .588
8 | WSK d=4 beta=2 | D4 all | .697
9 | sys1 | ROUGE-1 | .4335
9 | sys4 | ROUGE-2 | .2091
9 | sys7 | ROUGE-3 | .1193
9 | sys9 | ESK d=2 beta=2 | .2417
9 | sys11 | ROUGE-3 | .0002
10 short | d=2 | r | .950
10 short | d=2 | lambda | .5
10 short | d=3 | lambda | .3
10 short | d=4 | beta | 2
10 short | d=4 | r | .925
10 long | d=2 | beta | 2.5
10 long | d=2 | r | .963
10 long | d=3 | lambda | .2
10 long | d=3 | r | .955
10 long | d=4 | lambda | .1
11 short | d=2 | rho | .921
11 short | d=3 | beta | 4
11 short | d=3 | lambda | .8
11 short | d=3 | rho | .931
11 short | d=4 | lambda | .5
11 long | d=2 | lambda | .6
11 long | d=2 | rho | .911
11 long | d=3 | beta | 2
11 long | d=3 | rho | .901
11 long | d=4 | rho | .877
""",
    "inoue2020": """
1 | train | questions | 2,612
1 | train | 2 steps | 5,448
1 | dev | 3 steps | 1,997
1 | dev final | 5 steps or more | 111
1 | dev final | derivations | 6,405
2 | 1 reference | entity P | 82.0
2 | 1 reference | relation R | 49.5
2 | 2 references | entity F | 83.4
2 | 3 references | relation F | 69.5
2 | 3 references | full R | 84.9
3 | IE | entity P | 20.5
3 | IE | relation R | 61.5
3 | IE | full F | 27.2
3 | CORE | relation P | 74.4
3 | CORE | full F | 61.5
""",
    "ordinal2022": """
labels | A | number | 6
labels | B | number | 5
labels | C | number | 4
labels | E | number | 2
labels | G | number | 0
values | 1 apart | MAE | 0.75
values | 1 apart | half power | 0.5
values | 2 apart | MAE | 0.5
values | 2 apart | half power | 0.25
values | 3 apart | half power | 0.125
works | work 1 | label | F
works | work 3 | score | 0.35
works | work 4 | label | G
works | work 5 | score | 0.55
works | work 8 | label | A
pairs | pair 1 | higher | work 2
pairs | pair 1 | verdict | right
pairs | pair 2 | inferred | work 3
pairs | pair 3 | higher | work 1
pairs | pair 3 | inferred | work 4
""",
    "scarton2020": """
1 counts | support | 2017 | 1,004
1 counts | deny | 2019 | 606
1 counts | query | 2017 | 464
1 counts | comment | 2019 | 6,176
1 counts | total | 2017 | 5,568
1 percentages | support | 2017 | 18%
1 percentages | support | 2019 | 14%
1 percentages | deny | 2017 | 7%
1 percentages | query | 2017 | 8%
1 percentages | comment | 2019 | 72%
2 | Turing | accuracy | 0.784
2 | NileTMRG | GMR | 0.363
2 | Mama Edha | wAUC | 0.607
2 | DFKI DKT | wF1 | 0.234
2 | all support | wF2 | 0.132
3 | BUT-FIT | accuracy | 0.852
3 | eventAI | wF2 | 0.602
3 | jurebb | GMR | 0.122
3 | Xinthl | wAUC | 0.493
3 | majority class | macro-F1 | 0.223
4 | Turing | UPV | 0.289
4 | ECNU | Mama Edha | 0.334
4 | NileTMRG | UPV | 0.374
4 | IKM | UPV | 0.318
4 | DFKI DKT | Mama Edha | 0.399
weights | own | support | 0.40
weights | own | comment | 0.05
weights | Mama Edha | query | 0.399
weights | UPV | deny | 0.35
weights | UPV | comment | 0.1
""",
}

MIXED_DECIMALS = {
    ("hirao2006", "4 short r"),
    ("hirao2006", "4 short rho"),
    ("hirao2006", "4 long r"),
    ("hirao2006", "4 long rho"),
    ("hirao2006", "10 short"),
    ("hirao2006", "10 long"),
    ("hirao2006", "11 short"),
    ("hirao2006", "11 long"),
    ("ordinal2022", "values"),
    ("scarton2020", "weights"),
}

WORDS = {("amemiya2021", "7 groups"), ("ordinal2022", "works"), ("ordinal2022", "pairs")}

TABLES = [(key, table.label) for key in PAPERS for table in read_paper(key).tables]


def labelled(key: str, label: str) -> PublishedTable:
    number, _, part = label.partition(" ")
    return read_paper(key).table(number, part)


def printed_cells(table: PublishedTable) -> list[Printed]:
    return [cell for row in table.cells for cell in row if cell]


def values(cells: Sequence[Printed | None]) -> NDArray[np.float64]:
    return np.array([np.nan if cell is None else cell.value for cell in cells])


def scores_by_system(table: PublishedTable) -> dict[str, float]:
    return dict(zip(table.names, table.array()[:, 0].tolist(), strict=True))


@pytest.mark.parametrize("key", PAPERS)
def test_every_table_has_its_rows_and_columns(key: str) -> None:
    paper = read_paper(key)
    assert paper.key == key
    assert {table.label: table.array().shape for table in paper.tables} == SHAPES[key]
    for table in paper.tables:
        assert (len(set(table.names)), len(set(table.header))) == (len(table.names), len(table.header))


@pytest.mark.parametrize("key", PAPERS)
def test_cells_are_those_of_the_paper(key: str) -> None:
    seen = []
    for line in SPOTS[key].strip().splitlines():
        label, row, column, text = line.split(" | ")
        assert labelled(key, label).cell(row, column).text == text, line
        seen.append(label)
    assert all(seen.count(label) >= 5 for label in SHAPES[key])


@pytest.mark.parametrize(("key", "label"), TABLES)
def test_cells_are_numbers_of_equal_decimals(key: str, label: str) -> None:
    cells = printed_cells(labelled(key, label))
    assert all(cell.is_number for cell in cells) == ((key, label) not in WORDS)
    decimals = {cell.decimals for cell in cells if cell.is_number}
    assert (len(decimals) > 1) == ((key, label) in MIXED_DECIMALS)


@pytest.mark.parametrize("key", PAPERS)
def test_statements_are_numbers_told_once(key: str) -> None:
    statements = read_paper(key).statements
    assert all(one.value.is_number for one in statements)
    assert len({(one.name, one.about) for one in statements}) == len(statements)


@pytest.mark.parametrize("key", PAPERS)
def test_doubts_are_about_cells_that_are_there(key: str) -> None:
    for table in read_paper(key).tables:
        for doubt in table.doubtful:
            assert table.cell(doubt.row, doubt.column).is_number
            assert doubt.reason


def test_a_printed_number_knows_what_it_stands_for() -> None:
    assert (Printed("1,004").value, Printed("1,004").decimals) == (1004.0, 0)
    assert (Printed("94.8%").value, Printed("94.8%").decimals) == (94.8, 1)
    assert Printed(".950").decimals == 3
    assert Printed("-0.0118").interval == (-0.01185, -0.01175)
    assert Printed("-0.0118").truncation_interval == (-0.0119, -0.0118)
    assert Printed("0.000").truncation_interval == (-0.001, 0.001)
    assert Printed("14").interval == (13.5, 14.5)
    assert not Printed("A/B").is_number
    assert not Printed(".").is_number
    assert not Printed("work 1").is_number


def test_a_number_rounds_or_truncates_to_what_is_printed() -> None:
    assert [Printed("0.5164").rounds(47 / 91), Printed("0.5164").truncates(47 / 91)] == [False, True]
    assert [Printed("0.5165").rounds(47 / 91), Printed("0.5165").truncates(47 / 91)] == [True, False]
    assert [Printed("0.3").truncates(0.1 + 0.2), Printed("0.3").truncates(0.3 - 1e-12)] == [True, True]
    assert [Printed("-0.2").truncates(-0.25), Printed("-0.2").truncates(-0.3)] == [True, False]


def test_what_is_not_there_is_said_so() -> None:
    table = read_paper("hirao2006").table("3", "short")
    with pytest.raises(UnknownName, match=r"unknown paper 'hirao2005'\. Did you mean 'hirao2006'"):
        read_paper("hirao2005")
    with pytest.raises(UnknownName, match="unknown table '3 shrt'"):
        read_paper("hirao2006").table("3", "shrt")
    with pytest.raises(UnknownName, match="unknown data set 'D6'"):
        table.row("D6")
    with pytest.raises(UnknownName, match="unknown system 'sys11'"):
        table.column("sys11")
    with pytest.raises(UnknownName, match="unknown statement"):
        read_paper("hirao2006").statement("W")
    with pytest.raises(InputError, match="nothing in row 'ESK d=2 beta=2' and column 'D1 content' of table 5"):
        read_paper("hirao2006").table("5").cell("ESK d=2 beta=2", "D1 content")
    with pytest.raises(InputError, match="the word 'A/B'"):
        _ = Printed("A/B").value
    assert np.isnan(read_paper("amemiya2021").table("7", "groups").array()).all()


# --- amemiya2021


@pytest.fixture(scope="module")
def amemiya() -> Paper:
    return read_paper("amemiya2021")


def is_truncated_fraction(cell: Printed, whole: int) -> bool:
    return any(cell.truncates(part / whole) for part in range(-whole, whole + 1))


def test_amemiya_taus_of_14_systems_are_odd_91sts_cut_off_but_for_one(amemiya: Paper) -> None:
    cells = {
        (table.label, row, column): cell
        for table, columns in ((amemiya.table("2"), 8), (amemiya.table("6"), 3))
        for row in table.names
        for column, cell in list(zip(table.header, table.row(row), strict=True))[:columns]
        if cell
    }
    assert len(cells) == 36 + 27
    odd = [place for place, cell in cells.items() if not any(cell.truncates(part / 91) for part in range(-91, 92, 2))]
    assert odd == [("2", "MAE-mu", "accuracy")]
    assert Printed("0.4945").truncates(45 / 91)
    assert any(not cell.rounds(round(cell.value * 91) / 91) for cell in cells.values())


def test_amemiya_taus_of_the_balanced_data_are_rounded_instead(amemiya: Paper) -> None:
    merged = amemiya.table("6").header[:3]
    balanced = [amemiya.statement(f"tau with balanced classes {name}", "kappa").value for name in merged]
    assert [cell.text for cell in balanced] == ["0.1209", "0.4066", "0.1429"]
    parts = [11, 37, 13]
    assert [cell.rounds(part / 91) for cell, part in zip(balanced, parts, strict=True)] == [True] * 3
    assert [is_truncated_fraction(cell, 91) for cell in balanced] == [False] * 3
    assert (values(balanced) < values(amemiya.table("6").row("kappa")[:3])).all()


def test_amemiya_table_6_has_the_means_of_its_rows_but_for_three(amemiya: Paper) -> None:
    table = amemiya.table("6")
    wrong = {}
    for name in table.names:
        *cells, mean = (cell for cell in table.row(name) if cell)
        found = float(np.mean(values(cells)))
        if not mean.truncates(found):
            wrong[name] = (mean.text, round(found, 4))
    assert wrong == {"MAE-M": ("0.1721", 0.1355), "MAE-mu": ("0.3919", 0.3846), "F1-mean": ("0.5313", 0.5311)}
    assert {doubt.row for doubt in table.doubtful if doubt.column == "mean"} == set(wrong)
    assert is_truncated_fraction(table.cell("MAE-M", "mean"), 273)
    assert is_truncated_fraction(table.cell("MAE-mu", "mean"), 273)
    assert not is_truncated_fraction(table.cell("F1-mean", "mean"), 273)


def test_amemiya_table_7_ranks_two_measures_apart_whose_uncut_means_are_equal(amemiya: Paper) -> None:
    table = amemiya.table("6")
    parts = {name: np.ceil(values(table.row(name)[:3]) * 91 - 1e-6) for name in ("alpha-ORD", "accuracy")}
    assert {name: parts[name].sum() for name in parts} == {"alpha-ORD": 115, "accuracy": 115}
    assert [table.cell(name, "mean").text for name in parts] == ["0.4211", "0.4212"]
    assert [amemiya.table("7", "ranks").cell(name, "ordinal classes").text for name in parts] == ["5", "6"]


def test_amemiya_text_swaps_the_alphas_of_table_6(amemiya: Paper) -> None:
    column = dict(zip(amemiya.table("6").names, amemiya.table("6").column("Agree+Discuss"), strict=True))
    highest = amemiya.statement("highest tau Agree+Discuss", "alpha-ORD").value
    lowest = amemiya.statement("lowest tau Agree+Discuss", "alpha-INT").value
    assert (column["alpha-INT"], column["alpha-ORD"]) == (highest, lowest)
    assert (highest.text, lowest.text) == ("0.5384", "0.1428")
    assert [name for name, cell in column.items() if cell == lowest] == ["alpha-ORD", "MAE-M"]


@pytest.mark.parametrize(
    ("merged", "highest", "lowest"),
    [("Disagree+Discuss", "kappa", "MAE-M"), ("Agree+Disagree", "accuracy", "CEM-ORD")],
)
def test_amemiya_text_names_the_ends_of_table_6(amemiya: Paper, merged: str, highest: str, lowest: str) -> None:
    table = amemiya.table("6")
    column = values(table.column(merged))
    assert (table.names[column.argmax()], table.names[column.argmin()]) == (highest, lowest)
    assert amemiya.statement(f"highest tau {merged}", highest).value == table.cell(highest, merged)
    assert amemiya.statement(f"lowest tau {merged}", lowest).value == table.cell(lowest, merged)


def test_amemiya_table_7_ranks_by_tables_3_and_6(amemiya: Paper) -> None:
    ranks = amemiya.table("7", "ranks")
    consistency = amemiya.table("3")
    stable = [consistency.cell(name, "tau").value for name in ranks.names]
    np.testing.assert_array_equal(values(ranks.column("consistency")), stats.rankdata([-tau for tau in stable]))
    means = values(amemiya.table("6").column("mean"))
    np.testing.assert_array_equal(values(ranks.column("ordinal classes")), stats.rankdata(means))
    assert amemiya.statement("lowest mean tau", "MAE-M").value == amemiya.table("6").cell("MAE-M", "mean")
    assert (np.diff(values(consistency.column("tau"))) < 0).all()


@pytest.mark.parametrize("number", ["4", "5"])
def test_amemiya_halves_are_in_the_order_of_their_scores(amemiya: Paper, number: str) -> None:
    halves = [amemiya.table(number, half) for half in "XY"]
    assert set(halves[0].names) == set(halves[1].names)
    assert len(halves[0].names) == int(amemiya.statement("systems").value.value)
    for half in halves:
        assert (np.diff(half.array()[:, 0]) < 0).all()


@pytest.mark.parametrize(
    ("number", "measure", "printed", "concordant_less_discordant"),
    [("4", "kappa", "0.8242", 79), ("5", "alpha-ORD", "0.4945", 77)],
)
def test_amemiya_captions_have_other_taus_than_the_halves_below(
    amemiya: Paper, number: str, measure: str, printed: str, concordant_less_discordant: int
) -> None:
    first, second = (scores_by_system(amemiya.table(number, half)) for half in "XY")
    found = stats.kendalltau(list(first.values()), [second[name] for name in first]).statistic
    caption = amemiya.statement("caption tau", measure)
    assert found == pytest.approx(concordant_less_discordant / 91)
    assert caption.value.text == printed
    assert not caption.value.rounds(found)
    assert any(caption.value.rounds(part / 91) for part in range(-91, 92, 2))
    assert caption.doubtful


@pytest.mark.parametrize(
    ("number", "measure", "by_half_x", "by_half_y", "printed"),
    [
        ("4", "kappa", [1.0, 0.8, 1.0], [0.8, 0.8, 1.0], ["0.8000", "0.4000", "1.0000"]),
        ("5", "alpha-ORD", [0.4, 0.4, 1.0], [0.8, 0.6, 1.0], ["0.4000", "0.2000", "1.0000"]),
    ],
)
def test_amemiya_strata_have_the_printed_taus_in_neither_half(
    amemiya: Paper, number: str, measure: str, by_half_x: list[float], by_half_y: list[float], printed: list[str]
) -> None:
    halves = [scores_by_system(amemiya.table(number, half)) for half in "XY"]
    strata = (slice(0, 5), slice(5, 10), slice(10, 14))
    for half, expected in zip(halves, (by_half_x, by_half_y), strict=True):
        groups = [list(half)[stratum] for stratum in strata]
        found = [stats.kendalltau(*([half[name] for name in group] for half in halves)).statistic for group in groups]
        assert found == pytest.approx(expected)
    told = [amemiya.statement(f"tau of ranks {span}", measure) for span in ("1 to 5", "6 to 10", "11 to 14")]
    assert [one.value.text for one in told] == printed
    assert [bool(one.doubtful) for one in told] == [True, True, False]


def test_amemiya_confusions_add_up(amemiya: Paper) -> None:
    counts = amemiya.table("figure 3").array()
    np.testing.assert_array_equal(counts[:, 0] + counts[:, 1], counts[:, 2])


def test_amemiya_counts_12_systems_of_others_and_2_of_their_own(amemiya: Paper) -> None:
    systems, others, own = (
        amemiya.statement(name).value.value for name in ("systems", "systems of others", "own systems")
    )
    assert others + own == systems


# --- hirao2006


@pytest.fixture(scope="module")
def hirao() -> Paper:
    return read_paper("hirao2006")


PAIRS = [(first, second) for first in range(5) for second in range(first + 1, 5)]


@pytest.mark.parametrize("length", ["short", "long"])
def test_hirao_table_4_has_the_pearson_correlations_of_table_3(hirao: Paper, length: str) -> None:
    scores = hirao.table("3", length).array()
    printed = hirao.table("4", f"{length} r").array()
    found = np.asarray(np.corrcoef(scores))
    # Scores of three decimals leave the third of a correlation open.
    for pair in PAIRS:
        assert printed[pair] == pytest.approx(found[pair], abs=0.003)
    np.testing.assert_array_equal(printed.diagonal(), np.ones(5))
    assert np.isnan(printed[np.tril_indices(5, -1)]).all()


@pytest.mark.parametrize(("length", "tied", "systems"), [("short", "D4", (4, 5)), ("long", "D2", (2, 4))])
def test_hirao_table_4_has_the_rank_correlations_of_table_3_with_its_one_tie_broken_for_sys5(
    hirao: Paper, length: str, tied: str, systems: tuple[int, int]
) -> None:
    scores = hirao.table("3", length).array()
    row = int(tied[1]) - 1
    assert scores[row, systems[0]] == scores[row, systems[1]]
    as_printed = np.asarray(stats.spearmanr(scores.T).statistic)
    scores[row, 4] += 0.0001
    broken = np.asarray(stats.spearmanr(scores.T).statistic)
    printed = hirao.table("4", f"{length} rho")
    cells = {pair: cell for pair in PAIRS if (cell := printed.cells[pair[0]][pair[1]])}
    assert len(cells) == 10
    assert all(cell.rounds(broken[pair]) for pair, cell in cells.items())
    # Without that, pairs with the tied data set are off, and those only.
    off = [pair for pair, cell in cells.items() if not cell.rounds(as_printed[pair])]
    assert off
    assert all(row in pair for pair in off)


@pytest.mark.parametrize(("length", "from_table_3"), [("short", 0.8538), ("long", 0.9183)])
def test_hirao_w_is_that_of_the_printed_rank_correlations(hirao: Paper, length: str, from_table_3: float) -> None:
    printed = hirao.statement("Kendall's W", length).value
    correlations = hirao.table("4", f"{length} rho").array()
    mean = np.mean([correlations[pair] for pair in PAIRS])
    assert printed.rounds((4 * float(mean) + 1) / 5)
    # Scores of three decimals tie two systems, and W is another then.
    ranks = stats.rankdata(hirao.table("3", length).array(), axis=1)
    deviations = ranks.sum(axis=0) - 27.5
    plain = 12 * float((deviations**2).sum()) / (25 * 990)
    assert plain == pytest.approx(from_table_3, abs=0.00005)
    assert not printed.rounds(plain)


@pytest.mark.parametrize(
    ("number", "exceptions"),
    [
        ("5", {("ROUGE-SU4", "content"): (".878", 0.8728)}),
        ("6", {("ROUGE-2", "all"): (".867", 0.8687)}),
        ("7", {("ROUGE-3", "all"): (".892", 0.8295)}),
        ("8", {}),
    ],
)
def test_hirao_correlations_have_the_means_printed_with_them_but_for_three(
    hirao: Paper, number: str, exceptions: dict[tuple[str, str], tuple[str, float]]
) -> None:
    table = hirao.table(number)
    wrong = {}
    rows = 0
    for name in table.names:
        for words in ("all", "content"):
            columns = [f"{data_set} {words}" for data_set in ("D1", "D2", "D3", "D4", "D5", "Davg", "mean")]
            cells = [table.row(name)[table.header.index(column)] for column in columns]
            if cells[0] is None:
                assert cells == [None] * 7
                continue
            rows += 1
            *printed, mean = (cell for cell in cells if cell)
            found = float(np.mean(values(printed)))
            # Six cells are each rounded by half a last digit, the mean by another.
            if abs(mean.value - found) > 0.001:
                wrong[name, words] = (mean.text, round(found, 4))
    assert wrong == exceptions
    assert rows == 11 * 2 + 12
    assert {(doubt.row, doubt.column) for doubt in table.doubtful if doubt.column.startswith("mean")} == {
        (name, f"mean {words}") for name, words in exceptions
    }


@pytest.mark.parametrize(
    ("number", "exceptions"),
    [
        ("6", [("ROUGE-4", "D4 all"), ("ROUGE-4", "D4 content"), ("ROUGE-4", "D5 content")]),
        ("8", [("ROUGE-S*", "D4 all"), ("WSK d=3 beta=2", "D5 all"), ("WSK d=4 beta=3", "D1 all")]),
    ],
)
def test_hirao_rank_correlations_are_those_of_ten_systems_but_for_six(
    hirao: Paper, number: str, exceptions: list[tuple[str, str]]
) -> None:
    # Without ties 1 − 6Σd²/990, and Σd² is even.
    table = hirao.table(number)
    possible = [1 - 6 * squares / 990 for squares in range(0, 331, 2)]
    odd = [
        (name, column)
        for name in table.names
        for column, cell in zip(table.header, table.row(name), strict=True)
        if cell and not column.startswith("mean") and not any(cell.rounds(one) for one in possible)
    ]
    assert odd == exceptions
    assert set(odd) <= {(doubt.row, doubt.column) for doubt in table.doubtful}


def test_hirao_table_9_leads_to_the_esk_of_tables_5_and_6_and_not_to_the_rouge(hirao: Paper) -> None:
    human = hirao.table("3", "short").array().mean(axis=0)
    table = hirao.table("9")
    pearson, spearman = (hirao.table(number) for number in "56")
    found = {}
    for name in table.header:
        scores = values(table.column(name))[:10]
        both = (stats.pearsonr(scores, human).statistic, stats.spearmanr(scores, human).statistic)
        cells = (pearson.cell(name, "Davg all"), spearman.cell(name, "Davg all"))
        found[name] = [cell.rounds(one) for cell, one in zip(cells, both, strict=True)]
        if name == "ROUGE-1":
            assert both == (pytest.approx(0.91596, abs=1e-5), pytest.approx(0.7697, abs=1e-5))
            assert [cell.text for cell in cells] == [".968", ".915"]
    assert found.pop("ESK d=2 beta=2") == [True, True]
    assert list(found.values()) == [[False, False]] * 3


@pytest.mark.parametrize(
    ("best", "fixed", "length", "name"),
    [("10", "5", "short", "r"), ("11", "6", "short", "rho"), ("10", "7", "long", "r"), ("11", "8", "long", "rho")],
)
def test_hirao_best_parameters_are_no_worse_than_those_of_the_experiment(
    hirao: Paper, best: str, fixed: str, length: str, name: str
) -> None:
    table = hirao.table(best, length)
    for row in table.names:
        tried = [hirao.table(fixed).cell(f"ESK {row} beta={beta}", "mean all").value for beta in (2, 3)]
        assert table.cell(row, name).value >= max(tried)
        if table.cell(row, "lambda").value == 0.5 and table.cell(row, "beta").text in ("2", "3"):
            assert table.cell(row, name).value == tried[int(table.cell(row, "beta").text) - 2]


def test_hirao_text_names_the_best_means_of_table_8(hirao: Paper) -> None:
    table = hirao.table("8")
    means = {name: max(values(table.row(name)[-2:])[:1].tolist()) for name in table.names}
    rouge = max((name for name in means if name.startswith("ROUGE")), key=means.__getitem__)
    esk = max((name for name in means if name.startswith("ESK")), key=means.__getitem__)
    assert hirao.statement("best mean rho of ROUGE, long", rouge).value.value == means[rouge]
    assert hirao.statement("best mean rho of ESK, long", esk).value.value == means[esk]
    assert np.nanmax(values(table.column("mean content"))) < means[rouge]


# --- inoue2020


@pytest.fixture(scope="module")
def inoue() -> Paper:
    return read_paper("inoue2020")


def test_inoue_table_1_adds_up(inoue: Paper) -> None:
    table = inoue.table("1")
    counts = table.array()
    np.testing.assert_array_equal(counts[:, 1:5].sum(axis=1), counts[:, 5])
    each = inoue.statement("derivations for a question").value.value
    np.testing.assert_array_equal(counts[:, 0] * each, counts[:, 5])
    kept = [table.names.index(name) for name in ("train", "dev final")]
    assert counts[kept, 0].sum() == inoue.statement("questions").value.value
    assert counts[kept, 5].sum() == inoue.statement("derivations").value.value
    assert inoue.statement("derivations judged", "dev").value == table.cell("dev", "derivations")
    sampled = [inoue.statement("items sampled", split).value.value for split in ("train", "dev")]
    assert sum(sampled) * each == inoue.statement("tasks given out").value.value


@pytest.mark.parametrize(("level", "printed"), [("entity", "8.8%"), ("relation", "19.4%")])
def test_inoue_gains_of_the_text_are_differences_of_table_2(inoue: Paper, level: str, printed: str) -> None:
    first, _, third = values(inoue.table("2").column(f"{level} F"))
    gain = inoue.statement("gain in F by three references instead of one", level).value
    assert gain.text == printed
    assert gain.value == pytest.approx(third - first)


def test_inoue_scores_grow_with_the_references_and_baselines_stay_below_but_for_one(inoue: Paper) -> None:
    references, models = inoue.table("2"), inoue.table("3")
    assert (np.diff(references.array(), axis=0) > 0).all()
    above = models.array() > references.array()[2]
    assert [models.header[column] for column in np.flatnonzero(above.any(axis=0))] == ["relation P"]


def test_inoue_forty_of_forty_four_are_not_ninety_percent(inoue: Paper) -> None:
    share = inoue.statement("share of derivable items").value
    found = (
        100 * inoue.statement("derivable items").value.value / inoue.statement("items judged Yes before").value.value
    )
    assert (share.text, round(found, 1)) == ("90.0%", 90.9)
    assert not share.rounds(found)


def test_inoue_shares_of_the_answers_add_up_to_a_little_more_than_a_hundred(inoue: Paper) -> None:
    shares = [one.value.value for one in inoue.statements if one.name == "answer found again"]
    assert len(shares) == 4
    assert sum(shares) == pytest.approx(100.1)


# --- ordinal2022


def test_ordinal_works_correlate_by_kendall_as_the_article_says_of_pearson() -> None:
    paper = read_paper("ordinal2022")
    numbers = {label: paper.table("labels").cell(label, "number").value for label in "ABCDEFG"}
    works = paper.table("works")
    labels = [numbers[cell.text] for cell in works.column("label") if cell]
    scores = values(works.column("score"))
    told = paper.statement("Pearson correlation of the works, about").value
    assert told.text == "0.6"
    pearson = stats.pearsonr(labels, scores).statistic
    assert pearson == pytest.approx(0.7523, abs=0.00005)
    assert not told.rounds(pearson)
    assert told.rounds(stats.kendalltau(labels, scores).statistic)


def test_ordinal_pairs_are_told_by_labels_and_scores() -> None:
    paper = read_paper("ordinal2022")
    works, pairs = paper.table("works"), paper.table("pairs")
    for name in pairs.names:
        first, second, higher, inferred, verdict = (cell.text for cell in pairs.row(name) if cell)
        # A is the best label.
        assert higher == min(first, second, key=lambda work: works.cell(work, "label").text)
        assert inferred == max(first, second, key=lambda work: works.cell(work, "score").value)
        assert verdict == ("right" if higher == inferred else "wrong")


def test_ordinal_values_follow_from_the_distance() -> None:
    table = read_paper("ordinal2022").table("values")
    for apart in range(4):
        row = f"{apart} apart"
        assert table.cell(row, "half power").value == 0.5**apart
        assert table.cell(row, "accuracy").value == (apart == 0)
        if apart < 3:
            assert table.cell(row, "MAE").value == 1 - apart / 4


# --- scarton2020


@pytest.fixture(scope="module")
def scarton() -> Paper:
    return read_paper("scarton2020")


def test_scarton_table_1_adds_up_and_has_its_percentages(scarton: Paper) -> None:
    counts, shares = scarton.table("1", "counts"), scarton.table("1", "percentages")
    totals = counts.array()[-1]
    np.testing.assert_array_equal(counts.array()[:-1].sum(axis=0), totals)
    for year, total in zip(counts.header, totals, strict=True):
        for name in shares.names:
            assert shares.cell(name, year).rounds(100 * counts.cell(name, year).value / total)
        assert scarton.statement(f"share of comments {year}").value == shares.cell("comment", year)


@pytest.mark.parametrize("number", ["2", "3", "4"])
def test_scarton_ranks_are_those_of_the_printed_scores(scarton: Paper, number: str) -> None:
    table = scarton.table(number)
    for column in table.header:
        ranked = [cell for cell in table.column(column) if cell and cell.rank]
        assert len(ranked) == {"2": 8, "3": 13, "4": 8}[number]
        found = stats.rankdata([-cell.value for cell in ranked], method="min")
        if (number, column) == ("3", "GMR"):
            continue  # The next test.
        np.testing.assert_array_equal([cell.rank for cell in ranked], found, err_msg=column)


def test_scarton_breaks_ties_of_gmr_by_macro_f1(scarton: Paper) -> None:
    table = scarton.table("3")
    tied = [name for name in table.names[:13] if table.cell(name, "GMR").value == 0]
    assert [table.cell(name, "GMR").rank for name in tied] == [7, 8, 9, 10, 11, 12, 13]
    assert (np.diff([table.cell(name, "macro-F1").value for name in tied]) < 0).all()
    others = [table.cell(name, "GMR") for name in table.names[:13] if name not in tied]
    assert [cell.rank for cell in others] == stats.rankdata([-cell.value for cell in others]).tolist()


@pytest.mark.parametrize("number", ["2", "3"])
def test_scarton_baselines_have_no_rank_and_orders_follow_the_official_measure(scarton: Paper, number: str) -> None:
    table = scarton.table(number)
    assert table.names[-3:] == ("majority class", "all denies", "all support")
    assert all(cell and cell.rank is None for name in table.names[-3:] for cell in table.row(name))
    official = {"2": "accuracy", "3": "macro-F1"}[number]
    assert [cell.rank for cell in table.column(official)[:-3] if cell] == list(range(1, len(table.names) - 2))


# Test items by class, from the official gold files: shared/data/README.md.
GOLD_COUNTS = {"2": (94, 71, 106, 778), "3": (157, 101, 93, 1476)}


@pytest.mark.parametrize("number", ["2", "3"])
@pytest.mark.parametrize(("baseline", "only"), [("all support", 0), ("all denies", 1), ("majority class", 3)])
def test_scarton_baselines_follow_from_the_test_items(scarton: Paper, number: str, baseline: str, only: int) -> None:
    table = scarton.table(number)
    share = GOLD_COUNTS[number][only] / sum(GOLD_COUNTS[number])
    f1, f2 = (2 * share / (1 + share), 5 * share / (4 * share + 1))
    weight = values(scarton.table("weights").row("own"))[only]
    found = {"accuracy": share, "macro-F1": f1 / 4, "GMR": 0.0, "wAUC": 0.5, "wF1": weight * f1, "wF2": weight * f2}
    assert {name: table.cell(baseline, name).rounds(value) for name, value in found.items()} == dict.fromkeys(
        found, True
    )


def test_scarton_weights_add_up_to_one(scarton: Paper) -> None:
    np.testing.assert_allclose(scarton.table("weights").array().sum(axis=1), 1)
