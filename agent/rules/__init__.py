"""Deterministic fixers, one weakness a file; ``registry.RULES`` lists them in their order."""
