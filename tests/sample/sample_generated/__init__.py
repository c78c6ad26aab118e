"""What Sample is made of, from its specifications. Written by the generator; do not edit."""
