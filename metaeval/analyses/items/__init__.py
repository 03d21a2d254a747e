"""Which items are hard, which discriminate, and which gold labels are suspicious?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.items.settings import ItemsSettings

items = Analysis(
    ItemsSettings,
    question="Which items are hard, which discriminate, and which gold labels are suspicious?",
    tables=("items", "item_counts", "suspicious", "disputed"),
    gaps=True,
)
