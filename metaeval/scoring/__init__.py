"""From runs to score cubes: items are counted once, then only arrays are combined."""
