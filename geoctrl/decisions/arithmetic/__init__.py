"""Numbers with square roots, exact and in balls, and linear algebra over them."""
