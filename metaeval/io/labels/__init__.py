"""Gold labels and predictions: their files, and the join by ids."""
