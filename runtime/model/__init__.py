"""Records, record types, state graphs and scalars, as specifications describe them. Pure."""
