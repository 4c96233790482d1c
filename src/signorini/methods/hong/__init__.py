"""Explicit method of Hong2004 for soft solids."""
