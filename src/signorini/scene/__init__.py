"""Description of a scene: bodies, materials, pins, attachments, motions."""
