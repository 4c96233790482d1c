"""Frames of a run in the file formats of other programs."""
