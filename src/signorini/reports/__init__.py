"""Pages that explain runs: their template, plots and numbers, and the report of a run."""
