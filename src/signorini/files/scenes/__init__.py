"""Scene files in TOML: schema, reader and writer."""
