"""Agreement of ratings if groups of units are left out, by sorting instead of tables of all units and values."""
