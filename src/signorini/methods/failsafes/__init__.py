"""Fail-safes for steps that cannot be resolved."""
