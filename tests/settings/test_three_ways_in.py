"""Every option has the same value from a shell, YAML and Python, and the same message for an invalid value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, get_args

import click
import pytest
from command_line import CommandLine, Write
from option_examples import EXAMPLES, REFUSED, Ways, values, wrong_values

from metaeval import registry
from metaeval.analyses.agreement.settings import AgreementSettings
from metaeval.analyses.correlate import settings as of_correlate
from metaeval.analyses.correlate.compute import CALIBRATED, SOFT
from metaeval.analyses.sensitivity.settings import Coefficient
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.cli.options import click_option, values_of
from metaeval.config import DataConfig, ExperimentConfig, OutputConfig, PageSettings
from metaeval.config.experiment import CheckSettings
from metaeval.config.read import read_config
from metaeval.errors import InputError, UnknownName
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.correct.settings import CorrectSettings
from metaeval.settings import (
    COMMAND_LINE,
    PYTHON,
    YAML,
    AnalysisSettings,
    Choice,
    Kind,
    Option,
    Settings,
    Several,
    options_of,
)
from metaeval.stats import association, correlation, leave_out

ANALYSES = [registry.declaration(name) for name in registry.ANALYSES]
SECTIONS: dict[type[Settings], str] = {
    **{analysis.settings: analysis.name for analysis in ANALYSES},
    DataConfig: "data",
    OutputConfig: "output",
    CheckSettings: "check",
    PageSettings: "report",
    ExperimentConfig: "",
}
EVERY = [
    pytest.param(settings, option, id=f"{section or 'experiment'}.{option.key}")
    for settings, section in SECTIONS.items()
    for option in options_of(settings).values()
]
REFUSED_LATER = {(AgreementSettings, "labels"), (ContrastSettings, "labels"), (CorrectSettings, "labels")}
"""Options whose values are texts until they are used."""

every_option = pytest.mark.parametrize(("settings", "option"), EVERY)


def from_shell(settings: type[Settings], option: Option[Any, Any], ways: Ways) -> Any:
    """The value of the words of a command line."""
    assert ways.words is not None
    words = ways.words if ways.flags else [part for word in ways.words for part in (option.flag, word)]
    command = click.Command("command", callback=lambda **arguments: arguments)
    arguments = click_option(option)(command).main(list(words), "command", standalone_mode=False)
    return getattr(settings().overlaid(**values_of(settings, arguments)), option.name)


def from_yaml(settings: type[Settings], option: Option[Any, Any], ways: Ways, write: Write) -> Any:
    """The value of a key of an experiment file."""
    section = SECTIONS[settings]
    line = f"{option.key}: {ways.yaml}\n"
    config = read_config(write("experiment.yaml", f"{section}:\n  {line}" if section else line))
    if issubclass(settings, AnalysisSettings):
        return getattr(config.settings_of(settings), option.name)
    return getattr(getattr(config, section) if section else config, option.name)


def from_python(settings: type[Settings], option: Option[Any, Any], ways: Ways) -> Any:
    """The value of a keyword."""
    return getattr(settings(**{option.name: ways.python}), option.name)


def ways_in(
    settings: type[Settings], option: Option[Any, Any], ways: Ways, write: Write
) -> dict[str, Callable[[], Any]]:
    """The ways in which an option can be set."""
    every: dict[str, Callable[[], Any]] = {}
    if PYTHON in option.where:
        every[PYTHON] = lambda: from_python(settings, option, ways)
    if YAML in option.where:
        every[YAML] = lambda: from_yaml(settings, option, ways, write)
    if COMMAND_LINE in option.where and ways.words is not None:
        every[COMMAND_LINE] = lambda: from_shell(settings, option, ways)
    return every


def message_of(option: Option[Any, Any], read: Callable[[], Any]) -> str:
    """What a wrong value is refused with, without the place and without the spelling of the setting."""
    with pytest.raises((InputError, UnknownName)) as raised:
        read()
    message = re.sub(r"^experiment\.yaml:\d+: key '[^']*': ", "", str(raised.value))
    for spelling in (option.flag, option.key, option.name):
        message = re.sub(rf"(?<![\w-]){re.escape(spelling)}(?![\w-])", "SETTING", message)
    return message.removeprefix("SETTING ").rstrip(".")


@every_option
def test_a_value_is_the_same_however_it_is_said(
    settings: type[Settings], option: Option[Any, Any], write: Write
) -> None:
    examples = values(option)
    assert examples
    for ways in examples:
        value_by_way = {way: read() for way, read in ways_in(settings, option, ways, write).items()}
        assert value_by_way
        first = next(iter(value_by_way.values()))
        assert all(value == first and type(value) is type(first) for value in value_by_way.values()), value_by_way


@every_option
def test_a_wrong_value_is_refused_in_the_same_words(
    settings: type[Settings], option: Option[Any, Any], write: Write
) -> None:
    if (settings, option.name) in REFUSED_LATER:
        pytest.skip("it is refused where it is used, however it is said")
    for ways in wrong_values(option):
        messages = {way: message_of(option, read) for way, read in ways_in(settings, option, ways, write).items()}
        assert len(set(messages.values())) == 1 or not messages, messages
        assert messages or option.where == {COMMAND_LINE}


def subclasses(kind: type) -> set[type]:
    """The classes below a class, at any depth."""
    below: set[type] = set(kind.__subclasses__())
    return below.union(*map(subclasses, below))


def test_every_kind_of_option_has_examples() -> None:
    concrete = {kind for kind in subclasses(Kind) if kind.__module__.startswith("metaeval.")} - {Several}
    options = [option for settings in SECTIONS for option in options_of(settings).values()]
    used = {type(getattr(option.kind, "item", option.kind)) for option in options}
    assert concrete | used == set(EXAMPLES) == set(REFUSED)


def test_the_examples_are_of_every_option_that_there_is() -> None:
    defined = subclasses(Settings) - {AnalysisSettings}
    assert {kind for kind in defined if kind.__module__.startswith("metaeval.")} == set(SECTIONS)


@pytest.mark.parametrize("name", ["trials", "permutations", "seed"])
def test_numbers_of_trials_end_where_no_work_would(metaeval: CommandLine, name: str) -> None:
    data = ("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems", "-m", "accuracy")
    few = () if name == "trials" else ("--trials", 10)
    call = ("stability", *data, *few, f"--{name}", 100_000_001)
    if name == "seed":
        assert metaeval.succeeds(*call).out
    else:
        complaint = metaeval.refuses(*call)
        assert f"--{name} 100000001; expected at most 100,000,000" in complaint
        assert "about 2 hours in a small study" in complaint
        assert "about 83 days" in metaeval.refuses(*call[:-1], 10**11)


def test_workers_are_no_more_than_an_operating_system_starts(metaeval: CommandLine) -> None:
    data = ("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems", "-m", "accuracy")
    assert "1001" in metaeval.refuses("score", *data, "--workers", 1001)
    metaeval.succeeds("score", *data, "--workers", 1000)


# Choices are listed in settings, which import no numpy


def names_of(settings: type, option: str) -> set[str]:
    kind = options_of(settings)[option].kind
    kind = kind.item if isinstance(kind, Several) else kind
    assert isinstance(kind, Choice)
    return set(kind.names)


def test_choices_are_those_of_the_statistics() -> None:
    assert names_of(SimilaritySettings, "coefficient") == set(correlation.RANK_COEFFICIENTS)
    assert set(get_args(Coefficient)) == set(association.COEFFICIENTS)
    assert set(get_args(of_correlate.Coefficient)) == {*association.COEFFICIENTS, CALIBRATED, SOFT}
    assert set(get_args(of_correlate.Level)) == set(association.LEVELS)
    assert names_of(AgreementSettings, "levels") == set(get_args(leave_out.Level))
