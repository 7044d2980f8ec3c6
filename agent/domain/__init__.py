"""Types of the repair domain. Nothing here does any I/O."""
