"""`python -m benchmarks`: metaeval beside its peers, on one thread."""

from __future__ import annotations

import os
import sys

from metaeval.work import ONE_THREAD

# Before numpy is imported: one thread for each side, here and in the processes that are started.
os.environ.update({**ONE_THREAD, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"})

from benchmarks.command import main

if __name__ == "__main__":
    sys.exit(main())
