"""Prompts: one template and one input dataclass each. Untrusted text enters only as a value."""
