"""`metaeval agreement`."""

from __future__ import annotations

import click

from metaeval.cli import options


@click.command("agreement")
@click.argument("ratings", nargs=-1, required=True, metavar="RATINGS...")
@click.option(
    "--annotator-column",
    metavar="NAME",
    help="Column of annotators in tidy files (default: annotator, rater, measure).",
)
@click.option("--id-column", metavar="NAME", help="Column of item ids (default: item, id).")
@click.option(
    "--label-column", metavar="NAME", help="Column of ratings in tidy files (default: label, rating, value, score)."
)
@click.option(
    "--labels",
    metavar="CLASSES",
    help="Where ratings are words: 'low<mid<high' with order, 'support,deny,query' without. Else they are numbers.",
)
@click.option("--class-values", metavar="a=1,b=5", help="Values of ordered classes; equal steps by default.")
@click.option(
    "--level",
    "levels",
    multiple=True,
    metavar="LEVEL",
    help="Of Krippendorff's alpha: nominal, ordinal, interval, ratio; repeatable (default: all but ratio, as far as "
    "they make sense).",
)
@click.option(
    "--by",
    metavar="cell|system",
    help="Compare single ratings (default), or the mean rating of each system over the items.",
)
@click.option(
    "--bootstrap", type=click.IntRange(0), metavar="N", help="Samples for intervals, 0 for none (default: 1000)."
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="FILE|NAME",
    help="Could this judge replace the annotators? A file (folder, pattern, name=path) with its ratings, or one of the "
    "annotators, who then is none; repeatable.",
)
@click.option(
    "--epsilon",
    type=float,
    metavar="E",
    help="How much less often than an annotator the judge may be the closer one: 0.2 (default) for experts, 0.1 for a "
    "crowd.",
)
@click.option(
    "--alignment",
    metavar="accuracy|rmse",
    help="When the judge is close: it says the same (default for words and whole numbers), or it is near.",
)
@options.output_options
def command(
    ratings: tuple[str, ...],
    annotator_column: str | None,
    id_column: str | None,
    label_column: str | None,
    labels: str | None,
    class_values: str | None,
    levels: tuple[str, ...],
    by: str | None,
    bootstrap: int | None,
    judges: tuple[str, ...],
    epsilon: float | None,
    alignment: str | None,
    output: options.OutputFlags,
) -> int:
    """Do annotators agree? And would a judge do as well?

    RATINGS are files with a row a rating (annotator, item, label), a column an annotator (item, ann, bob, …), or a file
    an annotator (item, label); each with a column 'system' where systems were rated. Ratings are numbers, or words of
    --labels, and may be missing.

    Alpha, Fleiss' and Cohen's kappa, Kendall's W and correlations, of all annotators, of every two, and of each with
    the others. A judge, as a language model, is put to the alternative annotator test of Calderon et al. (2025).

    \b
    metaeval agreement sample_data/tsc3/human.csv
    metaeval agreement sample_data/tsc3/human.csv --by system
    metaeval agreement sample_data/tsc3/human.csv --judge D5 --bootstrap 0
    """  # noqa: D301 (click wants a real backspace)
    from metaeval import experiment
    from metaeval.cli.flags import class_numbers, output_of, overlay
    from metaeval.cli.use_case import carry_out
    from metaeval.config import AgreementConfig, DataConfig, ExperimentConfig, OutputConfig
    from metaeval.model.scale import ClassScale

    data = overlay(
        DataConfig(human=ratings),
        id_column=id_column,
        label_column=label_column,
        labels=ClassScale.parse(labels) if labels is not None else None,
        class_values=class_numbers(class_values, "--class-values"),
    )
    wanted = overlay(
        AgreementConfig(),
        annotator_column=annotator_column,
        levels=levels,
        by=by,
        bootstrap=bootstrap,
        judges=judges,
        epsilon=epsilon,
        alignment=alignment,
    )
    config = ExperimentConfig(data=data, output=output_of(output, OutputConfig()), agreement=wanted)
    return carry_out(experiment.agreement, overlay(config, seed=output.seed), output)
