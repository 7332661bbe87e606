"""What files about sets of states give for their theorems, with what they share."""
