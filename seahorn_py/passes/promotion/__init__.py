"""Memory and packed integers to registers; `ssa` and `access` serve all of memory."""
