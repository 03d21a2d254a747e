"""What has to be the same for two numbers to be comparable: the fields of the signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from metaeval.config import (
    DEFAULT_MEMORY,
    ExperimentConfig,
    PlanConfig,
)
from metaeval.settings import AnalysisSettings

Section = AnalysisSettings | PlanConfig
NAMES: dict[type, str] = {
    PlanConfig: "plan",
}


def signature_fields(
    config: ExperimentConfig, sections: Sequence[Section], *, trivial: bool
) -> list[tuple[str, str | int]]:
    """Names and values in the order of the signature; settings that leave everything as it is are left out.

    sections: how the analyses were made; with several, their settings bear their names. trivial: whether trivial
    systems were scored.
    """
    data = config.data
    optional: dict[str, str] = {
        "drop-gold": ",".join(data.drop_gold),
        "on-missing": str(data.on_missing) if data.on_missing.action != "error" else "",
        "on-unknown": str(data.on_unknown) if data.on_unknown.action != "error" else "",
        "on-extra": data.on_extra if data.on_extra != "error" else "",
        "trivial": "yes" if trivial else "",
        # A smaller block draws its trials from other seeds.
        "memory": str(config.block_memory) if sections and config.block_memory < DEFAULT_MEMORY else "",
    }
    given = [(name, value) for name, value in optional.items() if value]
    analyses = [
        (f"{_name(section)}.{name}" if len(sections) > 1 else name, value)
        for section in sections
        for name, value in _settings(section)
    ]
    return [*given, ("seed", config.seed), *analyses]


def _name(section: Section) -> str:
    return section.section if isinstance(section, AnalysisSettings) else NAMES[type(section)]


def _settings(section: Section) -> list[tuple[str, str]]:
    if isinstance(section, AnalysisSettings):
        return list(section.signature())
    values = {field.name: getattr(section, field.name) for field in fields(section)}
    return [(name.replace("_", "-"), _told(value)) for name, value in values.items() if value not in (None, False, ())]


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes"
    if isinstance(value, Mapping):
        return ",".join(f"{name}={_told(number)}" for name, number in value.items())
    if isinstance(value, tuple):
        return ",".join(map(_told, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
