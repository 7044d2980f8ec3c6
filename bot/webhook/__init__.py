"""The webhook server: verifies, stores once, answers at once; the work is done elsewhere."""
