"""The demonstration: real vulnerable releases, fixed on this machine without a key or a server."""
