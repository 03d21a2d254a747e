"""Numbers are written in decimal digits of ASCII, and whole ones fit 64 bits, wherever they are read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from command_line import CommandLine, Write

from metaeval.digits import finite
from metaeval.errors import InputError
from metaeval.model.scale import rising_numbers
from metaeval.settings import Number, NumbersByName, Whole

REMEDY = "What to do: write it in the digits 0 to 9, at most 18, as in 10 or 0.5."
Refused = Callable[..., str]
ODD = ("1_0", "\u0661", "\uff15", "0.0\u0661")


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    gold, run = (write(name, "id,label\n1,a\n2,b\n") for name in ("g.csv", "h.csv"))
    return ("--gold", gold, run, "-m", "accuracy", "--labels", "a,b")


@pytest.fixture
def experiment(write: Write, metaeval: CommandLine) -> Refused:
    write("g.csv", "id,label\n1,a\n2,b\n")

    def refused(lines: str, data_keys: str = "") -> str:
        path = write("e.yaml", f"data: {{gold: g.csv, runs: [g.csv], labels: [a, b]{data_keys}}}\n{lines}\n")
        return metaeval.refuses("run", path)

    return refused


@pytest.mark.parametrize("text", [*ODD, "0" * 2001, "x", "inf"])
def test_other_texts_are_no_numbers(text: str) -> None:
    assert finite(text) is None


@pytest.mark.parametrize("number", ODD)
def test_weights_values_measures_and_grids_refuse_other_digits(
    metaeval: CommandLine, data: tuple[str, ...], number: str
) -> None:
    for option in ("--class-weights", "--class-values"):
        metaeval.refuses_with([f"'a={number}' in {option}"], "score", *data, option, f"a={number},b=2")
    metaeval.refuses_with([f"beta={number} in measure"], "score", *data, "-m", f"f-beta:beta={number}")
    grid = ("-m", "f-beta", "--grid", f"beta={number}:2:1")
    metaeval.refuses_with(["grid 'beta="], "sensitivity", *data, f"other={data[2]}", *grid)
    metaeval.refuses_with([f"'{number}'", REMEDY], "score", *data, "--fail-if", f"scores.h.accuracy < {number}")
    for option in ("--digits", "--seed"):
        metaeval.refuses_with([f"{option} '{number}'", REMEDY], "report", "r.json", option, number)


def test_labels_in_other_digits_are_no_values_of_classes() -> None:
    assert rising_numbers(["1_0", "2_0"]) is None
    assert rising_numbers(["1.5", "20"]) == {"1.5": 1.5, "20": 20}


@pytest.mark.parametrize(
    ("number", "remedy"), [("010", "write 10"), ("1_0", REMEDY), ("1:30", REMEDY), ("08", "write 8")]
)
def test_yaml_refuses_numbers_that_it_reads_otherwise(experiment: Refused, number: str, remedy: str) -> None:
    for lines, key in [
        (f"seed: {number}", "seed"),
        (f"workers: {number}", "workers"),
        (f"stability: {{trials: {number}}}", "stability.trials"),
        (f"stability: {{sizes: [0.1, {number}]}}", "stability.sizes"),
        (f"similarity: {{margin: {number}}}", "similarity.margin"),
        (f"output: {{digits: {number}}}", "output.digits"),
    ]:
        message = experiment(lines)
        assert f"e.yaml:2: key '{key}': '{number}'; expected a " in message
        assert remedy in message
    message = experiment("score: {}", f", class-weights: {{a: {number}, b: 1}}")
    assert f"e.yaml:1: key 'data.class-weights': '{number}' for class 'a'; expected a number\nWhat to do: " in message
    assert remedy in message


@pytest.mark.parametrize(
    "seed", ["0x" + "f" * 9000, "0b" + "1" * 20_000, "9" * 4000, "9" * 5000, "9223372036854775808"], ids=len
)
def test_whole_numbers_beyond_64_bits_are_refused_briefly(
    metaeval: CommandLine, data: tuple[str, ...], experiment: Refused, seed: str
) -> None:
    message = experiment(f"seed: {seed}\nscore: {{}}")
    assert f"e.yaml:2: key 'seed': '{seed[:19]}" in message
    assert REMEDY in message
    assert len(message) < 300
    if seed.isdecimal():
        message = metaeval.refuses("score", *data, "--seed", seed)
        assert "--seed" in message
        assert REMEDY in message
        assert len(message) < 300


def test_the_largest_whole_number_of_64_bits_is_a_seed(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    assert "seed:9223372036854775807" in metaeval.succeeds("score", *data, "--seed", str(2**63 - 1)).out


@pytest.mark.parametrize("memory", ["1" + "0" * 500 + "GB", "\uff11GB", "99999999999999999GB"])
def test_memory_of_any_size_ends_with_a_message(metaeval: CommandLine, data: tuple[str, ...], memory: str) -> None:
    metaeval.refuses_with([f"--memory {memory}; expected a size", "as in 512MB"], "score", *data, "--memory", memory)


def test_numbers_of_python_that_no_float_holds_are_refused() -> None:
    for kind, value in ((Whole(), 10**400), (Number(), 10**400), (NumbersByName(), {"a": 10**400})):
        with pytest.raises(InputError):
            kind.check("x", value)
