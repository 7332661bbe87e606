"""Sets about a piece of a family of points of rest, from which motions tend to its members."""
