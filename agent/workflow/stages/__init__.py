"""One stage a file; ``catalogue.py`` is the list of them."""
