"""Files of any kind: their text, rows, JSON, YAML and sentences, with line numbers."""
