"""The query gateway: operations on any record type, by its name, for every door."""
