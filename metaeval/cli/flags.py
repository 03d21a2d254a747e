"""From flags to an experiment: the config file first, what the command line says on top."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from metaeval.cli.options import DataFlags, MeasureFlags, OutputFlags
from metaeval.config import DataConfig, ExperimentConfig, OutputConfig, ScoreConfig, parse_class_numbers, read_config
from metaeval.errors import InputError
from metaeval.io.policies import Policy
from metaeval.io.tasks import TASKS
from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.render import FORMATS

Section = TypeVar("Section", DataConfig, ScoreConfig, OutputConfig, ExperimentConfig)


def overlay(section: Section, **given: Any) -> Section:
    """A section of the configuration with what was given (not None and not empty) in place of what it says."""
    return replace(section, **{name: value for name, value in given.items() if value is not None and value != ()})


def configured(data: DataFlags, wanted: MeasureFlags | None, output: OutputFlags) -> ExperimentConfig:
    """The experiment that the flags describe; whatever is wrong with them is an `InputError` or `UnknownName`."""
    config = read_config(data.config_file) if data.config_file is not None else ExperimentConfig()
    config = overlay(config, data=_data(config.data, data), seed=output.seed, output=output_of(output, config.output))
    if wanted is not None and (wanted.measures or wanted.preset is not None):
        return replace(config, measures=tuple(measure(text) for text in wanted.measures), preset=wanted.preset)
    return config


def configured_run(path: str, output: OutputFlags) -> ExperimentConfig:
    """The experiment of a YAML file, its output as the flags say."""
    config = read_config(path)
    return overlay(config, seed=output.seed, output=output_of(output, config.output))


def _data(config: DataConfig, flags: DataFlags) -> DataConfig:
    return overlay(
        config,
        gold=flags.gold,
        runs=flags.runs,
        task=TASKS[flags.task].name if flags.task is not None else None,
        labels=ClassScale.parse(flags.labels) if flags.labels is not None else None,
        class_weights=_numbers(flags.class_weights, "--class-weights"),
        class_values=_numbers(flags.class_values, "--class-values"),
        drop_gold=flags.drop_gold,
        on_missing=_policy(flags.on_missing, "--on-missing"),
        on_unknown=_policy(flags.on_unknown, "--on-unknown"),
        on_extra=_on_extra(flags.on_extra),
        id_column=flags.id_column,
        label_column=flags.label_column,
    )


def output_of(flags: OutputFlags, config: OutputConfig) -> OutputConfig:
    """How results are shown: as the flags say, else as the configuration does."""
    output = overlay(config, format=flags.format, output=flags.output, digits=flags.digits)
    # An unknown format should not wait for the computation to end.
    FORMATS[output.format]
    return output


def _numbers(text: str | None, option: str) -> Any:
    return parse_class_numbers(text, option=option) if text is not None else None


def _policy(text: str | None, option: str) -> Policy | None:
    return Policy.parse(text, option=option) if text is not None else None


def _on_extra(text: str | None) -> str | None:
    if text not in (None, "error", "drop"):
        raise InputError.at(found=f"--on-extra {text}", expected="error or drop")
    return text
