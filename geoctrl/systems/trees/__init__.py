"""Trees of links and joints: their description, and recursions along them."""
