"""The collection of contact problems that solvers are measured on, and how each was made."""
