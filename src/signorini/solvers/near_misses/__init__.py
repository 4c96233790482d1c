"""Methods for contact problems that are nearly solved, or small: their matrices are factorised."""
