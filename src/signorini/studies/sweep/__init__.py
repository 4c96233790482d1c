"""Sweeps: many runs of one scene with varied parameters, in warm processes or on a cluster, into one table."""
