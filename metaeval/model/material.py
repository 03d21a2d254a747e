"""What systems hand in: the kinds of data that measures read."""

from __future__ import annotations

from enum import Enum


class Material(Enum):
    """What there is of each item."""

    LABELS = "labels"
    """A class."""
    NUMBERS = "numbers"
    """A number, against gold classes with an order."""
    TEXTS = "texts"
    """A text, against references."""
    DERIVATIONS = "derivations"
    """Steps of reasoning, against references."""
    ITEM_SCORES = "item scores"
    """What some measure gave it already."""
