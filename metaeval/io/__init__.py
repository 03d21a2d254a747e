"""From files to runs: one reader for each native format, one join for all."""
