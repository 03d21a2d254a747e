"""A study: data that were read and the measures they are scored with, and what it can give to an analysis."""
