"""What a soft solid is made of: its surface, its elements and the constants of its law."""
