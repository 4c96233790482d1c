"""What a cloth is made of: fabrics, directions of threads, and the elements of its two models."""
