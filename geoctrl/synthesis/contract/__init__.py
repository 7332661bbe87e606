"""What every law, every set of gains and every matching is."""
