"""Reading and editing program text: parsed sources, questions about nodes, edits by span."""
