"""Boxes of vertices and primitives that a processor compares at once."""
