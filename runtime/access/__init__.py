"""What a caller may do: decisions, rules in force, impersonation."""
