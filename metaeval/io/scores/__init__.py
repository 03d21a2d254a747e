"""Human scores, and scores of other tools."""
