"""What pytest leaves out: files for a copy of the checkout."""

collect_ignore = ["toy"]
