"""Parts of a cloth: fabrics, directions of threads, and the elements of its two models."""
