"""Scores that people or other tools gave."""
