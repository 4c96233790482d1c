"""Mesh files of surfaces and volumes."""
