"""What is wrong with meshes and scenes, where it is, and what repairs it."""
