"""Random scenes of all kinds of bodies: a search for steps that are certified and absurd."""
