"""Collision detection: surface, broad phase, distances and times of impact."""
