"""The kinds of data that measures read: outputs of systems, or scores of them."""

from __future__ import annotations

from enum import Enum


class DataKind(Enum):
    """The kind of data that there is for each item."""

    LABELS = "labels"
    """A class."""
    NUMBERS = "numbers"
    """A number, against gold classes with an order."""
    TEXTS = "texts"
    """A text, against references."""
    DERIVATIONS = "derivations"
    """Steps of reasoning, against references."""
    DISTRIBUTIONS = "distributions"
    """A distribution over classes, against that of gold."""
    ITEM_SCORES = "item scores"
    """A score of some measure."""
