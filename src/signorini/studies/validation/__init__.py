"""Validation: simulations of what closed forms and experiments know, each with its bound."""
