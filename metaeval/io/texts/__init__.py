"""Outputs and references as texts, and the words of them as numbers."""
