"""Run directories: trajectory, table of steps, checkpoint and summary."""
