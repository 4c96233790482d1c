"""Read-out of the material of bodies: stress, stretches and energy of solids, strain and tension of cloth."""
