"""Every measure of labels: importing this package fills the registry, in the order of the documentation."""

from metaeval.measures import overall  # isort: skip
from metaeval.measures import per_class, agreement, ordinal, association, shared_tasks  # isort: skip
