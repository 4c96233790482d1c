"""How many threads share the assembly of a set of elements."""

from __future__ import annotations

MANY = 1000
"""More than there are threads."""


def shares(elements: int, worth_sharing: int) -> int:
    """Parts into which the work on so many elements may be cut: one if they are fewer than is worth to share."""
    return MANY if elements >= worth_sharing else 1
