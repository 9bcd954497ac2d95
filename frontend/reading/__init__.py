"""LLVM text to `Program`; knows no `lowering`."""
