"""Outputs and references as texts, and their words as codes."""
