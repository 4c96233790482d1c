"""Arrays of a simulation: nodes, state, rigid bodies, attachments, surface map."""
