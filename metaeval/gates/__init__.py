"""Gates: conditions on the cells of results, and comparisons with baselines of earlier runs.

    stability.cem-ord.mean < 0.6
    scores.mysystem.macro-f1 < baseline - 0.01

`conditions` and `signatures` depend on reports only; `baselines` also on studies.
"""
