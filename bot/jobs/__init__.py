"""What the App does with what it was told: durable workflows against the ports."""
