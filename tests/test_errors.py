from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import CommandLine

from metaeval import from_labels
from metaeval.errors import (
    SHOWN_AT_MOST,
    ConfigError,
    Gathered,
    InputError,
    MetaevalError,
    Problem,
    UnknownName,
    ambiguous,
    bad_setting,
    conflict,
    did_you_mean,
    empty,
    excluded,
    invalid,
    leave_out,
    missing_column,
    missing_key,
    name_in_use,
    nearest,
    no_rows,
    none_left,
    not_given,
    not_installed,
    refuse,
    repeated,
    setting,
    too_few,
    too_large,
    unknown,
    unreadable,
    wrong_count,
    wrong_type,
)


def problems(path: str | None, lines: Sequence[int]) -> list[Problem]:
    return [Problem(f"label 'x{line}'", path=path, line=line) for line in lines]


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("no file"), "no file"),
        (Problem("label 'x'", "a or b"), "label 'x'; expected a or b"),
        (Problem("the file is empty", path="a.csv"), "a.csv: the file is empty"),
        (Problem("label 'x'", "a or b", "a.csv", 3), "a.csv:3: label 'x'; expected a or b"),
        (Problem("no id", line=3), "3: no id"),
    ],
)
def test_a_problem_says_where_what_was_found_and_what_was_expected(problem: Problem, text: str) -> None:
    assert str(problem) == text


@pytest.mark.parametrize(
    ("problem", "kind", "text", "hint"),
    [
        (empty("id"), "empty", "no id; expected one in every row", ""),
        (no_rows(), "empty", "a header and no rows; expected data", "check that it was written completely"),
        (none_left("item", "all are dropped", "drop less"), "empty", "no item is left: all are dropped;", "drop less"),
        (not_given("file", "gold"), "missing", "no file; expected at least one", "name it with gold"),
        (
            missing_column(["id", "x"], "label", "add it"),
            "missing",
            "header 'id,x'; expected a column 'label'",
            "add it",
        ),
        (missing_key(["a"], ["b", "c"], "add it"), "missing", "keys 'a'; expected the key 'b' or 'c'", "add it"),
        (
            unknown("label", "yse", ["no", "yes"]),
            "invalid",
            "label 'yse'; expected one of no, yes",
            "did you mean 'yes'?",
        ),
        (invalid("score", "x", "a number", " in row 1"), "invalid", "score 'x' in row 1; expected a number", ""),
        (invalid("score", "", "a number"), "empty", "no score; expected a number", ""),
        (repeated("id", "a", 2), "repeated", "id 'a' again, first on line 2; expected every id once", "remove"),
        (
            ambiguous("id", "item", "id_column"),
            "ambiguous",
            "both 'id' and 'item'; expected one of them",
            "id_column='id'",
        ),
        (ambiguous("a", "A"), "ambiguous", "both 'a' and 'A'; expected one of them", "rename or remove one of them"),
        (wrong_type("a list", " under 'x'", "a text"), "type", "a list under 'x'; expected a text", ""),
        (wrong_count(1, "cell", 2, " (id, label)"), "count", "1 cell; expected 2 (id, label)", ""),
        (conflict("a", "b", hint=leave_out("a")), "conflict", "a with b; expected one of both", "leave out a"),
        (bad_setting("trials", "0", "more"), "invalid", "trials 0; expected more", ""),
        (
            too_few(1, "item", "a test compares items", "add some"),
            "count",
            "1 item; expected at least two, because",
            "",
        ),
        (name_in_use("measure", "m", "a run"), "repeated", "measure 'm', the name of a run; expected another name", ""),
        (not_installed("plots", "matplotlib", "plots"), "missing", "plots without matplotlib", "pip install"),
        (excluded("a policy", "texts have no labels", "drop"), "conflict", "a policy, but texts have no labels;", ""),
        (too_large("texts", 3 << 20, 2 << 20), "memory", "texts need more than 2 MB of memory", "memory='3MB'"),
        (unreadable("JSON", "cut"), "unreadable", "JSON cannot be read (cut); expected readable JSON", ""),
    ],
)
def test_each_kind_of_problem_has_one_wording(problem: Problem, kind: str, text: str, hint: str) -> None:
    assert problem.kind == kind
    assert str(problem).startswith(text)
    assert hint in problem.hint
    error = refuse(("a.csv", 3), problem, hint="read the manual")
    assert (error.path, error.line, error.hints) == ("a.csv", 3, ("read the manual",))
    assert error.problems[0].kind == kind


def test_of_the_remedies_of_many_problems_the_first_are_told() -> None:
    names = ["agree", "disagree", "discuss", "unrelated"]
    error = InputError([unknown("label", name + "x", names) for name in names], hints=["correct them"])
    assert error.hints == (
        "did you mean 'agree'?",
        "did you mean 'disagree'?",
        "did you mean 'discuss'?",
        "correct them",
    )


def test_an_error_is_of_one_kind_and_knows_file_line_and_hints() -> None:
    for error in (refuse(None, "x"), UnknownName("measure", "x", []), ConfigError(None, "", found="x")):
        assert isinstance(error, MetaevalError)
    error = InputError(problems("a.csv", [4, 9]))
    assert (error.path, error.line) == ("a.csv", 4)
    assert refuse(Path("b.csv"), "x").path == "b.csv"
    assert refuse(None, "x").path is None


def test_hints_are_said_once_each_and_empty_ones_not_at_all() -> None:
    error = InputError(problems("a.csv", [1, 2]), hints=["mend it", "", "mend it", "or drop it"])
    assert error.hints == ("mend it", "or drop it")
    assert str(error).endswith("What to do: mend it.\nWhat to do: or drop it.")
    assert "What to do" not in str(refuse(None, "x"))


def test_listings_are_capped_and_the_rest_counted_by_files() -> None:
    assert str(InputError(problems("a.csv", [3, 5]))) == "2 problems\n  a.csv:3: label 'x3'\n  a.csv:5: label 'x5'"
    lines = str(InputError(problems("a.csv", range(1, 101)))).splitlines()
    assert lines[0] == "100 problems"
    assert lines[1:-1] == [f"  a.csv:{line}: label 'x{line}'" for line in range(1, SHOWN_AT_MOST + 1)]
    assert lines[-1] == "  and 80 more in a.csv"
    assert str(InputError(problems(None, range(1, 31)))).endswith("\n  and 10 more")


def test_every_file_gets_its_share_of_a_capped_listing() -> None:
    error = InputError([*problems("a.csv", range(1, 51)), *problems("b.csv", range(1, 4))])
    lines = str(error).splitlines()
    assert lines[0] == "53 problems in 2 files"
    assert lines.count("  and 40 more in a.csv") == 1
    assert [line for line in lines if line.startswith("  b.csv")] == [f"  b.csv:{i}: label 'x{i}'" for i in (1, 2, 3)]
    error = InputError([problem for file in range(50) for problem in problems(f"{file}.csv", [file])])
    lines = str(error).splitlines()
    assert len(lines) == 1 + SHOWN_AT_MOST + 1
    assert lines[-1] == "  and 30 more in other files"


def test_problems_with_the_same_text_are_counted_and_the_most_frequent_is_first() -> None:
    same = [Problem(f"label '{label}'", "a or b", f"{label}.csv", line) for label in "xyz" for line in range(9, 1, -1)]
    assert str(InputError([*problems("a.csv", [1]), *same[:3], *same[8:14], *same[16:]])) == (
        "18 problems in 4 files\n"
        "  8 times, first z.csv:2: label 'z'; expected a or b\n"
        "  6 times, first y.csv:4: label 'y'; expected a or b\n"
        "  a.csv:1: label 'x1'\n"
        "  x.csv:7: label 'x'; expected a or b\n"
        "  x.csv:8: label 'x'; expected a or b\n"
        "  x.csv:9: label 'x'; expected a or b"
    )
    assert "4 times in 4 files, first 0.csv: no" in str(InputError([Problem("no", path=f"{n}.csv") for n in range(4)]))


@pytest.mark.parametrize("files", [1, 2, 7, 19, 20, 21, 60])
@pytest.mark.parametrize("lines", [1, 2, 30])
@pytest.mark.parametrize("texts", [1, 2, 25, 10_000])
def test_what_is_shown_and_what_is_counted_are_all_there_is(files: int, lines: int, texts: int) -> None:
    locations = [(f"{file}.csv", line) for file in range(files) for line in range(lines)]
    error = InputError([Problem(f"'{n % texts}'", path=path, line=line) for n, (path, line) in enumerate(locations)])
    listing = str(error).splitlines()[1:] if len(error.problems) > 1 else [f"  {error}"]
    more = [line.split()[1] for line in listing if line.startswith("  and ")]
    often = [line.split()[0] for line in listing if " times" in line]
    shown = sum(".csv:" in line for line in listing)
    assert shown - len(often) + sum(int(count.replace(",", "")) for count in [*more, *often]) == files * lines
    assert shown <= SHOWN_AT_MOST


def test_a_config_error_names_the_key() -> None:
    error = ConfigError("run.yaml", "data.labels", found="a list", expected="a word", hint="write a word")
    assert str(error) == "run.yaml: key 'data.labels': a list; expected a word\nWhat to do: write a word."
    assert error.key == "data.labels"
    assert isinstance(error, InputError)
    assert str(ConfigError("run.yaml", "", found="not a mapping")) == "run.yaml: not a mapping"


def test_one_gathered_error_is_raised_as_it_was() -> None:
    gathered, error = Gathered(), ConfigError("run.yaml", "seed", found="x")
    for one in (error,):
        with gathered.errors():
            raise one
    with pytest.raises(ConfigError) as raised:
        gathered.raise_any()
    assert raised.value is error


def test_several_gathered_errors_are_raised_as_one_and_what_they_have_in_common_once() -> None:
    gathered = Gathered()
    for path, lines in (("a.csv", [1, 2]), ("a.csv", [2, 3]), ("b.csv", [1, 2])):
        with gathered.errors():
            raise InputError(problems(path, lines), hints=["mend it"])
    with pytest.raises(InputError) as raised:
        gathered.raise_any()
    assert [(problem.path, problem.line) for problem in raised.value.problems] == [
        ("a.csv", 1), ("a.csv", 2), ("a.csv", 3), ("b.csv", 1), ("b.csv", 2),
    ]  # fmt: skip
    assert raised.value.hints == ("mend it",)


def test_only_input_errors_are_gathered() -> None:
    gathered = Gathered()
    with pytest.raises(UnknownName), gathered.errors():
        raise UnknownName("class", "x", ["a"])


@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("kapa", ("kappa",)),
        ("KAPPA", ("kappa",)),
        ("macro-f", ("macro-f1", "micro-f1")),
        ("zzz", ()),
        ("", ()),
    ],
)
def test_the_nearest_names_are_the_ones_most_alike(name: str, matches: tuple[str, ...]) -> None:
    assert nearest(name, ["alpha", "kappa", "macro-f1", "micro-f1", "mcc"]) == matches


def test_names_near_and_far_are_told() -> None:
    assert nearest("kappa", []) == ()
    assert nearest("agre", ["Agree", "agree"]) == ("Agree", "agree")
    assert did_you_mean("kapa", ["kappa"]) == "did you mean 'kappa'?"
    assert did_you_mean("zzz", ["kappa"]) == ""
    assert str(UnknownName("task", "zzz", ["labels", "texts"])) == "unknown task 'zzz'. Known: labels, texts."
    many = UnknownName("task", "zzz", [f"task{number}" for number in range(30)])
    assert str(many).endswith("task19 and 10 more.")
    assert (many.kind, many.name, len(many.known), many.close_matches) == ("task", "zzz", 30, ())


def test_problems_of_a_file_are_told_from_its_top_and_those_of_the_whole_file_last() -> None:
    error = InputError([Problem("whole", path="a.csv"), *problems("a.csv", [9, 3])])
    assert [line.split(":")[0:2][-1] for line in str(error).splitlines()[1:3]] == ["3", "9"]
    assert str(error).endswith("a.csv: whole")


def test_a_message_spells_settings_as_the_caller_writes_them(metaeval: CommandLine, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        from_labels({"a": ["mid", None]}, gold=["low", "mid"], labels="low<mid")
    assert "set on_missing to drop" in str(raised.value)
    assert "--" not in str(raised.value)
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_text("id,label\n1,low\n2,mid\n")
    run.write_text("id,label\n1,mid\n")
    assert "--on-missing to drop" in metaeval.refuses("score", "--gold", gold, run, "--labels", "low<mid")
    assert setting("on_missing", "drop") == "on_missing='drop'"


def test_a_long_value_of_a_setting_is_cut() -> None:
    assert setting("clusters", "a" * 70_000) == f"clusters='{'a' * 499}…'"
    assert setting("output", "folder/" * 50) == f"output='{'folder/' * 50}'"
