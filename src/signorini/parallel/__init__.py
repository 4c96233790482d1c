"""Threads that work on one loop together, with results that do not depend on how many they are."""
