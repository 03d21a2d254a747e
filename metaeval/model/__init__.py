"""Data structures: class scales, runs, score cubes, reports."""
