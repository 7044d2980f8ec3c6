"""Writing patches with a model: a plan that follows the project, exact edits, candidates, and a test."""
