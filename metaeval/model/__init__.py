"""The nouns: class scales, runs, score cubes, reports."""
