"""Work in blocks: in this process, in processes of its own, or on a Dask cluster."""

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
"""Variables by which products of matrices use one thread: blocks are small, and more threads wait for each other."""
