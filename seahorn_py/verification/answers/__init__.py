"""What an answer rests on beside its evidence, and what is told of it."""
