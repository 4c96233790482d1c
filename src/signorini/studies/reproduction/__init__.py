"""Figures and numbers of the papers remade: each is a target that measures, draws and says why it differs."""
