"""What an experiment is: its sections as dataclasses, and the YAML that they are read from.

Names are imported when they are used: the options of the command line need no numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metaeval.config.check import CheckSettings
    from metaeval.config.data import DEFAULT_TASK, DEFAULT_TOKENIZER, DataConfig
    from metaeval.config.experiment import (
        DEFAULT_MEMORY,
        DEFAULT_SEED,
        LEAST_MEMORY,
        LOCAL_SCHEDULER,
        MOST_DIGITS,
        ExperimentConfig,
        OutputConfig,
        parse_memory,
    )
    from metaeval.config.read import is_config, read_config

_HOME_OF = {
    "is_config": ("metaeval.config.read", "is_config"),
    "read_config": ("metaeval.config.read", "read_config"),
    "CheckSettings": ("metaeval.config.check", "CheckSettings"),
    "DEFAULT_TASK": ("metaeval.config.data", "DEFAULT_TASK"),
    "DEFAULT_TOKENIZER": ("metaeval.config.data", "DEFAULT_TOKENIZER"),
    "DataConfig": ("metaeval.config.data", "DataConfig"),
    "DEFAULT_MEMORY": ("metaeval.config.experiment", "DEFAULT_MEMORY"),
    "DEFAULT_SEED": ("metaeval.config.experiment", "DEFAULT_SEED"),
    "LEAST_MEMORY": ("metaeval.config.experiment", "LEAST_MEMORY"),
    "LOCAL_SCHEDULER": ("metaeval.config.experiment", "LOCAL_SCHEDULER"),
    "MOST_DIGITS": ("metaeval.config.experiment", "MOST_DIGITS"),
    "ExperimentConfig": ("metaeval.config.experiment", "ExperimentConfig"),
    "OutputConfig": ("metaeval.config.experiment", "OutputConfig"),
    "parse_memory": ("metaeval.config.experiment", "parse_memory"),
}

__all__ = [
    "CheckSettings",
    "DEFAULT_MEMORY",
    "DEFAULT_SEED",
    "DEFAULT_TASK",
    "DEFAULT_TOKENIZER",
    "DataConfig",
    "ExperimentConfig",
    "LEAST_MEMORY",
    "LOCAL_SCHEDULER",
    "MOST_DIGITS",
    "OutputConfig",
    "is_config",
    "parse_memory",
    "read_config",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'metaeval.config' has no attribute '{name}'")
    home, attribute = _HOME_OF[name]
    globals()[name] = value = getattr(importlib.import_module(home), attribute)
    return value
