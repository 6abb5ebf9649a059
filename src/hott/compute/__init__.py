"""Transport, bounds, topics and layouts computed on a CPU or a GPU."""
