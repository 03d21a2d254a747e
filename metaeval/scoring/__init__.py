"""From runs to score cubes: count once, then only tensors."""
