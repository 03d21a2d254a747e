"""Speed, as ratios against a peer that does the same work, measured side by side in one run."""
