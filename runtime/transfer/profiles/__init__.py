"""Import profiles: files of other programs, mapped to the fields of a record type."""
