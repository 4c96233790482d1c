"""Contact problem of a time step: contact frames, the `Mlcp`, its residuals."""
