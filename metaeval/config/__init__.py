"""Experiments: their settings and how they are read from YAML. Names are imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metaeval.registry import load

if TYPE_CHECKING:
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
    from metaeval.config.read import is_config, read_config

_MODULE_OF = {
    "DataConfig": "metaeval.config.data",
    **dict.fromkeys(
        (
            *("CheckSettings", "DEFAULT_MEMORY", "DEFAULT_SEED", "ExperimentConfig", "LOCAL_SCHEDULER", "OutputConfig"),
            "PageSettings",
        ),
        "metaeval.config.experiment",
    ),
    **dict.fromkeys(("is_config", "read_config"), "metaeval.config.read"),
}

__all__ = [
    "CheckSettings", "DEFAULT_MEMORY", "DEFAULT_SEED", "DataConfig", "ExperimentConfig", "LOCAL_SCHEDULER",
    "OutputConfig", "PageSettings", "is_config", "read_config",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'metaeval.config' has no attribute '{name}'")
    globals()[name] = value = load(_MODULE_OF[name], name)
    return value
