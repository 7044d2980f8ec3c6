"""What each ``/patch`` command means: one file a command, one parser."""
