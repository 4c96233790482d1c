"""Scenes of rigid bodies that work only if clearances, friction and rolling are right, each with what theory predicts."""
