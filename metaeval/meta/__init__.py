"""Analyses of measures: score cubes in, arrays out. Nothing here knows where the scores come from."""
