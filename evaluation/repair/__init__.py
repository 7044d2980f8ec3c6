"""The measuring bench of repair: real vulnerabilities, a four-phase oracle, guards against its known pitfalls."""
