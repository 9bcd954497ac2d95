"""Programs whose runs are bounded become programs without loops, calls and memory."""
