"""k-induction with invariants; unrolls by the code and values of `bmc`."""
