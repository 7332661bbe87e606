"""The parts of the attack, a file each, and what some of them share."""
