"""What the commands do, as functions on data in memory or in files; `metaeval` offers their names."""
