"""What metaeval brings along: its measures, and the samples."""
