"""Collection of contact problems that solvers are measured on, and the recipes by which each was made."""
