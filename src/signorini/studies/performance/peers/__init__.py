"""The same three scenes in other simulators: each in an environment of its own, one after the other, checked by ipctk."""
