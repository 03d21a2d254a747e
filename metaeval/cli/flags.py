"""From flags to an experiment: the config file first, what the command line says on top."""

from __future__ import annotations

from dataclasses import replace

from metaeval.cli.from_settings import values_of
from metaeval.cli.options import DataFlags, MeasureFlags, OutputFlags, WorkFlags
from metaeval.config import DataConfig, ExperimentConfig, OutputConfig, parse_memory, read_config
from metaeval.errors import InputError
from metaeval.render import FORMATS


def configured(data: DataFlags, wanted: MeasureFlags, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment that the flags describe; whatever is wrong with them is an `InputError` or `UnknownName`."""
    config = read_config(data.config_file) if data.config_file is not None else ExperimentConfig()
    config = config.overlaid(data=_data(config.data, data), seed=output.seed, output=output_of(output, config.output))
    config = _with_work(config, work)
    if wanted.measures or wanted.preset is not None:
        return replace(config, measures=wanted.measures, preset=wanted.preset)
    return config


def configured_run(path: str, output: OutputFlags, work: WorkFlags) -> ExperimentConfig:
    """The experiment of a YAML file, its output and the sharing of its work as the flags say."""
    config = read_config(path)
    return _with_work(config.overlaid(seed=output.seed, output=output_of(output, config.output)), work)


def refuse_work(output: OutputFlags, work: WorkFlags) -> None:
    """Raise an `InputError` where it is said how to compute results that are there already."""
    given = {
        "--seed": output.seed,
        "--workers": work.workers,
        "--scheduler": work.scheduler,
        "--memory": work.memory,
    }
    for option in (name for name, value in given.items() if value is not None):
        raise InputError.at(
            found=f"{option} with results that are computed already",
            expected="an experiment file (.yaml)",
            hint=f"leave out {option}",
        )


def _with_work(config: ExperimentConfig, work: WorkFlags) -> ExperimentConfig:
    memory = parse_memory(work.memory, option="--memory") if work.memory is not None else None
    return config.overlaid(workers=work.workers, scheduler=work.scheduler, memory=memory)


def _data(config: DataConfig, flags: DataFlags) -> DataConfig:
    # `--drop-gold ''` takes back what the config file drops.
    said = dict(flags.said)
    if said["drop_gold"] == ("",):
        config = replace(config, drop_gold=())
    said["drop_gold"] = tuple(label for label in said["drop_gold"] if label)
    return config.overlaid(runs=flags.runs, **values_of(DataConfig, said))


def output_of(flags: OutputFlags, config: OutputConfig) -> OutputConfig:
    """How results are shown: as the flags say, else as the configuration does."""
    output = config.overlaid(
        format=flags.format,
        output=flags.output,
        output_dir=flags.output_dir,
        plot=flags.plot,
        digits=flags.digits,
    )
    # An unknown format should not wait for the computation to end.
    FORMATS[output.format]
    return output
