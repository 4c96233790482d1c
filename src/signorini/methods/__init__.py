"""Stepping methods: refinement (CMR), collision loop, Hong2004, fail-safes."""
