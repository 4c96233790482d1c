"""Collision loop of Bridson2002 and Sifakis2008."""
