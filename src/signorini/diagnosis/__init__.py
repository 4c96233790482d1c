"""Faults of meshes and scenes, and their repair."""
