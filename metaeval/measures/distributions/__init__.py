"""Measures of distributions over classes, such as soft labels and class shares."""
