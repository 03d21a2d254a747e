"""Human scores, and scores of other tools."""


def register_formats() -> None:
    """Register the formats of other tools."""
    from metaeval.io.scores import formats, logs, rankings  # noqa: F401
