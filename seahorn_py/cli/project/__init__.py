"""A project's proofs: the file `sea.toml`, and what runs, tells and keeps its answers."""
