"""The program representation: SSA control-flow graphs, their semantics and their interpreter."""
