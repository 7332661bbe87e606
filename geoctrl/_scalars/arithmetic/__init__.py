"""The arithmetics that recorded expressions are evaluated in."""
