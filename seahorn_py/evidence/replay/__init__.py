"""From a refutation to a run; uses `runs`, `minimise` and `trace`."""
