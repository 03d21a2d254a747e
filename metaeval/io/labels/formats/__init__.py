"""A reader for each format of label files."""
