"""Linear algebra: block-sparse matrices, conjugate gradients, small dense programs, rotations."""
