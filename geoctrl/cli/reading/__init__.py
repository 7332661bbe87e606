"""What commands read, mechanisms, laws and numbers, and how they print."""
