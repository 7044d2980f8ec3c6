"""The second phase of tracing: a model reads a shortlist of commits and says which one is the fix."""
