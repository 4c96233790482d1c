"""A metric for the sweep of slope.toml: how far the block has slid."""

import numpy as np

THETA = np.deg2rad(25.0)


def slid(run):
    """Way of the block down the slope [m]."""
    block = run.simulation.scene.bodies["block"]
    way = run.simulation.bodies["block"].center - np.asarray(block.position)
    return float(way @ (np.cos(THETA), 0.0, -np.sin(THETA)))
