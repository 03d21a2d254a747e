"""Work in blocks: in this process, in processes of its own, or on a Dask cluster."""
