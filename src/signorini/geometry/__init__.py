"""Triangle and tetrahedral meshes: shapes, mass properties, embedding, inside tests."""
