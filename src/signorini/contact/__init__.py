"""Contact problem of a step: frames, Jacobians, gaps and residuals."""
