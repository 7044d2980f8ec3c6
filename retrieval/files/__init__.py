"""Files for a report: lexical ranking of a tree joined with what past fixes changed."""
