"""The steps from files to a checked answer; this room stands above `engines` and `evidence`."""
