"""Comparison of methods, and the bench of contact solvers with its problems."""
