"""A result shows, saves and plots itself."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import metaeval as api
from metaeval.render import render


@pytest.fixture
def result() -> api.Result:
    gold = ["yes", "no", "yes", "no"]
    systems = {"good": gold, "<b>": ["yes", "yes", "yes", "no"], "bad": ["no", "yes", "no", "no"]}
    return api.score(api.from_labels(systems, gold=gold, labels="no<yes"), ["accuracy", "mcc"])


def test_it_prints_as_a_terminal_does(result: api.Result) -> None:
    text, _, left_out = str(result).partition("\n\nNot shown: ")
    assert repr(result) == str(result)
    assert left_out == "to_pandas('confusions')"
    assert f"{text}\n" == render(replace(result, tables=result.tables[:1]), "table")


def test_its_tables_become_data_frames(result: api.Result) -> None:
    assert list(result.to_pandas()["accuracy"]) == [1.0, 0.75, 0.25]
    assert list(result.to_pandas("ranks")["accuracy"]) == [1, 2, 3]
    with pytest.raises(api.UnknownName, match=r"unknown table 'rank'\. Did you mean 'ranks'"):
        result.to_pandas("rank")


@pytest.mark.parametrize(
    ("suffix", "format_name"),
    [(".csv", "csv"), (".tsv", "tsv"), (".json", "json"), (".md", "markdown"), (".tex", "latex"), (".TXT", "table")],
)
def test_it_is_saved_in_the_form_of_the_ending(
    result: api.Result, tmp_path: Path, suffix: str, format_name: str
) -> None:
    path = tmp_path / f"result{suffix}"
    result.save(path)
    assert path.read_text(encoding="utf-8") == render(result, format_name)


@pytest.mark.parametrize(("suffix", "magic"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_it_is_saved_as_a_plot(result: api.Result, tmp_path: Path, suffix: str, magic: bytes) -> None:
    result.save(tmp_path / f"plot{suffix}")
    assert (tmp_path / f"plot{suffix}").read_bytes().startswith(magic)


def test_another_ending_is_refused(result: api.Result, tmp_path: Path) -> None:
    with pytest.raises(api.InputError, match=r"expected one of \.txt, \.csv"):
        result.save(tmp_path / "result.xlsx")
    assert not list(tmp_path.iterdir())


def test_files_that_it_was_made_from_are_spared(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("id,gold,a\n1,yes,no\n2,no,no\n")
    result = api.score(api.read(gold=gold, labels="no<yes"), "accuracy")
    with pytest.raises(api.InputError, match="was read as gold"):
        result.save(gold)
    assert gold.read_text().startswith("id,gold,a")


def test_a_plot_shows_itself_and_says_what_it_shows(result: api.Result) -> None:
    figure: Any = result.plot()
    image, size = figure._repr_png_()  # what a notebook asks for
    assert image.startswith(b"\x89PNG")
    assert size["width"] == 879
    assert figure.get_suptitle() == "Ranks of the systems under each measure"
    assert figure.get_label().startswith("Ranks of 3 systems")
    assert figure.get_facecolor() == (1, 1, 1, 1)


def test_a_figure_saved_by_its_own_method_holds_all_its_parts(result: api.Result) -> None:
    figure = result.plot()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert 0 < box.x0 < box.x1 < width
    assert 0 < box.y0 < box.y1 < height


def test_a_plot_is_chosen_by_its_table_or_name(result: api.Result) -> None:
    labels = {result.plot(name).get_label() for name in (None, "ranks", "scores")}
    assert len(labels) == 1
    assert result.plot("confusions").get_suptitle() == "Confusion matrices"
    with pytest.raises(api.UnknownName, match="unknown plot 'nothing'"):
        result.plot("nothing")


def test_a_saved_baseline_is_what_the_next_run_is_compared_with(tmp_path: Path) -> None:
    gold = ["yes", "no"] * 40
    runs, worse = (
        api.from_labels({"a": labels, "b": ["no"] * 80}, gold=gold, labels="no<yes") for labels in (gold, ["yes"] * 80)
    )
    path = tmp_path / "baseline.json"
    failing = api.check(runs, "accuracy", fail_if="scores.b.accuracy < 0.6", save_baseline=path)
    assert list(failing.to_pandas()["verdict"]) == ["failed"]
    assert not path.exists()
    api.check(runs, "accuracy", save_baseline=path)
    assert json.loads(path.read_text())["tables"]["scores"]
    same = api.check(runs, "accuracy", baseline=path, permutations=200)
    assert set(same.to_pandas("baseline")["verdict"]) == {"passed"}
    dropped = api.check(worse, "accuracy", baseline=path, permutations=200).to_pandas("baseline").set_index("system")
    assert dropped["verdict"]["a"] == "failed"
    assert dropped["verdict"]["b"] == "passed"
