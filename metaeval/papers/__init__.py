"""The tables of the papers, compared with what metaeval computes: `metaeval reproduce`."""
