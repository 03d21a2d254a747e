"""The commands that are no analyses, a file each; those of analyses derive from their settings."""
