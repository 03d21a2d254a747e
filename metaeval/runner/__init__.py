"""Running one analysis, or all that an experiment file asks for."""
