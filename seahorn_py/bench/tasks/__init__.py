"""What is run in a benchmark: tasks, and the files and folders that name them."""
