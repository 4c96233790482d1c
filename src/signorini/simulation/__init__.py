"""Running simulation: steps, access to bodies, contact forces."""
