"""The commands that are no analyses, a file each; those of analyses derive from their settings."""

from __future__ import annotations

from metaeval import registry

_START, _WHOLE = "Start here", "Whole experiments and pipelines"

_SENTENCES = {
    "validate": (_START, "Check gold and runs without computing anything."),
    "measures": (_START, "List the measures, or describe one."),
    "demo": (_START, "List the sample experiments and how to run them."),
    "run": (_WHOLE, "Run a whole experiment from a YAML file."),
    "report": (_WHOLE, "Write one HTML page of results, with plots."),
    "check": (_WHOLE, "Check conditions on results; exit with 1 if one fails."),
}


def register_commands() -> None:
    """Register the modules of the commands."""
    for name, (heading, sentence) in _SENTENCES.items():
        if registry.COMMANDS.registered(name) is None:
            registry.COMMANDS.register(name, registry.CommandEntry(f"metaeval.cli.commands.{name}", heading, sentence))
