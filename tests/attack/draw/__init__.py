"""What is drawn: random systems with a truth that is known or computed apart."""
