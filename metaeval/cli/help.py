"""The help of a command: its own options, and the names of those that commands share; --help-all describes all."""

from __future__ import annotations

import re
from inspect import cleandoc
from textwrap import TextWrapper, fill
from typing import Any

import click

_EVERYTHING, _SHORTENED = "metaeval.help-all", "metaeval.help-shortened"
"""Keys of contexts whose help describes all options, or shortens the descriptions to two lines."""

LONGEST = 45
"""Lines of a help at which descriptions are shortened."""

WIDEST = 10_000
"""Columns of a help at most: that it has the width of the terminal."""


class SharedOption(click.Option):
    """An option of a group that commands share. section: the heading of the group; '' for an option of the command."""

    section = ""


class Command(click.Command):
    """A command whose --help has its question, two examples and its own options.

    The first paragraph of its docstring is its question, and the one that begins with a backspace has examples.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        about = "Show a longer description and all options, and exit."
        everything = click.Option(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_everything, help=about
        )
        self.params.append(everything)

    def get_help(self, ctx: click.Context) -> str:
        """The help, which fits a screen unless it describes all options."""
        text = super().get_help(ctx)
        if _EVERYTHING in ctx.meta or text.count("\n") < LONGEST:
            return text
        ctx.meta[_SHORTENED] = True
        return super().get_help(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The question and the examples; between them, the description with --help-all."""
        text = cleandoc(self.help or "")
        if _EVERYTHING not in ctx.meta:
            examples = re.split(r"\n(?=metaeval )", text.partition("\b\n")[2])
            text = "\n".join([text.partition("\n")[0], "\n\b", *examples[:2]])
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the command, then those that commands share."""
        command_options: list[click.Option] = []
        shared_options: dict[str, list[click.Option]] = {}
        for option in self.get_params(ctx):
            if isinstance(option, SharedOption) and option.section:
                shared_options.setdefault(option.section, []).append(option)
            elif isinstance(option, click.Option):
                command_options.append(option)
        sections = {"Options": command_options}
        if _EVERYTHING in ctx.meta:
            sections |= {f"{heading} options": options for heading, options in shared_options.items()}
        for heading, options in sections.items():
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            if _SHORTENED in ctx.meta:
                records = _shortened(records, formatter.width)
            with formatter.section(heading):
                formatter.write_dl(records)
        if shared_options and _EVERYTHING not in ctx.meta:
            with formatter.section("Shared options, which --help-all describes"):
                formatter.write(_names(shared_options, formatter))


def _shortened(records: list[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Names of options and the first two lines of their descriptions, side by side within a width."""
    widest = max(len(names) for names, _ in records)
    rest = TextWrapper(width - widest - 4, max_lines=2, placeholder=" …", break_on_hyphens=False)
    return [(names, rest.fill(text).replace("\n", " ")) for names, text in records]


def _names(options: dict[str, list[click.Option]], formatter: click.HelpFormatter) -> str:
    """The names of options, a paragraph for each heading."""
    margin, widest = " " * formatter.current_indent, max(map(len, options))
    paragraphs = []
    for heading, members in options.items():
        names = ", ".join(max(option.opts, key=len) for option in members)
        first = f"{margin}{heading:<{widest}}  "
        paragraphs.append(
            fill(
                names,
                formatter.width,
                initial_indent=first,
                subsequent_indent=" " * len(first),
                break_on_hyphens=False,
            )
        )
    return "\n".join(paragraphs) + "\n"


def _show_everything(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        context.meta[_EVERYTHING] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


def help_of(text: str | None) -> str:
    """A docstring as a help text, without the examples of Python."""
    paragraphs = cleandoc(text or "").split("\n\n")
    return "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith(">>>"))
