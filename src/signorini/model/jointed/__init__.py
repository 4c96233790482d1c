"""Joints of a model: their equations, their drives, and the frames of scripted bodies that they tie to."""
