"""Bounded model checking; its code, values and terms also serve `kinduction`."""
