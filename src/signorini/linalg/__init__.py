"""Block matrices, preconditioned conjugate gradients, quadratic programs."""
