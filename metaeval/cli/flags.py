"""From options of the command line to an experiment: they override the experiment file."""

from __future__ import annotations

from dataclasses import replace

from metaeval.cli.from_settings import flag_of, values_of
from metaeval.cli.options import DataFlags, MeasureFlags, OutputFlags, WorkFlags
from metaeval.config import DataConfig, ExperimentConfig, OutputConfig, is_config, read_config
from metaeval.errors import InputError


def configured(data: DataFlags, measures: MeasureFlags, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of all options."""
    config = configured_run(data.config_file, output, work)
    config = config.overlaid(data=_data(config.data, data))
    if measures.measures or measures.preset is not None:
        return replace(config, measures=measures.measures, preset=measures.preset)
    return config


def configured_run(path: str | None, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of a YAML file, or else a default one, with the options of output and of the computation."""
    config = ExperimentConfig() if path is None else read_config(path)
    config = config.overlaid(seed=output.seed, output=output_of(output, config.output))
    return config.overlaid(**values_of(ExperimentConfig, work))


def configured_or_read(path: str, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of a YAML file, or for computed results only the settings of output."""
    if is_config(path):
        return configured_run(path, output, work)
    refuse_work(output, work)
    return ExperimentConfig(output=output_of(output, OutputConfig()))


def refuse_work(output: OutputFlags, work: WorkFlags) -> None:
    """Raise an `InputError` if options of the computation are given for computed results."""
    options = {"seed": output.seed, **work}
    for flag in (flag_of(name) for name, value in options.items() if value is not None):
        raise InputError.at(
            found=f"{flag} with results that are computed already",
            expected="an experiment file (.yaml)",
            hint=f"leave out {flag}",
        )


def output_of(flags: OutputFlags, config: OutputConfig) -> OutputConfig:
    """The settings of output, overridden by options."""
    return config.overlaid(**flags.values)


def _data(config: DataConfig, flags: DataFlags) -> DataConfig:
    values = dict(flags.values)
    # An empty word removes the classes of the experiment file.
    if values["drop_gold"] == ("",) and config.drop_gold:
        config, values["drop_gold"] = replace(config, drop_gold=()), ()
    if "" in values["drop_gold"]:
        flag = flag_of("drop_gold")
        raise InputError.at(found=f"{flag} with an empty name", expected="a gold class", hint=f"leave out {flag} ''")
    return config.overlaid(runs=flags.runs, **values_of(DataConfig, values))
