"""Animated characters: skeletons, motion capture, mesh sequences and their surfaces."""
