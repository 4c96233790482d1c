"""Validation cases of cloth as a continuum: strips and plates of fabric against beams, plates and the drapemeter."""
