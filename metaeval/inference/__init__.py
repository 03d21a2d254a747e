"""One scheme of inference: every p-value, interval, rank set and letter derives from what each group of items adds."""
