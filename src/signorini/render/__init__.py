"""Pictures and films of a run."""
