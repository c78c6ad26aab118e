"""The service's own records, from the specifications in ``specs/``. Written by the generator; do not edit."""
