"""The validation cases, one physical question a file; `signorini.studies.validation.collection` lists them."""
