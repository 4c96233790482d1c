"""Compiled kernels on disk: where they are kept, and how to have them early."""
