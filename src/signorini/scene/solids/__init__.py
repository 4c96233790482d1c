"""Parts of a soft solid: its surface, its elements and the constants of its law."""
