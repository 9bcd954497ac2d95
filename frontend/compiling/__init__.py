"""The bundled C compiler: files to LLVM text, and the C parts of this package."""
