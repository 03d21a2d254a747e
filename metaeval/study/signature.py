"""What has to be the same for two numbers to be comparable: the fields of the signature."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.config import DEFAULT_MEMORY, ExperimentConfig
from metaeval.settings import AnalysisSettings


def signature_fields(
    config: ExperimentConfig, sections: Sequence[AnalysisSettings], *, trivial: bool
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
        (f"{section.section}.{name}" if len(sections) > 1 else name, value)
        for section in sections
        for name, value in section.signature()
    ]
    return [*given, ("seed", config.seed), *analyses]
