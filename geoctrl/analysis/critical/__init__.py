"""Critical cases: where roots on the axis leave it to terms of higher order."""
