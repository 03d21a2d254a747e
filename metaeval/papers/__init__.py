"""The papers' tables beside computed values: `metaeval reproduce`. A part of its own that the core does not import."""

from __future__ import annotations

from metaeval import registry


def register_commands() -> None:
    """Register `reproduce`."""
    if registry.COMMANDS.registered("reproduce") is None:
        heading, sentence = "Whole experiments and pipelines", "Compare the tables of five papers with computed values."
        registry.COMMANDS.register(
            "reproduce", registry.CommandEntry("metaeval.papers.command", "command", heading, sentence)
        )
