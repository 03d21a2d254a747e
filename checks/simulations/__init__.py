"""Simulations of the levels, the coverage and the power of every test and interval."""
