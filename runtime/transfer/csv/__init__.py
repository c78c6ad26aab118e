"""CSV as such: dialects, cells and columns; reading and writing. Pure."""
