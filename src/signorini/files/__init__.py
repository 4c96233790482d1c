"""Scene files, run directories, trajectories and exports."""
