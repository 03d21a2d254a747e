"""Every measure of labels at every setting that matters, on a scale and on counts where all of them are defined."""

from dataclasses import replace

from metaeval.measures import REGISTRY, Measure
from metaeval.model.runs import DataKind
from metaeval.testing import SCALE as SCALE
from metaeval.testing import all_counts as all_counts
from metaeval.testing import dense_counts as dense_counts
from metaeval.testing import sparse_counts as sparse_counts

VARIANTS: tuple[Measure, ...] = tuple(
    variant
    for declaration in REGISTRY.values()
    if declaration.reads is DataKind.LABELS
    for variant in declaration.variants()
)
"""Each measure at each choice of its one-of-a-few parameters."""


def settings(variant: Measure) -> tuple[Measure, ...]:
    """The variant, and the variant with one free parameter at its example: what it declares holds for all."""
    variants = [variant]
    for index, parameter in enumerate(variant.declaration.parameters):
        if not parameter.choices:
            values = list(variant.values)
            values[index] = parameter.parse(parameter.example, measure=str(variant))
            variants.append(replace(variant, values=tuple(values), explicit=(*variant.explicit, parameter.name)))
    return tuple(variants)


EVERY_SETTING: tuple[Measure, ...] = tuple(setting for variant in VARIANTS for setting in settings(variant))
