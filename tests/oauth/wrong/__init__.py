"""The table of wrong requests to the OAuth endpoints: what is sent, and how it must be refused."""
