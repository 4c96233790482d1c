"""Loads: forces from outside on nodes, surfaces and rigid bodies, constant or changing in time."""
