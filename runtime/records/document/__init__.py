"""From the input of a caller to the document to store. Pure."""
