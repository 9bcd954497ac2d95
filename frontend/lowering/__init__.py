"""LLVM text to LLVM text: checks, inputs, models and passes; knows no `reading`."""
