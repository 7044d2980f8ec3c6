"""The App's own tables, in the database that also holds the durable jobs."""
