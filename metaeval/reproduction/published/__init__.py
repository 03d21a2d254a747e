"""What papers printed: their tables and numbers as data, each with its decimals, to be recomputed and compared."""
