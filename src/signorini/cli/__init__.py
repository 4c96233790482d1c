"""Command line: arguments, calls and printing."""
