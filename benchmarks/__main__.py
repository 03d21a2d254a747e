"""`python -m benchmarks`: metaeval beside its peers, on one thread."""

from __future__ import annotations

import os
import sys

# Before numpy is imported: one thread for each side, here and in the processes that are started.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

from benchmarks.command import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
