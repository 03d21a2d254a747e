"""The tables of papers: partly typed a second time, and compared with statements in the papers."""

from importlib import resources

import pytest
import yaml

from metaeval import papers
from metaeval.errors import InputError, UnknownName
from metaeval.papers.published import PAPERS, Printed, PublishedTable, read_paper

SHAPES = {
    "amemiya2021": {"2": (8, 8), "3": (9, 1), **dict.fromkeys(("4 X", "4 Y", "5 X", "5 Y"), (14, 1)), "6": (9, 4)}
    | {"7 groups": (9, 1), "7 ranks": (9, 2), "figure 3": (4, 3)},
    "hirao2006": dict.fromkeys(("3 short", "3 long"), (5, 10))
    | dict.fromkeys(("4 short r", "4 short rho", "4 long r", "4 long rho"), (5, 5))
    | dict.fromkeys("5678", (23, 14))
    | {"9": (11, 4), **dict.fromkeys(("10 short", "10 long", "11 short", "11 long"), (3, 3))},
    "inoue2020": {"1": (3, 6), "2": (3, 9), "3": (2, 9)},
    "ordinal2022": {"labels": (7, 1), "values": (4, 3), "works": (8, 2), "pairs": (3, 5)},
    "scarton2020": {"1 counts": (5, 2), "1 percentages": (4, 2), "2": (11, 6), "3": (16, 6), "4": (8, 2)}
    | {"weights": (3, 4)},
}

# By table: row, column, cell; read off the papers, not off the YAML. Five a table, or all where it has fewer.
SPOTS = {
    "amemiya2021": """
2: alpha-ORD | alpha-INT | 0.5164; alpha-ORD | F1-of-means | 0.6923; MAE-mu | accuracy | 0.4965
2: kappa | F1-mean | 0.6043; F1-mean | F1-of-means | 0.5384
3: kappa | tau | 0.7811; F1-mean | tau | 0.7388; MAE-M | tau | 0.6217; alpha-INT | tau | 0.5882
3: alpha-ORD | tau | 0.4727
4 X: RoBERTa | score | 0.6304; featMLP | score | 0.3102; TalosTree | score | 0.2615; baseline | score | 0.0640
4 X: random | score | -0.0118
4 Y: XLNet | score | 0.5455; TalosEnsemble | score | 0.3117; TalosTree | score | 0.2828; TalosCNN | score | 0.1853
4 Y: majority | score | 0.0000
5 X: XLNet | score | 0.5364; UCLMR | score | 0.2637; Chips | score | 0.1753; baseline | score | 0.0156
5 X: majority | score | -0.0527
5 Y: RoBERTa | score | 0.5760; TalosTree | score | 0.2594; BERT | score | 0.2468; stackLSTM | score | 0.1822
5 Y: random | score | -0.0325
6: alpha-INT | Agree+Discuss | 0.5384; MAE-M | mean | 0.1721; MAE-mu | mean | 0.3919
6: kappa | Disagree+Discuss | 0.8901; F1-mean | mean | 0.5313; F1-of-means | Agree+Disagree | 0.4285
7 groups: alpha-ORD | similarity | A; MAE-M | similarity | C; MAE-mu | similarity | B; CEM-ORD | similarity | A/B
7 groups: F1-of-means | similarity | A
7 ranks: alpha-ORD | consistency | 9; MAE-M | ordinal classes | 1; CEM-ORD | consistency | 3
7 ranks: kappa | ordinal classes | 9; F1-mean | ordinal classes | 8
figure 3: BERT | one way | 397; BERT | both | 500; TalosTree | other way | 0; TalosCNN | other way | 65
figure 3: baseline | both | 118
""",
    "hirao2006": """
3 short: D1 | sys6 | .365; D2 | sys5 | .290; D3 | sys1 | .302; D4 | sys9 | .159; D5 | sys8 | .329
3 long: D1 | sys6 | .392; D2 | sys2 | .185; D3 | sys8 | .336; D4 | sys3 | .313; D5 | sys10 | .293
4 short r: D1 | D1 | 1.00; D1 | D2 | .968; D2 | D5 | .878; D3 | D4 | .972; D4 | D5 | .954
4 short rho: D1 | D4 | .697; D1 | D5 | .758; D2 | D3 | .830; D3 | D5 | .879; D4 | D5 | .818
4 long r: D1 | D2 | .908; D1 | D5 | .786; D2 | D4 | .963; D3 | D4 | .862; D4 | D5 | .923
4 long rho: D1 | D2 | .964; D1 | D5 | .855; D2 | D4 | .952; D3 | D4 | .842; D4 | D5 | .903
5: ROUGE-1 | D1 all | .965; ROUGE-L | D2 all | .683; ROUGE-S9 | D4 content | .789; ROUGE-SU4 | mean content | .878
5: ESK d=2 beta=3 | mean all | .950; WSK d=4 beta=3 | Davg all | .955
6: ROUGE-1 | D1 all | .988; ROUGE-4 | D4 content | .746; ROUGE-SU4 | D2 content | .600; ESK d=4 beta=3 | D3 all | .988
6: WSK d=4 beta=2 | D5 all | .903
7: ROUGE-1 | D3 content | .798; ROUGE-3 | mean all | .892; ROUGE-4 | D4 content | .292; ESK d=2 beta=2 | D3 all | .987
7: WSK d=3 beta=2 | D5 all | .923
8: ROUGE-2 | Davg content | .939; ROUGE-S* | D4 all | .553; ROUGE-SU* | D4 all | .527; ESK d=4 beta=3 | D1 all | .588
8: WSK d=4 beta=2 | D4 all | .697
9: sys1 | ROUGE-1 | .4335; sys4 | ROUGE-2 | .2091; sys7 | ROUGE-3 | .1193; sys9 | ESK d=2 beta=2 | .2417
9: sys11 | ROUGE-3 | .0002
10 short: d=2 | r | .950; d=2 | lambda | .5; d=3 | lambda | .3; d=4 | beta | 2; d=4 | r | .925
10 long: d=2 | beta | 2.5; d=2 | r | .963; d=3 | lambda | .2; d=3 | r | .955; d=4 | lambda | .1
11 short: d=2 | rho | .921; d=3 | beta | 4; d=3 | lambda | .8; d=3 | rho | .931; d=4 | lambda | .5
11 long: d=2 | lambda | .6; d=2 | rho | .911; d=3 | beta | 2; d=3 | rho | .901; d=4 | rho | .877
""",
    "inoue2020": """
1: train | questions | 2,612; train | 2 steps | 5,448; dev | 3 steps | 1,997; dev final | 5 steps or more | 111
1: dev final | derivations | 6,405
2: 1 reference | entity P | 82.0; 1 reference | relation R | 49.5; 2 references | entity F | 83.4
2: 3 references | relation F | 69.5; 3 references | full R | 84.9
3: IE | entity P | 20.5; IE | relation R | 61.5; IE | full F | 27.2; CORE | relation P | 74.4; CORE | full F | 61.5
""",
    "ordinal2022": """
labels: A | number | 6; B | number | 5; C | number | 4; E | number | 2; G | number | 0
values: 1 apart | MAE | 0.75; 1 apart | half power | 0.5; 2 apart | MAE | 0.5; 2 apart | half power | 0.25
values: 3 apart | half power | 0.125
works: work 1 | label | F; work 3 | score | 0.35; work 4 | label | G; work 5 | score | 0.55; work 8 | label | A
pairs: pair 1 | higher | work 2; pair 1 | verdict | right; pair 2 | inferred | work 3; pair 3 | higher | work 1
pairs: pair 3 | inferred | work 4
""",
    "scarton2020": """
1 counts: support | 2017 | 1,004; deny | 2019 | 606; query | 2017 | 464; comment | 2019 | 6,176; total | 2017 | 5,568
1 percentages: support | 2017 | 18%; support | 2019 | 14%; deny | 2017 | 7%; query | 2017 | 8%; comment | 2019 | 72%
2: Turing | accuracy | 0.784; NileTMRG | GMR | 0.363; Mama Edha | wAUC | 0.607; DFKI DKT | wF1 | 0.234
2: all support | wF2 | 0.132
3: BUT-FIT | accuracy | 0.852; eventAI | wF2 | 0.602; jurebb | GMR | 0.122; Xinthl | wAUC | 0.493
3: majority class | macro-F1 | 0.223
4: Turing | UPV | 0.289; ECNU | Mama Edha | 0.334; NileTMRG | UPV | 0.374; IKM | UPV | 0.318
4: DFKI DKT | Mama Edha | 0.399
weights: own | support | 0.40; own | comment | 0.05; Mama Edha | query | 0.399; UPV | deny | 0.35; UPV | comment | 0.1
""",
}

MIXED_DECIMALS = {
    *(("hirao2006", f"4 {length} {name}") for length in ("short", "long") for name in ("r", "rho")),
    *(("hirao2006", f"{number} {length}") for number in (10, 11) for length in ("short", "long")),
    *(("ordinal2022", "values"), ("scarton2020", "weights")),
}

WORDS = {("amemiya2021", "7 groups"), ("ordinal2022", "works"), ("ordinal2022", "pairs")}

TABLES = [(key, table.label) for key in PAPERS for table in read_paper(key).tables]


def labelled(key: str, label: str) -> PublishedTable:
    number, _, part = label.partition(" ")
    return read_paper(key).table(number, part)


@pytest.mark.parametrize("key", PAPERS)
def test_every_table_has_its_rows_and_columns(key: str) -> None:
    paper = read_paper(key)
    assert paper.key == key
    assert {table.label: (len(table.names), len(table.header)) for table in paper.tables} == SHAPES[key]
    for table in paper.tables:
        assert (len(set(table.names)), len(set(table.header))) == (len(table.names), len(table.header))


@pytest.mark.parametrize("key", PAPERS)
def test_cells_are_those_of_the_paper(key: str) -> None:
    labels = []
    for line in SPOTS[key].strip().splitlines():
        label, _, spots = line.partition(": ")
        for spot in spots.split("; "):
            row, column, text = spot.split(" | ")
            assert labelled(key, label).cell(row, column).text == text, (label, spot)
            labels.append(label)
    assert all(labels.count(label) >= 5 for label in SHAPES[key])


@pytest.mark.parametrize(("key", "label"), TABLES)
def test_cells_are_numbers_of_equal_decimals(key: str, label: str) -> None:
    cells = [cell for row in labelled(key, label).cells.values() for cell in row.values()]
    assert all(cell.is_number for cell in cells) == ((key, label) not in WORDS)
    decimals = {cell.decimals for cell in cells if cell.is_number}
    assert (len(decimals) > 1) == ((key, label) in MIXED_DECIMALS)


@pytest.mark.parametrize("key", PAPERS)
def test_doubts_are_about_cells_that_are_there(key: str) -> None:
    document = yaml.safe_load(resources.files(papers).joinpath("printed", f"{key}.yaml").read_text(encoding="utf-8"))
    for entry in document["tables"]:
        for doubt in entry.get("doubtful", ()):
            table = read_paper(key).table(entry["table"], entry.get("part", ""))
            assert table.cell(doubt["row"], doubt["column"]).is_number
            assert doubt["reason"]


def test_a_printed_number_knows_what_it_stands_for() -> None:
    assert (Printed("1,004").value, Printed("1,004").decimals) == (1004.0, 0)
    assert (Printed("94.8%").value, Printed("94.8%").decimals) == (94.8, 1)
    assert Printed(".950").decimals == 3
    assert Printed("-0.0118").interval == (-0.01185, -0.01175)
    assert [Printed("-0.0118").truncates(value) for value in (-0.01189, -0.01191, -0.01179)] == [True, False, False]
    assert [Printed("0.000").truncates(value) for value in (-0.0009, 0.0009, 0.0011)] == [True, True, False]
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
    with pytest.raises(UnknownName, match="unknown table '3 shrt'"):
        read_paper("hirao2006").table("3", "shrt")
    with pytest.raises(InputError, match="word 'A/B'"):
        _ = Printed("A/B").value
