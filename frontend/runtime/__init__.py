"""Native executables, linked with the C files of this folder."""
