"""Newton steps on the augmented Lagrangian of a contact problem, by several threads."""
