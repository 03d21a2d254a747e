"""Agreement of ratings with many values, by sorting instead of tables of values or comparisons of all units."""
