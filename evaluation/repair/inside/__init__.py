"""Files that run in other programs' processes and import nothing of ours."""
