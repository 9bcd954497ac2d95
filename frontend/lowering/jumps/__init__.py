"""`setjmp` and `longjmp` as returns that go on until they come to the frame that is meant."""
