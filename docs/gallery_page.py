"""The gallery: every plot, and the command that draws it.

docs/gallery.md and the pictures in docs/assets/gallery/ are made by `python docs/generate.py --gallery`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from docs.examples import output, sample_folder
from metaeval.cli import GROUPS
from metaeval.io.report_file import read_report
from metaeval.registry import ANALYSES, declaration
from metaeval.render.plots import PLOTS, drawings
from metaeval.render.plots.declaration import Plot

FOLDER = Path(__file__).resolve().parent
PICTURES = FOLDER / "assets/gallery"

GROUPS_EXAMPLE = "stability --config configs/rumour2017.yaml --group sample_data/rumoureval2017/stories.csv:story"
"""The command that draws a plot with a panel for each group."""

ONLY_ON_PAGES = {"confusions", "class_shares", "critical_difference", "stability_curve", "correlation_intervals"}
ONLY_ON_PAGES |= {"forest", "p_values", "judge_preferences", "judge_biases", "strengths", "win_matrix"}
"""Plots that `--plot` does not draw, because their command draws another one first."""

NAMES = {"groups": "stability-by-group"}
"""The names of plots that are not those of their pictures."""

_INTRODUCTION = """\
# Gallery of plots

<!-- Made by docs/generate.py from the plots in metaeval/analyses; edit those. -->

Every plot, drawn from the [sample data](sample-data.md) by the command below it. `--plot FILE.svg` (`.png`, `.pdf`)
draws the main plot of a command; `-f html` and [`metaeval report`](how-to/report.md) draw all of them. Plots need the
extra `plots`.
"""


_GROUPS = """\
## Groups of items

### Stability by group

With [`--group`](how-to/groups.md), a plot has a panel for each group, with the same axes or colours.

![Stability by group](assets/gallery/groups.svg)"""


def gallery_page() -> str:
    """docs/gallery.md: the plots by group and analysis, each with its caption and its command."""
    parts = [_INTRODUCTION.rstrip()]
    for heading, analyses in GROUPS.items():
        plots = [plot for name in analyses if name in ANALYSES for plot in _plots_of(name)]
        parts += [f"## {heading}", *(part for plot in plots for part in _entry(plot))] if plots else []
    groups = f"metaeval {GROUPS_EXAMPLE} --plot groups.svg"
    return "\n\n".join([*parts, _GROUPS, f"```sh\n{groups}\n```"]) + "\n"


def _plots_of(analysis: str) -> Iterator[Plot]:
    tables = declaration(analysis).tables
    return (plot for plot in PLOTS.values() if plot.needs[0] in tables)


def _entry(plot: Plot) -> Iterator[str]:
    yield f"### {plot.title}"
    yield (plot.compose.__doc__ or "").partition("\n")[0]
    yield f"![{plot.title}](assets/gallery/{plot.name}.svg)"
    yield f"```sh\nmetaeval {plot.example} {_destination(plot)}\n```"


def _destination(plot: Plot) -> str:
    return f"-f html -o {plot.name}.html" if plot.name in ONLY_ON_PAGES else f"--plot {plot.name}.svg"


def draw_gallery() -> None:
    """Draw every plot by its command into the folder of pictures."""
    PICTURES.mkdir(exist_ok=True)
    with sample_folder():
        commands = {plot.name: plot.example for plot in PLOTS.values() if plot.example}
        for name, command in (commands | {"groups": GROUPS_EXAMPLE}).items():
            path = PICTURES / f"{name}.svg"
            written = f"--plot {shlex.quote(str(path))} -o table.txt"
            printed = output(
                f"metaeval {command} -q {written if name not in ONLY_ON_PAGES else '-f json -o page.json'}"
            )
            assert printed == "", printed
            if name in ONLY_ON_PAGES:
                (drawing,) = (candidate for candidate in drawings(read_report("page.json")) if candidate.name == name)
                path.write_bytes(drawing.to_bytes(".svg"))
            assert f'id="{NAMES.get(name, name)}-' in path.read_text(encoding="utf-8"), f"{command} draws another plot"
