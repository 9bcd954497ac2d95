"""Benchmark runs in the manner of SV-COMP: tasks, limits, results that survive, tables."""
