"""Boxes of constants on all of which the members of a family have one verdict; see `file`."""
