"""The viewer in the browser: a page of our own, served on loopback or written to one file."""
