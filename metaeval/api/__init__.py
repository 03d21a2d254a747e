"""The Python functions of the commands, for data in memory or in files."""
