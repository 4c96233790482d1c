"""Dynamics without contact: assembly, linear solve, motion of all bodies, energies."""
