"""Linear algebra: block matrices, conjugate gradients, dense programs."""
