"""Engines around any other engine, on a system that is transformed before."""
