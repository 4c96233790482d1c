"""The export formats that come with the package, one file each; `export.py` imports them all."""
