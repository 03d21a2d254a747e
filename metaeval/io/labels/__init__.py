"""Gold labels and predictions: a reader for each format, and the join by ids."""
