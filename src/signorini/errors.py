"""The exceptions that a user can meet, each a single sentence that names the thing, its value and the remedy."""

from __future__ import annotations


class InputError(ValueError):
    """Something that the user gave is wrong; the message says what, its value, and what to do."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message contains the pip command that installs it."""


class SimulationStoppedError(RuntimeError):
    """The simulation cannot be continued; everything computed up to here is intact."""


class DiskFullError(SimulationStoppedError):
    """There is no room for the results; what was written before stays readable."""
