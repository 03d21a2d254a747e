"""Which items and gold labels should you check?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.items.settings import ItemsSettings

items = Analysis(
    ItemsSettings,
    tables=("items", "item_counts", "suspicious", "disputed"),
    gaps=True,
)
