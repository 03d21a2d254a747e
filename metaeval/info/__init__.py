"""The measures and the samples that come with metaeval."""
