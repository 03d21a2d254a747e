"""Experiments: their settings; `read` reads them from YAML, for which it imports much more."""

from metaeval.config.data import DataConfig
from metaeval.config.experiment import (
    DEFAULT_MEMORY,
    DEFAULT_SEED,
    LOCAL_SCHEDULER,
    CheckSettings,
    ExperimentConfig,
    OutputConfig,
    PageSettings,
)

__all__ = [
    "CheckSettings", "DEFAULT_MEMORY", "DEFAULT_SEED", "DataConfig", "ExperimentConfig", "LOCAL_SCHEDULER",
    "OutputConfig", "PageSettings",
]  # fmt: skip
