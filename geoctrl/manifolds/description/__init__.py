"""What a system on a product is given."""
