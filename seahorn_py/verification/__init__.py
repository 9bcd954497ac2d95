"""The conductor: the steps from files to a checked answer; above `engines` and `evidence`."""
