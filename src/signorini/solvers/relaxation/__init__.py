"""Relaxation with the friction cone, in blocks of nodes that several threads work on."""
