"""What each GitHub event means: one file an event, named as GitHub names it."""
